/* Attention of bytes, four rows of q at a time: products four by four, weights
 * by tables.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:s8 -> y:s8
 * isa      xpulpv2
 * when     m > 3 && n > 3 && p0 < 32 && shift < 32 && n < 4096 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && most < 1048576 &&
 *          most * n < 2147483648 && most * most * n < 17179869184 && p1 < 256
 * let      line = 4 * ceil(n, 4)
 * let      fours = ceil(e, 4)
 * scratch  32 + 4 * line + 16 * max(fours, line) + (d > 4) * 16 * ceil(d, 4) +
 *          4 * fours * line + (d % 4 > 0) * 4 * ceil(d, 4) * n
 * split    heads * m
 * stack    256
 * let      blocks = ceil(heads * ceil(m, 4), ncore)
 * cycles   ncore * (fit.call + ceil(blocks, ceil(m, 4)) * (fit.head + fit.byte
 *          * n * e) + blocks * (fit.rows + line / 4 * (fit.four + (d > 4) *
 *          (fit.sums + 24 * ceil(d, 4)) + has.mask * fit.mask) + fours *
 *          (fit.column + 6 * line)))
 * code     2400
 * cold     3300
 *
 * The last four rows, and the last four of k, are four again where their number
 * is no multiple.  Weights of four rows lie side by side, word by word, and v
 * in columns, as the products want them.
 */
#include "kern/finish.h"

#define LEFT PARTS
#define RIGHT V
#undef X
#define X int8_t
#include "kern/xpulp/block.h"
#include "kern/xpulp/attend.h"
#include "kern/xpulp/transpose.h"
#include "kern/xpulp/powers.h"

enum { LOW_BITS = 12 };

struct attend {
    const struct attend_dims *k;
    const SCALE *scale;
    const POWERS *powers;     /* of the greatest score */
    const PARTS *parts;
    int same, linear;         /* tables of parts, of scores change nothing */
    int32_t bits;             /* of the greatest power */
    const struct attend_end *ends; /* of scores, of results */
    int32_t words, line;      /* words of a row of q; bytes of n, whole words */
    int32_t step;             /* from a row of keys to the next */
    uint32_t *power;          /* of four rows, where their sums were */
    int32_t *sums;
    char *q, *w;              /* four rows, side by side */
    int8_t *x;                /* scores of four, where weights w will be */
    X *v, *keys;              /* columns; keys where rows are no words */
    int small;                /* results are made in 32 bits */
};

/* Columns of v, the last word filled up. */
static NOINLINE void take_columns(const struct attend *a, const V *v)
{
    const int32_t n = a->k->n, e = a->k->e, row = a->k->vrow, line = a->line;
    const int32_t rows = n & ~3, columns = e & ~3;

    for (int32_t j = 0; j < columns; j += 4)
        for (int32_t i = 0; i < rows; i += 4)
            transpose4x4(v + i * row + j, row, a->v + j * line + i, line);
    for (int32_t j = columns; j < e; j++)
        for (int32_t i = 0; i < rows; i++)
            a->v[j * line + i] = v[i * row + j];
    for (int32_t i = rows; i < line; i++)
        for (int32_t j = 0; j < e; j++)
            a->v[j * line + i] = (X)(i < n ? v[i * row + j] : 0);
}

/* Up to four bytes as a word. */
static inline int32_t row_word(const X *x, int32_t n)
{
    uint32_t v = 0;

    if (n > 3)
        return word_load(x);
    while (n-- > 0)
        v = v << 8 | (uint8_t)x[n];
    return (int32_t)v;
}

/* Rows of keys that are no whole words, with zeros behind them. */
static NOINLINE void take_keys(const struct attend *a, const K *key)
{
    const int32_t d = a->k->d, row = a->k->krow;
    X *to = a->keys;

    for (int32_t i = 0; i < a->k->n; i++, key += row)
        for (int32_t j = 0; j < d; j += 4, to += 4)
            word_store(to, row_word(key + j, d - j));
}

/* Sums of four rows by all keys, 16 words for each four of these. */
static NOINLINE void make_sums(const struct attend *a, const Q *q, const X *key)
{
    const int32_t n = a->k->n, step = a->step, fours = n >> 2;
    int32_t *to = a->sums;

    for (int32_t r = 0; r < 4; r++)
        bytes_apart(a->q + 4 * r, (const char *)(q + r * a->k->qrow), a->k->d);
    attend_sums(a->q, key, a->words, step, fours, to);
    if (n & 3)
        attend_sums(a->q, key + (n - 4) * step, a->words, step, 1,
                    to + 16 * fours);
}

typedef int32_t scores(const void *p, int32_t q, int32_t step, int32_t words,
                       int32_t most, int8_t *x, const void *mask,
                       const struct attend_end *e);

