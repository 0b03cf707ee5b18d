/* A piece of a chip's share of a value, by a team: it goes off to all others at
 * once, and the cores go on while it is under way, and others' come where they
 * belong.
 *
 * op       gathersend
 * types    x:any room:=x -> y:=x
 * isa      xpulpv2
 * inplace  room
 * split    n
 * stack    192
 * cycles   ncore * (fit.call + fit.piece * outer * (chips - 1)) + x.n / 2
 * code     700
 *
 * Alone the rest is as in the room, or 0.
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
#ifdef RT_LINK
    rt_team_gather_send(k, io, (int)sizeof(Y));
#else
    const int32_t n = k->n * k->inner, all = k->len * k->inner;
    const int32_t first = k->from * k->inner;
    const X *x = io->in[0];
    const ROOM *room = io->in[1];
    Y *y = io->out[0];
    int32_t i, j, from, to;

    span(all, io->core, io->ncore, &from, &to);
    for (i = 0; i < k->outer; i++)
        for (j = from; j < to; j++)
            if (j >= first && j < first + n)
                y[i * all + j] = x[i * n + j - first];
            else
                y[i * all + j] = room ? room[i * all + j] : 0;
#endif
}
