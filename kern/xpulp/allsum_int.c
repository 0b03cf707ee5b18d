/* A sum over all chips, by a team: what each has goes to all others, which add.
 *
 * op       allsum
 * types    x:s32 -> y:s32
 * isa      xpulpv2
 * split    n
 * scratch  4 * ceil((chips - 1) * y.n, ncore)
 * stack    320
 * cycles   ncore * (100 + time)
 * code     1400
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
#ifdef RT_LINK
    rt_team_sum(k, io);
#else
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, from, to;

    span(k->n, io->core, io->ncore, &from, &to);
    for (i = from; i < to; i++)
        y[i] = x[i];
#endif
}
