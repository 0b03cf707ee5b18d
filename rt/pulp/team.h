/* The cores of the cluster as a team, and its transfers: what rt/program.h
 * stands on. */
#ifndef TEAM_H
#define TEAM_H

#include "../move.h"
#include "ext.h"
#include "pulp.h"

/* Two buffers in the L1, in turns. */
extern unsigned char pulp_page[2][RT_PAGE];

static inline unsigned char *rt_page_buffer(int i)
{
    return pulp_page[i & 1];
}

/* As pulp_dma() and pulp_ext_start() want it. */
#define RT_COMMAND(bytes, in, rows, io) \
    ((io) ? (bytes) | ((in) ? PULP_EXT_IN : 0) | ((rows) ? PULP_EXT_ROWS : 0) \
          : (uint32_t)(bytes) | ((in) ? PULP_DMA_IN : 0) | \
                ((rows) ? PULP_DMA_ROWS : PULP_DMA_LINE))

/* work(arg, core) on every core, and until all are done. */
static inline void rt_team(void (*work)(const void *arg, int core),
                           const void *arg, int cores)
{
    (void)cores;
    pulp_fork(work, arg);
}

/* All cores meet, within such work. */
#define RT_BARRIER() pulp_barrier()

/* Between the L1 and the L2: the bit of its id, which it shares with those that
 * have just begun; 0: there are none.  What is sent is written before. */
static inline uint32_t rt_dma_start(struct rt_move m, uint32_t with)
{
    __asm__ volatile("" ::: "memory");
    if (!with)
        with = 1u << PULP_REG(PULP_MCHAN);
    PULP_REG(PULP_MCHAN) = m.command;
    PULP_REG(PULP_MCHAN) = m.near;
    PULP_REG(PULP_MCHAN) = m.far;
    if (m.row) {
        PULP_REG(PULP_MCHAN) = m.row;
        PULP_REG(PULP_MCHAN) = m.stride;
    }
    return with;
}

static inline void rt_dma_wait(uint32_t ids)
{
    pulp_dma_wait_all(ids);
    __asm__ volatile("" ::: "memory");
}

/* Between the L2 and external memory, where the project has any: its token. */
static inline uint32_t rt_io_start(struct rt_move m)
{
    return pulp_ext_ask(m.near, m.far, m.command, m.row, m.stride);
}

static inline void rt_io_wait(uint32_t token)
{
    if (token)
        pulp_ext_wait(token);
}

#if defined RT_ACCEL_neureka || defined RT_ACCEL_ne16

/* The unit takes two jobs; the kernel fills the one that is acquired here, and
 * triggers it.  Tokens are the jobs' numbers, of eight bits, and 1. */
enum { RT_HWPE_ACQUIRE = PULP_HWPE + 4,
       RT_HWPE_FINISHED = PULP_HWPE + 8, RT_HWPE_EVENT = 12 };
#define RT_JOBS
struct io;

static inline uint32_t rt_job_start(void (*kernel)(const void *k,
                                                   const struct io *io),
                                    const void *k, uint32_t nk,
                                    const struct io *io, uint32_t nio)
{
    int32_t id;

    (void)nk;
    (void)nio;
    do
        id = (int32_t)PULP_REG(RT_HWPE_ACQUIRE);
    while (id < 0);
    kernel(k, io);
    return (uint32_t)id + 1;
}

/* Jobs end in order.  The core sleeps until one has ended, whichever. */
static inline void rt_job_wait(uint32_t job)
{
    if ((int8_t)(PULP_REG(RT_HWPE_FINISHED) + 1 - job) >= 0)
        return;
    PULP_REG(PULP_MASK_OR) = 1u << RT_HWPE_EVENT;
    do
        pulp_event_load(PULP_WAIT_CLEAR);
    while ((int8_t)(PULP_REG(RT_HWPE_FINISHED) + 1 - job) < 0);
    PULP_REG(PULP_MASK_AND) = 1u << RT_HWPE_EVENT;
    __asm__ volatile("" ::: "memory");
}

#endif

#endif
