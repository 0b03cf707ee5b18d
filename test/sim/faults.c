/* Programs that misbehave, one per CASE. */
#include "pulp.h"
#include "rt.h"

static volatile uint32_t word;

static void wild_store(void)
{
    PULP_REG(0x30000000) = 1;
}

static void wild_load(void)
{
    word = PULP_REG(0x10);
}

static void endless(void)
{
    for (;;)
        ;
}

static void bad_insn(void)
{
    __asm__ volatile("csrw mtvec, %0" : : "r"(0x50000000));
    __asm__ volatile(".word 0xffffffff");
}

static void caught_insn(void) /* the runtime's handler ends it */
{
    __asm__ volatile(".word 0xffffffff");
}

static uint32_t code[4] __attribute__((section(".bss.buf.L2"), aligned(64)));

static void self_modified(void)
{
    volatile uint32_t *p = code;

    p[0] = 0x00008067; /* ret */
    ((void (*)(void))(uintptr_t)code)();
    p[0] = 0x00000013; /* nop, without fence.i */
    p[1] = 0x00008067;
    ((void (*)(void))(uintptr_t)code)();
}

static void renewed(void) /* the right way: no fault */
{
    volatile uint32_t *p = code;

    p[0] = 0x00008067;
    ((void (*)(void))(uintptr_t)code)();
    p[0] = 0x00000013;
    p[1] = 0x00008067;
    __asm__ volatile("fence.i" ::: "memory");
    ((void (*)(void))(uintptr_t)code)();
    rt_exit(0);
}

static void dma_nowhere(void)
{
    pulp_dma_wait(pulp_dma(0x10004000, 0x40000000, 64, 1));
}

static void dma_overrun(void)
{
    pulp_dma_wait(pulp_dma(0x1000fff0, 0x1c080000, 64, 1));
}

static void dma_empty(void)
{
    pulp_dma_wait(pulp_dma(0x10004000, 0x1c080000, 0, 1));
}

static void dma_unasked(void)
{
    PULP_REG(PULP_MCHAN) = 64 | PULP_DMA_IN | PULP_DMA_LINE;
    PULP_REG(PULP_MCHAN) = 0x10004000;
    PULP_REG(PULP_MCHAN) = 0x1c080000;
}

static void dma_ids(void) /* the seventeenth waits for one that is freed */
{
    int i;

    for (i = 0; i < 17; i++)
        (void)PULP_REG(PULP_MCHAN);
}

/* Core 1 waits for a mutex that core 0 holds and passes on; it wakes by the
 * event, if that is not masked. */
static volatile uint32_t got, passed;

static void two(const void *unmask, int core)
{
    if (core > 1)
        return;
    if (core == 0) {
        (void)pulp_event_load(PULP_UNIT + 0xc0);
        passed = 1;
        for (volatile int i = 0; i < 50; i++)
            ;
        PULP_REG(PULP_UNIT + 0xc0) = 77;
        return;
    }
    while (!passed)
        ;
    if (unmask)
        PULP_REG(PULP_MASK_OR) = 1u << 17;
    got = pulp_event_load(PULP_UNIT + 0xc0);
}

static void mutex_masked(void)
{
    pulp_fork(two, 0);
}

static void mutex_unmasked(void)
{
    pulp_fork(two, "unmask");
    rt_exit(got != 77);
}

static void ends_by_register(void)
{
    PULP_REG(0x1a1040a0) = 0x80000007;
}

/* The calls of semihosting that other programs end by. */
intptr_t rt_semihost(intptr_t op, const void *block);

static void ends_by_exit(void)
{
    rt_semihost(0x18, (void *)0x20026);
}

static void ends_by_exit_bad(void)
{
    rt_semihost(0x18, (void *)0x20023);
}

static void ends_by_exit_extended(void)
{
    static const intptr_t block[2] = {0x20026, 9};

    rt_semihost(0x20, block);
}

static void sleep_for_ever(void)
{
    pulp_event_load(PULP_WAIT_CLEAR);
}

static void jump_nowhere(void)
{
    ((void (*)(void))0x40000000)();
}

static void environment_call(void)
{
    __asm__ volatile("ecall");
}

static void status_3(void)
{
    rt_exit(3);
}

static void stdout_misaligned(void)
{
    __asm__ volatile("sh zero, 1(%0)" : : "r"(0x1a10f000) : "memory");
}

static void hyper_overrun(void)
{
    PULP_REG(0x1a102480) = 0x1c080000;
    PULP_REG(0x1a102484) = 0x100;
    PULP_REG(0x1a10249c) = 0x7fffff;
    PULP_REG(0x1a102488) = 16;
    for (;;)
        ;
}

int main(void)
{
    CASE();
    return 0;
}
