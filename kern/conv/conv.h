/* Channels-last convolution: the loops that its kernels share.
 *
 * For each output row, and along it for each pixel, the taps that lie inside x
 * are found first; what is left has no borders.  Pixels whose window is whole
 * are taken two at a time, and output channels always are: four sums live in
 * registers, and each element loaded serves two of them.  The elements of a
 * window's row are one run where they are neighbours in memory.
 *
 * The including file defines finish(k, io, sum, channel). */
#ifndef CONV_H
#define CONV_H

#include "kern/conv/window.h"

/* The taps of a window, as rows of cols runs, and their distances. */
struct patch {
    int32_t rows, cols, run;
    ptrdiff_t xrow, xcol, wrow, wcol;
};

static inline struct patch patch_of(const struct conv_dims *k, int32_t rows,
                                    int32_t cols)
{
    struct patch p = {rows, cols, k->c,
                      (ptrdiff_t)k->dh * k->xh, (ptrdiff_t)k->dw * k->xw,
                      k->wh, k->ww};

    if (k->dw == 1 && k->xw == k->c && k->ww == k->c) {
        p.cols = 1;
        p.run = cols * k->c;
    }
    return p;
}

/* A window that is not all inside: where its weights begin, and its taps that
 * are inside. */
struct edge {
    const W *w;
    struct span rows, cols;
};

/* The sum of a channel's weights on taps that are outside. */
static NOINLINE ACC outside(const struct conv_dims *k, const struct edge *e,
                            const W *w)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            const W *u = w + (ptrdiff_t)i * k->wh + (ptrdiff_t)j * k->ww;

            if (i >= e->rows.lo && i < e->rows.hi && j >= e->cols.lo &&
                j < e->cols.hi)
                continue;
            for (int32_t c = 0; c < k->c; c++)
                sum += (ACC)u[c];
        }
    return sum;
}

static inline ACC bias_of(const struct io *io, int32_t channel)
{
    const B *b = io->in[2];

    return b ? (ACC)b[channel] : 0;
}

/* Adds to s and t the sums of two pixels, `more` apart, by two channels, whose
 * weights are `other` apart; sums12: of one pixel.  In sums.h, sums_dsp.h. */
static NOINLINE void sums22(const struct patch *p, const X *x, ptrdiff_t more,
                            const W *w, ptrdiff_t other, ACC s[2], ACC t[2]);
static NOINLINE void sums12(const struct patch *p, const X *x, const W *w,
                            ptrdiff_t other, ACC s[2]);

/* Two pixels, channels `of` a group whose channel 0 is number `first`, and has
 * its weights at w.  All four are finished before any is stored, so that what
 * finish() loads is loaded once. */
static inline void conv_two(const struct conv_dims *k, const struct io *io,
                            const struct patch *p, const X *x, ptrdiff_t more,
                            const W *w, int32_t first, struct span of, Y *y0,
                            Y *y1)
{
    for (int32_t m = of.lo; m < of.hi; m += 2) {
        const int32_t c0 = first + m, c1 = m + 1 < of.hi ? c0 + 1 : c0;
        ACC s[2] = {bias_of(io, c0), bias_of(io, c1)}, t[2] = {s[0], s[1]};

        sums22(p, x, more, w + (ptrdiff_t)m * k->wm, c1 > c0 ? k->wm : 0, s,
               t);
        s[0] = (ACC)finish(k, io, s[0], c0);
        t[0] = (ACC)finish(k, io, t[0], c0);
        s[1] = (ACC)finish(k, io, s[1], c1);
        t[1] = (ACC)finish(k, io, t[1], c1);
        y0[c0] = (Y)s[0];
        y0[c1] = (Y)s[1];
        y1[c0] = (Y)t[0];
        y1[c1] = (Y)t[1];
    }
}

