/* A value of which a piece has come of all chips, by a team: what has not yet is
 * waited for.
 *
 * op       gathertake
 * types    x:any room:=x -> y:=x
 * isa      xpulpv2
 * inplace  room
 * split    n
 * stack    96
 * cycles   ncore * (fit.call + fit.piece * outer * ceil(chips, ncore))
 * code     300
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
    const ROOM *room = io->in[1];
    Y *y = io->out[0];
    int32_t i, from, to;

#ifdef RT_LINK
    rt_team_gather_take(k, io);
#endif
    span(k->outer * k->len * k->inner, io->core, io->ncore, &from, &to);
    for (i = from; i < to && y != (const Y *)room; i++)
        y[i] = (Y)room[i];
}
