/* Quotients of powers (kern/row/powers.h), for XpulpV2.  To be included after
 * Y, and before kern/row/inverse.h. */
#ifndef QUOTIENTS_H
#define QUOTIENTS_H

#include "kern/xpulp/four.h"
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

#define QUOTIENTS_SHORT(count, PACK)                                         \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                           \
        FOUR_WORDS FOUR_EACH("mul", "%[inverse]") PACK                       \
        "xp.sw.post %[a], %[y], 4\n" XP_BLOCK_END                            \
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),            \
          [v] "+&r"(v), [y] "+&r"(y)                                         \
        : [n] "r"(n >> 2), [inverse] "r"(inverse), [shift] "r"(shift),       \
          [tops] "r"(0x0703)                                                 \
        : XP_CLOBBERS)

/* The same >> shift, where products have 32 bits: an instruction of one cycle
 * in place of one of five. */
static inline void quotients_short(const uint32_t *v, int32_t n,
                                   uint32_t inverse, int32_t shift, Y *y)
{
    uint32_t a, b, c, d;

    if (n > 3 && shift == 24)
        QUOTIENTS_SHORT(12, "xpv.shuffle2.b %[a], %[b], %[tops]\n"
                            "xpv.shuffle2.b %[c], %[d], %[tops]\n"
                            "xpv.pack %[a], %[c], %[a]\n");
    else if (n > 3)
        QUOTIENTS_SHORT(15, FOUR_EACH("srl", "%[shift]") FOUR_PACK);
    for (n &= 3; n > 0; n--)
        *y++ = (Y)(*v++ * inverse >> shift);
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
