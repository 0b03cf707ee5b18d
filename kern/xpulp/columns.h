/* Sums of columns of bytes, a word of four at a time for XpulpV2; elsewhere the
 * same in plain C.  To be included after X, a type of one byte, is defined. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "kern/kern.h"

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define COLUMNS_LOAD(d) "xp.lw.postr " d ", %[x], %[step]\n"
#define COLUMNS_ADD(v)                                                       \
    "xpv.sdott.b %[s0], " v ", %[e0], %[sum]\n"                              \
    "xpv.sdott.b %[s1], " v ", %[e1], %[sum]\n"                              \
    "xpv.sdott.b %[s2], " v ", %[e2], %[sum]\n"                              \
    "xpv.sdott.b %[s3], " v ", %[e3], %[sum]\n"

/* Adds the bytes of n words, `step` apart, to s. */
static inline void columns_add(int32_t s[4], const X *x, int32_t n,
                               int32_t step)
{
    int32_t s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3], v, w;

    if (n > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 10\n"
            COLUMNS_LOAD("%[v]") COLUMNS_LOAD("%[w]")
            COLUMNS_ADD("%[v]") COLUMNS_ADD("%[w]") XP_BLOCK_END
            : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3),
              [x] "+&r"(x), [v] "=&r"(v), [w] "=&r"(w)
            : [n] "r"(n >> 1), [step] "r"(step), [e0] "r"(1), [e1] "r"(1 << 8),
              [e2] "r"(1 << 16), [e3] "r"(1 << 24),
              [sum] "i"(XP_SIGNS(X, X))
            : XP_CLOBBERS);
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3;
    for (int i = 0; n & 1 && i < 4; i++)
        s[i] += x[i];
}
#else
static inline void columns_add(int32_t s[4], const X *x, int32_t n,
                               int32_t step)
{
    for (; n > 0; n--, x += step)
        for (int i = 0; i < 4; i++)
            s[i] += x[i];
}
#endif

#endif
