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

/* A transfer that is too long for one command. */
int pulp_dma_far(const struct rt_move *m);

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

/* Between the L1 and the L2.  What is sent is written before. */
static inline int rt_dma_start(const struct rt_move *m)
{
    const uint32_t in = (uint32_t)m->in << 17;
    uint32_t id;

    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(m->bytes > PULP_DMA_LONGEST, 0))
        return pulp_dma_far(m);
    id = PULP_REG(PULP_MCHAN);
    PULP_REG(PULP_MCHAN) = m->bytes | in |
                           (m->row ? PULP_DMA_ROWS : PULP_DMA_LINE);
    PULP_REG(PULP_MCHAN) = m->near;
    PULP_REG(PULP_MCHAN) = m->far;
    if (m->row) {
        PULP_REG(PULP_MCHAN) = m->row;
        PULP_REG(PULP_MCHAN) = m->stride;
    }
    return (int)id;
}

static inline void rt_dma_wait(int id)
{
    pulp_dma_wait((uint32_t)id);
    __asm__ volatile("" ::: "memory");
}

/* Between the L2 and external memory: where the project has any. */
static inline int rt_io_start(const struct rt_move *m)
{
    if (m->row)
        return (int)pulp_ext_start_2d(m->near, m->far, m->bytes, m->row,
                                      m->stride, m->in);
    return (int)pulp_ext_start(m->near, m->far, m->bytes, m->in);
}

static inline void rt_io_wait(int id)
{
    pulp_ext_wait((uint32_t)id);
}

#endif
