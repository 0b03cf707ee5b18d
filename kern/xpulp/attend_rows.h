/* Attention of bytes for XpulpV2, four rows of q at a time: products four by
 * four, weights by tables.  To be included after the types of its operands are
 * defined; after HIDES too where columns are left out that a mask hides, after
 * POWERS_WEIGH where powers are weights, after HALVES_WEIGH where they are the
 * greatest one halved, after QUOTIENTS_WEIGH where they are rounded quotients.
 *
 * The last four rows, and the last four of k, are four again where their number
 * is no multiple.  Weights of four rows lie side by side, word by word, and v
 * in columns, as the products want them.
 *
 * Zero points of q and k are in what their products begin with.  That of v
 * lies before each column, four times less than 0, and the sum of a row's
 * weights, as four of them, before these.  Columns that a mask hides from four
 * rows have no weights, and are left out where they are the last. */
#ifndef ATTEND_ROWS_H
#define ATTEND_ROWS_H

#include "kern/row/mask.h"

#if !defined POWERS_WEIGH && !defined HALVES_WEIGH && !defined QUOTIENTS_WEIGH
#define PARTS_WEIGH
#endif
#ifdef QUOTIENTS_WEIGH
#define LEFT uint8_t
#elif defined POWERS_WEIGH
#define LEFT POWERS
#else
#define LEFT PARTS
#endif
#define RIGHT V
#undef X
#define X int8_t
#include "kern/xpulp/block.h"
#include "kern/xpulp/apart.h"
#ifdef QUOTIENTS_WEIGH
#include "kern/xpulp/inverse.h"
#include "kern/row/levels.h"
enum { BEFORE = 4 };    /* bytes before columns, and before weights */
#else
enum { BEFORE = 0 };
#endif
/* Bytes behind four rows of q: how scores are made of sums. */
#if defined HIDES || defined QUOTIENTS_WEIGH
enum { BEHIND = 0 };
#else
enum { BEHIND = 16 };
#endif
#include "kern/row/shares.h"
#include "kern/xpulp/attend.h"
#if !defined HIDES && !defined QUOTIENTS_WEIGH
#include "kern/xpulp/attend_pair.h"
#endif
#include "kern/xpulp/transpose.h"

enum {
    LEAST = -128, LEASTS = (int32_t)0x80808080u, POWERS_N = 256,
    MANY = 512, /* columns of four rows that are worth a table */
    BANKS = 64, /* bytes of a word in each bank of the memory */
};

struct attend {
    const struct attend_dims *k;
    const SCALE *scale;
    const POWERS *powers;     /* of the greatest score */
    int linear;               /* the table of scores changes nothing */
#ifdef POWERS_WEIGH
    int32_t up;               /* what divided numbers are shifted by, */
    struct attend_shares shares; /* and what results are made with */
#elif defined PARTS_WEIGH
    const PARTS *parts;
    int same;                 /* the table of parts changes nothing */
    int32_t bits;             /* of the greatest power */
    uint16_t *power;          /* of four rows, where their sums were */
#endif
#ifdef QUOTIENTS_WEIGH
    int32_t *begin;           /* of sums, by key */
    struct attend_end made[2]; /* of scores and results, by upper halves */
    int scores_small;         /* scores are made in 32 bits */
#endif
#ifdef HIDES
    int32_t *columns;         /* that a mask shows to each four rows */
#endif
    int32_t shown;            /* columns in use: n, or whole words of them */
    const struct attend_end *ends; /* of scores, of results */
    int32_t words, line;      /* words of a row of q; bytes of n, whole words */
    int32_t step;             /* from a row of keys to the next, */
    int32_t column;           /* and from a column of v */
    int32_t *sums;
    char *q, *w;              /* four rows, side by side */
    int8_t *x;                /* scores of four, where weights w will be */
    X *v, *keys;              /* columns; keys where rows are no words */
    int small;                /* results are made in 32 bits */
    int pairs;                /* scores are made of two rows at a time */
    int32_t rows;             /* that differ: all four, or one again and again; */
    int32_t qrow, yrow, mrow; /* from one to the next */
};

/* Fewer than four bytes, `row` apart, as a word. */
static inline int32_t column_word(const X *v, int32_t row, int32_t n)
{
    uint32_t word = (uint8_t)v[0];

    if (n > 1)
        word |= (uint32_t)(uint8_t)v[row] << 8;
    if (n > 2)
        word |= (uint32_t)(uint8_t)v[2 * row] << 16;
    return (int32_t)word;
}

