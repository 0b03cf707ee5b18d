/* Rows of four bytes by four columns, which stay in registers: a rotation of
 * each head of an attention, by a matrix for all or for each position.
 *
 * op       matmul
 * types    a:s8 b:s8 bias:none mul:s8|u8|s16|u16|s32 add:s8|u8|s16|u16|s32 ->
 *          y:s8
 * isa      xpulpv2
 * when     k == 4 && n == 4 && ak == 1 && am == 4
 *          && bn == 1 && mulm == 0 && muln == 0 && addm == 0 && addn == 0 &&
 *          lo == -128 && hi == 127 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * split    m
 * stack    160
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      rows = ceil(batches * m, ncore)
 * cycles   ncore * (fit.call + (batches > 1) * fit.batches + fit.batch *
 *          ceil(rows, m) + fit.row * rows)
 * code     batches > 1 ? 620 : 300
 * cold     batches > 1 ? 620 : 288
 * asks     17
 */
#include "kern/xpulp/mean.h"
#include "kern/xpulp/scale.h"

#define X B
#include "kern/xpulp/transpose.h"

/* What is done with each row: its columns, and how sums are scaled. */
struct word {
    int32_t column[4], mul, add, shift;
};

#ifdef XPULPV2
#define WORD_ONE(t, column)                                                  \
    "xpv.dotsp.b " t ", %[row], " column "\n"                                \
    "mul " t ", " t ", %[mul]\n"                                             \
    "xp.addnr " t ", %[add], %[shift]\n"                                     \
    "xp.clip " t ", " t ", 8\n"

static inline void word_rows(const struct word *w, const A *a, Y *y,
                             int32_t rows)
{
    int32_t row, t0, t1, t2;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[rows], 20\n"
        "xp.lw.post %[row], %[a], 4\n"
        WORD_ONE("%[t0]", "%[c0]") WORD_ONE("%[t1]", "%[c1]")
        "xpv.packlo.b %[t0], %[t1], %[t0]\n"
        WORD_ONE("%[t1]", "%[c2]") WORD_ONE("%[t2]", "%[c3]")
        "xpv.packhi.b %[t0], %[t2], %[t1]\n"
        "xp.sw.post %[t0], %[y], 4\n" XP_BLOCK_END
        : [row] "=&r"(row), [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2),
          [a] "+&r"(a), [y] "+&r"(y)
        : [rows] "r"(rows), [c0] "r"(w->column[0]), [c1] "r"(w->column[1]),
          [c2] "r"(w->column[2]), [c3] "r"(w->column[3]), [mul] "r"(w->mul),
          [add] "r"(w->add), [shift] "r"(w->shift)
        : XP_CLOBBERS);
}
#else
static inline void word_rows(const struct word *w, const A *a, Y *y,
                             int32_t rows)
{
    for (; rows > 0; rows--, a += 4)
        for (int32_t j = 0; j < 4; j++) {
            int8_t column[4];
            int32_t sum = 0;

            memcpy(column, &w->column[j], 4);
            for (int32_t i = 0; i < 4; i++)
                sum += a[i] * column[i];
            *y++ = (Y)scale_clip(scale32(sum, w->mul, w->add, w->shift), -128,
                                 127);
        }
}
#endif

/* The columns of four rows that lie `step` apart. */
static inline void word_columns(struct word *w, const B *b, ptrdiff_t step)
{
    const int32_t rows[4] = {transpose_load(b), transpose_load(b + step),
                             transpose_load(b + 2 * step),
                             transpose_load(b + 3 * step)};

    transpose_words(rows, w->column);
}

static inline struct word word_scale(const struct matmul_dims *k,
                                     const struct io *io)
{
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    return (struct word){.mul = mul ? (int32_t)*mul : 1,
                         .add = add ? (int32_t)*add : 0,
                         .shift = mul ? k->shift : 0};
}

/* Of a batch. */
static inline ptrdiff_t word_batch(const int32_t step[3], int32_t i, int32_t j,
                                   int32_t l)
{
    return (ptrdiff_t)i * step[0] + (ptrdiff_t)j * step[1] +
           (ptrdiff_t)l * step[2];
}

/* Rows [from, to) of all batches one after the other. */
static NOINLINE void word_batches(const struct matmul_dims *k,
                                  const struct io *io, int32_t from,
                                  int32_t to)
{
    struct word w = word_scale(k, io);
    const int32_t all = mean_of_sum(from, k->m);
    const int32_t outer = mean_of_sum(all, k->nb[2]);
    int32_t i = mean_of_sum(outer, k->nb[1]), j = outer - i * k->nb[1];
    int32_t l = all - outer * k->nb[2], row = from - all * k->m, n;
    const A *a = (const A *)io->in[0] + word_batch(k->ab, i, j, l);
    const B *b = (const B *)io->in[1] + word_batch(k->bb, i, j, l);
    Y *y = (Y *)io->out[0] + 4 * (ptrdiff_t)from;

    for (; from < to; from += n, y += 4 * (ptrdiff_t)n, row = 0) {
        n = k->m - row < to - from ? k->m - row : to - from;
        word_columns(&w, b, k->bk);
        word_rows(&w, a + 4 * (ptrdiff_t)row, y, n);
        a += k->ab[2];
        b += k->bb[2];
        if (++l < k->nb[2])
            continue;
        l = 0;
        if (++j == k->nb[1])
            j = 0, i++;
        a = (const A *)io->in[0] + word_batch(k->ab, i, j, 0);
        b = (const B *)io->in[1] + word_batch(k->bb, i, j, 0);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    const int32_t batches = k->nb[0] * k->nb[1] * k->nb[2];
    int32_t from, to;
    struct word w;

    span(batches * k->m, io->core, io->ncore, &from, &to);
    if (from >= to)
        return;
    if (batches > 1) {
        word_batches(k, io, from, to);
        return;
    }
    w = word_scale(k, io);
    word_columns(&w, io->in[1], k->bk);
    word_rows(&w, (const A *)io->in[0] + 4 * (ptrdiff_t)from,
              (Y *)io->out[0] + 4 * (ptrdiff_t)from, to - from);
}
