/* The integer GELU: x (one + L) >> 1 with L a parabola for erf.
 *
 * op       igelu
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   30 * x.n
 *
 * p0: b, negative; p1: one.
 * L = sign(x) (one - (q + b)^2) with q = min(|x|, -b).
 */
#include "kern/map/map.h"

static int64_t igelu(int64_t x, int64_t b, int64_t one)
{
    int64_t size = x < 0 ? -x : x, q = size < -b ? size : -b;
    int64_t l = one - (q + b) * (q + b);

    return x * ((one + (x < 0 ? -l : x > 0 ? l : 0)) >> 1);
}

MAP1(X, Y, igelu(x, k->p0, k->p1))
