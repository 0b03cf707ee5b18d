/* Serial lines of a RISC-V board, as serial.c wants them: a UART 16550, and the
 * machine timer of the CLINT at 10 MHz (QEMU's `virt`).  An example, as cmsdk.c
 * is. */
#include "here.h"
#include "link.h"

enum { DATA, INTERRUPTS, FIFO, CONTROL, STATE = 5 }; /* bytes */
enum { THERE = 1, EMPTY = 0x20, IDLE = 0x40, BITS_8 = 3, FIFO_ON = 7 };

static const uint32_t base[] = {LINK_LINES};

static volatile uint8_t *reg(int line, int at)
{
    return (volatile uint8_t *)(uintptr_t)base[line] + at;
}

void link_line_begin(int line)
{
    *reg(line, INTERRUPTS) = 0;
    *reg(line, CONTROL) = BITS_8;
    *reg(line, FIFO) = FIFO_ON;
}

int link_line_put(int line, uint8_t byte)
{
    if (!(*reg(line, STATE) & EMPTY))
        return 1;
    *reg(line, DATA) = byte;
    return 0;
}

int link_line_busy(int line)
{
    return !(*reg(line, STATE) & IDLE);
}

int link_line_get(int line)
{
    return *reg(line, STATE) & THERE ? *reg(line, DATA) : -1;
}

/* The counter goes at 10 MHz. */
uint32_t link_line_ms(void)
{
    const volatile uint32_t *t = (volatile uint32_t *)(uintptr_t)LINK_CLOCK;
    uint32_t high, low;

    do {
        high = t[1];
        low = t[0];
    } while (high != t[1]);
    return (uint32_t)(((uint64_t)high << 32 | low) / 10000u);
}
