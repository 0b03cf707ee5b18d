/* Attention of bytes, two rows of q at a time: products two by two of halves of
 * 16 bits, weights by tables.  To be included after the types of its operands
 * are defined; after POWERS_WEIGH too where powers are weights, QUOTIENTS_WEIGH
 * where rounded quotients are.
 *
 * Scores of the two rows lie byte by byte beside each other, and so do results
 * before they are put where they belong; their weights are words of two keys,
 * as those of columns of v are, in the order of pair.h. */
#ifndef DSP_ATTEND_ROWS_H
#define DSP_ATTEND_ROWS_H

#if !defined POWERS_WEIGH && !defined QUOTIENTS_WEIGH
#define PARTS_WEIGH
#endif
#include "kern/dsp/attend.h"
#include "kern/row/attend.h"

typedef K X;
typedef Q W;
typedef K SMALL;
#define SMALL_NEXT 2
#include "kern/dsp/pair.h"
#include "kern/dsp/small_k.h"
#include "kern/dsp/greater.h"

struct attend {
    const struct attend_dims *k;
    const struct io *io;
    struct panel keys, values;  /* of rows of k, of columns of v */
    struct scale32 score[2], result[2];
    struct small_k small;       /* of keys of few elements */
#ifdef PARTS_WEIGH
    uint32_t *power;            /* of a row */
#endif
    int8_t *x;                  /* scores, then results */
    int32_t shown;              /* keys: n, or those before hidden ones */
    int word;                   /* have scores the form of attend_words()? */
    int score_same;             /* does the table change nothing? */
#ifdef PARTS_WEIGH
    int part_same;
    int32_t bits;               /* of the greatest power */
#endif
};

/* --- what a head's rows share --- */

/* Four columns of two rows, as a word each: the first two columns beside each
 * other, the others in the next pair of columns, nowhere if `next` is 0. */
static inline void put_columns(uint32_t v, uint32_t w, uint32_t *to,
                               int32_t next)
{
    const uint32_t a = dsp_even(v, 1), b = dsp_odd(v, 1);
    const uint32_t c = dsp_even(w, 1), d = dsp_odd(w, 1);

    to[next] = (c & 0xffff0000u) | a >> 16;
    to[next + 2] = (d & 0xffff0000u) | b >> 16;
    to[0] = c << 16 | (a & 0xffff);
    to[2] = d << 16 | (b & 0xffff);
}

/* Columns j to j + 3 of v. */
static NOINLINE void take_columns(const struct attend *a, const V *v, int32_t j)
{
    const int32_t n = a->k->n, row = a->k->vrow, some = a->k->e - j;
    const int32_t columns = a->values.columns, next = some > 2 ? columns : 0;
    uint32_t *to = (uint32_t *)a->values.x + (j >> 1) * columns;

    v += j;
    for (int32_t i = 0; i < columns; i += 2, to += 1 + 2 * !(i & 3)) {
        const uint32_t first = i < n ? dsp_some(v, some) : 0;
        const uint32_t second = i + 1 < n ? dsp_some(v + row, some) : 0;

        put_columns(first, second, to, next);
        v += 2 * row;
    }
}

#ifdef QUOTIENTS_WEIGH
/* So many words of two halves less a zero point. */
static NOINLINE void take_zero(uint32_t *x, int32_t words, int32_t zero)
{
    const uint32_t less = dsp_halves(zero, zero);

    for (uint32_t *end = x + (zero ? words : 0); x != end; x++)
        *x = dsp_less(*x, less);
}
#endif

/* Are keys in a panel, not as few words as they have? */
static inline int in_panel(const struct attend_dims *k)
{
#ifdef QUOTIENTS_WEIGH
    (void)k;
    return 1;
#else
    return k->d > 4;
#endif
}