/* Columns of v, the last word filled up. */
static NOINLINE void take_columns(const struct attend *a, const V *v)
{
    const int32_t n = a->k->n, e = a->k->e, row = a->k->vrow;
    const int32_t line = a->column, rows = n & ~3, columns = e & ~3;
    X *to = a->v + BEFORE;

    for (int32_t j = 0; j < columns; j += 4)
        for (int32_t i = 0; i < rows; i += 4)
            transpose4x4(v + i * row + j, row, to + j * line + i, line);
    for (int32_t j = columns; j < e; j++)
        for (int32_t i = 0; i < rows; i++)
            to[j * line + i] = v[i * row + j];
    for (int32_t j = 0; j < e && rows < n; j++)
        word_store(to + j * line + rows, column_word(v + rows * row + j, row,
                                                     n - rows));
#ifdef QUOTIENTS_WEIGH
    for (int32_t j = 0; j < e; j++)
        for (int32_t i = 0; i < BEFORE; i++)
            a->v[j * line + i] = (X)-a->k->vzero;
#endif
}

/* Up to four bytes as a word. */
static inline int32_t row_word(const X *x, int32_t n)
{
    return n > 3 ? word_load(x) : column_word(x, 1, n);
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

#ifdef QUOTIENTS_WEIGH
/* The sum of n bytes. */
static inline int32_t bytes_sum(const X *x, int32_t n)
{
    int32_t sum = 0;

#ifdef XPULPV2
    for (int32_t i = 0; i < n; i += 4)
        sum = xp_sdot4(sum, row_word(x + i, n - i), 0x01010101);
#else
    for (int32_t i = 0; i < n; i++)
        sum += x[i];
#endif
    return sum;
}

#include "kern/row/attend_begin.h"

/* Sums of four rows by keys, 16 words for each four of these. */
static NOINLINE void make_sums(const struct attend *a, const Q *q,
                               const X *key)
{
    const int32_t step = a->step, n = a->shown;
    struct attend_begin begin = {.key = a->begin};

    for (int32_t r = 0; r < 4; r++) {
        const Q *row = q + r * a->qrow;

        bytes_apart(a->q + 4 * r, (const char *)row, a->k->d);
        begin.row[r] = -a->k->kzero * bytes_sum(row, a->k->d);
    }
    attend_sums_from(a->q, key, a->words, step, n >> 2, &begin, a->sums);
    begin.key = a->begin + n - 4;
    if (n & 3)
        attend_sums_from(a->q, key + (n - 4) * step, a->words, step, 1, &begin,
                         a->sums + 4 * (n & ~3));
}
#else
/* Four rows, side by side. */
static inline void take_rows(const struct attend *a, const Q *q)
{
    for (int32_t r = 0; r < 4; r++)
        bytes_apart(a->q + 4 * r, (const char *)(q + r * a->qrow), a->k->d);
}

/* Sums of four rows by the keys from..to, 16 words for each four of these. */
static NOINLINE void make_sums(const struct attend *a, const Q *q,
                               const X *key, int32_t from, int32_t to)
{
    const int32_t step = a->step;

    take_rows(a, q);
    attend_sums(a->q, key + from * step, a->words, step, (to - from) >> 2,
                a->sums + 4 * from);
    if (to & 3)
        attend_sums(a->q, key + (to - 4) * step, a->words, step, 1,
                    a->sums + 4 * (to & ~3));
}
#endif

typedef int32_t scores(const void *p, int32_t q, int32_t step, int32_t words,
                       int32_t most, int8_t *x, const void *mask,
                       const struct attend_end *e);

/* Are scores made of sums, not of products as they are needed? */
static inline int has_sums(const struct attend *a)
{
    return BEFORE || (a->words > 1 && !a->pairs);
}

/* The bytes of the last word of x behind n. */
static inline void fill_up(int8_t *x, int32_t n, int32_t with)
{
    const uint32_t keep = (1u << 8 * (n & 3)) - 1;
    const uint32_t all = (uint32_t)(with & 255) * 0x01010101u;

    x += n & ~3;
    if (n & 3)
        word_store(x, (int32_t)(((uint32_t)word_load(x) & keep) |
                                (all & ~keep)));
}

/* Scores of four rows in the columns from..to, the last four again where these
 * are no words, and behind them the greatest, which are in top. */
static inline void score_rows(const struct attend *a, const Q *q, const X *key,
                              const MASK *mask, scores *make, int32_t from,
                              int32_t to, int32_t top[4])
{
    const struct attend_end *e = a->ends;
    const int direct = !has_sums(a);
    const int32_t fours = (to - from) >> 2, step = direct ? a->step : 16;
    const char *at = direct ? (const char *)key : (const char *)a->sums;
    const char *last = at + (direct ? to - 4 : to & ~3) * step;
    int8_t *x = a->x;

    at += from * step;
    for (int32_t r = 0; r < 4; r++, x += a->line) {
        const int32_t word = direct ? row_word(q, a->k->d) : 0;
        int32_t most = make(at, word, step, fours, LEASTS, x + from,
                            mask ? mask + from : NULL, e), t;

        if (to & 3)
            most = make(last, word, step, 1, most, x + to - 4,
                        mask ? mask + to - 4 : NULL, e);
        t = attend_most(most);
        top[r] = from && top[r] > t ? top[r] : t;
        fill_up(x, to, top[r]);
        q += a->qrow;
        mask = mask ? mask + a->mrow : NULL;
        at += direct ? 0 : 16;
        last += direct ? 0 : 16;
    }
}

#ifndef QUOTIENTS_WEIGH
static NOINLINE void masked_scores(const struct attend *a, const Q *q,
                                   const X *key, const MASK *mask,
                                   int32_t from, int32_t to, int32_t top[4])
{
    if (a->words > 1)
        make_sums(a, q, key, from, to);
#ifdef POWERS_WEIGH
    if (a->k->bound && a->words == 1)
        score_rows(a, q, key, mask, attend_scores_bound, from, to, top);
    else if (a->k->bound)
        score_rows(a, q, key, mask, attend_summed_bound, from, to, top);
    else if (a->k->both && a->words == 1)
        score_rows(a, q, key, mask, attend_scores_both, from, to, top);
    else if (a->k->both)
        score_rows(a, q, key, mask, attend_summed_both, from, to, top);
    else
#endif
    if (a->words == 1)
        score_rows(a, q, key, mask, attend_scores_masked, from, to, top);
    else
        score_rows(a, q, key, mask, attend_summed_masked, from, to, top);
}
#endif

#ifdef POWERS_WEIGH
/* Weights of four rows, their powers; their sums, from the greatest scores. */
static NOINLINE void make_powers(const struct attend *a, const int32_t top[4],
                                 int32_t sums[4])
{
    const int32_t words = (a->shown + 3) >> 2, more = 4 * words - a->shown;

    for (int32_t r = 0; r < a->rows; r++) {
        const uint32_t sum =
            attend_bytes((uintptr_t)(a->powers - top[r]), a->x + r * a->line,
                         words, a->w + 4 * r);

        sums[r] = (int32_t)sum - more * *a->powers;
    }
}

/* What is behind the last column meets zeros of v. */
static void make_weights(struct attend *a, const int32_t sums[4])
{
    for (int32_t r = 0; r < 4; r++)
        a->shares.mul[r] = r < a->rows
                               ? attend_share(a->scale, (uint32_t)sums[r])
                               : a->shares.mul[0];
}

/* How results are made but for each row's factor, which is `up` longer. */
static void take_shares(struct attend *a)
{
    struct attend_high of = {0};

    a->small = attend_high_of_result(a->powers - (POWERS_N - 1), a->scale,
                                     a->k->shift, &of);
    a->up = of.up;
    a->shares = (struct attend_shares){.add = of.add, .shift = of.rest};
}
#elif defined QUOTIENTS_WEIGH
/* Levels of a row of which one is near to a half, or does not fit a byte. */
static NOINLINE int32_t exact_levels(const struct levels *l, const uint32_t *v,
                                     int32_t n, char *w)
{
    int32_t all = 0, level;

    for (int32_t i = 0; i < n; i++) {
        level = level_byte(l, v[i]);
        w[i / 4 * ATTEND_STEP + i % 4] = (char)level;
        all += level;
    }
    return all;
}

/* None of what a mask hides has a power; returns the sum of what they had. */
static NOINLINE uint64_t drop_hidden(const MASK *mask, int32_t n, uint32_t *v)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        if (mask[i] == LEAST) {
            sum += v[i];
            v[i] = 0;
        }
    return sum;
}

