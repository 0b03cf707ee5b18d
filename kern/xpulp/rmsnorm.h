/* kern/row/rmsnorm.h with hardware loops: squares two by two, and 14
 * instructions a quotient.  To be included after X, W and Y are defined. */
#ifndef RMSNORM_H
#define RMSNORM_H

#include "kern/xpulp/inverse.h"
#include "kern/xpulp/mean.h"
#include "kern/xpulp/scale.h"

#define ROOT root_of
#ifdef XPULPV2
#define SQUARES squares_two
static inline uint64_t squares_two(const X *x, int32_t n)
{
    uint32_t lo = 0, hi = 0, s, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "xp.lw.post %[s], %[x], 4\n"
        "xpv.dotsp.h %[s], %[s], %[s]\n"
        "add %[lo], %[lo], %[s]\n"
        "sltu %[t], %[lo], %[s]\n"
        "add %[hi], %[hi], %[t]\n" XP_BLOCK_END
        : [lo] "+&r"(lo), [hi] "+&r"(hi), [s] "=&r"(s), [t] "=&r"(t),
          [x] "+&r"(x)
        : [n] "r"(n >> 1)
        : XP_CLOBBERS);
    return ((uint64_t)hi << 32 | lo) +
           (n & 1 ? (uint32_t)((int32_t)*x * *x) : 0);
}

#define QUOTIENTS quotients
static inline void quotients(const struct row_dims *k, const X *x, const W *w,
                             Y *y, int32_t n, uint32_t inverse, int32_t shift)
{
    int32_t v, u;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 14\n"
            "xp.lt.post %[v], %[x], %[xn], %[xt]\n"
            "xp.lt.post %[u], %[w], %[wn], %[wt]\n"
            "mul %[v], %[v], %[u]\n"
            "srai %[u], %[v], 31\n"
            "xor %[v], %[v], %[u]\n"
            "sub %[v], %[v], %[u]\n"
            "mulhu %[v], %[v], %[inverse]\n"
            "srl %[v], %[v], %[shift]\n"
            "xor %[v], %[v], %[u]\n"
            "sub %[v], %[v], %[u]\n"
            "sra %[v], %[v], %[less]\n"
            "xp.max %[v], %[v], %[lo]\n"
            "xp.min %[v], %[v], %[hi]\n"
            "xp.st.post %[v], %[y], %[yn], %[yt]\n" XP_BLOCK_END
            : [v] "=&r"(v), [u] "=&r"(u), [x] "+&r"(x), [w] "+&r"(w),
              [y] "+&r"(y)
            : [n] "r"(n), [inverse] "r"(inverse), [shift] "r"(shift),
              [less] "r"(k->shift), [lo] "r"(k->lo), [hi] "r"(k->hi),
              [xn] "i"(sizeof(X)), [xt] "i"(XP_TYPE(X)), [wn] "i"(sizeof(W)),
              [wt] "i"(XP_TYPE(W)), [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y))
            : XP_CLOBBERS);
}
#endif

#include "kern/row/rmsnorm.h"

#endif
