/* This chip's share of a sum, of what the others have sent.
 *
 * op       parttake
 * types    x:int room:int -> y:int
 * isa      any
 * stack    96
 * cycles   100000 + 20 * x.n
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
    const int32_t n = k->n * k->inner, row = k->len * k->inner;
    const X *x = (const X *)io->in[0] + k->from * k->inner;
    const ROOM *room = io->in[1];
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->outer * n; i++) {
        uint32_t s = (uint32_t)x[i / n * row + i % n];

        for (int32_t c = 0; c < k->chips - 1; c++)
            s += (uint32_t)room[c * k->outer * n + i];
        y[i] = (Y)(int32_t)s;
    }
}
