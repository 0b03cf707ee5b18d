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
#else
static void quotients(const uint32_t *v, int32_t n, uint32_t inverse,
                      int32_t shift, Y *y)
{
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)((uint64_t)v[i] * inverse >> 32 >> shift);
}
#endif

#endif
