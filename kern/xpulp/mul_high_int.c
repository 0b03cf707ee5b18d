/* Products of elements of up to 16 bits, scaled by the upper halves of products
 * of 32: factors of 31 bits, as QDQ networks have them.
 *
 * op       mul
 * types    x:s8|u8|s16 y:s8|u8|s16 mul:s32 add:s32|s64 -> z:s8|u8|s16
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] == 1 &&
 *          mul.n == 1 && add.n == 1 && shift > 29 && shift < 62 &&
 *          add.lo % 1073741824 == 0 && add.hi % 1073741824 == 0 &&
 *          max(-acc.lo, acc.hi) < 536870912 &&
 *          max(-scaled.lo, scaled.hi) < 1152921504606846976
 * inplace  x y
 * split    n
 * stack    96
 * cycles   ncore * (fit.call + fit.element * ceil(z.n, ncore))
 * code     220
 *
 * (p mul + add) >> shift is (floor(p mul / 2^30) + add / 2^30) >> (shift - 30),
 * for add is a multiple of 2^30; the upper half of 4 p mul is the quotient.
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

enum { HIGH = 30 }; /* of the bits of products that are left out */

#ifdef XPULPV2
static inline void scale(const X *x, const Y *y, int32_t mul, int32_t add,
                         int32_t shift, int32_t lo, int32_t hi, Z *z, int32_t n)
{
    int32_t a, b;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 9\n"
            "xp.lt.post %[a], %[x], %[xn], %[xt]\n"
            "xp.lt.post %[b], %[y], %[yn], %[yt]\n"
            "slli %[a], %[a], 2\n"
            "mul %[a], %[a], %[b]\n"
            "mulh %[a], %[a], %[mul]\n"
            "xp.addnr %[a], %[add], %[shift]\n"
            "xp.max %[a], %[a], %[lo]\n"
            "xp.min %[a], %[a], %[hi]\n"
            "xp.st.post %[a], %[z], %[zn], %[zt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x), [y] "+&r"(y),
              [z] "+&r"(z)
            : [n] "r"(n), [mul] "r"(mul), [add] "r"(add), [shift] "r"(shift),
              [lo] "r"(lo), [hi] "r"(hi), [xn] "i"(sizeof(X)),
              [xt] "i"(XP_TYPE(X)), [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y)),
              [zn] "i"(sizeof(Z)), [zt] "i"(XP_TYPE(Z))
            : XP_CLOBBERS);
}
#else
static void scale(const X *x, const Y *y, int32_t mul, int32_t add,
                  int32_t shift, int32_t lo, int32_t hi, Z *z, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t p = (int32_t)x[i] * 4 * y[i];
        const int32_t v = (int32_t)((int64_t)p * mul >> 32) + add;

        z[i] = (Z)clip(v >> shift, lo, hi);
    }
}
#endif

void FN(const struct map_dims *k, const struct io *io)
{
    const int32_t add = (int32_t)(*(const ADD *)io->in[3] >> HIGH);
    int32_t i, end;

    span(k->n[5], io->core, io->ncore, &i, &end);
    scale((const X *)io->in[0] + i, (const Y *)io->in[1] + i,
          *(const MUL *)io->in[2], add, k->shift - HIGH, k->lo, k->hi,
          (Z *)io->out[0] + i, end - i);
}
