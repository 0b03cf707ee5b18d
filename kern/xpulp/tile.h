/* A matrix product of bytes, rows by rows, four by four at a time: what the
 * XpulpV2 kernels of matrix products share.
 *
 * To be included after LEFT, RIGHT, START (type of the bias), MUL, ADD and Y
 * are defined, and scaled(sum, mul, add, shift).  Rows have 4 elements or more:
 * what does not fill a word at a row's end is taken with elements before it,
 * which are masked out of the left side. */
#ifndef TILE_H
#define TILE_H

#include "kern/xpulp/block.h"
#include "kern/xpulp/scale.h"

/* y[row][channel] of rows `xstep` apart, of k elements; results `ystep` apart.
 * bias, mul and add follow channels by their steps; each may be NULL before
 * tile_defaults(). */
struct tiles {
    const RIGHT *w;
    const START *bias;
    const MUL *mul;
    const ADD *add;
    int32_t k, wstep, xstep, ystep;
    int32_t biasc, mulc, addc, shift, lo, hi;
#ifdef SHIFTS
    const SHIFTS *shifts; /* as mul */
#endif
};

/* scaled() where no sum and no product leaves 32 bits. */
static inline int32_t scaled_scale32(int32_t sum, int32_t mul, int32_t add,
                                   int32_t shift)
{
    return (sum * mul + add) >> shift;
}

/* The elements after the last whole word. */
static NOINLINE void tile_tail(const struct tiles *t, const LEFT *const x[4],
                               int32_t rows, const RIGHT *const w[4],
                               int32_t *sum)
{
    const int32_t last = t->k - 4;
    const int32_t mask = (int32_t)(UINT32_MAX << 8 * (4 - t->k % 4));

    for (int32_t i = 0; i < rows; i++) {
        const int32_t v = word_load(x[i] + last) & mask;

        for (int32_t j = 0; j < 4; j++)
            sum[4 * i + j] =
                word_dot(sum[4 * i + j], v, word_load(w[j] + last));
    }
}

/* Sums of `rows` rows (at most 4) by `channels` (at most 4) from c on; where
 * there are fewer, the last one stands in. */
static NOINLINE void tile_part(const struct tiles *t, const LEFT *x,
                               int32_t rows, int32_t c, int32_t channels,
                               int32_t sum[16])
{
    const LEFT *xs[4];
    const RIGHT *ws[4];

    for (int32_t i = 0; i < 4; i++) {
        xs[i] = x + (ptrdiff_t)(i < rows ? i : rows - 1) * t->xstep;
        ws[i] = t->w +
                (ptrdiff_t)(c + (i < channels ? i : channels - 1)) * t->wstep;
    }
    if (rows == 4 && channels == 4 && t->xstep == t->wstep) {
        block44(x, ws[0], t->k / 4, t->xstep, sum);
    } else {
        block24(xs[0], xs[1], ws, t->k / 4, sum);
        if (rows > 2)
            block24(xs[2], xs[3], ws, t->k / 4, sum + 8);
    }
    if (t->k % 4)
        tile_tail(t, xs, rows, ws, sum);
}

static inline void tile_sums(const struct tiles *t, const LEFT *x,
                             int32_t rows, int32_t c, int32_t channels,
                             int32_t sum[16])
{
    if (rows == 4 && channels == 4 && t->xstep == t->wstep && t->k % 4 == 0)
        block44(x, t->w + (ptrdiff_t)c * t->wstep, t->k >> 2, t->xstep, sum);
    else
        tile_part(t, x, rows, c, channels, sum);
}

/* What stands in for an absent operand. */
static const START tile_bias[1] = {0};
static const MUL tile_mul[1] = {1};
static const ADD tile_add[1] = {0};

static inline void tile_defaults(struct tiles *t)
{
    if (!t->bias)
        t->bias = tile_bias, t->biasc = 0;
    if (!t->mul)
        t->mul = tile_mul, t->mulc = t->shift = 0;
    if (!t->add)
        t->add = tile_add, t->addc = 0;
}

/* The results of a tile.  What is stored may be any byte for all a compiler
 * knows, hence the copies of what is in memory. */
static inline void tile_finish(const struct tiles *t, int32_t rows, int32_t c,
                               int32_t channels, const int32_t *sum, Y *y)
{
    const int32_t lo = t->lo, hi = t->hi, step = t->ystep;
    const int32_t biasc = t->biasc, mulc = t->mulc, addc = t->addc;
    const START *bias = t->bias + (ptrdiff_t)c * biasc;
    const MUL *mul = t->mul + (ptrdiff_t)c * mulc;
    const ADD *add = t->add + (ptrdiff_t)c * addc;
    const int32_t *end = sum + channels;
#ifdef SHIFTS
    const SHIFTS *shifts = t->shifts + (ptrdiff_t)c * mulc;
#else
    const int32_t shift = t->shift;
#endif

    for (y += c; sum < end; sum++, y++) {
        const int32_t b = (int32_t)*bias, m = (int32_t)*mul;
        const ADD a = *add;
#ifdef SHIFTS
        const int32_t shift = (int32_t)*shifts;
#endif
        int32_t v[4];

#pragma GCC unroll 4
        for (int32_t i = 0; i < rows; i++)
            v[i] = block_clip(scaled(sum[4 * i] + b, m, a, shift), lo, hi);
#pragma GCC unroll 4
        for (int32_t i = 0; i < rows; i++)
            y[(ptrdiff_t)i * step] = (Y)v[i];
        bias += biasc, mul += mulc, add += addc;
#ifdef SHIFTS
        shifts += mulc;
#endif
    }
}

/* Rows x, at most 4, by channels [from, to). */
static void tile_rows(const struct tiles *t, const LEFT *x, int32_t rows,
                      int32_t from, int32_t to, Y *y)
{
    int32_t sum[16];

    for (int32_t c = from; c < to; c += 4) {
        const int32_t channels = to - c < 4 ? to - c : 4;

        tile_sums(t, x, rows, c, channels, sum);
        if (rows == 4)
            tile_finish(t, 4, c, channels, sum, y);
        else if (rows == 3)
            tile_finish(t, 3, c, channels, sum, y);
        else if (rows == 2)
            tile_finish(t, 2, c, channels, sum, y);
        else
            tile_finish(t, 1, c, channels, sum, y);
    }
}

/* Rows x + i xstep for i of [from, to), by channels [cfrom, cto). */
static inline void tile_all(const struct tiles *t, const LEFT *x, int32_t from,
                            int32_t to, int32_t cfrom, int32_t cto, Y *y)
{
    for (; from < to; from += 4)
        tile_rows(t, x + (ptrdiff_t)from * t->xstep,
                  to - from < 4 ? to - from : 4, cfrom, cto,
                  y + (ptrdiff_t)from * t->ystep);
}

#endif
