/* Float to integer: clip(round(x / scale) + zero, lo, hi).
 *
 * op       quantize
 * types    x:f32 scale:f32 zero:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    416
 * cycles   60 * x.n
 *
 * Ties round to even, with mode 1 away from 0; lo and hi are the bounds of the
 * type.
 */
#include "kern/map/map.h"

static int64_t nearest(float v, int away)
{
    if (v != v)
        return 0;
    v = clipf(v, -2147483648.0f, 2147483648.0f);
    return (int64_t)(away ? roundf(v) : rintf(v));
}

static int64_t zero_at(const ZERO *zero, ptrdiff_t at)
{
    return zero ? zero[at] : 0;
}

MAP2(X, SCALE, Y,
     bound(nearest(x / y, k->mode) + zero_at(io->in[2], p.at2 + i * k->s2[5]),
           k->lo, k->hi))
