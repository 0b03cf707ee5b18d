/* Attention of bytes, some rows of q at a time: products four by two of sixteen
 * elements, weights by tables.  To be included after the types of its operands
 * are defined; after POWERS_WEIGH too where there are no parts, QUOTIENTS_WEIGH
 * where weights are rounded quotients.
 *
 * Weights without sign are 128 less in products, as sums of columns of v make
 * good.  Zero points of q and k are in what sums begin with, for each key and
 * each row; that of v in what those of a row do.
 */
#ifndef MVE_ATTEND_ROWS_H
#define MVE_ATTEND_ROWS_H

#include "kern/row/attend.h"
#include "kern/row/shares.h"

typedef int8_t X;
typedef K W;
typedef SCALE MUL;
typedef SCALE ADD;
#define B int32_t
#define QUAD_AGAIN(io, c) ((c) > 0 && !(io)->in[2])
#ifdef POWERS_WEIGH
#define QUAD_BY_PIXEL
#elif defined QUOTIENTS_WEIGH
#define QUAD_BEGINS
#else
#define PARTS_WEIGH
#endif
#include "kern/mve/quad.h"
#include "kern/mve/powers.h"

enum { SOME = 24 }; /* rows at a time, without more room */

#ifndef PARTS_WEIGH
#define WEIGHTS_UNSIGNED 1
enum { EACH = 8 }; /* bytes of a row besides */
#else
#define WEIGHTS_UNSIGNED ((PARTS)-1 > (PARTS)1)
enum { EACH = 0 };
#endif

struct attend {
    const struct attend_dims *k;
    const struct io *io;
    struct conv_dims score, value; /* products, as convolutions of one tap */
    struct io score_io, value_io;
    int8_t *columns, *x;           /* of v, `line` bytes each; rows of scores */
    uint8_t *panel;
    int32_t *bias;                 /* of columns, or NULL */
    int32_t line, rows;            /* at a time */
    const SCORES *scores;          /* a table, NULL: it changes nothing */
#ifndef PARTS_WEIGH
    struct attend_high of_score, of_result;
    int32_t *muls;                 /* of rows, twice each, or what sums have */
#else
    const PARTS *parts;            /* such a table too */
#endif
#ifdef QUOTIENTS_WEIGH
    int32_t *begin;                /* of sums, by key */
    uint32_t *power;               /* of a row */
#endif
};

/* Columns of v, which have zeros behind them already. */
static NOINLINE void take_columns(const struct attend *a, const V *v)
{
    const int32_t n = a->k->n, e = a->k->e, row = a->k->vrow, line = a->line;
    const uint16x8_t apart = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)line);

    for (int32_t j = 0; j < e; j += 8) {
        const mve_pred16_t some = vctp16q((uint32_t)(e - j));
        const V *from = v + j;
        int8_t *to = a->columns + j * line;

        for (int32_t i = 0; i < n; i++, from += row, to++)
            vstrbq_scatter_offset_p_s16(to, apart, vldrbq_z_s16(from, some),
                                        some);
    }
}

static NOINLINE void take_bias(const struct attend *a)
{
    const int8_t *v = a->columns;

    for (int32_t j = 0; j < a->k->e; j++) {
        int32_t sum = 0;

        for (int32_t i = 0; i < a->line; i += 16, v += 16)
            sum = vaddvaq_s8(sum, vldrbq_s8(v));
        a->bias[j] = 128 * sum;
    }
}

/* Scores of a row become those of the table, with what the mask makes of
 * them. */
static NOINLINE void look_up(const struct attend *a, const MASK *mask,
                             int8_t *x)
{
    const int8x16_t half = vdupq_n_s8(-128);

    for (int32_t n = a->k->n; n > 0; n -= 16, x += 16) {
        const mve_pred16_t some = vctp8q((uint32_t)n);
        int8x16_t v = vldrbq_z_s8(x, some);

        if (a->scores)
            v = vldrbq_gather_offset_z_s8(
                a->scores, vreinterpretq_u8_s8(veorq_s8(v, half)), some);
        if (mask) {
            const int8x16_t m = vldrbq_z_s8((const int8_t *)mask, some);

            v = attend_bound(a->k) ? vminq_s8(v, m) : vqaddq_s8(v, m);
            if (a->k->both)
                v = vpselq_s8(half, v, vcmpeqq_s8(m, half));
            mask += 16;
        }
        vstrbq_p_s8(x, v, some);
    }
}

