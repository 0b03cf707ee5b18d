/* Start-up of a Cortex-M: vector table, floating point and Helium on, memory
 * as C wants it, main.  A fault prints where it happened and ends the
 * program. */
#include "../rt.h"

#if defined(__ARM_FEATURE_MVE)
#define FPSCR_START "0x40000" /* LTPSIZE 4: loops without tail predication */
#else
#define FPSCR_START "0"
#endif

/* Coprocessors 10 and 11 are floating point and Helium; CPACR opens them. */
#if defined(__ARM_FP)
#define FPU_ON                                                            \
    "ldr r0, =0xe000ed88\n ldr r1, [r0]\n orr r1, r1, #0xf00000\n"        \
    "str r1, [r0]\n dsb\n isb\n ldr r0, =" FPSCR_START "\n vmsr fpscr, r0\n"
#else
#define FPU_ON
#endif

/* A debugger put us into memory of its choice, whatever ran before. */
#ifdef RT_SESSION
#define TAKE_OVER                                                         \
    "cpsid i\n ldr r0, =0xe000ed08\n ldr r1, =rt_vectors\n str r1, [r0]\n" \
    "dsb\n"
#else
#define TAKE_OVER
#endif

extern uint32_t rt_stack_top[], rt_data_start[], rt_data_end[];
extern uint32_t rt_bss_start[], rt_bss_end[];
extern const uint32_t rt_data_load[];
int main(void);
intptr_t rt_semihost(intptr_t op, const void *block);
void rt_start(void);
void rt_fault(const uint32_t *frame);

intptr_t rt_semihost(intptr_t op, const void *block)
{
    register intptr_t r0 __asm__("r0") = op;
    register const void *r1 __asm__("r1") = block;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static uint32_t reg(uint32_t address)
{
    return *(volatile uint32_t *)(uintptr_t)address;
}

__attribute__((used)) void rt_start(void)
{
    volatile uint32_t *p;
    const volatile uint32_t *q = rt_data_load;

    for (p = rt_data_start; p < rt_data_end; p++)
        *p = *q++;
    for (p = rt_bss_start; p < rt_bss_end; p++)
        *p = 0;
    rt_exit(main());
}

/* frame: r0 to r3, r12, lr, pc, psr as the processor pushed them. */
__attribute__((used)) void rt_fault(const uint32_t *frame)
{
    uint32_t cfsr = reg(0xe000ed28u);

    rt_print_hex("fault: pc=", frame[6]);
    rt_print_hex(" lr=", frame[5]);
    rt_print_hex(" cfsr=", cfsr);
    rt_print_hex(" hfsr=", reg(0xe000ed2cu));
    if ((cfsr & 0x8000u) != 0u)
        rt_print_hex(" address=", reg(0xe000ed38u));
    rt_print("\n");
    rt_exit(RT_FAULT);
}

/* The handler has a fresh stack: the old one may be what went wrong. */
__attribute__((naked)) static void fault(void)
{
    __asm__ volatile("mrs r0, msp\n ldr r1, =rt_stack_top\n msr msp, r1\n"
                     "b rt_fault\n");
}

__attribute__((naked)) static void reset(void)
{
    __asm__ volatile(TAKE_OVER FPU_ON "b rt_start\n");
}

__attribute__((used, section(".vectors")))
static const void *const vectors[16] = {
    rt_stack_top, (const void *)reset, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault,
};
