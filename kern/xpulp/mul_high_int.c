/* Products of elements of up to 16 bits, scaled by the upper halves of products
 * of 32: factors of 31 bits, as QDQ networks have them.
 *
 * op       mul
 * types    x:s8|u8|s16 y:s8|u8|s16 mul:s32 add:s32|s64 -> z:s8|u8|s16
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] == 1 &&
 *          mul.n == 1 && add.n == 1 && shift > 29 && shift < 62 &&
 *          max(-acc.lo, acc.hi) < 536870912 &&
 *          max(-scaled.lo, scaled.hi) < 1152921504606846976
 * inplace  x y
 * split    n
 * stack    96
 * cycles   ncore * (fit.call + fit.element * ceil(z.n, ncore))
 * code     265
 *
 * (p mul + add) >> shift is floor((4 p mul + 4 add) / 2^32) >> (shift - 30): the
 * upper halves of both, and what their lower halves carry.
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

enum { HIGH = 30 }; /* of the bits of products that are left out */

/* Of one call: 4 add is high 2^32 + low. */
struct high {
    int32_t mul, high, shift, lo, hi;
    uint32_t low;
};

#ifdef XPULPV2
static inline void scale(const struct high *k, const X *x, const Y *y, Z *z,
                         int32_t n)
{
    int32_t a, b;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 13\n"
            "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
            "xp.lt.post %[b], %[y], %[yn], %[yt]\n"
            "slli %[a], %[a], 2\n"
            "mul %[a], %[a], %[b]\n"
            "mul %[b], %[a], %[mul]\n"
            "mulh %[a], %[a], %[mul]\n"
            "add %[b], %[b], %[low]\n"
            "sltu %[b], %[b], %[low]\n"
            "add %[a], %[a], %[b]\n"
            "xp.addnr %[a], %[high], %[shift]\n"
            "xp.max %[a], %[a], %[lo]\n"
            "xp.min %[a], %[a], %[hi]\n"
            "xp.st.post %[a], %[z], %[zn], %[zt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x), [y] "+&r"(y),
              [z] "+&r"(z)
            : [n] "r"(n), [mul] "r"(k->mul), [high] "r"(k->high),
              [low] "r"(k->low), [shift] "r"(k->shift), [lo] "r"(k->lo),
              [hi] "r"(k->hi), [xn] "i"(sizeof(X)), [xt] "i"(XP_TYPE(X)),
              [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y)), [zn] "i"(sizeof(Z)),
              [zt] "i"(XP_TYPE(Z))
            : XP_CLOBBERS);
}
#else
static void scale(const struct high *k, const X *x, const Y *y, Z *z, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int64_t p = (int64_t)x[i] * 4 * y[i] * k->mul;
        const int32_t v = (int32_t)(p >> 32) + k->high +
                          ((uint32_t)p + k->low < k->low);

        z[i] = (Z)clip(v >> k->shift, k->lo, k->hi);
    }
}
#endif

void FN(const struct map_dims *k, const struct io *io)
{
    const int64_t add = *(const ADD *)io->in[3];
    const struct high of = {
        .mul = *(const MUL *)io->in[2], .high = (int32_t)(add >> HIGH),
        .low = (uint32_t)add << 2, .shift = k->shift - HIGH,
        .lo = k->lo, .hi = k->hi,
    };
    int32_t i, end;

    span(k->n[5], io->core, io->ncore, &i, &end);
    scale(&of, (const X *)io->in[0] + i, (const Y *)io->in[1] + i,
          (Z *)io->out[0] + i, end - i);
}