static void take_head(const struct attend *a, int32_t head)
{
    const struct attend_dims *k = a->k;
    const K *key = (const K *)a->io->in[1] + head * k->khead;
    const V *v = (const V *)a->io->in[2] + head * k->vhead;

    for (int32_t j = 0; j < k->e; j += 4)
        take_columns(a, v, j);
#ifdef QUOTIENTS_WEIGH
    take_zero(a->values.x, (k->e + 1) / 2 * a->values.columns, k->vzero);
#endif
    if (!in_panel(k)) {
        small_columns(key, k->krow, k->d, k->n, a->keys.x);
        for (int32_t i = k->n; a->word && i & 3; i++)
            ((uint32_t *)a->keys.x)[i] = ((uint32_t *)a->keys.x)[i - 1];
        return;
    }
    for (int32_t i = 0; i < k->n; i += 2, key += 2 * k->krow)
        pair_rows(&a->keys, key, i + 1 < k->n ? key + k->krow : key, i);
#ifdef QUOTIENTS_WEIGH
    take_zero(a->keys.x, (k->n + 1) / 2 * a->keys.columns, k->kzero);
#endif
}

/* --- two rows --- */

/* Of rows of two elements, whose scores have a form for attend_words(). */
static inline void word_scores(const struct attend *a, const Q *q,
                               int32_t step)
{
    const int32_t d = a->k->d;
    const uint32_t both[2] = {first_of(q, d), first_of(q + step, d)};

    attend_words(both, a->keys.x, (a->k->n + 3) & -4, a->small.mul,
                 a->small.add, a->x);
}

static inline void small_scores(const struct attend *a, const Q *q, int8_t *x)
{
    const int32_t n = a->k->n, d = a->k->d;

    if (d > 2)
        row_of_four(&a->small, first_of(q, d), second_of(q, d), a->keys.x, n,
                    x);
    else
        row_of_two(&a->small, first_of(q, d), a->keys.x, n, x);
}

/* Scores of two rows become those of the table. */
static NOINLINE void look_up(const struct attend *a, int8_t *x)
{
    const SCORES *table = (const SCORES *)a->io->in[4] + 128;

    for (int32_t n = 2 * a->shown; n > 0; n--, x++)
        *x = table[*x];
}

static inline void put_word(int8_t *to, uint32_t v)
{
    memcpy(to, &v, 4);
}

enum { ADDS, BOUNDS, BOTH };

/* What four bytes of a mask make of four scores. */
static inline uint32_t mask_word(int how, uint32_t x, uint32_t mask)
{
    if (how == BOUNDS)
        return less(x, mask);
    return how == BOTH ? least_where(bytes_sum(x, mask), mask)
                       : bytes_sum(x, mask);
}

/* Scores of two rows become what their masks, `step` apart, make of them: those
 * of four keys at a time, whose masks are put beside each other as they are. */
static inline void mask_rows(const struct attend *a, const MASK *mask,
                             int32_t step, int how, int8_t *x)
{
    const int32_t n = a->shown;
    int32_t i = 0;

    for (; i + 3 < n; i += 4, x += 8, mask += 4) {
        const uint32_t one = dsp_load(mask), two = dsp_load(mask + step);
        const uint32_t even = dsp_even(one, 0) | dsp_even(two, 0) << 8;
        const uint32_t odd = dsp_odd(one, 0) | dsp_odd(two, 0) << 8;
        const uint32_t low = odd << 16 | (even & 0xffff);
        const uint32_t high = (odd & 0xffff0000u) | even >> 16;

        put_word(x, mask_word(how, dsp_load(x), low));
        put_word(x + 4, mask_word(how, dsp_load(x + 4), high));
    }
    for (; i < n; i++, x += 2, mask++) {
        x[0] = (int8_t)attend_masked(a->k, x[0], mask[0]);
        x[1] = (int8_t)attend_masked(a->k, x[1], mask[step]);
    }
}

static NOINLINE void mask_scores(const struct attend *a, const MASK *mask,
                                 int32_t step, int8_t *x)
{
    if (attend_bound(a->k))
        mask_rows(a, mask, step, BOUNDS, x);
    else if (a->k->both)
        mask_rows(a, mask, step, BOTH, x);
    else
        mask_rows(a, mask, step, ADDS, x);
}

