/* The shares of all chips, by a team: they come where they belong, but short
 * rows, which come into scratch memory.
 *
 * op       allgather
 * types    x:any -> y:=x
 * isa      xpulpv2
 * split    n
 * scratch  (outer > 1 && y.n * y.bytes <= 16384 &&
 *          y.n * y.bytes <= 128 * outer * chips) * ceil(y.n * y.bytes, ncore)
 * stack    320
 * cycles   ncore * (100 + time) + 2 * x.n
 * code     1200
 *
 * Alone the rest is 0.
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];

    BY_TEAM(rt_team_gather, k, io, x, y);
}
