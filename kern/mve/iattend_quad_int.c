/* Attention of bytes, some rows of q at a time: products four by two of sixteen
 * elements, weights by tables.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:s8 -> y:s8
 * isa      mve
 * let      wide = n + 15 & -16
 * let      deep = d + 15 & -16
 * let      spare = d & 15 ? 2 * deep : 0
 * let      fixed = e * (wide + 4) + spare
 * let      bytes = wide + max(wide, deep)
 * let      all = m + 3 & -4
 * let      some = min(all, room > 0 ? (room - fixed) / bytes & -4 : 24)
 * when     m > 1 && n > 1 && e > 1 && n < 7168 && yrow < 21846 &&
 *          p0 < 32 && p1 < 256 && max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          most < 8388608 && most * n < 2147483648 &&
 *          max(-acc.lo, acc.hi) < 1 << 30 &&
 *          (d != e || (qrow == yrow && qhead == yhead))
 * inplace  q
 * scratch  fixed + bytes * min(all, 24)
 * most     fixed + bytes * all
 * stack    1024
 * let      calls = ceil(all, some) + (m > 4 && m % 4 > 0)
 * let      quad = 36 + 14 * (deep >> 4)
 * let      value = 36 + 14 * (wide >> 4)
 * cycles   1000 + heads * (200 + 5 * n * ceil(e, 8) + e * (30 + (wide >> 3)) +
 *          calls * (100 + 60 * ceil(n, 2) + 110 * ceil(e, 2)) +
 *          all / 4 * (ceil(n, 2) * quad + ceil(e, 2) * value + wide) +
 *          m * (170 + 9 * ceil(n, 4) + (12 + 12 * has.mask) * ceil(n, 16)))
 *
 * Weights without sign are 128 less in products, as sums of columns of v make
 * good.
 */
#include "kern/row/attend.h"

typedef int8_t X;
typedef K W;
typedef SCALE MUL;
typedef SCALE ADD;
#define B int32_t
#define QUAD_AGAIN(io, c) ((c) > 0 && !(io)->in[2])
#include "kern/mve/quad.h"
#include "kern/mve/powers.h"

enum { SOME = 24 }; /* rows at a time, without more room */

#define UNSIGNED(T) ((T)-1 > (T)1)

struct attend {
    const struct attend_dims *k;
    const struct io *io;
    struct conv_dims score, value; /* products, as convolutions of one tap */
    struct io score_io, value_io;
    int8_t *columns, *x;           /* of v, `line` bytes each; rows of scores */
    uint8_t *panel;
    int32_t *bias;                 /* of columns, or NULL */
    int32_t line, rows;            /* at a time */
    const SCORES *scores;          /* tables, NULL: they change nothing */
    const PARTS *parts;
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

/* Scores of a row become those of the table, with what the mask adds. */
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
            v = vqaddq_s8(v, vldrbq_z_s8((const int8_t *)mask, some));
            mask += 16;
        }
        vstrbq_p_s8(x, v, some);
    }
}

/* Weights of a row, and whatever is behind them, to the vectors of a quad. */
static NOINLINE void put_weights(const struct attend *a, const int8_t *x,
                                 uint8_t *to)
{
    const uint8x16_t flip = vdupq_n_u8(UNSIGNED(PARTS) ? 128 : 0);

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
                look_up(a, mask ? mask + i * k->n : NULL, x);
            powers_row(&row, a->io->in[5], most, x, x);
        }
        put_weights(a, x, a->panel + (i >> 2) * 4 * a->line + (i & 3) * 16);
    }
}

static void make_head(struct attend *a, int32_t head)
{
    const struct attend_dims *k = a->k;
    const Q *q = (const Q *)a->io->in[0] + head * k->qhead;
    Y *y = (Y *)a->io->out[0] + head * k->yhead;
    const MASK *mask = a->io->in[7];

    a->score_io.in[1] = (const K *)a->io->in[1] + head * k->khead;
    take_columns(a, (const V *)a->io->in[2] + head * k->vhead);
    if (a->bias)
        take_bias(a);
    for (int32_t i = 0, n; i < k->m; i += n) {
        n = k->m - i < a->rows ? k->m - i : a->rows;
        quad_panel(&a->score, &a->score_io, q + i * k->qrow, n, a->x);
        make_weights(a, mask ? mask + i * k->n : NULL, n);
        quad_all(&a->value, &a->value_io, a->panel, n, y + i * k->yrow);
    }
}

/* As many rows at a time as there is room for. */
static void share_out(struct attend *a)
{
    const struct attend_dims *k = a->k;
    const int32_t deep = quad_columns(k->d), spare = 2 * quad_row(k->d);
    const int32_t row = a->line + (deep > a->line ? deep : a->line);
    const int32_t fixed = k->e * (a->line + 4) + spare;
    const int32_t all = (k->m + 3) & -4, room = a->io->more.room;
    const int32_t rows = room > 0 ? ((room - fixed) / row) & -4 : SOME;
    int8_t *p = a->io->tmp;

    a->rows = rows < all ? rows : all;
    a->bias = UNSIGNED(PARTS) ? (int32_t *)(void *)p : NULL;
    p += 4 * k->e;
    memset(p, 0, (size_t)(fixed - 4 * k->e));
    a->columns = p;
    p += k->e * a->line;
    a->score_io.tmp = p;
    p += spare;
    a->panel = (uint8_t *)p;
    a->x = p + (row - a->line) * a->rows;
}

static void say_products(struct attend *a)
{
    const struct attend_dims *k = a->k;
    const SCALE *scale = a->io->in[3];

    a->score = (struct conv_dims){
        .c = k->d, .m = k->n, .xw = k->qrow, .yw = a->line, .wm = k->krow,
        .shift = k->p0, .lo = -128, .hi = 127};
    a->value = (struct conv_dims){
        .c = a->line, .m = k->e, .yw = k->yrow, .wm = a->line,
        .shift = k->shift, .lo = k->lo, .hi = k->hi};
    a->score_io.in[3] = scale;
    a->score_io.in[4] = scale + 1;
    a->value_io.in[1] = a->columns;
    a->value_io.in[2] = a->bias;
    a->value_io.in[3] = scale + 2;
    a->value_io.in[4] = scale + 3;
}

void FN(const struct attend_dims *k, const struct io *io)
{
    const SCALE *scale = io->in[3];
    struct attend a = {.k = k, .io = io, .line = quad_columns(k->n)};

    if (!attend_narrow(scale[0], k->p0) || !attend_narrow(scale[2], k->shift)) {
        attend_rows(k, io);
        return;
    }
    share_out(&a);
    say_products(&a);
    a.scores = attend_same(io->in[4], 128) ? NULL
                                           : (const SCORES *)io->in[4];
    a.parts = UNSIGNED(PARTS) && attend_same(io->in[6], 0)
                  ? NULL : (const PARTS *)io->in[6];
    for (int32_t h = 0; h < k->heads; h++)
        make_head(&a, h);
}