/* By keys in a panel. */
static inline void panel_scores(const struct attend *a, const Q *q,
                                int32_t step)
{
    const int32_t n = (a->shown + 1) & -2;

#ifdef QUOTIENTS_WEIGH
    pair_expand(q, q + step, a->k->d, DSP_SIGNED(Q), a->keys.own);
    take_zero(a->keys.own, a->keys.columns, a->k->qzero);
    pair_all(&a->keys, a->score, n, (uint8_t *)a->x, 2);
#else
    pair_channels(&a->keys, q, step, a->score, n, (uint8_t *)a->x, 2);
#endif
}

/* Scores of q and the row `step` behind it, those of the last key again up to
 * a multiple of four. */
static void two_scores(const struct attend *a, const Q *q, int32_t step,
                       const MASK *mask, int32_t mask_step)
{
    const int32_t n = a->shown;
    const int plain = a->score_same && !mask;
    int8_t *x = a->x;

    if (a->word) {
        word_scores(a, q, step);
    } else if (!in_panel(a->k)) {
        small_scores(a, q, x);
        small_scores(a, q + step, x + 1);
    } else {
        panel_scores(a, q, step);
    }
    if (!a->score_same)
        look_up(a, x);
    if (mask)
        mask_scores(a, mask, mask_step, x);
    for (int32_t i = 2 * n; i & 7 && !(a->word && plain); i++)
        x[i] = x[i - 2];
}

/* The greatest score of either row. */
static NOINLINE uint32_t greatest(const int8_t *x, int32_t n)
{
    const int8_t *end = x + 2 * ((n + 3) & -4);
    uint32_t v = dsp_load(x);

    for (; x != end; x += 8)
        v = greater(greater(v, dsp_load(x)), dsp_load(x + 4));
    return greater(v, v >> 16 | v << 16);
}

#ifdef POWERS_WEIGH
/* The weights of a row, its powers, as words of two keys; those behind the last
 * key meet zeros of v.  Results of the row are multiplied by what the sum of
 * weights is contained in scale[2]. */
static void make_weights(struct attend *a, const int8_t *x, int32_t top,
                         uint32_t *to)
{
    const struct attend_dims *k = a->k;
    const SCALE *scale = a->io->in[3];
    const POWERS *table = a->io->in[5];
    const int32_t n = k->n, all = (n + 3) & -4;
    const int64_t one = INT64_C(1) << k->shift;
    uint32_t sum = attend_bytes((uintptr_t)table + (uintptr_t)(255 - top), x,
                                all, to);

    if (all > n)
        sum -= (uint32_t)(all - n) * table[255 - top + x[2 * n]];
    if (all != a->values.columns)
        to[all] = to[all + 1] = 0;
    a->result[x - a->x] = scale32(0, attend_share(scale, sum),
                                  scale[3] * one + one / 2, k->shift);
}
#elif defined QUOTIENTS_WEIGH
/* Of a row that a mask hides: n equals. */
static void even_weights(const struct attend *a, uint32_t *to)
{
    const int32_t n = a->k->n, all = a->values.columns, none = a->k->none;

    for (int32_t i = 0; i < all; i += 2, to += i & 2 ? 1 : 3)
        *to = dsp_halves(i < n ? none : 0, i + 1 < n ? none : 0);
}

/* The weights of a row, as words of two keys; none behind the last key.  mask:
 * what hides, or NULL. */
static void make_weights(struct attend *a, const int8_t *x, int32_t top,
                         const MASK *mask, uint32_t *to)
{
    const POWERS *power = (const POWERS *)a->io->in[5] + 255 - top;
    const int32_t n = a->shown, all = a->values.columns;
    struct levels levels;
    uint64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        if (!mask || mask[i] != -128)
            sum += (uint32_t)power[x[2 * i]];
    if (mask && !sum) {
        even_weights(a, to);
        return;
    }
    levels = levels_of(levels_sum(sum, (uint32_t)a->k->p4), (uint32_t)a->k->p1);
    for (int32_t i = 0; i < all; i += 2, x += 4, to += i & 2 ? 1 : 3) {
        const int32_t one = i < n && (!mask || mask[i] != -128)
            ? level_byte(&levels, (uint32_t)power[x[0]]) : 0;
        const int32_t two = i + 1 < n && (!mask || mask[i + 1] != -128)
            ? level_byte(&levels, (uint32_t)power[x[2]]) : 0;

        *to = dsp_halves(one, two);
    }
}

