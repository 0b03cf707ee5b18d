/* Rotary embedding in 32 bits (kern/ref/irotate_int.c): hardware loops of 18
 * instructions a pair, and of 7 an element that is only scaled.
 *
 * op       irotate
 * types    x:s8|s16 t:s8|s16 bias:s8|u8|s16|u16|s32 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     max(-acc.lo, acc.hi) < 2147483648 && shift < 32
 * split    tokens * heads
 * stack    128
 * cycles   ncore * (fit.call + ceil(tokens * heads, ncore) * (fit.head +
 *          18 * half))
 * code     400
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define TURN turn_pairs
static inline void turn_pairs(const struct rotate_dims *k, const X *x,
                              const T *t, const BIAS *bias, Y *y)
{
    const int32_t half = k->half;
    int32_t a, b, c, s, u, v;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 18\n"
        "xp.lt.at %[b], %[x], %[xo], %[xt]\n"
        "xp.lt.at %[s], %[t], %[to], %[tt]\n"
        "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
        "xp.lt.post %[c], %[t], %[tn], %[tt]\n"
        "xp.lt.at %[v], %[bias], %[bo], %[bt]\n"
        "xp.lt.post %[u], %[bias], %[bn], %[bt]\n"
        "xp.mac %[v], %[a], %[s]\n"
        "xp.mac %[u], %[a], %[c]\n"
        "xp.mac %[v], %[b], %[c]\n"
        "xp.msu %[u], %[b], %[s]\n"
        "sra %[v], %[v], %[shift]\n"
        "sra %[u], %[u], %[shift]\n"
        "xp.max %[v], %[v], %[lo]\n"
        "xp.max %[u], %[u], %[lo]\n"
        "xp.min %[v], %[v], %[hi]\n"
        "xp.min %[u], %[u], %[hi]\n"
        "xp.st.at %[v], %[y], %[yo], %[yt]\n"
        "xp.st.post %[u], %[y], %[yn], %[yt]\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [s] "=&r"(s),
          [u] "=&r"(u), [v] "=&r"(v), [x] "+&r"(x), [t] "+&r"(t),
          [bias] "+&r"(bias), [y] "+&r"(y)
        : [n] "r"(half), [xo] "r"(half * (int32_t)sizeof(X)),
          [to] "r"(half * (int32_t)sizeof(T)),
          [bo] "r"(half * (int32_t)sizeof(BIAS)),
          [yo] "r"(half * (int32_t)sizeof(Y)), [shift] "r"(k->shift),
          [lo] "r"(k->lo), [hi] "r"(k->hi), [xn] "i"(sizeof(X)),
          [xt] "i"(XP_TYPE(X)), [tn] "i"(sizeof(T)), [tt] "i"(XP_TYPE(T)),
          [bn] "i"(sizeof(BIAS)), [bt] "i"(XP_TYPE(BIAS)), [yn] "i"(sizeof(Y)),
          [yt] "i"(XP_TYPE(Y))
        : XP_CLOBBERS);
}

#define SCALE scale_elements
static inline void scale_elements(const struct rotate_dims *k, const X *x,
                                  const BIAS *bias, Y *y)
{
    int32_t a, u;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 7\n"
        "xp.lt.post %[u], %[bias], %[bn], %[bt]\n"
        "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
        "xp.mac %[u], %[a], %[one]\n"
        "sra %[u], %[u], %[shift]\n"
        "xp.max %[u], %[u], %[lo]\n"
        "xp.min %[u], %[u], %[hi]\n"
        "xp.st.post %[u], %[y], %[yn], %[yt]\n" XP_BLOCK_END
        : [a] "=&r"(a), [u] "=&r"(u), [x] "+&r"(x), [bias] "+&r"(bias),
          [y] "+&r"(y)
        : [n] "r"(2 * k->half), [one] "r"(k->one), [shift] "r"(k->shift),
          [lo] "r"(k->lo), [hi] "r"(k->hi), [xn] "i"(sizeof(X)),
          [xt] "i"(XP_TYPE(X)), [bn] "i"(sizeof(BIAS)), [bt] "i"(XP_TYPE(BIAS)),
          [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y))
        : XP_CLOBBERS);
}
#endif

#include "kern/row/rotate.h"

void FN(const struct rotate_dims *k, const struct io *io)
{
    rotate(k, io);
}
