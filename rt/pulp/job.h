/* Jobs of an accelerator with the registers of PULP's (hwpe-ctrl), for a team:
 * what rt/program.h stands on.  A unit takes two jobs; tokens are the jobs'
 * numbers, of eight bits, and 1.  RT_UNIT(slot): its registers; 0: it has none,
 * and a job is over when its kernel returns. */
#ifndef RT_JOB_H
#define RT_JOB_H

#include <stdint.h>

struct io;

#define RT_JOBS
/* Of a job, six registers say where its operands are, as many as JOB_DIMS has
 * words what it is. */
#define RT_REGISTERS
enum { RT_DIRECT_PLACES = 6, RT_DIRECT_WORDS = 18 };
enum { RT_UNIT_TRIGGER = 0, RT_UNIT_ACQUIRE = 4, RT_UNIT_FINISHED = 8,
       RT_UNIT_JOB = 32 };

#define RT_UNIT_REG(slot, at) \
    (*(volatile uint32_t *)(uintptr_t)(RT_UNIT(slot) + (at)))

/* The token of the job that is told next, once there is room for one. */
static inline uint32_t rt_job_acquire(uint32_t slot)
{
    int32_t id;

    do
        id = (int32_t)RT_UNIT_REG(slot, RT_UNIT_ACQUIRE);
    while (id < 0);
    return (uint32_t)id + 1;
}

/* The kernel fills the job that is acquired here, and triggers it.  It may begin
 * another, whose number it leaves at io->tmp. */
static inline uint32_t rt_job_start(uint32_t slot,
                                    void (*kernel)(const void *k,
                                                   const struct io *io),
                                    const void *k, uint32_t nk, struct io *io,
                                    uint32_t nio)
{
    int32_t id = 0;

    (void)nk;
    (void)nio;
    io->more.unit = RT_UNIT(slot);
    io->tmp = &id;
    if (io->more.unit)
        id = (int32_t)rt_job_acquire(slot) - 1;
    kernel(k, io);
    return (uint32_t)id + 1;
}

/* The registers of the job that is told next. */
static inline uintptr_t *rt_job_registers(uint32_t slot)
{
    return (uintptr_t *)(uintptr_t)(RT_UNIT(slot) + RT_UNIT_JOB);
}

/* Those behind the places; then it begins. */
static inline void rt_job_tell(uint32_t slot, const intptr_t *word)
{
    uintptr_t *to = rt_job_registers(slot) + RT_DIRECT_PLACES;

#if !defined __pulp__ || defined __clang__ /* whose assembler has .insn */
    uint32_t a, b;

    /* lp.setup, p.lw and p.sw of XpulpV2 */
    __asm__ volatile(
        ".balign 4\n .option push\n .option norvc\n"
        ".insn i 0x7b, 4, x0, %[n], 8\n"
        ".insn i 0x0b, 2, %[a], %[word], 4\n"
        ".insn i 0x0b, 2, %[b], %[word], 4\n"
        ".insn r 0x2b, 2, 0, x4, %[to], %[a]\n"
        ".insn r 0x2b, 2, 0, x4, %[to], %[b]\n"
        ".option pop\n"
        : [word] "+&r"(word), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b)
        : [n] "r"(RT_DIRECT_WORDS / 2) : "memory");
#else
    int i;

    for (i = 0; i < RT_DIRECT_WORDS; i++)
        ((volatile uintptr_t *)to)[i] = (uintptr_t)word[i];
#endif
    RT_UNIT_REG(slot, RT_UNIT_TRIGGER) = 0;
}

static inline int rt_job_is_over(uint32_t slot, uint32_t job)
{
    return !RT_UNIT(slot) ||
           (int8_t)(RT_UNIT_REG(slot, RT_UNIT_FINISHED) + 1 - job) >= 0;
}

/* Jobs end in order.  RT_UNIT_SLEEP: the core sleeps until one has ended,
 * whichever; else it polls. */
static inline void rt_job_wait(uint32_t slot, uint32_t job)
{
#ifdef RT_UNIT_SLEEP
    if (rt_job_is_over(slot, job))
        return;
    RT_UNIT_SLEEP(RT_UNIT_EVENT(slot), rt_job_is_over(slot, job));
#else
    while (!rt_job_is_over(slot, job))
        ;
#endif
    __asm__ volatile("" ::: "memory");
}

#endif