#ifdef POWERS_WEIGH
/* Powers of a row, none behind them, to the vectors of a quad; their sum. */
static NOINLINE uint32_t put_powers(const struct attend *a, const int8_t *x,
                                    uint8_t *to)
{
    const uint8x16_t flip = vdupq_n_u8(128);
    const POWERS *table = a->io->in[5];
    uint8x16_t less;
    uint32_t sum = 0;

    less = vdupq_n_u8((uint8_t)(255 - powers_greatest(x, a->k->n)));
    for (int32_t n = a->k->n; n > 0; n -= 16, x += 16, to += 64) {
        const mve_pred16_t some = vctp8q((uint32_t)n);
        uint8x16_t v = vldrbq_z_u8((const uint8_t *)x, some);

        v = vldrbq_gather_offset_z_u8(table, vaddq_u8(v, less), some);
        sum = vaddvaq_u8(sum, v);
        vstrbq_u8(to, veorq_u8(v, flip));
    }
    return sum;
}

/* Scores of n rows become weights, in the panel; of the last quad the last row
 * is taken again. */
static void make_weights(const struct attend *a, const MASK *mask, int32_t n)
{
    const struct attend_dims *k = a->k;
    const SCALE *scale = a->io->in[3];
    uint32_t sum;

    for (int32_t i = 0; i < ((n + 3) & -4); i++) {
        int8_t *x = a->x + (i < n ? i : n - 1) * a->line;

        if (i < n && (mask || a->scores))
            look_up(a, mask ? mask + i * k->mrow : NULL, x);
        sum = put_powers(a, x, a->panel + (i >> 2) * 4 * a->line +
                               (i & 3) * 16);
        a->muls[2 * i] = a->muls[2 * i + 1] =
            attend_share(scale, sum) * (1 << a->of_result.up);
    }
}

/* All scores are multiplied by the same. */
static void fill_muls(const struct attend *a, int32_t n)
{
    for (int32_t i = 0; i < 2 * ((n + 3) & -4); i++)
        a->muls[i] = a->of_score.mul;
}
#elif defined QUOTIENTS_WEIGH
static inline int32_t bytes_sum(const int8_t *x, int32_t n)
{
    int32_t sum = 0;

    for (; n > 0; n -= 16, x += 16)
        sum = vaddvaq_s8(sum, vldrbq_z_s8(x, vctp8q((uint32_t)n)));
    return sum;
}

#include "kern/row/attend_begin.h"

/* And with each of n rows. */
static NOINLINE void begin_rows(const struct attend *a, const Q *q, int32_t n)
{
    const struct attend_dims *k = a->k;

    for (int32_t i = 0; i < ((n + 3) & -4); i++) {
        const Q *row = q + (i < n ? i : n - 1) * k->qrow;

        a->muls[2 * i] = a->muls[2 * i + 1] =
            -k->kzero * bytes_sum(row, k->d);
    }
}

/* Powers of a row of scores, none where the mask hides; their sum. */
static NOINLINE uint64_t take_powers(const struct attend *a, const MASK *mask,
                                     const int8_t *x)
{
    const POWERS *zero = (const POWERS *)a->io->in[5] + 255 -
                         powers_greatest(x, a->k->n);
    uint32_t *to = a->power;
    uint64_t sum = 0;

    for (int32_t n = a->k->n; n > 0; n -= 4, x += 4, to += 4) {
        mve_pred16_t some = vctp32q((uint32_t)n);
        const uint32x4_t at = vreinterpretq_u32_s32(vldrbq_z_s32(x, some));
        uint32x4_t v;

        if (mask) {
            const int8_t *shown = (const int8_t *)mask;

            some = vcmpneq_m_n_s32(vldrbq_z_s32(shown, some), -128, some);
            mask += 4;
        }
        v = vldrwq_gather_shifted_offset_z_u32((const uint32_t *)zero, at,
                                               some);
        sum = vaddlvaq_u32(sum, v);
        vstrwq_u32(to, v);
    }
    return sum;
}

/* Levels of a row of powers to the vectors of a quad; returns their sum. */
static NOINLINE uint32_t put_levels(const struct attend *a,
                                    const struct levels *l, uint8_t *to)
{
    const uint32x4_t inverse = vdupq_n_u32(l->inverse);
    const uint32x4_t half = vdupq_n_u32(l->half), mask = vdupq_n_u32(l->mask);
    const uint32x4_t most = vdupq_n_u32(255), flip = vdupq_n_u32(128);
    const int32x4_t down = vdupq_n_s32(-l->places);
    const uint32_t *v = a->power, *end = v + ((a->k->n + 3) & -4);
    uint32_t sum = 0, near = 0;

    for (int32_t i = 0; v != end; v += 4, i += 4) {
        uint32x4_t w = vaddq_u32(vmulhq_u32(vldrwq_u32(v), inverse), half);

        near = vmaxvq_u32(near, vandq_u32(w, mask));
        w = vminq_u32(vshlq_u32(w, down), most);
        sum = vaddvaq_u32(sum, w);
        vstrbq_u32(to + (i >> 4) * 64 + (i & 15), veorq_u32(w, flip));
    }
    return near < l->safe ? sum : UINT32_MAX;
}