/* Scores of four rows, the last four again where n is no multiple, and behind
 * them the greatest, which are in top. */
static inline void score_rows(const struct attend *a, const Q *q, const X *key,
                          const MASK *mask, scores *make, int32_t top[4])
{
    const struct attend_end *e = a->ends;
    const int32_t n = a->k->n, fours = n >> 2, last = n - 4, words = a->words;
    const int32_t step = words == 1 ? a->step : 16;
    const char *from = words == 1 ? (const char *)key : (const char *)a->sums;
    int8_t *x = a->x;

    for (int32_t r = 0; r < 4; r++, x += a->line) {
        const int32_t word = words == 1 ? row_word(q, a->k->d) : 0;
        int32_t most = make(from, word, step, fours, (int32_t)0x80808080u, x,
                            mask, e), t;

        if (n & 3)
            most = make(words == 1 ? from + last * step : from + 64 * fours,
                        word, step, 1, most, x + last,
                        mask ? mask + last : NULL, e);
        t = (int8_t)most;
        for (int32_t i = 8; i < 32; i += 8)
            if ((int8_t)(most >> i) > t)
                t = (int8_t)(most >> i);
        for (int32_t i = n; i < a->line; i++)
            x[i] = (int8_t)t;
        top[r] = t;
        q += a->k->qrow;
        mask = mask ? mask + n : NULL;
        from += words == 1 ? 0 : 16;
    }
}

static NOINLINE void plain_scores(const struct attend *a, const Q *q,
                                  const X *key, int32_t top[4])
{
    if (a->linear && a->words == 1)
        score_rows(a, q, key, NULL, attend_scores_same, top);
    else if (a->linear)
        score_rows(a, q, key, NULL, attend_summed_same, top);
    else if (a->words == 1)
        score_rows(a, q, key, NULL, attend_scores, top);
    else
        score_rows(a, q, key, NULL, attend_summed, top);
}

static NOINLINE void masked_scores(const struct attend *a, const Q *q,
                                   const X *key, const MASK *mask,
                                   int32_t top[4])
{
    if (a->words == 1)
        score_rows(a, q, key, mask, attend_scores_masked, top);
    else
        score_rows(a, q, key, mask, attend_summed_masked, top);
}

/* Powers of four rows, none behind them; their sums take the place of the
 * greatest scores. */
static NOINLINE void make_powers(const struct attend *a, int32_t top[4])
{
    const int32_t n = a->k->n, line = a->line;
    uint32_t *v = a->power;

    for (int32_t r = 0; r < 4; r++, v += line) {
        uint32_t sum = powers((uintptr_t)(a->powers - top[r]), a->x + r * line,
                              line, v);

        for (int32_t i = n; i < line; i++) {
            sum -= v[i];
            v[i] = 0;
        }
        top[r] = (int32_t)sum;
    }
}

/* Weights of powers: one times the inverse is a word if it and the sum have 24
 * bits together (kern/row/inverse.h). */
static NOINLINE void make_weights(const struct attend *a, const int32_t sums[4])
{
    const uint32_t hi = (uint32_t)a->k->p1;
    const int32_t words = a->line >> 2;
    const uint32_t *v = a->power;

    for (int32_t r = 0; r < 4; r++, v += a->line) {
        const uint32_t sum = (uint32_t)sums[r] | !sums[r];
        const int32_t all = bits(sum | 1);
        int32_t s = (a->bits < all ? a->bits : all) + all;
        uint32_t by;

        if (s <= 24) {
            attend_short(v, words, (hi << 24) / sum + 1,
                         a->same ? NULL : a->parts, a->w + 4 * r);
            continue;
        }
        s = s > 32 ? s : 32;
        by = inverse(hi, sum, s);
        attend_long(v, words, by >> LOW_BITS, by & ((1u << LOW_BITS) - 1),
                    s - LOW_BITS, a->parts, a->w + 4 * r);
    }
}

/* Results where sums, scaled, are longer. */
static NOINLINE void wide_results(const struct attend *a, Y *y)
{
    const struct attend_dims *k = a->k;

    for (int32_t r = 0; r < 4; r++)
        for (int32_t j = 0; j < k->e; j++) {
            int32_t sum = 0;

            for (int32_t i = 0; i < k->n; i++)
                sum += ((const PARTS *)a->w)[i / 4 * 16 + 4 * r + i % 4] *
                       a->v[j * a->line + i];
            y[r * k->yrow + j] = (Y)rescale(sum, a->scale[2], a->scale[3],
                                            k->shift, k->lo, k->hi);
        }
}