/* Keys of two rows without those at the end that a mask hides from both, but
 * for four. */
static int32_t shown_keys(const MASK *mask, int32_t step, int32_t n)
{
    for (; n > 4; n--)
        if (mask[n - 1] != -128 || mask[step + n - 1] != -128)
            break;
    return n;
}
#else
/* The weights of a row, as words of two keys; those behind the last key meet
 * zeros of v. */
static void make_weights(const struct attend *a, const int8_t *x, int32_t top,
                         uint32_t *to)
{
    const PARTS *parts = a->io->in[6];
    const uint32_t hi = (uint32_t)a->k->p1;
    const int32_t n = a->k->n, all = (n + 3) & -4;
    const uintptr_t zero = powers_zero(a->io->in[5], top);
    uint32_t sum = attend_powers(zero, x, all, a->power);
    int32_t s;

    for (int32_t i = n; i < all; i++)
        sum -= a->power[i];
    if (all != a->values.columns)
        to[all] = to[all + 1] = 0;
    if (sum <= hi) { /* kern/row/inverse.h */
        sum |= !sum;
        s = 24;
    } else {
        s = a->bits + bits(sum);
        s = s > 32 ? s : 32;
        parts = a->part_same ? NULL : parts;
    }
    attend_weights(a->power, all, inverse(hi, sum, s), s, parts, to);
}
#endif

/* Bytes 0 and 2 of v, and of w. */
static inline uint32_t second_bytes(uint32_t v, uint32_t w)
{
    const uint32_t a = dsp_even(v, 0), b = dsp_even(w, 0);

    return (b << 16 | (a & 0xffff)) | ((b & 0xffff0000u) | a >> 16) << 8;
}

/* Results of the two rows to y and `step` behind it. */
static void put_results(const struct attend *a, Y *y, int32_t step)
{
    const struct attend_dims *k = a->k;
    const int8_t *x = a->x;
    int32_t n = k->e;

    for (; n > 3; n -= 4, y += 4, x += 8) {
        const uint32_t v = dsp_load(x), w = dsp_load(x + 4);
        const uint32_t row = second_bytes(v, w);
        const uint32_t next = second_bytes(v >> 8, w >> 8);

        memcpy(y, &row, 4);
        memcpy(y + step, &next, 4);
    }
    for (; n > 0; n--, y++, x += 2) {
        y[0] = (Y)x[0];
        y[step] = (Y)x[1];
    }
    if (panel_clips(k->lo, k->hi)) {
        panel_clip(y - k->e, k->e, k->lo, k->hi);
        panel_clip(y - k->e + step, k->e, k->lo, k->hi);
    }
}

/* Rows from number `row` on, of the last perhaps twice the same: results may
 * lie where q is. */
static void two_rows(struct attend *a, int32_t head, int32_t row)
{
    const struct attend_dims *k = a->k;
    const int32_t last = row + 1 == k->m;
    const Q *q = (const Q *)a->io->in[0] + row * k->qrow + head * k->qhead;
    const MASK *mask = attend_mask(k, a->io, head, row);
    const int32_t step = last ? 0 : k->mrow;
    uint32_t *own = a->values.own, top;

#ifdef QUOTIENTS_WEIGH
    const MASK *hides = k->hides ? mask : NULL;

    a->shown = hides ? shown_keys(mask, step, k->n) : k->n;
    two_scores(a, q, last ? 0 : k->qrow, mask, step);
    top = greatest(a->x, a->shown);
    make_weights(a, a->x, (int8_t)top, hides, own);
    make_weights(a, a->x + 1, (int8_t)(top >> 8), hides ? hides + step : NULL,
                 own + 2);
#else
    two_scores(a, q, last ? 0 : k->qrow, mask, step);
    top = greatest(a->x, k->n);
    make_weights(a, a->x, (int8_t)top, own);
    make_weights(a, a->x + 1, (int8_t)(top >> 8), own + 2);
#endif
    pair_all(&a->values, a->result, (k->e + 1) & -2, (uint8_t *)a->x, 2);
    put_results(a, (Y *)a->io->out[0] + row * k->yrow + head * k->yhead,
                last ? 0 : k->yrow);
}

