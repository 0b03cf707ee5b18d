/* The products of matmul/dot.h with a left side of 16 bits and a right side of
 * signed bytes, eight elements at a time; sums of 32 or 64 bits. */
#ifndef MVE_SHORT_H
#define MVE_SHORT_H

#include <arm_mve.h>
#include "kern/kern.h"

#define SHORT_CLOBBERS                                                  \
    "lr", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "memory"
/* Two rows by two; vmladava adds eight products to a register. */
#define SHORT_ALL22                                                     \
    "dlstp.16 lr, %[n]\n"                                               \
    "1:\n"                                                              \
    "vldrh.16 q0, [%[a]], #16\n"                                        \
    "vldrb.s16 q2, [%[u]], #8\n"                                        \
    "vmladava.s16 %[s0], q0, q2\n"                                      \
    "vldrb.s16 q3, [%[v]], #8\n"                                        \
    "vmladava.s16 %[s1], q0, q3\n"                                      \
    "vldrh.16 q1, [%[b]], #16\n"                                        \
    "vmladava.s16 %[t0], q1, q2\n"                                      \
    "vmladava.s16 %[t1], q1, q3\n"                                      \
    "letp lr, 1b\n"
/* One row by two; mac: vmladava of s0 and s1, or vmlaldava of two each. */
#define SHORT_ALL12(mac, s0, s1)                                        \
    "dlstp.16 lr, %[n]\n"                                               \
    "1:\n"                                                              \
    "vldrh.16 q0, [%[a]], #16\n"                                        \
    "vldrb.s16 q2, [%[u]], #8\n" mac " " s0 ", q0, q2\n"                \
    "vldrb.s16 q3, [%[v]], #8\n" mac " " s1 ", q0, q3\n"                \
    "letp lr, 1b\n"

static inline void short22(const LEFT *a, const LEFT *b, const RIGHT *u,
                           const RIGHT *v, int32_t n, int32_t s[2],
                           int32_t t[2])
{
    int32_t s0 = s[0], s1 = s[1], t0 = t[0], t1 = t[1];

    __asm__ volatile(SHORT_ALL22
                     : [s0] "+Te"(s0), [s1] "+Te"(s1), [t0] "+Te"(t0),
                       [t1] "+Te"(t1), [a] "+r"(a), [b] "+r"(b),
                       [u] "+l"(u), [v] "+l"(v)
                     : [n] "r"(n)
                     : SHORT_CLOBBERS);
    s[0] = s0, s[1] = s1;
    t[0] = t0, t[1] = t1;
}

static inline void short12(const LEFT *a, const RIGHT *u, const RIGHT *v,
                           int32_t n, int32_t s[2])
{
    int32_t s0 = s[0], s1 = s[1];

    __asm__ volatile(SHORT_ALL12("vmladava.s16", "%[s0]", "%[s1]")
                     : [s0] "+Te"(s0), [s1] "+Te"(s1), [a] "+r"(a),
                       [u] "+l"(u), [v] "+l"(v)
                     : [n] "r"(n)
                     : SHORT_CLOBBERS);
    s[0] = s0, s[1] = s1;
}

/* Sums of 64 bits: an even register and an odd one. */
static inline void long12(const LEFT *a, const RIGHT *u, const RIGHT *v,
                          int32_t n, int64_t s[2])
{
    register int32_t h0 __asm__("r9") = (int32_t)(s[0] >> 32);
    register int32_t h1 __asm__("r11") = (int32_t)(s[1] >> 32);
    int32_t l0 = (int32_t)s[0], l1 = (int32_t)s[1];

    __asm__ volatile(SHORT_ALL12("vmlaldava.s16", "%[l0], %[h0]",
                                 "%[l1], %[h1]")
                     : [l0] "+Te"(l0), [h0] "+r"(h0), [l1] "+Te"(l1),
                       [h1] "+r"(h1), [a] "+r"(a), [u] "+l"(u),
                       [v] "+l"(v)
                     : [n] "r"(n)
                     : SHORT_CLOBBERS);
    s[0] = (int64_t)((uint64_t)(uint32_t)h0 << 32 | (uint32_t)l0);
    s[1] = (int64_t)((uint64_t)(uint32_t)h1 << 32 | (uint32_t)l1);
}

#include "kern/matmul/wide.h"

#endif
