/* The devices of a cluster, checked from inside: the status is the number of
 * the first check that failed. */
#include "pulp.h"
#include "rt.h"

enum { UNIT = 0x10204000, MASK = UNIT, IRQ_MASK = UNIT + 0x0c,
       BUFFER = UNIT + 0x1c, CLEAR = UNIT + 0x28, TIMER = 0x10200400,
       REGIONS = 0x1a110000, HYPER = 0x1a102480, EV_TIMER = 10, EV_DMA = 8,
       EV_BARRIER = 16, N = 1024 };

static uint8_t near[N] __attribute__((section(".bss.buf.L1"), aligned(16)));
static uint8_t far[4 * N] __attribute__((section(".bss.buf.L2"), aligned(16)));
static volatile uint32_t interrupts, dispatched[8], told;

__attribute__((interrupt("machine"))) void on_interrupt(void)
{
    interrupts++;
}

__asm__(".balign 256\n .option push\n .option norvc\n"
        "interrupt_table:\n .rept 32\n j on_interrupt\n .endr\n .option pop\n");
extern const char interrupt_table[];

static int check_dma(void)
{
    uint32_t i, id, bad = 0;

    for (i = 0; i < 4 * N; i++)
        far[i] = (uint8_t)(i * 7 + (i >> 8));
    pulp_dma_wait(pulp_dma((uint32_t)near, (uint32_t)far, N, 1));
    for (i = 0; i < N; i++)
        bad += near[i] != far[i];
    id = pulp_dma_2d((uint32_t)near, (uint32_t)far, 16 * 20, 20, 100, 1);
    pulp_dma_wait(id);
    for (i = 0; i < 16 * 20; i++)
        bad += near[i] != far[i / 20 * 100 + i % 20];
    for (i = 0; i < N; i++)
        near[i] = (uint8_t)~i;
    PULP_REG(MASK) = 1u << EV_DMA;
    id = pulp_dma((uint32_t)near, (uint32_t)far + N, N, 0);
    PULP_REG(CLEAR) = 1u << EV_DMA;
    id = pulp_dma_2d((uint32_t)near, (uint32_t)far, 64, 8, 32, 0);
    while (PULP_REG(PULP_MCHAN + 4) & 0xffff)
        pulp_event_load(PULP_WAIT_CLEAR);
    PULP_REG(PULP_MCHAN + 4) = 0xffff;
    PULP_REG(MASK) = 1u << EV_BARRIER;
    for (i = 0; i < N; i++)
        bad += far[N + i] != near[i];
    for (i = 0; i < 64; i++)
        bad += far[i / 8 * 32 + i % 8] != near[i];
    return bad != 0;
}

static int check_timer(void)
{
    uint32_t t = pulp_cycles();

    PULP_REG(MASK) = 1u << EV_TIMER;
    PULP_REG(TIMER + 0x10) = 500;
    PULP_REG(TIMER) = 1 | 2 | 4 | 32; /* run, clear, event, once */
    if (pulp_event_load(PULP_WAIT_CLEAR) != 1u << EV_TIMER)
        return 1;
    t = pulp_cycles() - t;
    PULP_REG(MASK) = 1u << EV_BARRIER;
    return t < 500 || t > 600; /* the code is not in the cache */
}

static int check_interrupt(void)
{
    int i;

    __asm__ volatile("csrw mtvec, %0" : : "r"(interrupt_table));
    PULP_REG(IRQ_MASK) = 1u << EV_TIMER;
    __asm__ volatile("csrw mie, %0\n csrsi mstatus, 8" : : "r"(1 << EV_TIMER));
    PULP_REG(TIMER + 0x10) = 200;
    PULP_REG(TIMER) = 1 | 2 | 4 | 16; /* again and again */
    for (i = 0; i < 10000 && interrupts < 5; i++)
        told = told + 0;
    PULP_REG(TIMER) = 0;
    __asm__ volatile("csrci mstatus, 8");
    return interrupts < 5 || i > 1000;
}

static void team(const void *arg, int core)
{
    (void)arg;
    if (core == 1)
        PULP_REG(UNIT + 0x100) = 1;        /* event 0 to core 0 */
    if (core == 0) {
        PULP_REG(MASK) = 1;
        told = pulp_event_load(PULP_WAIT_CLEAR);
        PULP_REG(MASK) = 1u << EV_BARRIER;
        PULP_REG(UNIT + 0x84) = 0xff;      /* work for all */
        PULP_REG(UNIT + 0x80) = 0x1234;
    }
    dispatched[core] = pulp_event_load(UNIT + 0x80);
}

static int check_team(void)
{
    int i, bad = 0;

    pulp_fork(team, 0);
    for (i = 0; i < 8; i++)
        bad += dispatched[i] != 0x1234;
    return bad || told != 1;
}

static int check_counters(void)
{
    uint32_t loads, i, got;

    __asm__ volatile("csrw 0xcc0, %0\n csrwi 0xcc1, 1" : : "r"(1u << 5));
    __asm__ volatile("csrr %0, 0x785" : "=r"(loads));
    for (i = 0; i < 100; i++)
        (void)*(volatile uint8_t *)&near[i];
    __asm__ volatile("csrr %0, 0x785" : "=r"(got));
    return got - loads != 100;
}

static void xfer(int in, uint32_t l2, uint32_t n)
{
    PULP_REG(HYPER + (in ? 0x00 : 0x0c)) = l2;
    PULP_REG(HYPER + (in ? 0x04 : 0x10)) = n;
    PULP_REG(HYPER + 0x18) = in ? 5 : 1;
    PULP_REG(HYPER + 0x1c) = 4096;
    PULP_REG(HYPER + (in ? 0x08 : 0x14)) = 1 << 4;
    while (PULP_REG(HYPER + 0x24) & 1)
        ;
}

static int check_hyper(void)
{
    uint32_t i, bad = 0;

    for (i = 0; i < N; i++)
        far[i] = (uint8_t)(i * 3);
    xfer(0, (uint32_t)far, N);
    xfer(1, (uint32_t)far + N, N);
    for (i = 0; i < N; i++)
        bad += far[N + i] != (uint8_t)(i * 3);
    return bad != 0;
}

int main(void)
{
    PULP_REG(REGIONS) = (uint32_t)"dma";
    if (check_dma())
        return 1;
    PULP_REG(REGIONS + 4) = 0;
    PULP_REG(REGIONS) = (uint32_t)"timer";
    if (check_timer())
        return 2;
    PULP_REG(REGIONS + 4) = 0;
    if (check_interrupt())
        return 3;
    if (check_team())
        return 4;
    if (check_counters())
        return 5;
    return check_hyper() ? 6 : 0;
}
