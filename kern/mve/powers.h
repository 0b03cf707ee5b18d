/* The loops of row/softmax.h, four elements at a time.  To be included after X
 * and Y. */
#ifndef MVE_POWERS_H
#define MVE_POWERS_H

#include <arm_mve.h>
#include "kern/row/softmax.h"

/* The powers of four bytes, 0 where there is none. */
#define FOUR(type)                                                      \
    "1:\n"                                                              \
    "vldrb." type "32 q0, [%[x]], #4\n"                                 \
    "vldrw.u32 q1, [%[zero], q0, uxtw #2]\n"

static int32_t powers_greatest(const X *x, int32_t n)
{
    int32_t best = *x;

#define GREATEST(type)                                                  \
    __asm__ volatile("dlstp.8 lr, %[n]\n"                               \
                     "1:\n"                                             \
                     "vldrb.8 q0, [%[x]], #16\n"                        \
                     "vmaxv." type "8 %[best], q0\n"                    \
                     "letp lr, 1b\n"                                    \
                     : [x] "+l"(x), [best] "+r"(best)                   \
                     : [n] "r"(n) : "lr", "d0", "d1", "memory")
    if ((X)-1 < (X)1)
        GREATEST("s");
    else
        GREATEST("u");
    return best;
}

static uint32_t powers_sum(uintptr_t zero, const X *x, int32_t n)
{
    uint32_t sum = 0;

#define SUM(type)                                                       \
    __asm__ volatile("dlstp.32 lr, %[n]\n" FOUR(type)                   \
                     "vaddva.u32 %[sum], q1\n"                          \
                     "letp lr, 1b\n"                                    \
                     : [x] "+l"(x), [sum] "+Te"(sum)                    \
                     : [n] "r"(n), [zero] "r"(zero)                     \
                     : "lr", "d0", "d1", "d2", "d3", "memory")
    if ((X)-1 < (X)1)
        SUM("s");
    else
        SUM("u");
    return sum;
}

static void powers_put(uintptr_t zero, const X *x, int32_t n, uint32_t q,
                       int32_t shift, Y *y)
{
    const uint32x4_t all = vdupq_n_u32(q);

#define PUT(type)                                                       \
    __asm__ volatile("dlstp.32 lr, %[n]\n" FOUR(type)                   \
                     "vmulh.u32 q1, q1, %q[all]\n"                      \
                     "vshl.u32 q1, %[down]\n"                           \
                     "vstrb.32 q1, [%[y]], #4\n"                        \
                     "letp lr, 1b\n"                                    \
                     : [x] "+l"(x), [y] "+l"(y)                         \
                     : [n] "r"(n), [zero] "r"(zero), [all] "w"(all),    \
                       [down] "r"(-shift)                               \
                     : "lr", "d0", "d1", "d2", "d3", "memory")
    if ((X)-1 < (X)1)
        PUT("s");
    else
        PUT("u");
}

#endif