/* Those of a row of which all is hidden; returns their sum. */
static NOINLINE int32_t even_levels(const struct attend *a, char *w)
{
    for (int32_t i = 0; i < a->shown; i++)
        w[i / 4 * ATTEND_STEP + i % 4] = (char)a->k->none;
    return a->shown * a->k->none;
}

/* Weights of a row of scores, none behind them, words 16 bytes apart, from the
 * second one on; before them their sum, as four of them.  Powers are where sums
 * were, behind all weights.  A level of 256, a byte of 0, is the only one.
 * mask: what hides, or NULL. */
static NOINLINE void row_weights(const struct attend *a, const int8_t *x,
                                 int32_t top, const MASK *mask, char *w)
{
    const int32_t n = a->shown, words = (n + 3) >> 2;
    uint32_t *v = (uint32_t *)a->sums + 3 * a->line;
    uint64_t sum = attend_powers((uintptr_t)(a->powers - top), x, words, v);
    struct levels levels;
    int32_t all;

    for (int32_t i = n; i < 4 * words; i++) {
        sum -= v[i];
        v[i] = 0;
    }
    if (mask)
        sum -= drop_hidden(mask, n, v);
    levels = levels_of(levels_sum(sum, (uint32_t)a->k->p4), (uint32_t)a->k->p1);
    if (attend_levels(v, words, &levels, w + ATTEND_STEP, &all) >=
            levels.safe || !all)
        all = exact_levels(&levels, v, 4 * words, w + ATTEND_STEP);
    if (mask && !sum)
        all = even_levels(a, w + ATTEND_STEP);
    for (int32_t i = 0; i < BEFORE; i++, all -= (uint8_t)w[i - 1])
        w[i] = (char)(all < 255 ? all : 255);
}

