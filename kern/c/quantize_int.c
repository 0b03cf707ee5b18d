/* Float to integer by one scale and zero point, along dense rows.
 *
 * op       quantize
 * types    x:f32 scale:f32 zero:int -> y:s8|u8|s16|u16
 * isa      any
 * when     mode == 0 && s0[5] == 1 && scale.n == 1 &&
 *          (!has.zero || zero.n == 1) && lo >= -65536 && hi <= 65536
 * inplace  x
 * split    n
 * stack    384
 * cycles   50 + 26 * x.n
 *
 * The quotient is clipped first.  What is left is small, so that in the sum
 * with 1.5 * 2^23 the lowest bit of the fraction is 1: it is rounded to the
 * nearest, ties to even, and can be read from the bits.
 */
#include <string.h>
#include "kern/map/map.h"

static inline int32_t nearest(float v)
{
    const float up = v + 12582912.0f;
    int32_t bits;

    memcpy(&bits, &up, sizeof bits);
    return bits - 0x4b400000;
}

static NOINLINE void run(const struct map_dims *k, const X *x, SCALE scale,
                         int32_t zero, Y *y, int32_t n)
{
    const float lo = (float)(k->lo - zero), hi = (float)(k->hi - zero);

    for (int32_t i = 0; i < n; i++) {
        const float v = clipf(x[i] / scale, lo, hi);

        y[i] = (Y)(v == v ? nearest(v) + zero : clip(zero, k->lo, k->hi));
    }
}

void FN(const struct map_dims *k, const struct io *io)
{
    const ZERO *zero = io->in[2];
    struct nest p;
    const int some = nest_begin(k, io, &p);
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        run(k, (const X *)io->in[0] + p.at0, *(const SCALE *)io->in[1],
            zero ? (int32_t)*zero : 0, y, p.n);
        y += p.step;
    } while (nest_next(k, &p));
}
