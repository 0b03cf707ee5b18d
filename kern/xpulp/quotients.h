/* Quotients of powers (kern/row/powers.h), for XpulpV2.  To be included after
 * Y, and before kern/row/inverse.h. */
#ifndef QUOTIENTS_H
#define QUOTIENTS_H

#include "kern/xpulp/inverse.h"

#ifdef XPULPV2
/* Quotients of n powers: each times `inverse` >> 32 + shift. */
static inline void quotients(const uint32_t *v, int32_t n, uint32_t inverse,
                             int32_t shift, Y *y)
{
    uint32_t a = *v++, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "mulhu %[t], %[a], %[inverse]\n" "xp.lw.post %[a], %[v], 4\n"
        "srl %[t], %[t], %[shift]\n"
        "xp.sb.post %[t], %[y], 1\n" XP_BLOCK_END
        : [a] "+&r"(a), [t] "=&r"(t), [v] "+&r"(v), [y] "+&r"(y)
        : [n] "r"(n), [inverse] "r"(inverse), [shift] "r"(shift)
        : XP_CLOBBERS);
}

/* The same >> shift, where products have 32 bits: an instruction of one cycle
 * in place of one of five. */
static inline void quotients_short(const uint32_t *v, int32_t n,
                                   uint32_t inverse, int32_t shift, Y *y)
{
    uint32_t a, b;

    if (n > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 8\n"
            "xp.lw.post %[a], %[v], 4\n"
            "xp.lw.post %[b], %[v], 4\n"
            "mul %[a], %[a], %[inverse]\n"
            "mul %[b], %[b], %[inverse]\n"
            "srl %[a], %[a], %[shift]\n"
            "xp.sb.post %[a], %[y], 1\n"
            "srl %[b], %[b], %[shift]\n"
            "xp.sb.post %[b], %[y], 1\n" XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [v] "+&r"(v), [y] "+&r"(y)
            : [n] "r"(n >> 1), [inverse] "r"(inverse), [shift] "r"(shift)
            : XP_CLOBBERS);
    if (n & 1)
        *y = (Y)(*v * inverse >> shift);
}
#else
static void quotients(const uint32_t *v, int32_t n, uint32_t inverse,
                      int32_t shift, Y *y)
{
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)((uint64_t)v[i] * inverse >> 32 >> shift);
}

static void quotients_short(const uint32_t *v, int32_t n, uint32_t inverse,
                            int32_t shift, Y *y)
{
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)(v[i] * inverse >> shift);
}
#endif

#endif