static void make_powers(const struct attend *a, const int32_t top[4],
                        const MASK *mask)
{
    for (int32_t r = 0; r < 4; r++, mask = mask ? mask + a->mrow : NULL)
        row_weights(a, a->x + r * a->line, top[r], mask, a->w + 4 * r);
}

/* They are made. */
static void make_weights(const struct attend *a, const int32_t sums[4])
{
    (void)a, (void)sums;
}

/* How scores and results are made, if they can be, by upper halves. */
static void take_ends(struct attend *a)
{
    const SCALE *scale = a->scale;
    struct attend_high of = {0};

    a->made[0] = a->ends[0];
    a->scores_small = attend_high(scale[0], scale[1], a->k->p0, &of);
    if (a->scores_small) {
        a->made[0].mul = of.mul;
        a->made[0].add = of.add;
        a->made[0].shift = of.rest;
    }
    a->small = attend_high(scale[2], scale[3], a->k->shift, &of);
    a->made[1] = (struct attend_end){of.mul, of.add, of.rest, NULL};
    a->ends = a->made;
}
#elif defined HALVES_WEIGH
/* Weights of four rows; columns behind them have the greatest score, the power
 * of 256. */
static NOINLINE void make_powers(const struct attend *a, const int32_t top[4],
                                 int32_t sums[4])
{
    const int32_t words = (a->shown + 3) >> 2;
    const int32_t more = (4 * words - a->shown) << 8, most = a->k->p1 << 8;
    const int8_t *x = a->x;

    for (int32_t r = 0; r < a->rows; r++, x += a->line) {
        sums[r] = halves_sum(x, 4 * words, top[r]) - more;
        attend_halves(x, words, top[r], most / sums[r], a->w + 4 * r);
    }
}

/* They are made. */
static void make_weights(const struct attend *a, const int32_t sums[4])
{
    (void)a, (void)sums;
}
#else
/* Powers of four rows and their sums, from the greatest scores.  What is behind
 * the last column has the greatest power and meets zeros of v. */
static NOINLINE void make_powers(const struct attend *a, const int32_t top[4],
                                 int32_t sums[4])
{
    const int32_t line = a->line, words = (a->shown + 3) >> 2, n = a->rows;
    const int32_t more = (4 * words - a->shown) * *a->powers;

    for (int32_t r = 0; r < n; r++)
        sums[r] = (int32_t)attend_powers((uintptr_t)(a->powers - top[r]),
                                         a->x + r * line, words,
                                         a->power + r * line) - more;
}

static NOINLINE void make_weights(const struct attend *a, const int32_t sums[4])
{
    const int32_t words = (a->shown + 3) >> 2, n = a->rows;
    const uint16_t *v = a->power;

    for (int32_t r = 0; r < n; r++, v += a->line)
        attend_parts(v, words, (uint32_t)sums[r], a->bits, (uint32_t)a->k->p1,
                     a->same, a->parts, a->w + 4 * r);
}

#endif

