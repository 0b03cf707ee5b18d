/* Weighted sum of elements of up to 16 bits, in 32.
 *
 * op       wadd
 * types    x:s8|u8|s16 y:s8|u8|s16 c:int -> z:s8|u8|s16
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] == 1 &&
 *          c.n == 1 && shift > 15 && shift < 48 &&
 *          max(-scaled.lo, scaled.hi) < 140737488355328
 * inplace  x y
 * split    n
 * stack    64
 * cycles   ncore * (fit.call + fit.element * ceil(z.n, ncore))
 * code     280
 * cold     300
 *
 * Factors and the addend are cut at bit 16: what the lower parts carry is added
 * to the upper ones, and their sum, which has 32 bits, is shifted by the rest.
 * Lower parts have signs, that of p1 up to 2^15, the others from -2^15 on: sums
 * of their products are from -2^31 to 2^31 - 1.
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

/* high 2^16 + low */
struct cut {
    int32_t high, low;
};

/* What is `half` and more is the next one's. */
static inline struct cut cut_of(int64_t v, int32_t half)
{
    const int64_t high = (v + 0x10000 - half) >> 16;

    return (struct cut){(int32_t)high, (int32_t)(v - high * 0x10000)};
}

/* The factors of x and y, and the addend. */
struct sum {
    struct cut x, y, c;
    int32_t shift, lo, hi;
};

#ifdef XPULPV2
static inline void sums(const struct sum *s, const X *x, const Y *y, Z *z,
                        int32_t n)
{
    int32_t a, b, v;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 11\n"
            "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
            "xp.lt.post %[b], %[y], %[yn], %[yt]\n"
            "mul %[v], %[a], %[low0]\n"
            "xp.mac %[v], %[b], %[low1]\n"
            "xp.addn %[v], %[v], %[low], 16\n"
            "xp.mac %[v], %[a], %[p0]\n"
            "xp.mac %[v], %[b], %[p1]\n"
            "xp.addnr %[v], %[c], %[shift]\n"
            "xp.max %[v], %[v], %[lo]\n"
            "xp.min %[v], %[v], %[hi]\n"
            "xp.st.post %[v], %[z], %[zn], %[zt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [v] "=&r"(v), [x] "+&r"(x),
              [y] "+&r"(y), [z] "+&r"(z)
            : [n] "r"(n), [low0] "r"(s->x.low), [low1] "r"(s->y.low),
              [low] "r"(s->c.low), [p0] "r"(s->x.high), [p1] "r"(s->y.high),
              [c] "r"(s->c.high), [shift] "r"(s->shift), [lo] "r"(s->lo),
              [hi] "r"(s->hi),
              [xn] "i"(sizeof(X)), [xt] "i"(XP_TYPE(X)), [yn] "i"(sizeof(Y)),
              [yt] "i"(XP_TYPE(Y)), [zn] "i"(sizeof(Z)), [zt] "i"(XP_TYPE(Z))
            : XP_CLOBBERS);
}
#else
/* Parts of a sum of 32 bits may have more. */
static void sums(const struct sum *s, const X *x, const Y *y, Z *z, int32_t n)
{
    const uint32_t p0 = (uint32_t)s->x.high, p1 = (uint32_t)s->y.high;

    for (int32_t i = 0; i < n; i++) {
        const int32_t low = x[i] * s->x.low + y[i] * s->y.low + s->c.low;
        const uint32_t v = (uint32_t)x[i] * p0 + (uint32_t)y[i] * p1 +
                           (uint32_t)s->c.high + (uint32_t)(low >> 16);

        z[i] = (Z)clip((int32_t)v >> s->shift, s->lo, s->hi);
    }
}
#endif

void FN(const struct map_dims *k, const struct io *io)
{
    const struct sum s = {
        cut_of(k->p0, 0x8000), cut_of(k->p1, 0x8001),
        cut_of((int64_t)*(const C *)io->in[2], 0x8000), k->shift - 16, k->lo,
        k->hi};
    int32_t i, end;

    span(k->n[5], io->core, io->ncore, &i, &end);
    sums(&s, (const X *)io->in[0] + i, (const Y *)io->in[1] + i,
         (Z *)io->out[0] + i, end - i);
}
