/* This chip's share of a sum over all chips.
 *
 * op       partsum
 * types    x:int -> y:int
 * isa      any
 * scratch  y.bytes * x.n
 * stack    512
 * cycles   100000 + 20 * x.n
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
    const int32_t row = k->len * k->inner;
    const X *x = io->in[0];
    Y *y = io->out[0];
#ifdef RT_LINK
    Y *b = io->tmp;

    for (int32_t i = 0; i < k->outer * row; i++)
        b[i] = (Y)x[i];
    exchange(k, b, (int)sizeof *b);
#else
    const X *b = x;
#endif
    for (int32_t i = 0; i < k->outer; i++)
        for (int32_t j = 0; j < k->n * k->inner; j++)
            *y++ = (Y)b[i * row + k->from * k->inner + j];
}
