/* How a kernel reaches the other chips: in projects for several chips through
 * rt/link, elsewhere a chip is alone. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "kern/kern.h"

#ifdef RT_LINK
/* Of elements of `bytes` each; b (kern/dims.def) then has what all chips gave,
 * or this one's share of a sum. */
void rt_exchange(const struct exchange_dims *k, void *b, int bytes);
/* The same by a team of cores, each of which calls it; b is x or y. */
void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes);
void rt_team_sum(const struct exchange_dims *k, const struct io *io);
#endif

static inline void exchange(const struct exchange_dims *k, void *b, int bytes)
{
#ifdef RT_LINK
    rt_exchange(k, b, bytes);
#else
    (void)k;
    (void)b;
    (void)bytes;
#endif
}

#endif
