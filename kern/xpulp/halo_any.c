/* Rows of neighbouring chips beside this one's own, by a team: they come where
 * they belong while this chip's are copied.
 *
 * op       halo
 * types    x:any -> y:=x
 * isa      xpulpv2
 * split    n
 * stack    320
 * when     outer == 1
 * cycles   ncore * (800 + y.bytes * (y.n - x.n)) + x.n * x.bytes
 * code     700
 *
 * Alone the rest is 0.
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];

    BY_TEAM(rt_team_halo, k, io, x, y);
}
