/* put_run() of conv/gather.h, sixteen bytes at a time. */
#ifndef MVE_RUN_H
#define MVE_RUN_H

#include <arm_mve.h>

#define GATHER_RUN

/* n elements of x; what is behind them. */
static inline uint8_t *put_run(uint8_t *to, const X *x, int32_t n)
{
    uint8_t *const end = to + n;

    if (n > 0)
        __asm__ volatile("dlstp.8 lr, %[n]\n"
                         "1:\n"
                         "vldrb.8 q0, [%[x]], #16\n"
                         "vstrb.8 q0, [%[to]], #16\n"
                         "letp lr, 1b\n"
                         : [x] "+r"(x), [to] "+r"(to)
                         : [n] "r"(n)
                         : "lr", "d0", "d1", "memory");
    return end;
}

#endif
