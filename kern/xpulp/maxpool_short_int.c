/* The greatest of each window of 16 bits, channels-last: two channels at a
 * time, tap by tap.
 *
 * op       maxpool
 * types    x:s16 -> y:s16
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w && c > 1 &&
 *          lo <= x.lo && hi >= x.hi
 * layout   last
 * split    oh ow c
 * stack    352
 * let      pixels = ceil(n * oh * ow, ncore)
 * let      taps = kh * kw
 * let      rest = c % 2 * (fit.one + taps * fit.tap)
 * cycles   ncore * (fit.call + (ncore > 1) * fit.team + min(pixels *
 *          (fit.pixel + rest + taps * (fit.row + ceil(c, 2) * fit.word)),
 *          n * oh * ow * (fit.pixel + rest + taps * (fit.row + 2 *
 *          ceil(c, 4 * ncore) * fit.word))))
 * code     1000
 */
#include "kern/pool/max.h"
#include "kern/pool/patch.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define POOL_WORDS
/* y is the greater one of a and b, n words of two. */
static inline void greater(const X *a, const X *b, Y *y, int32_t n)
{
    int32_t v, w;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "xp.lw.post %[v], %[a], 4\n"
        "xp.lw.post %[w], %[b], 4\n"
        "xpv.max.h %[v], %[v], %[w]\n"
        "xp.sw.post %[v], %[y], 4\n" XP_BLOCK_END
        : [v] "=&r"(v), [w] "=&r"(w), [a] "+&r"(a), [b] "+&r"(b),
          [y] "+&r"(y)
        : [n] "r"(n)
        : XP_CLOBBERS);
}

/* All but the last of an odd number of channels. */
static inline int32_t pool_words(const struct pool_dims *k,
                                 const struct patch *p, const X *x, int32_t n,
                                 Y *y)
{
    const X *other = x;

    (void)k;
    if (n < 2)
        return 0;
    for (int32_t i = p->rows; i > 0; i--, x += p->row) {
        const X *at = x;

        for (int32_t j = p->cols; j > 0; j--, at += p->col) {
            greater(at, other, y, n >> 1);
            other = y;
        }
    }
    return n & ~1;
}
#endif

#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