/* The same where one is near to a half. */
static NOINLINE uint32_t exact_levels(const struct attend *a,
                                      const struct levels *l, uint8_t *to)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < a->k->n; i++) {
        const int32_t level = level_byte(l, a->power[i]);

        to[(i >> 4) * 64 + (i & 15)] = (uint8_t)(level ^ 128);
        sum += (uint32_t)level;
    }
    return sum;
}

/* Those of a row of which all is hidden. */
static NOINLINE uint32_t even_levels(const struct attend *a, uint8_t *to)
{
    for (int32_t i = 0; i < a->k->n; i++)
        to[(i >> 4) * 64 + (i & 15)] = (uint8_t)(a->k->none ^ 128);
    return (uint32_t)(a->k->n * a->k->none);
}

/* Weights of a row, those behind them meet zeros of v; returns their sum. */
static uint32_t put_weights(const struct attend *a, const MASK *mask,
                            const int8_t *x, uint8_t *to)
{
    const uint64_t powers = take_powers(a, a->k->hides ? mask : NULL, x);
    const struct levels l = levels_of(
        levels_sum(powers, (uint32_t)a->k->p4), (uint32_t)a->k->p1);
    uint32_t sum;

    if (!powers)
        return even_levels(a, to);
    sum = put_levels(a, &l, to);
    return sum != UINT32_MAX ? sum : exact_levels(a, &l, to);
}

/* Scores of n rows become weights, in the panel; of the last quad the last row
 * is taken again. */
static void make_weights(const struct attend *a, const MASK *mask, int32_t n)
{
    const struct attend_dims *k = a->k;

    for (int32_t i = 0; i < ((n + 3) & -4); i++) {
        const int32_t row = i < n ? i : n - 1;
        const MASK *of = mask ? mask + row * k->mrow : NULL;
        int8_t *x = a->x + row * a->line;

        if (i < n && (mask || a->scores))
            look_up(a, of, x);
        a->muls[2 * i] = a->muls[2 * i + 1] =
            -k->vzero * (int32_t)put_weights(
                a, of, x, a->panel + (i >> 2) * 4 * a->line + (i & 3) * 16);
    }
}
#else
/* Weights of a row, and whatever is behind them, to the vectors of a quad. */
static NOINLINE void put_weights(const struct attend *a, const int8_t *x,
                                 uint8_t *to)
{
    const uint8x16_t flip = vdupq_n_u8(WEIGHTS_UNSIGNED ? 128 : 0);

    for (int32_t n = a->line; n > 0; n -= 16, x += 16, to += 64) {
        uint8x16_t v = vldrbq_u8((const uint8_t *)x);

        if (a->parts)
            v = vldrbq_gather_offset_u8((const uint8_t *)a->parts, v);
        vstrbq_u8(to, veorq_u8(v, flip));
    }
}

/* Scores of n rows become weights, in the panel; of the last quad the last row
 * is taken again. */
static void make_weights(const struct attend *a, const MASK *mask, int32_t n)
{
    const struct attend_dims *k = a->k;
    const struct row_dims row = {.n = k->n, .hi = k->p1};
    const int32_t most = bits((uint32_t)k->most | 1);

    for (int32_t i = 0; i < ((n + 3) & -4); i++) {
        int8_t *x = a->x + (i < n ? i : n - 1) * a->line;

        if (i < n) {
            if (mask || a->scores)
                look_up(a, mask ? mask + i * k->mrow : NULL, x);
            powers_row(&row, a->io->in[5], most, x, x);
        }
        put_weights(a, x, a->panel + (i >> 2) * 4 * a->line + (i & 3) * 16);
    }
}
#endif

static void make_head(struct attend *a, int32_t head)
{
    const struct attend_dims *k = a->k;
    const Q *q = (const Q *)a->io->in[0] + head * k->qhead;
    Y *y = (Y *)a->io->out[0] + head * k->yhead;

    a->score_io.in[1] = (const K *)a->io->in[1] + head * k->khead;
    take_columns(a, (const V *)a->io->in[2] + head * k->vhead);
    if (WEIGHTS_UNSIGNED)
        take_bias(a);
#ifdef QUOTIENTS_WEIGH
    take_begin(a->k, a->score_io.in[1], a->begin);
#endif
    for (int32_t i = 0, n; i < k->m; i += n) {
        n = k->m - i < a->rows ? k->m - i : a->rows;
#ifdef POWERS_WEIGH
        fill_muls(a, n);
#elif defined QUOTIENTS_WEIGH
        begin_rows(a, q + i * k->qrow, n);
#endif
        quad_panel(&a->score, &a->score_io, q + i * k->qrow, n, a->x);
        make_weights(a, attend_mask(k, a->io, head, i), n);
        quad_all(&a->value, &a->value_io, a->panel, n, y + i * k->yrow);
    }
}

