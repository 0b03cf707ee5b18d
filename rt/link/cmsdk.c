/* Serial lines of a board, as serial.c wants them: Arm's CMSDK UART of the MPS2
 * and MPS3 boards, and a counter of their FPGA.  An example: another chip's is a
 * file of the same five functions.  Pins and clocks of a board that wants them
 * set belong into link_line_begin(). */
#include "here.h"
#include "link.h"

enum { DATA, STATE, CONTROL, DIVIDER = 4 }; /* words */
enum { FULL = 1, THERE = 2, BOTH_WAYS = 3, LEAST_DIVIDER = 16 };

static const uint32_t base[] = {LINK_LINES};

static volatile uint32_t *reg(int line, int word)
{
    return (volatile uint32_t *)(uintptr_t)base[line] + word;
}

void link_line_begin(int line)
{
    *reg(line, DIVIDER) = LEAST_DIVIDER;
    *reg(line, CONTROL) = BOTH_WAYS;
}

int link_line_put(int line, uint8_t byte)
{
    if (*reg(line, STATE) & FULL)
        return 1;
    *reg(line, DATA) = byte;
    return 0;
}

int link_line_busy(int line)
{
    return *reg(line, STATE) & FULL;
}

int link_line_get(int line)
{
    return *reg(line, STATE) & THERE ? (int)(*reg(line, DATA) & 0xffu) : -1;
}

/* The counter has steps of 10 ms. */
uint32_t link_line_ms(void)
{
    return *(volatile uint32_t *)(uintptr_t)LINK_CLOCK * 10u;
}
