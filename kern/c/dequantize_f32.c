/* Integer to float by one scale and zero point, along dense rows.
 *
 * op       dequantize
 * types    x:s8|u8|s16|u16 scale:f32 zero:int -> y:f32
 * isa      any
 * when     s0[5] == 1 && scale.n == 1 && (!has.zero || zero.n == 1)
 * split    n
 * stack    352
 * cycles   50 + 10 * x.n
 */
#include "kern/map/map.h"

void FN(const struct map_dims *k, const struct io *io)
{
    const SCALE scale = *(const SCALE *)io->in[1];
    const ZERO *zp = io->in[2];
    const int32_t zero = zp ? (int32_t)*zp : 0;
    struct nest p;
    const int some = nest_begin(k, io, &p);
    const int32_t n = p.n;
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        const X *x = (const X *)io->in[0] + p.at0;

        for (int32_t i = 0; i < n; i++)
            y[i] = (float)((int32_t)x[i] - zero) * scale;
        y += p.step;
    } while (nest_next(k, &p));
}