/* As many rows at a time as there is room for. */
static void share_out(struct attend *a)
{
    const struct attend_dims *k = a->k;
    const int32_t deep = quad_columns(k->d), spare = 2 * quad_row(k->d);
    const int32_t row = a->line + (deep > a->line ? deep : a->line) + EACH;
#ifdef QUOTIENTS_WEIGH
    const int32_t apart = 4 * (a->line + a->line);
#else
    const int32_t apart = 0;
#endif
    const int32_t fixed = k->e * (a->line + 4) + spare + apart;
    const int32_t all = (k->m + 3) & -4, room = a->io->more.room;
    const int32_t rows = room > 0 ? ((room - fixed) / row) & -4 : SOME;
    int8_t *p = a->io->tmp;

    a->rows = rows < all ? rows : all;
    a->bias = WEIGHTS_UNSIGNED ? (int32_t *)(void *)p : NULL;
    p += 4 * k->e;
#ifdef QUOTIENTS_WEIGH
    a->begin = (int32_t *)(void *)p;
    a->power = (uint32_t *)(void *)(p + 4 * a->line);
    p += apart;
#endif
#ifndef PARTS_WEIGH
    a->muls = (int32_t *)(void *)p;
    p += EACH * a->rows;
#endif
    memset(p, 0, (size_t)(fixed - apart - 4 * k->e));
    a->columns = p;
    p += k->e * a->line;
    a->score_io.tmp = p;
    p += spare;
    a->panel = (uint8_t *)p;
    a->x = p + (row - EACH - a->line) * a->rows;
}

static void say_products(struct attend *a)
{
    const struct attend_dims *k = a->k;
#ifdef PARTS_WEIGH
    const SCALE *scale = a->io->in[3];
#endif

    a->score = (struct conv_dims){
        .c = k->d, .m = k->n, .xw = k->qrow, .yw = a->line, .wm = k->krow,
        .shift = k->p0, .lo = -128, .hi = 127};
    a->value = (struct conv_dims){
        .c = a->line, .m = k->e, .yw = k->yrow, .wm = a->line,
        .shift = k->shift, .lo = k->lo, .hi = k->hi};
    a->value_io.in[1] = a->columns;
    a->value_io.in[2] = a->bias;
#ifndef PARTS_WEIGH
    a->score.shift = a->of_score.rest;
    a->value.shift = a->of_result.rest;
#ifdef QUOTIENTS_WEIGH
    a->score_io.in[2] = a->begin;
    a->score_io.in[3] = &a->of_score.mul;
    a->value_io.in[3] = &a->of_result.mul;
    a->score_io.in[6] = a->value_io.in[6] = a->muls;
#else
    a->score_io.in[3] = a->value_io.in[3] = a->muls;
#endif
    a->score_io.in[4] = &a->of_score.add;
    a->value_io.in[4] = &a->of_result.add;
#else
    a->score_io.in[3] = scale;
    a->score_io.in[4] = scale + 1;
    a->value_io.in[3] = scale + 2;
    a->value_io.in[4] = scale + 3;
#endif
}

/* Have scores and results epilogues that quads know? */
static int epilogues_fit(struct attend *a)
{
    const struct attend_dims *k = a->k;
    const SCALE *scale = a->io->in[3];

#ifdef POWERS_WEIGH
    return attend_high_of_score(scale, k->p0, &a->of_score) &&
           attend_high_of_result(a->io->in[5], scale, k->shift, &a->of_result);
#elif defined QUOTIENTS_WEIGH
    return attend_high(scale[0], scale[1], k->p0, &a->of_score) &&
           attend_high(scale[2], scale[3], k->shift, &a->of_result);
#else
    return attend_narrow(scale[0], k->p0) && attend_narrow(scale[2], k->shift);
#endif
}

static inline void attend_quads(const struct attend_dims *k,
                                const struct io *io)
{
    struct attend a = {.k = k, .io = io, .line = quad_columns(k->n)};

    if (!epilogues_fit(&a)) {
        attend_rows(k, io);
        return;
    }
    share_out(&a);
    say_products(&a);
    a.scores = k->same_scores ? NULL : (const SCORES *)io->in[4];
#ifdef PARTS_WEIGH
    a.parts = k->same_parts ? NULL : (const PARTS *)io->in[6];
#endif
    for (int32_t h = 0; h < k->heads; h++)
        make_head(&a, h);
}

#endif
