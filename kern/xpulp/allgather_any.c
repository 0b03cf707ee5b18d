/* The shares of all chips, by a team: they come where they belong.
 *
 * op       allgather
 * types    x:any -> y:=x
 * isa      xpulpv2
 * split    n
 * stack    320
 * cycles   ncore * (100 + time) + 2 * x.n
 * code     1200
 *
 * Alone the rest is 0.
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
#ifdef RT_LINK
    rt_team_gather(k, io, (int)sizeof(Y));
#else
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, j, from, to, n = k->n * k->inner, first = k->from * k->inner;

    span(k->len * k->inner, io->core, io->ncore, &from, &to);
    for (i = 0; i < k->outer; i++)
        for (j = from; j < to; j++)
            y[i * k->len * k->inner + j] =
                j < first || j >= first + n ? 0 : x[i * n + j - first];
#endif
}
