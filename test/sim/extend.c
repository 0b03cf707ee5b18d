/* Uses what doc/sim.md adds: an instruction and a device, on 4 cores. */
#include "pulp.h"
#include "rt.h"

static volatile uint32_t mask;

static void work(const void *arg, int core)
{
    (void)arg;
    PULP_REG(PULP_MASK_OR) = 1u << 17; /* or nobody wakes who waits for it */
    PULP_REG(PULP_UNIT + 0xc0);        /* mutex 0: take it */
    mask |= 1u << core;
    PULP_REG(PULP_UNIT + 0xc0) = 0;
}

int main(void)
{
    uint32_t v = 0x80000001, w, i, fair = 1;

    __asm__(".insn r 0x0b, 6, 0, %0, %1, %1" : "=r"(w) : "r"(v));
    __asm__(".insn r 0x0b, 6, 0, %0, %1, %2" : "=r"(v) : "r"(v), "r"(-w));
    for (i = 0; i < 100; i++) {
        uint32_t n = PULP_REG(0x1a120000);

        fair &= n >= 1 && n <= 6;
    }
    pulp_fork(work, 0);
    rt_print_hex("sum ", v);
    rt_print(fair ? " dice 1\n" : " dice 0\n");
    return !(fair && mask == 15);
}
