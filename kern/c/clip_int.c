/* Bounds along dense rows: the activations of integers.
 *
 * op       clip
 * types    x:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     s0[5] == 1
 * inplace  x
 * split    n
 * stack    224
 * cycles   50 + 8 * x.n
 */
#include "kern/map/map.h"

void FN(const struct map_dims *k, const struct io *io)
{
    const int32_t lo = k->lo, hi = k->hi;
    struct nest p;
    const int some = nest_begin(k, io, &p);
    const int32_t n = p.n;
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        const X *x = (const X *)io->in[0] + p.at0;

        for (int32_t i = 0; i < n; i++)
            y[i] = (Y)clip(x[i], lo, hi);
        y += p.step;
    } while (nest_next(k, &p));
}
