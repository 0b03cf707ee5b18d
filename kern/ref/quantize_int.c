/* Float to integer: clip(round(x / scale) + zero, lo, hi).
 *
 * op       quantize
 * types    x:f32 scale:f32 zero:int -> y:s8|u8|s16|u16|s32
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
    v = clipf(v, -0x1p34f, 0x1p34f); /* no zero point brings it back */
    return (int64_t)(away ? roundf(v) : rintf(v));
}

static int64_t zero_at(const ZERO *zero, ptrdiff_t at)
{
    return zero ? zero[at] : 0;
}

/* The extremes of int32_t are bounds here as any other. */
static int64_t saturated(int64_t v, int32_t lo, int32_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

MAP2(X, SCALE, Y,
     saturated(nearest(x / y, k->mode) +
                   zero_at(io->in[2], p.at2 + i * k->s2[5]),
               k->lo, k->hi))
