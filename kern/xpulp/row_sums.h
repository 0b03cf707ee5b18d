/* Weighted sums of the elements of two rows, clip((x p0 + y p1 + c) >> shift),
 * in 32 bits; results may lie on either.  To be included after SUM_X, SUM_Y and
 * SUM_Z, the types of the rows and of results, are defined. */
#ifndef ROW_SUMS_H
#define ROW_SUMS_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

struct row_sum {
    int32_t p0, p1, c, shift, lo, hi;
};

#ifdef XPULPV2
static inline void row_sums(const struct row_sum *k, const SUM_X *x,
                            const SUM_Y *y, SUM_Z *z, int32_t n)
{
    int32_t s, a, b;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 9\n"
            "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
            "xp.lt.post %[b], %[y], %[yn], %[yt]\n"
            "mv %[s], %[c]\n"
            "xp.mac %[s], %[a], %[p0]\n"
            "xp.mac %[s], %[b], %[p1]\n"
            "sra %[s], %[s], %[shift]\n"
            "xp.max %[s], %[s], %[lo]\n"
            "xp.min %[s], %[s], %[hi]\n"
            "xp.st.post %[s], %[z], %[zn], %[zt]\n" XP_BLOCK_END
            : [s] "=&r"(s), [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x),
              [y] "+&r"(y), [z] "+&r"(z)
            : [n] "r"(n), [c] "r"(k->c), [p0] "r"(k->p0), [p1] "r"(k->p1),
              [shift] "r"(k->shift), [lo] "r"(k->lo), [hi] "r"(k->hi),
              [xn] "i"(sizeof(SUM_X)), [xt] "i"(XP_TYPE(SUM_X)),
              [yn] "i"(sizeof(SUM_Y)), [yt] "i"(XP_TYPE(SUM_Y)),
              [zn] "i"(sizeof(SUM_Z)), [zt] "i"(XP_TYPE(SUM_Z))
            : XP_CLOBBERS);
}
#else
static inline void row_sums(const struct row_sum *k, const SUM_X *x,
                            const SUM_Y *y, SUM_Z *z, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        z[i] = (SUM_Z)clip(((int32_t)x[i] * k->p0 + (int32_t)y[i] * k->p1 +
                            k->c) >> k->shift, k->lo, k->hi);
}
#endif

#endif