/* Words of results of four columns, row by row, to where they belong. */
static inline void put_results(const struct attend *a, const int32_t *v, Y *y)
{
    const struct attend_dims *k = a->k;
    const int32_t e = k->e & ~3, row = k->yrow;
    const int plain = k->lo == -128 && k->hi == 127;

    for (int32_t r = 0; r < 4; r++, y += row, v++) {
        const int32_t *w = v;
        int32_t word;

        for (int32_t j = 0; j < e; j += 4, w += 4) {
            word = *w;
            if (!plain)
                for (int32_t i = 0; i < 4; i++, word >>= 8)
                    y[j + i] = (Y)clip((int8_t)word, k->lo, k->hi);
            else
                word_store(y + j, word);
        }
        if (e < k->e)
            word = *w;
        for (int32_t j = e; j < k->e; j++, word >>= 8)
            y[j] = (Y)clip((int8_t)word, k->lo, k->hi);
    }
}

static NOINLINE void make_results(const struct attend *a, Y *y)
{
    const int32_t line = a->line;

    if (!a->small) {
        wide_results(a, y);
        return;
    }
    attend_values(a->w, a->v, line >> 2, line, (a->k->e + 3) >> 2, a->sums);
    put_results(a, a->sums, y);
}

/* Does a product of sums, scaled, fit in 32 bits? */
static int fits(const struct attend_dims *k, const SCALE *scale)
{
    const int64_t most = (int64_t)k->n * 255 * 128 *
                         (scale[2] < 0 ? -(int64_t)scale[2] : scale[2]) +
                         (scale[3] < 0 ? -(int64_t)scale[3] : scale[3]);

    return most < 0x7fffffff;
}

/* Is element i of the table i - `zero`, which is 0 or 128? */
static int changes_nothing(const void *table, uint32_t zero)
{
    const int8_t *t = table;
    uint32_t i = 0x03020100;

    for (int32_t n = 0; n < 64; n++, i += 0x04040404, t += 4)
        if ((uint32_t)word_load(t) != (i ^ zero * 0x01010101u))
            return 0;
    return 1;
}

static void share_out(struct attend *a, const struct io *io)
{
    const struct attend_dims *k = a->k;
    const int32_t sums = (k->e + 3) >> 2; /* 16 bytes each */
    char *p = io->tmp;

    a->w = p;
    a->x = (int8_t *)p;
    p += 4 * a->line;
    *(struct attend_end *)(void *)p = a->ends[1];
    p += sizeof(struct attend_end);
    a->power = (uint32_t *)(void *)p;
    a->sums = (int32_t *)(void *)p;
    p += 16 * (a->line > sums ? a->line : sums);
    a->q = p;
    p += a->words > 1 ? 16 * a->words : 0;
    a->v = (X *)p;
    p += 4 * sums * a->line;
    a->keys = (X *)p;
}

void FN(const struct attend_dims *k, const struct io *io)
{
    const SCALE *scale = io->in[3];
    const struct attend_end ends[2] = {
        {scale[0], scale[1], k->p0, (const SCORES *)io->in[4] + 128},
        {scale[2], scale[3], k->shift, NULL},
    };
    struct attend a = {
        .k = k, .scale = scale, .powers = (const POWERS *)io->in[5] + 255,
        .parts = io->in[6],
        .bits = bits((uint32_t)k->most | 1), .ends = ends,
        .words = (k->d + 3) >> 2,
        .line = (k->n + 3) & ~3, .small = fits(k, scale),
    };
    const int32_t blocks = (k->m + 3) >> 2;
    int32_t from, to, head = -1, top[4];
    const X *key = NULL;

    share_out(&a, io);
    a.same = !WORD_SIGNED(PARTS) && changes_nothing(a.parts, 0);
    a.linear = changes_nothing(io->in[4], 128);
    a.step = k->d & 3 ? 4 * a.words : k->krow;
    span(k->heads * blocks, io->core, io->ncore, &from, &to);
    for (; from < to; from++) {
        const int32_t h = from / blocks;
        int32_t row = 4 * (from - h * blocks);
        const MASK *mask = io->in[7];
        const Q *q;

        if (row > k->m - 4)
            row = k->m - 4;
        if (h != head) {
            head = h;
            key = (const K *)io->in[1] + h * k->khead;
            if (k->d & 3) {
                take_keys(&a, key);
                key = a.keys;
            }
            take_columns(&a, (const V *)io->in[2] + h * k->vhead);
        }
        q = (const Q *)io->in[0] + row * k->qrow + h * k->qhead;
        if (a.words > 1)
            make_sums(&a, q, key);
        if (mask)
            masked_scores(&a, q, key, mask + row * k->n, top);
        else
            plain_scores(&a, q, key, top);
        make_powers(&a, top);
        make_weights(&a, top);
        make_results(&a, (Y *)io->out[0] + row * k->yrow + h * k->yhead);
    }
}
