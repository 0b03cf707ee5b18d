/* The cores of the cluster as a team: all of them run one function, and meet
 * where it says so. */
#ifndef TEAM_H
#define TEAM_H

#include "pulp.h"

/* work(arg, core) on every core; returns when all are done.  From core 0. */
static inline void rt_fork(void (*work)(const void *arg, int core),
                           const void *arg)
{
    pulp_fork(work, arg);
}

/* Nobody goes on before all have come. */
static inline void rt_barrier(void)
{
    pulp_barrier();
}

#endif
