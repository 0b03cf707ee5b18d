/* A row of bytes times rows of weights with their scales behind, in 32 bits:
 * what a token of a language model needs, in little code.  A core makes four
 * columns at a time, and then the sums of its own with r.
 *
 * op       rowmatmul
 * types    a:s8|u8 w:s8 r:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     k % 4 == 0 && n % 4 == 0 && shift < 32 && p2 < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    160
 * let      fours = ceil(n / 4, ncore)
 * cycles   ncore * (fit.call + fours * (fit.four + fit.words * k / 4) +
 *          (has.r ? fit.sums + 40 * fours : 0))
 * code     455
 */
#include "kern/kern.h"

#define LEFT A
#define RIGHT W
#include "kern/xpulp/four_rows.h"
#include "kern/matmul/scales.h"
#ifndef NO_R
#define SUM_X R
#define SUM_Y Y
#define SUM_Z Y
#include "kern/xpulp/row_sums.h"
#endif

#ifdef XPULPV2
/* Results of two columns, whose scales are at w and `step` bytes on; returns
 * where the next ones are. */
static inline const W *results(const struct rowmatmul_dims *k, const W *w,
                               int32_t step, int32_t s0, int32_t s1, Y *y)
{
    int32_t m0, m1, a0, a1;

    __asm__ volatile(
        XP_BLOCK
        "xp.lw.post %[m0], %[w], 4\n"
        "xp.lw.postr %[a0], %[w], %[on]\n"
        "xp.lw.post %[m1], %[w], 4\n"
        "xp.lw.postr %[a1], %[w], %[on]\n"
        FOUR_ROWS_STORE
        XP_BLOCK_END
        : [m0] "=&r"(m0), [m1] "=&r"(m1), [a0] "=&r"(a0), [a1] "=&r"(a1),
          [w] "+&r"(w), [y] "+&r"(y)
        : [s0] "r"(s0), [s1] "r"(s1), [on] "r"(step - 4),
          [shift] "r"(k->shift), [lo] "r"(k->lo), [hi] "r"(k->hi),
          [size] "i"(sizeof(Y)), [store] "i"(XP_TYPE(Y))
        : XP_CLOBBERS);
    return w;
}
#else
static inline const W *results(const struct rowmatmul_dims *k, const W *w,
                               int32_t step, int32_t s0, int32_t s1, Y *y)
{
    const int32_t sum[2] = {s0, s1};

    for (int32_t j = 0; j < 2; j++, w += step)
        y[j] = (Y)clip((sum[j] * word_load(w) + word_load(w + 4)) >> k->shift,
                       k->lo, k->hi);
    return w;
}
#endif

/* Columns [from, to), four by four. */
static inline void columns(const struct rowmatmul_dims *k, const A *x,
                           const W *w, Y *y, int32_t from, int32_t to)
{
    const int32_t words = k->k >> 2, step = k->k + ROW_SCALES;
    int32_t sum[4];

    for (w += from * step; from < to; from += 4, w += 4 * step) {
        const W *scales = w + k->k;

        four_rows(x, w, step, words, sum);
        scales = results(k, scales, step, sum[0], sum[1], y + from);
        results(k, scales, step, sum[2], sum[3], y + from + 2);
    }
}

void FN(const struct rowmatmul_dims *dims, const struct io *io)
{
    const struct rowmatmul_dims own = *dims, *k = &own; /* stores keep it */
    Y *y = io->out[0];
    int32_t from, to;

    span(k->n >> 2, io->core, io->ncore, &from, &to);
    from *= 4, to *= 4;
    columns(k, io->in[0], io->in[1], y, from, to);
#ifndef NO_R
    if (io->in[2])
        row_sums(&(struct row_sum){k->p0, k->p1, k->p3, k->p2, k->lo, k->hi},
                 (const R *)io->in[2] + from, y + from, y + from, to - from);
#endif
}