/* One that is longer, or of another form. */
static int32_t wide_result(const struct attend *a, int32_t r, int32_t sum)
{
    const struct attend_dims *k = a->k;
#ifdef POWERS_WEIGH
    return attend_result(k, a->scale, a->shares.mul[r], sum);
#elif defined QUOTIENTS_WEIGH
    (void)r;
    return attend_rounded(sum, a->scale[2], a->scale[3], k->shift, k->lo,
                          k->hi);
#else
    (void)r;
    return rescale(sum, a->scale[2], a->scale[3], k->shift, k->lo, k->hi);
#endif
}

/* Results where sums, scaled, are longer. */
static NOINLINE void wide_results(const struct attend *a, Y *y)
{
    const struct attend_dims *k = a->k;
    const int32_t columns = BEFORE ? BEFORE + ((a->shown + 3) & ~3) : a->shown;

    for (int32_t r = 0; r < 4; r++)
        for (int32_t j = 0; j < k->e; j++) {
            int32_t sum = 0;

            for (int32_t i = 0; i < columns; i++)
                sum += ((const LEFT *)a->w)[i / 4 * 16 + 4 * r + i % 4] *
                       a->v[j * a->column + i];
            y[r * a->yrow + j] = (Y)wide_result(a, r, sum);
        }
}

/* Of four rows, where nothing is that is still read. */
static inline int32_t *results_of(const struct attend *a)
{
#ifndef PARTS_WEIGH
    return (int32_t *)(void *)a->x;
#else
    return a->sums;
#endif
}

/* What is behind the weights: how results are made of sums. */
static inline void put_end(const struct attend *a, void *to)
{
#ifdef POWERS_WEIGH
    struct attend_shares *end = to;

    *end = a->shares;
    for (int32_t r = 0; r < 4; r++)
        end->mul[r] = a->shares.mul[r] * (1 << a->up);
#else
    *(struct attend_end *)to = a->ends[1];
#endif
}

/* Four rows of results within bounds, or of columns that are no words, to where
 * they belong; v: the same, of whole words. */
static NOINLINE void put_results(const struct attend *a, const int8_t *v, Y *y)
{
    const struct attend_dims *k = a->k;
    const int32_t e = k->e, lo = k->lo, hi = k->hi, more = -e & 3;

    for (int32_t r = 0; r < 4; r++, y += a->yrow, v += more)
        for (int32_t j = 0; j < e; j++)
            y[j] = (Y)clip(*v++, lo, hi);
}

/* Results of `count` times four columns, rows `row` apart. */
static NOINLINE void put_values(const struct attend *a, int32_t words,
                                int32_t count, void *to, int32_t row)
{
    put_end(a, a->w + 16 * words);
    attend_values(a->w, a->v, words, a->column, count, to, row);
}

/* Where they are within bounds, or columns are no multiple of four. */
static NOINLINE void other_results(const struct attend *a, int32_t words, Y *y)
{
    const struct attend_dims *k = a->k;
    const int32_t columns = (k->e + 3) >> 2, two = (k->e & 3) == 2;
    const int plain = two && k->lo == -128 && k->hi == 127;
    const int32_t row = plain ? a->yrow : 4 * columns;
    char *to = plain ? (char *)y : (char *)results_of(a);

    if (columns > two)
        put_values(a, words, columns - two, to, row);
    put_end(a, a->w + 16 * words);
    if (two)
        attend_two(a->w, a->v + (k->e - 2) * a->column, words, a->column,
                   to + k->e - 2, row);
    if (!plain)
        put_results(a, (const int8_t *)to, y);
}

static NOINLINE void make_results(const struct attend *a, Y *y)
{
    const struct attend_dims *k = a->k;
    const int32_t words = (a->shown + BEFORE + 3) >> 2;

    if (!a->small)
        wide_results(a, y);
    else if ((k->e & 3) || k->lo != -128 || k->hi != 127)
        other_results(a, words, y);
    else
        put_values(a, words, k->e >> 2, y, a->yrow);
}

#if !defined POWERS_WEIGH && !defined QUOTIENTS_WEIGH
/* Does a product of sums, scaled, fit in 32 bits? */
static int fits(const struct attend_dims *k, const SCALE *scale)
{
    const int64_t most = (int64_t)k->n * 255 * 128 *
                         (scale[2] < 0 ? -(int64_t)scale[2] : scale[2]) +
                         (scale[3] < 0 ? -(int64_t)scale[3] : scale[3]);

    return most < 0x7fffffff;
}

#endif

/* The first of four rows, the last ones again where there are fewer.  Where a
 * mask hides columns, those with few of them and those with many take turns,
 * for cores have blocks one after another. */
