/* Integer to float: (x - zero) scale.
 *
 * op       dequantize
 * types    x:int scale:f32 zero:int -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    384
 * cycles   30 * x.n
 */
#include "kern/map/map.h"

static int64_t zero_at(const ZERO *zero, ptrdiff_t at)
{
    return zero ? zero[at] : 0;
}

MAP2(X, SCALE, Y,
     (float)(x - zero_at(io->in[2], p.at2 + i * k->s2[5])) * y)
