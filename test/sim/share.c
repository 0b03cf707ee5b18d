/* N-Eureka and the cores at the same L1: a 3x3 job alone, then while seven
 * cores load from all banks. */
#include "pulp.h"
#include "rt.h"

enum { NE = PULP_HWPE, JOB = NE + 0x20 };

static volatile uint32_t ended;
static uint32_t cycles;
static volatile uint32_t table[256] __attribute__((section(".bss.buf.L1")));

static void job(void)
{
    static const uint32_t reg[24] = {
        0x10020000, 0x10008000, 0x10010000, 0x10004000, 0, 0,
        28, 28 * 14, 0, 32, 32, 32 * 12, 32, 32 * 8, 0,
        32 << 16 | 28, 6 << 16 | 6, 8 << 16 | 8, 1 << 16 | 1, 2 << 16 | 2,
        0, (uint32_t)-128, 0, 7 | 1 << 4 | 4 << 16 | 1 << 15,
    };
    uint32_t i;

    for (i = 0; i < 24; i++)
        PULP_REG(JOB + 4 * i) = reg[i];
    cycles = pulp_cycles();
    PULP_REG(NE) = 0;
    while (PULP_REG(NE + 0x0c))
        ;
    cycles = pulp_cycles() - cycles;
}

static void work(void *arg, int core)
{
    uint32_t i = (uint32_t)core;

    (void)arg;
    if (!core) {
        job();
        ended = 1;
    }
    while (!ended)
        for (i = 0; i < 256; i += 4)
            (void)table[i], (void)table[i + 1], (void)table[i + 2];
}

int main(void)
{
    job();
    job();
    rt_print_hex("alone ", cycles);
    rt_print("\n");
    pulp_fork(work, 0);
    rt_print_hex("shared ", cycles);
    rt_print("\n");
    return 0;
}