static inline int32_t row_of(const struct attend_dims *k, int32_t block)
{
#ifdef HIDES
    const int turns = 1;
#elif defined QUOTIENTS_WEIGH
    const int turns = k->hides && k->mrow;
#else
    const int turns = 0;
#endif

    if (turns)
        block = block & 1 ? ((k->m + 3) >> 2) - 1 - (block >> 1) : block >> 1;
    return 4 * block < k->m - 4 ? 4 * block : k->m - 4;
}

#ifdef HIDES
/* Columns of four rows without those at the end that the mask hides by -128,
 * word by word. */
static NOINLINE int32_t shown_columns(const MASK *mask, int32_t n)
{
    const int32_t none = (int32_t)0x80808080u;
    int32_t i = n;

    for (mask += n - 4; i > 4; i -= 4, mask -= 4)
        if (word_load(mask + 3 * n) != none || word_load(mask) != none ||
            word_load(mask + n) != none || word_load(mask + 2 * n) != none)
            break;
    return i;
}

/* Has no hidden column a power, given the greatest scores of the others? */
static int hides_powers(const struct attend *a, const int32_t top[4])
{
    for (int32_t r = 0; r < 4; r++)
        if (top[r] - a->k->hidden < a->k->reach)
            return 0;
    return 1;
}

/* Powers of four rows at q and their sums, of columns that a mask shows if that
 * is enough. */
static void powers_of(struct attend *a, const Q *q, const X *key,
                      const MASK *mask, int32_t shown, int32_t sums[4])
{
    int32_t top[4];

    a->shown = shown;
    masked_scores(a, q, key, mask, 0, shown, top);
    if (shown < a->k->n && !hides_powers(a, top)) {
        a->shown = a->k->n;
        masked_scores(a, q, key, mask, shown, a->k->n, top);
    }
    make_powers(a, top, sums);
}

/* Of `count` blocks of four rows, from one on and round. */
static void find_columns(const struct attend *a, const MASK *mask,
                         int32_t block, int32_t count)
{
    const struct attend_dims *k = a->k;
    const int32_t blocks = (k->m + 3) >> 2;

    for (; count > 0; count--) {
        a->columns[block] =
            shown_columns(mask + row_of(k, block) * k->n, k->n);
        block = block + 1 < blocks ? block + 1 : 0;
    }
}

#elif defined QUOTIENTS_WEIGH
/* Scores where sums, scaled, are longer. */
static int32_t wide_scores(const void *p, int32_t q, int32_t step,
                           int32_t words, int32_t most, int8_t *x,
                           const void *mask, const struct attend_end *e)
{
    const int32_t *sum = p;
    const MASK *bound = mask;
    int8_t top[4];

    (void)q, (void)step;
    word_store(top, most);
    for (int32_t i = 0; i < 4 * words; i++) {
        x[i] = e->table[attend_rounded(sum[i / 4 * 16 + i % 4], e->mul, e->add,
                                       e->shift, -128, 127)];
        if (mask && x[i] > bound[i])
            x[i] = bound[i];
        top[i & 3] = x[i] > top[i & 3] ? x[i] : top[i & 3];
    }
    return word_load(top);
}

static void powers_of(struct attend *a, const Q *q, const X *key,
                      const MASK *mask, int32_t shown, int32_t sums[4])
{
    int32_t top[4];

    a->shown = shown;
    make_sums(a, q, key);
    if (!a->scores_small)
        score_rows(a, q, key, mask, wide_scores, 0, shown, top);
    else if (mask)
        score_rows(a, q, key, mask, attend_summed_bound, 0, shown, top);
    else if (a->linear)
        score_rows(a, q, key, NULL, attend_summed_same, 0, shown, top);
    else
        score_rows(a, q, key, NULL, attend_summed, 0, shown, top);
    (void)sums;
    make_powers(a, top, a->k->hides ? mask : NULL);
}

/* Columns of four rows without those at the end that the mask hides, but for
 * the first four; all of them where a row that sees none has weights. */
static NOINLINE int32_t shown_columns(const struct attend_dims *k,
                                      const MASK *mask)
{
    int32_t n = k->n;

    for (int32_t r = 0, i; r < 4 && k->none; r++) {
        for (i = 0; i < n && mask[r * k->mrow + i] == LEAST; i++)
            ;
        if (i == n)
            return n;
    }
    for (; n > 4; n--)
        for (int32_t r = 0; r < 4; r++)
            if (mask[r * k->mrow + n - 1] != LEAST)
                return n + 3 < k->n ? (n + 3) & ~3 : k->n;
    return n;
}
#else
/* Where the table changes nothing: rows of 32 bytes two at a time, others four
 * by four keys. */
