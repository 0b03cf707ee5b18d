/* Differences of bytes with 16 bits: of two, or from one number.
 *
 * op       sub
 * types    x:s8|u8 y:s8|u8 -> z:s16
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] < 2
 * split    n
 * stack    96
 * cycles   ncore * (fit.call + (fit.element + 3 * s1[5]) * ceil(z.n, ncore))
 * code     148
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define SUB_LOOP(name, LOAD, count)                                           \
    static inline void name(const X *x, const Y *y, int32_t b, int32_t lo,    \
                            int32_t hi, Z *z, int32_t n)                      \
    {                                                                         \
        int32_t a;                                                            \
                                                                              \
        if (n > 0)                                                            \
            __asm__ volatile(                                                 \
                XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                     \
                "xp.lt.post %[a], %[x], 1, %[xt]\n" LOAD                      \
                "sub %[a], %[a], %[b]\n"                                      \
                "xp.max %[a], %[a], %[lo]\n"                                  \
                "xp.min %[a], %[a], %[hi]\n"                                  \
                "xp.st.post %[a], %[z], 2, %[zt]\n" XP_BLOCK_END              \
                : [a] "=&r"(a), [b] "+&r"(b), [x] "+&r"(x), [y] "+&r"(y),     \
                  [z] "+&r"(z)                                                \
                : [n] "r"(n), [lo] "r"(lo), [hi] "r"(hi),                     \
                  [xt] "i"(XP_TYPE(X)), [yt] "i"(XP_TYPE(Y)),                 \
                  [zt] "i"(XP_TYPE(Z))                                        \
                : XP_CLOBBERS);                                               \
    }
SUB_LOOP(sub_each, "xp.lt.post %[b], %[y], 1, %[yt]\n", 6)
SUB_LOOP(sub_one, "", 5)
#else
static void sub_each(const X *x, const Y *y, int32_t b, int32_t lo, int32_t hi,
                     Z *z, int32_t n)
{
    (void)b;
    for (int32_t i = 0; i < n; i++)
        z[i] = (Z)clip((int32_t)x[i] - y[i], lo, hi);
}

static void sub_one(const X *x, const Y *y, int32_t b, int32_t lo, int32_t hi,
                    Z *z, int32_t n)
{
    (void)y;
    for (int32_t i = 0; i < n; i++)
        z[i] = (Z)clip((int32_t)x[i] - b, lo, hi);
}
#endif

void FN(const struct map_dims *k, const struct io *io)
{
    const Y *y = io->in[1];
    int32_t i, end;

    span(k->n[5], io->core, io->ncore, &i, &end);
    if (k->s1[5])
        sub_each((const X *)io->in[0] + i, y + i, 0, k->lo, k->hi,
                 (Z *)io->out[0] + i, end - i);
    else
        sub_one((const X *)io->in[0] + i, y, *y, k->lo, k->hi,
                (Z *)io->out[0] + i, end - i);
}
