/* Bounds along dense rows: the activations of integers.
 *
 * op       clip
 * types    x:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     s0[5] == 1
 * inplace  x
 * stack    192
 * cycles   50 + 8 * x.n
 */
#include "kern/map.h"

void FN(const struct map_dims *k, const struct io *io)
{
    const int32_t n = k->n[5], lo = k->lo, hi = k->hi;
    struct nest p = {{0}, 0, 0, 0, 0, 0};
    Y *y = io->out[0];

    do {
        const X *x = (const X *)io->in[0] + p.at0;

        for (int32_t i = 0; i < n; i++)
            y[i] = (Y)clip(x[i], lo, hi);
        y += n;
    } while (nest_next(k, &p));
}
