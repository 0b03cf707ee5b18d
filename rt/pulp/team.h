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

/* work(arg, core) on every core but this one; and until all are done. */
static inline void rt_team_begin(void (*work)(const void *arg, int core),
                                 const void *arg)
{
    pulp_begin(work, arg);
}

static inline void rt_team_end(void)
{
    pulp_barrier();
}

/* An ELF assembler has C's names. */
#define RT_C_NAMES

/* All cores meet, within such work. */
#define RT_BARRIER() pulp_barrier()

#if !defined __pulp__ || defined __clang__ /* whose assembler has .insn */

/* As that of rt/program.h, in six instructions a place; those of XpulpV2 are
 * lp.setup, p.lw and p.sw. */
#define RT_PLACES
static inline uint32_t rt_places(const uintptr_t *base, uint32_t memory,
                                 const intptr_t **ref, uintptr_t *to,
                                 uint32_t n)
{
    uint32_t off, at;

    if (n)
        __asm__ volatile(
            ".balign 4\n .option push\n .option norvc\n"
            ".insn i 0x7b, 4, x0, %[n], 12\n"
            ".insn i 0x0b, 2, %[off], %[ref], 4\n"
            "andi %[at], %[memory], 12\n"
            ".insn r 0x03, 7, 16, %[at], %[at], %[base]\n"
            "srli %[memory], %[memory], 2\n"
            "add %[off], %[off], %[at]\n"
            ".insn r 0x2b, 2, 0, x4, %[to], %[off]\n"
            ".option pop\n"
            : [memory] "+&r"(memory), [ref] "+&r"(*ref), [to] "+&r"(to),
              [off] "=&r"(off), [at] "=&r"(at)
            : [n] "r"(n), [base] "r"(base) : "memory");
    return memory;
}

#endif

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

/* Sleeps through events of that number until there is what is wanted. */
#define RT_UNIT_SLEEP(number, wanted) \
    do { \
        PULP_REG(PULP_MASK_OR) = 1u << (number); \
        do \
            pulp_event_load(PULP_WAIT_CLEAR); \
        while (!(wanted)); \
        PULP_REG(PULP_MASK_AND) = 1u << (number); \
    } while (0)

#ifdef RT_JOB_SLOT
#include "job.h"
#endif

#endif
