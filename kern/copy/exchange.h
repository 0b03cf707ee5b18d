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
void rt_team_halo(const struct exchange_dims *k, const struct io *io,
                  int bytes);
void rt_team_sum(const struct exchange_dims *k, const struct io *io);
/* Two halves of these, of which the first does not wait: in between x stays as
 * it is, and the room, y of the first and operand 1 of the second, where it is. */
void rt_team_gather_send(const struct exchange_dims *k, const struct io *io,
                         int bytes);
void rt_team_gather_take(const struct exchange_dims *k, const struct io *io);
void rt_team_send(const struct exchange_dims *k, const struct io *io);
void rt_team_take(const struct exchange_dims *k, const struct io *io);
#endif

/* A core's part of y, which has x and what other chips have: where there are none
 * the rest is 0. */
#ifdef RT_LINK
#define BY_TEAM(team, k, io, x, y)                                           \
    ((void)(x), (void)(y), team(k, io, (int)sizeof *(y)))
#else
#define BY_TEAM(team, k, io, x, y)                                           \
    do {                                                                     \
        const int32_t n = (k)->n * (k)->inner;                               \
        const int32_t all = (k)->len * (k)->inner;                           \
        const int32_t first = (k)->from * (k)->inner;                        \
        int32_t i, j, from, to;                                              \
                                                                             \
        span(all, (io)->core, (io)->ncore, &from, &to);                      \
        for (i = 0; i < (k)->outer; i++)                                     \
            for (j = from; j < to; j++)                                      \
                (y)[i * all + j] =                                           \
                    j < first || j >= first + n ? 0                          \
                                                : (x)[i * n + j - first];    \
    } while (0)
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