static NOINLINE void linear_scores(const struct attend *a, const Q *q,
                                   const X *key, int32_t top[4])
{
    const int32_t n = a->k->n, step = a->step, line = a->line;
    const struct attend_end *e = a->ends;
    struct attend_pair pair = {
        .key = key, .next = step - 4 * (PAIR_WORDS - 1), .n = n,
        .mul = e->mul, .add = e->add, .shift = e->shift, .x = a->x,
        .line = line, .q = q, .row = a->qrow, .pairs = (a->rows + 1) >> 1,
    };

    for (int32_t r = 0; r < 4 && (n & 3); r++)
        word_store(a->x + r * line + (n & ~3), LEASTS);
    if (a->pairs) {
        attend_pairs(&pair);
    } else {
        take_rows(a, q);
        for (int32_t i = 0; i < 3; i++)
            ((int32_t *)(void *)(a->q + 16 * a->words))[i] =
                i == 0 ? e->mul : i == 1 ? e->add : e->shift;
        for (int32_t from = 0, count = n >> 2; count > 0;
             count = (n & 3) && !from, from = n - 4)
            attend_linear(a->q, key + from * step, a->words, step, count,
                          a->x + from, line);
    }
    for (int32_t r = 0; r < a->rows; r++) {
        top[r] = attend_top(a->x + r * line, (n + 3) >> 2);
        fill_up(a->x + r * line, n, top[r]);
    }
}

static NOINLINE void plain_scores(const struct attend *a, const Q *q,
                                  const X *key, int32_t top[4])
{
    const int32_t n = a->k->n;

    if (a->words > 1)
        make_sums(a, q, key, 0, n);
    if (a->linear && a->words == 1)
        score_rows(a, q, key, NULL, attend_scores_same, 0, n, top);
    else if (a->words == 1)
        score_rows(a, q, key, NULL, attend_scores, 0, n, top);
    else
        score_rows(a, q, key, NULL, attend_summed, 0, n, top);
}

static void powers_of(struct attend *a, const Q *q, const X *key,
                      const MASK *mask, int32_t shown, int32_t sums[4])
{
    int32_t top[4];

    a->shown = shown;
    if (mask)
        masked_scores(a, q, key, mask, 0, shown, top);
    else if (a->linear && a->words > 1)
        linear_scores(a, q, key, top);
    else
        plain_scores(a, q, key, top);
    make_powers(a, top, sums);
}
#endif

/* The weights of one row as those of four. */
static NOINLINE void repeat_weights(const struct attend *a)
{
    char *w = a->w;

    for (int32_t i = a->shown; i > 0; i -= 4, w += 16) {
        const int32_t word = word_load(w);

        word_store(w + 4, word);
        word_store(w + 8, word);
        word_store(w + 12, word);
    }
}

/* Four rows at q. */
static void make_rows(struct attend *a, const Q *q, const X *key,
                      const MASK *mask, int32_t shown, Y *y)
{
    int32_t sums[4];

    powers_of(a, q, key, mask, shown, sums);
    make_weights(a, sums);
    if (a->rows == 1)
        repeat_weights(a);
    make_results(a, y);
}

#ifndef PARTS_WEIGH
/* Places in the scratch: weights are where sums were, results where scores. */
static char *share_out_rows(struct attend *a, char *p)
{
    const int32_t scores = 4 * a->line, results = 16 * ((a->k->e + 3) >> 2);

    a->x = (int8_t *)p;
    p += scores > results ? scores : results;
    a->w = p;
    a->sums = (int32_t *)(void *)p;
    return p + (has_sums(a) ? 16 * a->line
                            : scores + (int32_t)sizeof(struct attend_shares));
}
#else
/* Places in the scratch: weights are where scores were, powers where sums. */
static char *share_out_rows(struct attend *a, char *p)
{
    const int32_t line = a->pairs ? 8 * a->line : 16 * a->line;
    const int32_t results = 16 * ((a->k->e + 3) >> 2);

    a->w = p;
    a->x = (int8_t *)p;
    p += 4 * a->line;
    p += sizeof(struct attend_end);
    a->power = (uint16_t *)(void *)p;
    a->sums = (int32_t *)(void *)p;
    return p + (line > results ? line : results);
}
#endif

