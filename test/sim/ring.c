/* A number goes round all chips; every chip adds its own. */
#include "pulp.h"
#include "rt.h"

static volatile uint32_t sum __attribute__((section(".bss.buf.L2")));

int main(void)
{
    uint32_t id = PULP_REG(PULP_LINK), n = PULP_REG(PULP_LINK + 4);

    if (id) {
        PULP_REG(PULP_LINK + 0x20);
        sum += id;
    }
    PULP_REG(PULP_LINK + 0x08) = (id + 1) % n;
    PULP_REG(PULP_LINK + 0x0c) = (uint32_t)(uintptr_t)&sum;
    PULP_REG(PULP_LINK + 0x10) = (uint32_t)(uintptr_t)&sum;
    if (!id)
        sum = 1000;
    PULP_REG(PULP_LINK + 0x14) = 4;
    if (id)
        for (;;)
            PULP_REG(PULP_LINK + 0x20);
    if (PULP_REG(PULP_LINK + 0x20) != n - 1)
        return 2;
    rt_print_hex("sum ", sum);
    rt_print("\n");
    return sum != 1000 + n * (n - 1) / 2;
}
