/* All chips send BYTES to chip 0 at once, which takes them from the last chip
 * to the first.  FLOOD: chip 1 sends more than are ever taken, for chip 0 waits
 * for chip 2, which says nothing. */
#include "pulp.h"
#include "rt.h"

#ifndef BYTES
#define BYTES 20000
#endif

enum { TO = 0x08, FROM = 0x0c, AT = 0x10, SEND = 0x14, WAIT = 0x20,
       WAIT_OF = 0x100 };

static volatile uint8_t data[BYTES] __attribute__((section(".bss.buf.L2")));
static volatile uint8_t heard[8][4] __attribute__((section(".bss.buf.L2")));

static void send(uint32_t to, volatile void *from, volatile void *at,
                 uint32_t n)
{
    PULP_REG(PULP_LINK + TO) = to;
    PULP_REG(PULP_LINK + FROM) = (uint32_t)(uintptr_t)from;
    PULP_REG(PULP_LINK + AT) = (uint32_t)(uintptr_t)at;
    PULP_REG(PULP_LINK + SEND) = n;
}

int main(void)
{
    uint32_t id = PULP_REG(PULP_LINK), n = PULP_REG(PULP_LINK + 4), i;

    if (id) {
        data[0] = (uint8_t)(100 + id);
        send(0, data, data, BYTES);
        send(0, data, heard[id], 4);
#ifdef FLOOD
        for (i = 0; id == 1 && i < 2000; i++)
            send(0, data, heard[id], 4);
#endif
        for (;;)
            PULP_REG(PULP_LINK + WAIT);
    }
#ifdef FLOOD
    PULP_REG(PULP_LINK + WAIT_OF + 4 * 7);
#endif
    for (i = n - 1; i; i--) {
        if (PULP_REG(PULP_LINK + WAIT_OF + 4 * i) != i ||
            PULP_REG(PULP_LINK + WAIT_OF + 4 * i) != i)
            return 2;
        if (heard[i][0] != 100 + i)
            return 3;
    }
    return 0;
}