/* One pixel likewise.  e: NULL, or what is outside, where x has value padv. */
static inline void conv_one(const struct conv_dims *k, const struct io *io,
                            const struct patch *p, const struct edge *e,
                            const X *x, const W *w, int32_t first,
                            struct span of, Y *y)
{
    for (int32_t m = of.lo; m < of.hi; m += 2) {
        const int32_t c0 = first + m, c1 = m + 1 < of.hi ? c0 + 1 : c0;
        const ptrdiff_t at = (ptrdiff_t)m * k->wm;
        const ptrdiff_t other = c1 > c0 ? k->wm : 0;
        ACC s[2] = {bias_of(io, c0), bias_of(io, c1)};

        sums12(p, x, w + at, other, s);
        if (e) {
            s[0] += (ACC)k->padv * outside(k, e, e->w + at);
            s[1] += (ACC)k->padv * outside(k, e, e->w + at + other);
        }
        s[0] = (ACC)finish(k, io, s[0], c0);
        s[1] = (ACC)finish(k, io, s[1], c1);
        y[c0] = (Y)s[0];
        y[c1] = (Y)s[1];
    }
}

/* An output row of a group, whose first channel of x, w and y is pointed at. */
static inline void conv_row(const struct conv_dims *k, const struct io *io,
                            int32_t group, struct span of, int32_t oy,
                            const X *x, const W *w, Y *y)
{
    const int32_t top = oy * k->sh - k->ph, step = k->sw * k->xw;
    struct edge e = {w, window_span(top, k->kh, k->dh, k->h), {0, 0}};
    const int bare = k->padv != 0 && !window_whole(e.rows, k->kh);
    int32_t ox = 0;

    x += (ptrdiff_t)(top + e.rows.lo * k->dh) * k->xh;
    w += (ptrdiff_t)e.rows.lo * k->wh;
    while (ox < k->ow) {
        const int32_t left = ox * k->sw - k->pw, more = left + k->sw;
        const struct span cols = window_span(left, k->kw, k->dw, k->w);
        const int whole = window_whole(cols, k->kw);
        const X *xp = x + (ptrdiff_t)(left + cols.lo * k->dw) * k->xw;
        const W *wp = w + (ptrdiff_t)cols.lo * k->ww;
        const struct patch p =
            patch_of(k, e.rows.hi - e.rows.lo, cols.hi - cols.lo);
        Y *yp = y + (ptrdiff_t)ox * k->yw;

        e.cols = cols;
        if (ox + 1 < k->ow && whole && !bare &&
            window_whole(window_span(more, k->kw, k->dw, k->w), k->kw)) {
            conv_two(k, io, &p, xp, step, wp, group * k->m, of, yp,
                     yp + k->yw);
            ox += 2;
        } else {
            conv_one(k, io, &p,
                     bare || (k->padv != 0 && !whole) ? &e : NULL, xp, wp,
                     group * k->m, of, yp);
            ox++;
        }
    }
}

static inline void conv_all(const struct conv_dims *k, const struct io *io)
{
    const struct share mine = share_of(io, k->n * k->oh, k->m, 2, 0);

    for (int32_t i = mine.rows.lo; i < mine.rows.hi; i++) {
        const int32_t n = i / k->oh, oy = i - n * k->oh;

        for (int32_t g = 0; g < k->g; g++)
            conv_row(k, io, g, mine.channels, oy,
                     (const X *)io->in[0] + (ptrdiff_t)n * k->xn +
                         (ptrdiff_t)g * k->c,
                     (const W *)io->in[1] + (ptrdiff_t)g * k->m * k->wm,
                     (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
                         (ptrdiff_t)oy * k->yh);
    }
}

/* Windows of one tap, pixels in one row: this core's of image n. */
static inline void conv_points(const struct conv_dims *k, const struct io *io,
                               int32_t n)
{
    const struct patch p = {1, 1, k->c, 0, 0, 0, 0};
    const int32_t pixels = k->h * k->w;
    const struct share mine = share_of(io, (pixels + 1) / 2, k->m, 2, 0);
    const int32_t end = 2 * mine.rows.hi < pixels ? 2 * mine.rows.hi : pixels;
    int32_t i = 2 * mine.rows.lo;
    const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn +
                 (ptrdiff_t)i * k->xw;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn + (ptrdiff_t)i * k->yw;

    for (; i + 1 < end; i += 2, x += 2 * k->xw, y += 2 * k->yw)
        conv_two(k, io, &p, x, k->xw, io->in[1], 0, mine.channels, y,
                 y + k->yw);
    if (i < end)
        conv_one(k, io, &p, NULL, x, io->in[1], 0, mine.channels, y);
}

#endif
