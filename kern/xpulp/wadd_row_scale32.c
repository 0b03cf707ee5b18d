/* Weighted sum of two rows, in 32 bits, in little code: the residuals of a
 * token of a language model.
 *
 * op       wadd
 * types    x:s8|u8|s16|u16|s32 y:s8|u8|s16|u16|s32 c:int
 *          -> z:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] == 1
 *          && c.n == 1 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * inplace  x y
 * split    n
 * stack    64
 * cycles   ncore * (fit.call + fit.element * ceil(z.n, ncore))
 * code     130
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
static inline void sums(const struct map_dims *k, const X *x, const Y *y,
                        int32_t c, Z *z, int32_t n)
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
            : [n] "r"(n), [c] "r"(c), [p0] "r"(k->p0), [p1] "r"(k->p1),
              [shift] "r"(k->shift), [lo] "r"(k->lo), [hi] "r"(k->hi),
              [xn] "i"(sizeof(X)), [xt] "i"(XP_TYPE(X)), [yn] "i"(sizeof(Y)),
              [yt] "i"(XP_TYPE(Y)), [zn] "i"(sizeof(Z)), [zt] "i"(XP_TYPE(Z))
            : XP_CLOBBERS);
}
#else
static inline void sums(const struct map_dims *k, const X *x, const Y *y,
                        int32_t c, Z *z, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        z[i] = (Z)clip(((int32_t)x[i] * k->p0 + (int32_t)y[i] * k->p1 + c) >>
                           k->shift, k->lo, k->hi);
}
#endif

void FN(const struct map_dims *k, const struct io *io)
{
    int32_t from, to;

    span(k->n[5], io->core, io->ncore, &from, &to);
    sums(k, (const X *)io->in[0] + from, (const Y *)io->in[1] + from,
         (int32_t)*(const C *)io->in[2], (Z *)io->out[0] + from, to - from);
}
