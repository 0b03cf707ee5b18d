/* This chip's share of a value, then those of all, or rows of its neighbours'.
 *
 * op       allgather halo
 * types    x:f32 -> y:f32
 * types    x:int -> y:int
 * isa      any
 * stack    512
 * cycles   100000 + 20 * y.n
 *
 * What others have is 0 until it is there.
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->outer; i++)
        for (int32_t j = 0; j < k->len; j++)
            for (int32_t l = 0; l < k->inner; l++)
                *y++ = j < k->from || j >= k->from + k->n ? 0 : (Y)*x++;
    exchange(k, io->out[0], (int)sizeof *y);
}