/* `own`: also for a table of one's own. */
static void share_out(struct attend *a, const struct io *io, int own)
{
    const struct attend_dims *k = a->k;
    char *p = io->tmp;

#ifdef PARTS_WEIGH
    if (own)
        a->parts = attend_own_parts(a->parts, p, io->core);
#endif
    p += own ? 2 * BANKS + POWERS_N : 0;
#ifdef HIDES
    a->columns = (int32_t *)(void *)p;
    p += (k->m + 3 + 7) & ~7;
#endif
    p = share_out_rows(a, p);
#ifdef QUOTIENTS_WEIGH
    a->begin = (int32_t *)(void *)p;
    p += 4 * k->n;
#endif
    a->q = p;
    p += has_sums(a) ? 16 * a->words + BEHIND : 0;
    a->v = (X *)p;
    p += 4 * ((k->e + 3) >> 2) * a->column;
    a->keys = (X *)p;
}

/* Keys and columns of v of a head; returns the former. */
static const X *take_head(struct attend *a, const struct io *io, int32_t h)
{
    const struct attend_dims *k = a->k;
    const K *key = (const K *)io->in[1] + h * k->khead;

    a->rows = 4;
    a->qrow = k->qrow;
    a->yrow = k->yrow;
    a->mrow = k->mrow;
    take_columns(a, (const V *)io->in[2] + h * k->vhead);
#ifdef QUOTIENTS_WEIGH
    take_begin(a->k, key, a->begin);
#endif
    if (!(k->d & 3))
        return key;
    take_keys(a, key);
    return a->keys;
}

/* The last row, which is left over, as four that lie in one place. */
static NOINLINE int32_t take_last(struct attend *a)
{
    a->rows = 1;
    a->qrow = a->yrow = a->mrow = 0;
    return a->k->m - 1;
}

/* What all rows have in common, of `blocks` by four. */
static void take_all(struct attend *a, const struct attend_dims *k,
                     const struct io *io, int32_t blocks)
{
    a->k = k;
    a->scale = io->in[3];
    a->powers = (const POWERS *)io->in[5] + POWERS_N - 1;
    a->words = (k->d + 3) >> 2;
    a->line = (k->n + 3) & ~3;
    a->column = a->line + BEFORE;
    a->linear = k->same_scores;
    a->pairs = BEHIND && a->linear && k->d == 32 && !io->in[7];
    a->step = k->d & 3 ? 4 * a->words : k->krow;
    (void)blocks;
#ifdef PARTS_WEIGH
    a->parts = io->in[6];
    a->bits = bits((uint32_t)k->most | 1);
    a->same = k->same_parts;
    share_out(a, io, !a->same && blocks * k->n > MANY);
#else
    share_out(a, io, 0);
#endif
#ifdef POWERS_WEIGH
    take_shares(a);
#elif defined QUOTIENTS_WEIGH
    take_ends(a);
#else
    a->small = fits(k, a->scale);
#endif
}

static inline void attend_rows(const struct attend_dims *k,
                               const struct io *io)
{
    const SCALE *scale = io->in[3];
    const struct attend_end ends[2] = {
        {scale[0], scale[1], k->p0, (const SCORES *)io->in[4] + 128},
        {scale[2], scale[3], k->shift, NULL},
    };
    const int32_t blocks = (k->m + 3) >> 2;
    int32_t from, to, h, block, shown = k->n;
    const X *key = NULL;
    struct attend a;

    span(k->heads * blocks, io->core, io->ncore, &from, &to);
    h = from / blocks;
    block = from - h * blocks;
    a.ends = ends;
    take_all(&a, k, io, to - from);
#ifdef HIDES
    find_columns(&a, io->in[7], block, to - from < blocks ? to - from : blocks);
#endif
    for (; from < to; from++) {
        int32_t row = row_of(k, block);

        if (!key)
            key = take_head(&a, io, h);
#ifdef HIDES
        shown = a.columns[block];
#elif defined QUOTIENTS_WEIGH
        shown = k->hides ? shown_columns(k, attend_mask(k, io, h, row)) : k->n;
#endif
        if (BEHIND && 4 * block == k->m - 1)
            row = take_last(&a);
        make_rows(&a, (const Q *)io->in[0] + row * k->qrow + h * k->qhead, key,
                  attend_mask(k, io, h, row), shown,
                  (Y *)io->out[0] + row * k->yrow + h * k->yhead);
        if (++block == blocks) {
            block = 0;
            key = NULL;
            h++;
        }
    }
}

#endif
