/* Chips ask for chip 0's way in one after the other, the last chip first, ten
 * cycles apart: so their messages come. */
#include "pulp.h"
#include "rt.h"

enum { TO = 0x08, FROM = 0x0c, AT = 0x10, SEND = 0x14, WAIT = 0x20 };

static volatile uint8_t data[16] __attribute__((section(".bss.buf.L2")));

int main(void)
{
    uint32_t id = PULP_REG(PULP_LINK), n = PULP_REG(PULP_LINK + 4), i;

    PULP_REG(PULP_LINK + TO) = 0;
    PULP_REG(PULP_LINK + FROM) = (uint32_t)(uintptr_t)data;
    PULP_REG(PULP_LINK + AT) = (uint32_t)(uintptr_t)data;
    for (i = n - 1; i; i--) {
        if (id == i)
            PULP_REG(PULP_LINK + SEND) = sizeof data;
        __asm__ volatile("nop; nop; nop; nop; nop; nop");
    }
    for (i = n - 1; i; i--)
        if (!id && PULP_REG(PULP_LINK + WAIT) != i)
            return 2;
    while (id)
        PULP_REG(PULP_LINK + WAIT);
    return 0;
}
