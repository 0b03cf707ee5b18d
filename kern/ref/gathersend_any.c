/* This chip's piece of its share of a value, before any other has come; all else
 * is as in the room.
 *
 * op       gathersend
 * types    x:f32 room:f32 -> y:f32
 * types    x:int room:int -> y:int
 * isa      any
 * inplace  room
 * stack    64
 * cycles   100000 + 20 * y.n
 *
 * Between chips another kernel does this: here nothing goes on meanwhile.
 */
#include "kern/copy/exchange.h"

#ifdef RT_LINK
#error "no exchange beside work on this chip"
#endif

void FN(const struct exchange_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const ROOM *room = io->in[1];
    Y *y = io->out[0];
    int32_t i, j, l, at = 0;

    for (i = 0; i < k->outer; i++)
        for (j = 0; j < k->len; j++)
            for (l = 0; l < k->inner; l++, at++)
                if (j >= k->from && j < k->from + k->n)
                    y[at] = (Y)*x++;
                else
                    y[at] = room ? (Y)room[at] : 0;
}
