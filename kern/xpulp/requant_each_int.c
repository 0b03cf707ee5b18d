/* Scaling of elements of up to 16 bits in 32, by a factor for all and an addend
 * for each element of a row.
 *
 * op       requant
 * types    x:s8|u8|s16 mul:int add:s32|s64 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] == 1 && s0[5] == 1 && sm[5] == 0 &&
 *          sa[5] == 1 && (n[4] == 1 || (s0[4] == n[5] && sm[4] == 0 &&
 *          sa[4] == 0)) && shift > 15 && shift < 48 &&
 *          max(-scaled.lo, scaled.hi) < 140737488355328
 * inplace  x
 * split    n
 * stack    96
 * cycles   ncore * (fit.call + fit.element * ceil(y.n, ncore) +
 *          fit.row * (n[4] > 1) * ceil(n[4], ncore))
 * code     275
 *
 * Positions of a Transformer, added to what stands there, and biases of QDQ
 * networks.  Factor and addends are cut at bit 16: what the lower parts carry is
 * added to the upper ones.  The upper part of an addend of 64 bits is the word
 * from its third byte on.
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define UPPER_TYPE (sizeof(ADD) == 8 ? XP_TYPE(int32_t) : XP_TYPE(int16_t))

static inline void scale(const struct map_dims *k, const X *x, MUL mul,
                         const ADD *add, Y *y, int32_t n)
{
    int32_t a, low, high;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 10\n"
            "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
            "xp.lhu.post %[low], %[add], 2\n"
            "xp.lt.post %[high], %[add], %[an], %[at]\n"
            "xp.mac %[low], %[a], %[mullow]\n"
            "srai %[low], %[low], 16\n"
            "xp.mac %[high], %[a], %[mul]\n"
            "xp.addnr %[low], %[high], %[shift]\n"
            "xp.max %[low], %[low], %[lo]\n"
            "xp.min %[low], %[low], %[hi]\n"
            "xp.st.post %[low], %[y], %[yn], %[yt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [low] "=&r"(low), [high] "=&r"(high),
              [x] "+&r"(x), [add] "+&r"(add), [y] "+&r"(y)
            : [n] "r"(n), [mullow] "r"((int32_t)mul & 0xffff),
              [mul] "r"((int32_t)(mul >> 16)), [shift] "r"(k->shift - 16),
              [lo] "r"(k->lo), [hi] "r"(k->hi), [xn] "i"(sizeof(X)),
              [xt] "i"(XP_TYPE(X)), [an] "i"(sizeof(ADD) - 2),
              [at] "i"(UPPER_TYPE), [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y))
            : XP_CLOBBERS);
}
#else
/* Parts of a sum of 32 bits may have more. */
static void scale(const struct map_dims *k, const X *x, MUL mul,
                  const ADD *add, Y *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t low = x[i] * ((int32_t)mul & 0xffff) +
                            ((int32_t)add[i] & 0xffff);
        const uint32_t v = (uint32_t)x[i] * (uint32_t)(mul >> 16) +
                           (uint32_t)(add[i] >> 16) + (uint32_t)(low >> 16);

        y[i] = (Y)clip((int32_t)v >> (k->shift - 16), k->lo, k->hi);
    }
}
#endif

void FN(const struct map_dims *k, const struct io *io)
{
    const MUL mul = *(const MUL *)io->in[1];
    const ADD *add = io->in[2];
    const X *x = io->in[0];
    const int32_t n = k->n[5];
    Y *y = io->out[0];
    int32_t i, end, from, some;

    span(k->n[4] * n, io->core, io->ncore, &i, &end);
    for (from = i % n; i < end; i += some, from = 0) {
        some = n - from < end - i ? n - from : end - i;
        scale(k, x + i, mul, add + from, y + i, some);
    }
}
