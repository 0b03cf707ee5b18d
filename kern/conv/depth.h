/* Channels-last depthwise convolution: rows of pixels, four channels at a time.
 *
 * The including file defines finish(k, io, sum, channel). */
#ifndef DEPTH_H
#define DEPTH_H

#include "kern/conv/window.h"

/* The taps of a window and their distances. */
struct patch {
    int32_t rows, cols;
    ptrdiff_t xrow, xcol, wrow, wcol;
};

/* A window that is not all inside, where x has the value padv: its taps that
 * are inside. */
struct edge {
    struct span rows, cols;
};

/* What the taps that are outside add to a channel. */
static NOINLINE ACC outside(const struct conv_dims *k, const struct edge *e,
                            const W *w)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++)
            if (i < e->rows.lo || i >= e->rows.hi || j < e->cols.lo ||
                j >= e->cols.hi)
                sum += (ACC)w[(ptrdiff_t)i * k->wh + (ptrdiff_t)j * k->ww];
    return (ACC)k->padv * sum;
}

static ACC bias_of(const struct io *io, int32_t channel)
{
    const B *b = io->in[2];

    return b ? (ACC)b[channel] : 0;
}

/* Sums of four channels: neighbours in x, and with weights `next` apart.  A
 * function of its own, so that its loops have the registers to themselves; s
 * and t are apart, lest a compiler makes them a vector and spends its time
 * filling it. */
static NOINLINE void taps4(const struct patch *p, const X *x, const W *w,
                           ptrdiff_t next, ACC s[2], ACC t[2])
{
    ACC s0 = s[0], s1 = s[1], t0 = t[0], t1 = t[1];

    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow) {
        const X *a = x;
        const W *u = w;

        for (int32_t j = p->cols; j > 0; j--, a += p->xcol, u += p->wcol) {
            s0 += (ACC)a[0] * (ACC)u[0];
            s1 += (ACC)a[1] * (ACC)u[next];
            t0 += (ACC)a[2] * (ACC)u[2 * next];
            t1 += (ACC)a[3] * (ACC)u[3 * next];
        }
    }
    s[0] = s0, s[1] = s1;
    t[0] = t0, t[1] = t1;
}

static ACC taps1(const struct patch *p, const X *x, const W *w, ACC sum)
{
    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++)
            sum += (ACC)x[j * p->xcol] * (ACC)w[j * p->wcol];
    return sum;
}

/* What the sum of a channel begins with. */
static inline ACC start(const struct conv_dims *k, const struct io *io,
                        const struct edge *e, int32_t c)
{
    const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm;

    return bias_of(io, c) + (e ? outside(k, e, w) : 0);
}

/* Channels `of` a pixel; e: NULL, or what is outside.  Four are finished
 * before any is stored, so that what finish() loads of k is loaded once. */
static void pixel(const struct conv_dims *k, const struct io *io,
                  const struct patch *p, const struct edge *e, const X *x,
                  const W *w, struct span of, Y *y)
{
    int32_t c = of.lo;

    w += (ptrdiff_t)c * k->wm;
    for (; c + 4 <= of.hi; c += 4, w += 4 * (ptrdiff_t)k->wm) {
        ACC s[2] = {start(k, io, e, c), start(k, io, e, c + 1)};
        ACC t[2] = {start(k, io, e, c + 2), start(k, io, e, c + 3)};

        taps4(p, x + c, w, k->wm, s, t);
        s[0] = (ACC)finish(k, io, s[0], c);
        s[1] = (ACC)finish(k, io, s[1], c + 1);
        t[0] = (ACC)finish(k, io, t[0], c + 2);
        t[1] = (ACC)finish(k, io, t[1], c + 3);
        y[c] = (Y)s[0];
        y[c + 1] = (Y)s[1];
        y[c + 2] = (Y)t[0];
        y[c + 3] = (Y)t[1];
    }
    for (; c < of.hi; c++, w += k->wm)
        y[c] = (Y)finish(k, io, taps1(p, x + c, w, start(k, io, e, c)), c);
}

/* Channels `of` an output row whose window begins at row `top`; x: row
 * `first`. */
static void row(const struct conv_dims *k, const struct io *io,
                struct span of, int32_t top, const X *x, int32_t first, Y *y)
{
    const struct span rows = window_span(top, k->kh, k->dh, k->h);
    const W *w = (const W *)io->in[1] + (ptrdiff_t)rows.lo * k->wh;

    x += (ptrdiff_t)(top + rows.lo * k->dh - first) * k->xh;
    for (int32_t ox = 0; ox < k->ow; ox++, y += k->yw) {
        const int32_t left = ox * k->sw - k->pw;
        const struct span cols = window_span(left, k->kw, k->dw, k->w);
        const struct edge e = {rows, cols};
        const struct patch p = {
            rows.hi - rows.lo, cols.hi - cols.lo,
            (ptrdiff_t)k->dh * k->xh, (ptrdiff_t)k->dw * k->xw, k->wh, k->ww};
        const int bare =
            k->padv != 0 &&
            !(window_whole(rows, k->kh) && window_whole(cols, k->kw));

        pixel(k, io, &p, bare ? &e : NULL,
              x + (ptrdiff_t)(left + cols.lo * k->dw) * k->xw,
              w + (ptrdiff_t)cols.lo * k->ww, of, y);
    }
}

/* This core's part of the result. */
static inline void depth_all(const struct conv_dims *k, const struct io *io)
{
    const struct share mine = share_of(io, k->n * k->oh, k->g, 4, 0);

    for (int32_t i = mine.rows.lo; i < mine.rows.hi; i++) {
        const int32_t n = i / k->oh, oy = i - n * k->oh;

        row(k, io, mine.channels, oy * k->sh - k->ph,
            (const X *)io->in[0] + (ptrdiff_t)n * k->xn, 0,
            (Y *)io->out[0] + (ptrdiff_t)n * k->yn + (ptrdiff_t)oy * k->yh);
    }
}

#endif
