/* How much stack was used: what lies below the stack pointer is painted, and
 * later the lowest place that lost its paint is looked for. */
#include "rt.h"

#define PAINT 0x5afe57acu
enum { NEAR = 64 }; /* bytes below the caller that these functions use */

extern uint32_t rt_stack_low[]; /* from the linker script */
static uint32_t *top;

void rt_paint(void)
{
    uint32_t *p;

    top = (uint32_t *)__builtin_frame_address(0);
    for (p = rt_stack_low; p < top - NEAR / 4; p++)
        *(volatile uint32_t *)p = PAINT;
}

int32_t rt_stack_used(void)
{
    const uint32_t *p = rt_stack_low;

    while (p < top && *p == PAINT)
        p++;
    if (p == rt_stack_low)
        return -1;
    return (int32_t)(top - p) * 4;
}
