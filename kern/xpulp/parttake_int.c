/* This chip's share of a sum, of what the others have sent, by a team: what has
 * not come yet is waited for, and all cores add.
 *
 * op       parttake
 * types    x:s32 room:s32 -> y:s32
 * isa      xpulpv2
 * split    n
 * stack    256
 * cycles   ncore * (500 + 50 * outer * ceil(chips, ncore)) + 6 * x.n
 * code     900
 */
#include "kern/copy/exchange.h"

void FN(const struct exchange_dims *k, const struct io *io)
{
#ifdef RT_LINK
    rt_team_take(k, io);
#else
    const int32_t n = k->n * k->inner, slot = k->outer * n;
    const X *x = (const X *)io->in[0] + k->from * k->inner;
    const ROOM *room = io->in[1];
    Y *y = io->out[0];
    int32_t i, o, c, from, to;

    span(n, io->core, io->ncore, &from, &to);
    for (o = 0; o < k->outer; o++)
        for (i = from; i < to; i++) {
            uint32_t s = (uint32_t)x[o * k->len * k->inner + i];

            for (c = 0; c < k->chips - 1; c++)
                s += (uint32_t)room[c * slot + o * n + i];
            y[o * n + i] = (int32_t)s;
        }
#endif
}
