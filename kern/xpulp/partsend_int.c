/* Shares of other chips' sums, by a team: this chip's go off at once, and the
 * cores go on while they are under way, and others' come.
 *
 * op       partsend
 * types    x:s32 -> y:s32
 * isa      xpulpv2
 * split    n
 * stack    160
 * cycles   ncore * (500 + 60 * outer * ceil(chips, ncore))
 * code     600
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
#ifdef RT_LINK
    rt_team_send(k, io);
#else
    Y *y = io->out[0];
    int32_t i, from, to;

    span((k->chips - 1) * k->outer * k->n * k->inner, io->core, io->ncore,
         &from, &to);
    for (i = from; i < to; i++)
        y[i] = 0;
#endif
}