/* --- all --- */

static void share_out(struct attend *a)
{
    const struct attend_dims *k = a->k;
    const int32_t wide = pair_columns(k->n), deep = pair_columns(k->d);
    uint8_t *p = a->io->tmp;

    a->values = (struct panel){p, NULL, NULL, k->n, wide};
    p += pair_bytes(wide) * ((k->e + 1) & -2);
    a->keys = (struct panel){p, NULL, NULL, k->d, deep};
    p += in_panel(k) ? pair_bytes(deep) * ((k->n + 1) & -2)
                  : (k->d > 2 ? 8 : 4) * ((k->n + 3) & -4);
    a->values.own = a->keys.own = p;
    p += 4 * (wide > deep ? wide : deep) + 64;
#ifdef PARTS_WEIGH
    a->power = (uint32_t *)(void *)p;
    p += 4 * ((k->n + 3) & -4);
#endif
    a->x = (int8_t *)p;
}

/* The epilogue of scores of few elements, >> 16 if it can be. */
static void take_small(struct attend *a, const SCALE *scale)
{
    const int32_t up = 16 - a->k->p0, d = a->k->d;
    const int64_t mul = scale[0], add = scale[1];
    const int64_t most = ((int64_t)d << 14) * (mul < 0 ? -mul : mul) +
                         (add < 0 ? -add : add);

    a->small = (struct small_k){scale[0], scale[1], a->k->p0};
    a->word = !in_panel(a->k) && d < 3 && up >= 0 &&
              most < INT64_C(1) << (31 - up);
    if (a->word)
        a->small = (struct small_k){scale[0] * (1 << up), scale[1] * (1 << up),
                                    16};
}

/* Scores and results as they are scaled; those of quotients are rounded, and
 * what is behind the last element of rows, less zero points, is a bias. */
static void take_scales(struct attend *a, const SCALE *scale)
{
    const struct attend_dims *k = a->k;
#ifdef QUOTIENTS_WEIGH
    const int64_t one = INT64_C(1) << k->p0, whole = INT64_C(1) << k->shift;

    a->score[0] = scale32(-(a->keys.columns - k->d) * k->qzero * k->kzero,
                          scale[0], scale[1] * one + one / 2, k->p0);
    a->result[0] = scale32(0, scale[2], scale[3] * whole + whole / 2, k->shift);
#else
    a->score[0] = scale32(0, scale[0], scale[1], k->p0);
#ifdef PARTS_WEIGH
    a->result[0] = scale32(0, scale[2], scale[3], k->shift);
#endif
#endif
    a->score[1] = a->score[0];
    a->result[1] = a->result[0];
}

/* Have results the epilogue of conv/panel.h? */
static int results_narrow(const struct attend_dims *k, const struct io *io)
{
    const SCALE *scale = io->in[3];

#ifdef POWERS_WEIGH
    return attend_divided(io->in[5], scale, k->shift);
#else
    return attend_narrow(scale[2], k->shift);
#endif
}

static inline void attend_pairs(const struct attend_dims *k,
                                const struct io *io)
{
    const SCALE *scale = io->in[3];
    struct attend a = {.k = k, .io = io, .shown = k->n};

    if (!results_narrow(k, io) ||
        (in_panel(k) && !attend_narrow(scale[0], k->p0))) {
        attend_rows(k, io);
        return;
    }
    share_out(&a);
    take_scales(&a, scale);
    take_small(&a, scale);
    a.score_same = k->same_scores;
#ifdef PARTS_WEIGH
    a.bits = bits((uint32_t)k->most | 1);
    a.part_same = k->same_parts;
#endif
    for (int32_t h = 0; h < k->heads; h++) {
        take_head(&a, h);
        for (int32_t row = 0; row < k->m; row += 2)
            two_rows(&a, h, row);
    }
}

#endif
