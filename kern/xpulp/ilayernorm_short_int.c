/* The integer layer norm of 16 bits: sums two by two, and no divisions but of
 * rows.
 *
 * op       ilayernorm
 * types    x:s16 w:s8|u8|s16|s32 b:s8|u8|s16|s32 -> y:s8|s16
 * isa      xpulpv2
 * when     max(-x.lo, x.hi) * n < 2147483648 && n > 1 && n < 65536 &&
 *          (x.hi - x.lo) * max(-w.lo, w.hi) + max(-b.lo, b.hi) < 2147483648 &&
 *          shift < 32 && lo + hi == -1
 * split    rows n
 * stack    240
 * let      find = n / 4 + 16
 * let      parts = rows * (ceil(n, ncore) + find) < ceil(rows, ncore) * (n +
 *          find)
 * let      odd = (n & (n - 1)) > 0
 * cycles   ncore * (fit.call + (ncore > 1) * fit.team +
 *          (parts ? rows : ceil(rows, ncore)) * (fit.row + odd * fit.odd +
 *          3 * n + (parts ? ceil(n, ncore) : n) * fit.element))
 * code     720
 * cold     660
 */
#include "kern/share.h"
#include "kern/xpulp/inverse.h"
#include "kern/xpulp/mean.h"
#define ROOT root_of
#include "kern/row/divisor.h"

#ifdef XPULPV2
/* Sums of n elements and of their squares. */
static inline uint64_t squares(const X *x, int32_t n, int32_t *sum)
{
    uint32_t lo = 0, hi = 0, carry = 0, t;
    int32_t a, s = 0;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 6\n"
        "xp.lw.post %[a], %[x], 4\n"
        "add %[hi], %[hi], %[carry]\n"
        "xpv.dotsp.h %[t], %[a], %[a]\n"
        "xpv.sdotsp.h %[s], %[a], %[ones]\n"
        "add %[lo], %[lo], %[t]\n"
        "sltu %[carry], %[lo], %[t]\n" XP_BLOCK_END
        : [lo] "+&r"(lo), [hi] "+&r"(hi), [carry] "+&r"(carry), [t] "=&r"(t),
          [a] "=&r"(a), [s] "+&r"(s), [x] "+&r"(x)
        : [n] "r"(n >> 1), [ones] "r"(0x00010001)
        : XP_CLOBBERS);
    a = n & 1 ? *x : 0;
    *sum = s + a;
    return ((uint64_t)(hi + carry) << 32 | lo) + (uint32_t)(a * a);
}

/* A quotient of a number below 0 is rounded up: its product, rounded down, is
 * one less. */
static inline void quotients(const struct row_dims *k, const X *x, const W *w,
                             const B *b, Y *y, int32_t n, int32_t mean,
                             const struct divisor *d)
{
    int32_t v, u, t;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 12\n"
            "xp.lt.post %[v], %[x], %[xn], %[xt]\n"
            "xp.lt.post %[u], %[w], %[wn], %[wt]\n"
            "xp.lt.post %[t], %[b], %[bn], %[bt]\n"
            "sub %[v], %[v], %[mean]\n"
            "mul %[v], %[v], %[u]\n"
            "srai %[u], %[v], 31\n"
            "mulhsu %[v], %[v], %[inverse]\n"
            "sub %[t], %[t], %[u]\n"
            "sra %[v], %[v], %[shift]\n"
            "xp.addnr %[v], %[t], %[less]\n"
            "xp.clipr %[v], %[v], %[hi]\n"
            "xp.st.post %[v], %[y], %[yn], %[yt]\n" XP_BLOCK_END
            : [v] "=&r"(v), [u] "=&r"(u), [t] "=&r"(t), [x] "+&r"(x),
              [w] "+&r"(w), [b] "+&r"(b), [y] "+&r"(y)
            : [n] "r"(n), [mean] "r"(mean), [inverse] "r"(d->inverse),
              [shift] "r"(d->shift), [less] "r"(k->shift), [hi] "r"(k->hi),
              [xn] "i"(sizeof(X)), [xt] "i"(XP_TYPE(X)),
              [wn] "i"(sizeof(W)), [wt] "i"(XP_TYPE(W)), [bn] "i"(sizeof(B)),
              [bt] "i"(XP_TYPE(B)), [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y))
            : XP_CLOBBERS);
}
#else
static uint64_t squares(const X *x, int32_t n, int32_t *sum)
{
    uint64_t all = 0;

    *sum = 0;
    for (int32_t i = 0; i < n; i++) {
        *sum += x[i];
        all += (uint32_t)(x[i] * x[i]);
    }
    return all;
}

static void quotients(const struct row_dims *k, const X *x, const W *w,
                      const B *b, Y *y, int32_t n, int32_t mean,
                      const struct divisor *d)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = (x[i] - mean) * (int32_t)w[i];
        const int32_t q =
            (int32_t)(v * (int64_t)d->inverse >> 32) >> d->shift;

        y[i] = (Y)clip((q + (int32_t)b[i] + (v < 0)) >> k->shift, k->lo,
                       k->hi);
    }
}
#endif

static inline void row(const struct row_dims *k, const X *x, const W *w,
                       const B *b, Y *y, const struct span *part)
{
    int32_t sum;
    const uint64_t all = squares(x, k->n, &sum);
    const int32_t mean = mean_of_sum(sum, k->n), i = part->lo;
    const int64_t less = (int64_t)mean * sum + mean * (sum - k->n * mean);
    const struct divisor d =
        divisor_of(mean_of(all - (uint64_t)less, (uint32_t)k->n));

    if (d.root > 1)
        quotients(k, x + i, w + i, b + i, y + i, part->hi - i, mean, &d);
    for (int32_t j = i; d.root < 2 && j < part->hi; j++)
        y[j] = (Y)clip(((x[j] - mean) * (int32_t)w[j] + (int32_t)b[j]) >>
                           k->shift, k->lo, k->hi);
}

void FN(const struct row_dims *k, const struct io *io)
{
    const int32_t n = k->n;
    const struct share s = share_of(io, k->rows, n, 1, n / 4 + 16);
    const X *x = io->in[0];
    Y *y = io->out[0];

    for (int32_t i = s.rows.lo; i < s.rows.hi; i++)
        row(k, x + (ptrdiff_t)i * n, io->in[1], io->in[2],
            y + (ptrdiff_t)i * n, &s.channels);
}
