/* A value of which a piece has come of all chips.
 *
 * op       gathertake
 * types    x:f32 room:f32 -> y:f32
 * types    x:int room:int -> y:int
 * isa      any
 * inplace  room
 * stack    64
 * cycles   100000 + 20 * y.n
 */
#include "kern/copy/exchange.h"

#ifdef RT_LINK
#error "no exchange beside work on this chip"
#endif

void FN(const struct exchange_dims *k, const struct io *io)
{
    const int32_t n = k->outer * k->len * k->inner;
    const ROOM *room = io->in[1];
    Y *y = io->out[0];

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)room[i];
}
