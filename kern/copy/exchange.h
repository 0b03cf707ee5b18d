/* How a kernel reaches the other chips: in projects for several chips y goes
 * through rt/link/exchange.c; elsewhere a chip is alone. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "kern/kern.h"

#ifdef RT_LINK
/* Of elements of `bytes` each; y then has what all chips gave. */
void rt_exchange(int tag, void *y, int bytes, int outer, int len, int inner,
                 int parts);
#endif

static inline void exchange(const struct exchange_dims *k, void *y, int bytes)
{
#ifdef RT_LINK
    rt_exchange(k->tag, y, bytes, k->outer, k->len, k->inner, k->parts);
#else
    (void)k;
    (void)y;
    (void)bytes;
#endif
}

#endif
