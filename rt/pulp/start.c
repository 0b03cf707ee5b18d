/* The part of start-up that C can say: the fabric controller starts the
 * cluster and sleeps, or looks after external memory; the cores meet at
 * barriers to take work. */
#include "team.h"
#include "../rt.h"

enum { BARRIER_EVENT = 16 };

extern char rt_cores[]; /* from the linker script: its address is how many */
int main(void);
void rt_reset(void);
void pulp_fabric(void);
void pulp_core(int core);
void pulp_trap(uint32_t cause, uint32_t pc);
void pulp_ext_serve(void) __attribute__((weak)); /* of ext.c, if linked */

void (*volatile pulp_team_work)(const void *arg, int core);
const void *volatile pulp_team_arg;
unsigned char pulp_page[2][RT_PAGE] __attribute__((aligned(16)));
static volatile uint32_t ready;

int pulp_cores(void)
{
    return (int)(uintptr_t)rt_cores;
}

#ifndef RT_SESSION
/* By the register of SoC control that every simulator of these chips and
 * their boards know, rather than by semihosting. */
void rt_exit(int status)
{
    PULP_REG(PULP_END) = 0x80000000u | (uint32_t)status;
    for (;;)
        ;
}
#endif

void pulp_trap(uint32_t cause, uint32_t pc)
{
    rt_print_hex("fault: mcause=", cause);
    rt_print_hex(" pc=", pc);
    rt_print_hex(" hart=", pulp_hart());
    rt_print("\n");
    rt_exit(RT_FAULT);
}

void pulp_fabric(void)
{
    int i, n = pulp_cores();

    PULP_REG(PULP_FC_ICACHE) = ~0u;
    PULP_REG(PULP_CLUSTER_ICACHE) = ~0u;
    for (i = 0; i < n; i++)
        PULP_REG(PULP_BOOT + 4 * i) = (uint32_t)(uintptr_t)rt_reset;
    PULP_REG(PULP_FETCH_ENABLE) = (1u << n) - 1;
    if (pulp_ext_serve)
        pulp_ext_serve();
    for (;;)
        __asm__ volatile("wfi");
}

uint32_t pulp_dma_long(uint32_t l1, uint32_t far, uint32_t n, uint32_t bits,
                       uint32_t row, uint32_t stride)
{
    uint32_t rows = row ? PULP_DMA_LONGEST / row : 0, done;
    uint32_t k = row ? rows * row : PULP_DMA_LONGEST;

    for (done = 0; n - done > k; done += k) {
        PULP_REG(PULP_MCHAN) = k | bits;
        PULP_REG(PULP_MCHAN) = l1 + done;
        PULP_REG(PULP_MCHAN) = far;
        if (row) {
            PULP_REG(PULP_MCHAN) = row;
            PULP_REG(PULP_MCHAN) = stride;
        }
        far += row ? rows * stride : k;
    }
    return done;
}

void pulp_fork(void (*work)(const void *arg, int core), const void *arg)
{
    pulp_begin(work, arg);
    work(arg, 0);
    pulp_barrier();
}

static void lead(void)
{
    int n = pulp_cores();

    PULP_REG(PULP_BARRIER) = (1u << n) - 1;
    PULP_REG(PULP_BARRIER + 0x0c) = (1u << n) - 1;
    ready = 1;
    pulp_barrier();
    rt_exit(main());
}

void pulp_core(int core)
{
    PULP_REG(PULP_MASK_OR) = 1u << BARRIER_EVENT;
    if (!core)
        lead();
    while (!ready)
        ;
    pulp_barrier();
    for (;;) {
        pulp_barrier();
        pulp_team_work(pulp_team_arg, core);
        pulp_barrier();
    }
}
