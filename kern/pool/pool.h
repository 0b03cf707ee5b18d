/* Channels-last pools: the loops that their kernels share.
 *
 * The taps inside x are found once per window; four channels at a time keep
 * their sums in registers.  The including file defines
 *     more(a, x)                          one more element
 *     finish_pool(k, io, a, taps, channel)
 * where taps is how many elements count (pool_taps), and first(x), what a
 * window whose first element is x begins with.  A file that has a pool4() of
 * its own defines POOL4; one that has a pool_many() of more channels defines
 * POOL_MANY, how many; one that has a pool_words(), which says how many
 * channels of a window it did, POOL_WORDS. */
#ifndef POOL_H
#define POOL_H

#include "kern/pool/patch.h"

#ifndef POOL4
/* Channels c to c + 3 of a window that begins at x. */
static NOINLINE void pool4(const struct pool_dims *k, const struct io *io,
                           const struct patch *p, const X *x, int32_t taps,
                           int32_t c, Y *y)
{
    ACC a0 = first((ACC)x[0]), a1 = first((ACC)x[1]);
    ACC a2 = first((ACC)x[2]), a3 = first((ACC)x[3]);

    for (int32_t i = p->rows; i > 0; i--, x += p->row) {
        const X *at = x;

        for (int32_t j = p->cols; j > 0; j--, at += p->col) {
            a0 = more(a0, (ACC)at[0]);
            a1 = more(a1, (ACC)at[1]);
            a2 = more(a2, (ACC)at[2]);
            a3 = more(a3, (ACC)at[3]);
        }
    }
    a0 = (ACC)finish_pool(k, io, a0, taps, c);
    a1 = (ACC)finish_pool(k, io, a1, taps, c + 1);
    a2 = (ACC)finish_pool(k, io, a2, taps, c + 2);
    a3 = (ACC)finish_pool(k, io, a3, taps, c + 3);
    y[0] = (Y)a0;
    y[1] = (Y)a1;
    y[2] = (Y)a2;
    y[3] = (Y)a3;
}
#endif

static inline void pool1(const struct pool_dims *k, const struct io *io,
                         const struct patch *p, const X *x, int32_t taps,
                         int32_t c, Y *y)
{
    ACC a = first((ACC)x[0]);

    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t j = 0; j < p->cols; j++)
            a = more(a, (ACC)x[i * p->row + j * p->col]);
    *y = (Y)finish_pool(k, io, a, taps, c);
}

/* Taps that count in a mean: those in x, or in it and its padding. */
static inline int32_t pool_taps(const struct pool_dims *k, int32_t top,
                                int32_t left, const struct patch *p)
{
    struct span rows, cols;

    if (!k->countpad)
        return p->rows * p->cols;
    rows = window_span(top + k->ph, k->kh, k->dh, k->h + k->ph + k->phe);
    cols = window_span(left + k->pw, k->kw, k->dw, k->w + k->pw + k->pwe);
    return (rows.hi - rows.lo) * (cols.hi - cols.lo);
}

/* Channels `of` a pixel of the result. */
static inline void pool_pixel(const struct pool_dims *k, const struct io *io,
                              const X *x, int32_t oy, int32_t ox,
                              struct span of, Y *y)
{
    const int32_t top = oy * k->sh - k->ph, left = ox * k->sw - k->pw;
    const struct span rows = window_span(top, k->kh, k->dh, k->h);
    const struct span cols = window_span(left, k->kw, k->dw, k->w);
    const struct patch p = {rows.hi - rows.lo, cols.hi - cols.lo,
                            (ptrdiff_t)k->dh * k->xh,
                            (ptrdiff_t)k->dw * k->xw};
    const int32_t taps = pool_taps(k, top, left, &p);
    int32_t c = of.lo;

    x += (ptrdiff_t)(top + rows.lo * k->dh) * k->xh +
         (ptrdiff_t)(left + cols.lo * k->dw) * k->xw;
#ifdef POOL_MANY
    for (; c + POOL_MANY <= of.hi; c += POOL_MANY)
        pool_many(k, io, &p, x + c, y + c);
#endif
#ifdef POOL_WORDS
    c += pool_words(k, &p, x + c, of.hi - c, y + c);
#endif
    for (; c + 4 <= of.hi; c += 4)
        pool4(k, io, &p, x + c, taps, c, y + c);
    for (; c < of.hi; c++)
        pool1(k, io, &p, x + c, taps, c, y + c);
}

/* This core's part of the result: pixels, or channels of all.  To find the taps
 * of a pixel takes about as long as FIND times four channels. */
static inline void pool_all(const struct pool_dims *k, const struct io *io)
{
    enum { FIND = 4 };
    const struct share mine = share_of(io, k->n * k->oh * k->ow, k->c, 4, FIND);
    const int32_t row = mine.rows.lo / k->ow;
    int32_t n = row / k->oh, oy = row - n * k->oh;
    int32_t ox = mine.rows.lo - row * k->ow;

    for (int32_t i = mine.rows.lo; i < mine.rows.hi; i++) {
        pool_pixel(k, io, (const X *)io->in[0] + (ptrdiff_t)n * k->xn, oy, ox,
                   mine.channels,
                   (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
                       (ptrdiff_t)oy * k->yh + (ptrdiff_t)ox * k->yw);
        if (++ox < k->ow)
            continue;
        ox = 0;
        if (++oy < k->oh)
            continue;
        oy = 0;
        n++;
    }
}

#endif
