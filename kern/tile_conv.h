/* Convolutions over tile.h: of one tap, straight from x; of several, from a
 * copy of four windows that lie side by side.
 *
 * The including file defines scaled(). */
#ifndef TILE_CONV_H
#define TILE_CONV_H

#include "kern/share.h"

typedef X LEFT;
typedef W RIGHT;
typedef B START;
#include "kern/tile.h"
#include "kern/window.h"

static inline struct tiles tiles_of(const struct conv_dims *k,
                                    const struct io *io, int32_t xstep)
{
    struct tiles t = {io->in[1], io->in[2], io->in[3], io->in[4],
                      k->c * k->kh * k->kw, k->wm, xstep, k->yw,
                      1, k->mulc, k->addc, k->shift, k->lo, k->hi};

    tile_defaults(&t);
    return t;
}

/* Rows four at a time, of `pixels`. */
static inline struct share share_pixels(const struct io *io, int32_t pixels,
                                        int32_t channels)
{
    struct share s = share_of(io, (pixels + 3) / 4, channels, 4);

    s.rows.lo *= 4;
    s.rows.hi = 4 * s.rows.hi < pixels ? 4 * s.rows.hi : pixels;
    return s;
}

static inline void tile_points(const struct conv_dims *k, const struct io *io)
{
    const struct tiles t = tiles_of(k, io, k->xw);
    const struct share s = share_pixels(io, k->oh * k->ow, k->m);

    for (int32_t n = 0; n < k->n; n++)
        tile_all(&t, (const X *)io->in[0] + (ptrdiff_t)n * k->xn, s.rows.lo,
                 s.rows.hi, s.channels.lo, s.channels.hi,
                 (Y *)io->out[0] + (ptrdiff_t)n * k->yn);
}

static inline X *copy_run(X *to, const X *x, int32_t n)
{
    for (; n >= 4; n -= 4, to += 4, x += 4)
        block_store(to, block_load(x));
    for (; n > 0; n--)
        *to++ = *x++;
    return to;
}

static inline X *fill_run(X *to, int32_t v, int32_t n)
{
    for (; n > 0; n--)
        *to++ = (X)v;
    return to;
}

/* One row of taps of a window; x: its row of the image. */
static inline X *copy_taps(const struct conv_dims *k, const X *x, int32_t left,
                           struct span cols, X *to)
{
    const int32_t inside = cols.hi - cols.lo;

    to = fill_run(to, k->padv, cols.lo * k->c);
    x += (ptrdiff_t)(left + cols.lo * k->dw) * k->xw;
    if (k->dw == 1 && k->xw == k->c)
        to = copy_run(to, x, inside * k->c);
    else
        for (int32_t j = 0; j < inside; j++)
            to = copy_run(to, x + (ptrdiff_t)j * k->dw * k->xw, k->c);
    return fill_run(to, k->padv, (k->kw - cols.hi) * k->c);
}

/* The window of pixel (oy, ox) of image x. */
static NOINLINE void copy_window(const struct conv_dims *k, const X *x,
                                 int32_t oy, int32_t ox, X *to)
{
    const int32_t top = oy * k->sh - k->ph, left = ox * k->sw - k->pw;
    const struct span cols = window_span(left, k->kw, k->dw, k->w);

    for (int32_t i = 0; i < k->kh; i++) {
        const int32_t at = top + i * k->dh;

        if (at < 0 || at >= k->h)
            to = fill_run(to, k->padv, k->kw * k->c);
        else
            to = copy_taps(k, x + (ptrdiff_t)at * k->xh, left, cols, to);
    }
}

/* Results of neighbours in a row need not be neighbours of the next row, so
 * four windows are of one row of y. */
static inline void tile_windows(const struct conv_dims *k, const struct io *io)
{
    const int32_t size = k->c * k->kh * k->kw, quads = (k->ow + 3) / 4;
    const struct tiles t = tiles_of(k, io, size);
    const struct share s = share_of(io, k->n * k->oh * quads, k->m, 4);

    for (int32_t i = s.rows.lo; i < s.rows.hi; i++) {
        const int32_t row = i / quads, ox = i % quads * 4;
        const int32_t n = row / k->oh, oy = row % k->oh;
        const int32_t rows = k->ow - ox < 4 ? k->ow - ox : 4;
        X *to = io->tmp;

        for (int32_t j = 0; j < rows; j++)
            copy_window(k, (const X *)io->in[0] + (ptrdiff_t)n * k->xn, oy,
                        ox + j, to + (ptrdiff_t)j * size);
        tile_rows(&t, to, rows, s.channels.lo, s.channels.hi,
                  (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
                      (ptrdiff_t)oy * k->yh + (ptrdiff_t)ox * k->yw);
    }
}

#endif
