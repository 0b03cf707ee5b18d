/* This chip's share of a sum over all chips, by a team: shares go off at once,
 * and what comes is added by all cores.
 *
 * op       partsum
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
    int32_t i, j, from, to, n = k->n * k->inner;

    span(n, io->core, io->ncore, &from, &to);
    for (i = 0; i < k->outer; i++)
        for (j = from; j < to; j++)
            y[i * n + j] = x[(i * k->len + k->from) * k->inner + j];
#endif
}
