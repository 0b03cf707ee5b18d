/* Each element along an axis is a weighted sum of a few: linear resizing.
 *
 * op       taps
 * types    x:int i:int w:int -> y:int
 * isa      any
 * stack    128
 * cycles   20 * y.n * taps
 */
#include "kern/kern.h"

void FN(const struct taps_dims *k, const struct io *io)
{
    const I *index = io->in[1];
    const W *w = io->in[2];
    Y *y = io->out[0];

    for (int32_t outer = 0; outer < k->outer; outer++)
        for (int32_t i = 0; i < k->n; i++)
            for (int32_t j = 0; j < k->inner; j++) {
                const X *x = (const X *)io->in[0] +
                             (ptrdiff_t)outer * k->len * k->inner + j;
                int64_t sum = 0;

                for (int32_t t = i * k->taps; t < (i + 1) * k->taps; t++)
                    sum += (int64_t)x[(ptrdiff_t)index[t] * k->inner] * w[t];
                *y++ = (Y)sum;
            }
}
