/* The bare PULP chip: registers of the memory map that the pulp-open, GAP and
 * Siracusa descriptions share, and what a program does with them. */
#ifndef PULP_H
#define PULP_H

#include <stdint.h>

#define PULP_REG(a) (*(volatile uint32_t *)(uintptr_t)(a))

enum {
    PULP_CLUSTER = 0x10200000, PULP_FETCH_ENABLE = PULP_CLUSTER + 0x08,
    PULP_BOOT = PULP_CLUSTER + 0x40, PULP_CLUSTER_TIMER = 0x10200400,
    PULP_CLUSTER_ICACHE = 0x10201400, PULP_UNIT = 0x10204000,
    PULP_MASK_AND = PULP_UNIT + 0x04,
    PULP_MASK_OR = PULP_UNIT + 0x08, PULP_WAIT_CLEAR = PULP_UNIT + 0x3c,
    PULP_BARRIER = PULP_UNIT + 0x200, PULP_MCHAN = 0x10204400,
    PULP_HWPE = 0x10201000, /* N-Eureka of Siracusa, NE16 of GAP9 */
    PULP_SOC = 0x1a104000, PULP_END = PULP_SOC + 0xa0,
    PULP_FC_ICACHE = 0x1a108800, PULP_FC_TIMER = 0x1a10b000,
    PULP_STDOUT = 0x1a10f000,
    PULP_LINK = 0x1a111000,
};

/* Core within its cluster; the fabric controller is 0 of cluster 31. */
static inline uint32_t pulp_hart(void)
{
    uint32_t v;

    __asm__ volatile("csrr %0, 0xf14" : "=r"(v));
    return v;
}

static inline uint32_t pulp_cycles(void)
{
    uint32_t v;

    __asm__ volatile("csrr %0, 0xb00" : "=r"(v) : : "memory");
    return v;
}

#if defined __pulp__ && !defined __clang__
#define PULP_ELW "p.elw %0, 0(%1)" /* the PULP assembler has no .insn */
#else
#define PULP_ELW ".insn i 0x03, 6, %0, %1, 0"
#endif

/* A load that sleeps until its register has something to say (p.elw). */
static inline uint32_t pulp_event_load(uint32_t at)
{
    uint32_t v;

    __asm__ volatile(PULP_ELW : "=r"(v) : "r"(at) : "memory");
    return v;
}

/* All cores of barrier 0 (pulp_team_begin chose them) meet here. */
static inline void pulp_barrier(void)
{
    pulp_event_load(PULP_BARRIER + 0x1c);
}

/* Transfers between L1 and the rest; in: to L1.  Each gives an id, of which
 * there are 16; waiting for it frees it.  One longer than the 17 bits of a
 * command is several commands of the same id. */
enum { PULP_DMA_LONGEST = 65536 };
enum {
    PULP_DMA_IN = 1 << 17, PULP_DMA_LINE = 5 << 18, PULP_DMA_ROWS = 7 << 18
};

/* start.c: of bytes [0, n) all but the last PULP_DMA_LONGEST; bits of the
 * command; row 0: in one piece.  Returns how many it began. */
uint32_t pulp_dma_long(uint32_t l1, uint32_t far, uint32_t n, uint32_t bits,
                       uint32_t row, uint32_t stride);

static inline uint32_t pulp_dma(uint32_t l1, uint32_t far, uint32_t n, int in)
{
    uint32_t id = PULP_REG(PULP_MCHAN), done = 0;
    uint32_t bits = (in ? PULP_DMA_IN : 0) | PULP_DMA_LINE;

    if (__builtin_expect(n > PULP_DMA_LONGEST, 0))
        done = pulp_dma_long(l1, far, n, bits, 0, 0);
    PULP_REG(PULP_MCHAN) = (n - done) | bits;
    PULP_REG(PULP_MCHAN) = l1 + done;
    PULP_REG(PULP_MCHAN) = far + done;
    return id;
}

/* Rows of `row` bytes, `stride` apart on the far side, without gaps in L1. */
static inline uint32_t pulp_dma_2d(uint32_t l1, uint32_t far, uint32_t n,
                                   uint32_t row, uint32_t stride, int in)
{
    uint32_t id = PULP_REG(PULP_MCHAN), done = 0;
    uint32_t bits = (in ? PULP_DMA_IN : 0) | PULP_DMA_ROWS;

    if (__builtin_expect(n > PULP_DMA_LONGEST, 0)) {
        done = pulp_dma_long(l1, far, n, bits, row, stride);
        far += done / row * stride;
    }
    PULP_REG(PULP_MCHAN) = (n - done) | bits;
    PULP_REG(PULP_MCHAN) = l1 + done;
    PULP_REG(PULP_MCHAN) = far;
    PULP_REG(PULP_MCHAN) = row;
    PULP_REG(PULP_MCHAN) = stride;
    return id;
}

/* For the transfers whose ids' bits are set. */
static inline void pulp_dma_wait_all(uint32_t ids)
{
    while (PULP_REG(PULP_MCHAN + 4) & ids)
        ;
    PULP_REG(PULP_MCHAN + 4) = ids;
}

static inline void pulp_dma_wait(uint32_t id)
{
    pulp_dma_wait_all(1u << id);
}

/* Runs work(arg, core) on every core of the cluster and waits for all; only
 * from main(), which runs on core 0. */
extern void (*volatile pulp_team_work)(const void *arg, int core);
extern const void *volatile pulp_team_arg;
void pulp_fork(void (*work)(const void *arg, int core), const void *arg);

/* The same on all but core 0, which meets them at a barrier when they are
 * done. */
static inline void pulp_begin(void (*work)(const void *arg, int core),
                              const void *arg)
{
    pulp_team_work = work;
    pulp_team_arg = arg;
    pulp_barrier();
}

int pulp_cores(void);

#endif
