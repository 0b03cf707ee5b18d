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

/* work(arg, core) on every core.  Between start and finish core 0 may do
 * something else; finish has its share done, and waits for all. */
static inline void rt_team_start(void (*work)(const void *arg, int core),
                                 const void *arg, int cores)
{
    (void)cores;
    pulp_team_work = work;
    pulp_team_arg = arg;
    pulp_barrier();
}

static inline void rt_team_finish(void (*work)(const void *arg, int core),
                                  const void *arg, int cores)
{
    (void)cores;
    work(arg, 0);
    pulp_barrier();
}

/* Between the L1 and the L2: the bit of its id.  What is sent is written
 * before. */
static inline uint32_t rt_dma_start(struct rt_move m)
{
    uint32_t id;

    __asm__ volatile("" ::: "memory");
    id = PULP_REG(PULP_MCHAN);
    PULP_REG(PULP_MCHAN) = m.command;
    PULP_REG(PULP_MCHAN) = m.near;
    PULP_REG(PULP_MCHAN) = m.far;
    if (m.row) {
        PULP_REG(PULP_MCHAN) = m.row;
        PULP_REG(PULP_MCHAN) = m.stride;
    }
    return 1u << id;
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

#endif
