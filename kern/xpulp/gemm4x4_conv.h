/* Channels-last convolutions over gemm4x4.h, four pixels by four channels: of
 * one tap straight from x where its pixels lie as far apart as rows of weights,
 * else from copies of four windows that lie side by side.
 *
 * Where the elements of a window do not fill words, windows have zeros at their
 * ends and, if they are four, lie word by word beside each other, for rows of
 * weights are not as far apart.  The last word of such a row reaches into the
 * next: of the last four rows there are copies with zeros at their ends, as
 * there are of all rows if they are few beside the pixels, which then lie as
 * others do.  The including file defines scaled(). */
#ifndef GEMM4X4_CONV_H
#define GEMM4X4_CONV_H

#include "kern/share.h"
#include "kern/conv/window.h"

typedef X LEFT;
typedef W RIGHT;
typedef B START;
#define GEMM_SIDES 1
#include "kern/xpulp/gemm4x4.h"
#include "kern/xpulp/gemm4x4_epilogue.h"

/* One group of a convolution: t, x and y are those of the group; copied, whole:
 * where after `windows` copies of the last rows of weights lie, or of all, or
 * 0.  size: of a window; wide: the same in whole words; row: of weights.
 * Windows that begin before row `tops` and column `lefts` do not end outside.
 */
struct gemm_call {
    const struct conv_dims *k;
    struct gemm t;
    const X *x;
    Y *y;
    X *windows;
    int32_t size, wide, row, pixels, channels, copied, whole, direct, tops,
        lefts;
};

struct point {
    int32_t n, y, x;
};

/* Are the pixels of x as far apart as the rows of weights, all of them, and
 * those of y evenly too? */
static int gemm_direct(const struct conv_dims *k)
{
    return k->kh == 1 && k->kw == 1 && k->c % 4 == 0 && k->xw == k->c &&
           k->n == 1 && k->g == 1 && k->ph == 0 && k->pw == 0 &&
           k->sh == 1 && k->sw == 1 && k->ow <= k->w && k->oh <= k->h &&
           k->oh * k->ow > 3 &&
           (k->oh == 1 || (k->xh == k->ow * k->xw && k->yh == k->ow * k->yw));
}

static struct point point_at(const struct conv_dims *k, int32_t i)
{
    const int32_t row = i / k->ow, n = row / k->oh;
    const struct point p = {n, row - n * k->oh, i - row * k->ow};

    return p;
}

static inline void point_next(const struct conv_dims *k, struct point *p)
{
    if (++p->x < k->ow)
        return;
    p->x = 0;
    if (++p->y < k->oh)
        return;
    p->y = 0;
    p->n++;
}

/* A row of taps of a window at column `left`, of which `cols` are inside; x:
 * the row's beginning. */
static char *copy_taps(const struct conv_dims *k, const X *x, int32_t left,
                       struct span cols, char *to)
{
    const int32_t c = k->c, step = k->dw * k->xw;

    if (cols.lo)
        to = fill_run(to, k->padv, cols.lo * c);
    x += left * k->xw + cols.lo * step;
    if (step == c)
        to = copy_run(to, x, (cols.hi - cols.lo) * c);
    else
        for (int32_t j = cols.lo; j < cols.hi; j++, x += step)
            to = copy_run(to, x, c);
    if (cols.hi < k->kw)
        to = fill_run(to, k->padv, (k->kw - cols.hi) * c);
    return to;
}

/* The window whose first tap is at row `top` and column `left` of image x: rows
 * of taps that lie inside and side by side at once. */
static NOINLINE void copy_window(const struct conv_dims *k, const X *x,
                                 int32_t top, int32_t left, char *to)
{
    const struct span cols = window_span(left, k->kw, k->dw, k->w);
    const int32_t size = k->kw * k->c;

    for (int32_t i = k->kh; i > 0; i--, top += k->dh) {
        if (top < 0 || top >= k->h)
            to = fill_run(to, k->padv, size);
        else
            to = copy_taps(k, x + top * k->xh, left, cols, to);
    }
}

/* The last n rows of weights as rows of whole words, four at least. */
static void copy_weights(const struct gemm_call *q, const RIGHT *w, int32_t n,
                         char *to)
{
    w += (ptrdiff_t)(q->channels - n) * q->k->wm;
    for (int32_t i = 0; i < n || i < 4; i++, w += q->k->wm) {
        char *end = to + q->wide;

        if (i < n)
            to = copy_run(to, w, q->size);
        to = fill_run(to, 0, (int32_t)(end - to));
    }
}

/* A window that is all inside, whose rows of taps lie side by side; x: its
 * first element. */
static inline void copy_inside(const struct conv_dims *k, const X *x, char *to)
{
    const int32_t size = k->kw * k->c, step = k->dh * k->xh;

    for (int32_t i = k->kh; i > 0; i--, x += step)
        to = gemm_copy(to, x, size);
}

/* Four pixels from p on, which is pixel number i: where their results go, and
 * copies of their windows. */
static NOINLINE void gemm_windows(const struct gemm_call *q, int32_t i,
                                  struct point *p, Y *y[4])
{
    const struct conv_dims *k = q->k;
    char *to = (char *)q->windows;

    for (int32_t j = 0; j < GEMM_PIXELS; j++, to += q->wide) {
        const int32_t top = p->y * k->sh - k->ph, left = p->x * k->sw - k->pw;

        y[j] = q->y + p->n * k->yn + p->y * k->yh + p->x * k->yw;
        if (top >= 0 && top < q->tops && left >= 0 && left < q->lefts)
            copy_inside(k, q->x + p->n * k->xn + top * k->xh + left * k->xw,
                        to);
        else
            copy_window(k, q->x + p->n * k->xn, top, left, to);
        if (GEMM_PIXELS == 2 && q->copied)
            fill_run(to + q->size, 0, q->wide - q->size);
        if (++i < q->pixels)
            point_next(k, p);
    }
}

/* The same, word by word beside each other. */
static NOINLINE void gemm_beside(const struct gemm_call *q, int32_t i,
                                 struct point *p, Y *y[4])
{
    const struct conv_dims *k = q->k;
    char *to = (char *)q->windows;
    char *const room = to + 4 * q->wide;

    for (int32_t j = 0; j < 4; j++, to += 4) {
        const int32_t top = p->y * k->sh - k->ph, left = p->x * k->sw - k->pw;
        const X *const x = q->x + p->n * k->xn;

        y[j] = q->y + p->n * k->yn + p->y * k->yh + p->x * k->yw;
        if (k->kh == 1 && top >= 0 && top < q->tops && left >= 0 &&
            left < q->lefts) {
            bytes_apart(to, (const char *)(x + top * k->xh + left * k->xw),
                        q->size);
        } else {
            copy_window(k, x, top, left, room);
            bytes_apart(to, room, q->size);
        }
        if (++i < q->pixels)
            point_next(k, p);
    }
}

/* The last four channels, from `at` on. */
static void gemm_last(struct gemm_call *q, const X *x, int32_t at,
                      Y *const y[4])
{
    const RIGHT *const w = q->t.w;

    if (q->copied) {
        q->t.w = (const RIGHT *)q->windows + q->copied - at * q->wide;
        q->t.step = q->wide;
    }
    gemm_row(&q->t, x, at, 1, y);
    q->t.w = w;
    q->t.step = q->row;
}

/* Fewer than four channels, by way of a place that has room for four. */
static NOINLINE void gemm_few(struct gemm_call *q, const X *x, Y *const y[4])
{
    Y out[16];
    Y *const to[4] = {out, out + 4, out + 8, out + 12};

    gemm_last(q, x, 0, to);
    for (int32_t i = 0; i < GEMM_PIXELS; i++)
        for (int32_t j = 0; j < q->channels; j++)
            y[i][j] = to[i][j];
}

/* Channels 4 c, of which there are 4 n; the last four of all are taken again
 * where channels are not a multiple of four. */
static void gemm_channels(struct gemm_call *q, const X *x, int32_t c,
                          int32_t n, Y *const y[4])
{
    const int32_t whole = (q->channels - (q->copied != 0)) >> 2;

    if (q->channels < 4) {
        gemm_few(q, x, y);
    } else {
        if (c < whole)
            gemm_row(&q->t, x, 4 * c, n < whole - c ? n : whole - c, y);
        if (c + n > whole)
            gemm_last(q, x, q->channels - 4, y);
    }
}

/* Four pixels of x as it is, i the first of them, whose results are evenly
 * apart too. */
static inline const X *gemm_points(const struct gemm_call *q, int32_t i,
                                   Y *y[4])
{
    const ptrdiff_t step = q->k->yw;

    y[0] = q->y + i * step;
    y[1] = y[0] + step;
    y[2] = y[1] + step;
    y[3] = y[2] + step;
    return q->x + (ptrdiff_t)i * q->wide;
}

#if GEMM_SCALE32 && GEMM_PIXELS == 4
#ifndef XPULPV2
static void gemm_flat(const struct gemm *t, const LEFT *x, int32_t at,
                      int32_t count, Y *const y[4])
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t far = i * t->ynext;
        Y *const to[4] = {y[0] + far, y[1] + far, y[2] + far, y[3] + far};

        gemm_plain(t, x + i * t->xnext, at, 1, to);
    }
}
#endif

/* May lines of pixels be gone along, and is it the quicker way? */
static int gemm_lined(const struct gemm_call *q)
{
    const struct conv_dims *k = q->k;
    const int bytes = sizeof(Y) == 1 && sizeof(START) == 4 &&
                      sizeof(MUL) == 4 && sizeof(ADD) == 4;
    const int32_t x = (q->pixels + 3) >> 2, y = (q->channels + 3) >> 2;

    return bytes && q->direct && q->channels > 3 &&
           (k->lo == 0 || k->lo + k->hi == -1) &&
           x * y * (q->t.words + 13) >= 350 * (y - x);
}

/* Fours [lo, hi) of pixels by the four channels from `at` on. */
static void gemm_line(const struct gemm_call *q, int32_t at, int32_t lo,
                      int32_t hi)
{
    const int32_t whole = q->pixels >> 2, last = q->pixels - 4;
    const X *x;
    Y *y[4];

    if (lo < whole) {
        x = gemm_points(q, 4 * lo, y);
        gemm_flat(&q->t, x, at, (hi < whole ? hi : whole) - lo, y);
    }
    if (hi > whole) {
        x = gemm_points(q, last, y);
        gemm_flat(&q->t, x, at, 1, y);
    }
}

/* This core's share of pieces, the pixels of four channels together. */
static void gemm_lines(struct gemm_call *q, int32_t lo, int32_t hi)
{
    const struct conv_dims *k = q->k;
    const int32_t each = (q->pixels + 3) >> 2, most = q->channels - 4;
    int32_t c = lo / each, i = lo - c * each;

    q->t.lo = k->lo, q->t.hi = k->hi;
    q->t.xnext = 4 * q->wide, q->t.ynext = 4 * k->yw;
    for (; lo < hi; i = 0, c++) {
        const int32_t n = each - i < hi - lo ? each - i : hi - lo;

        gemm_line(q, 4 * c < most ? 4 * c : most, i, i + n);
        lo += n;
    }
}
#else
#define gemm_lined(q) 0
#define gemm_lines(q, lo, hi) (void)0
#endif

/* This core's share of a group: pieces of four pixels by four channels, the
 * channels of a pixel together.  The last pixels are taken again where they are
 * not a multiple of four. */
static void gemm_pieces(struct gemm_call *q, int32_t lo, int32_t hi)
{
    const int32_t each = (q->channels + 3) / 4, last = q->pixels - GEMM_PIXELS;
    int32_t i = lo / each, c = lo - i * each;
    struct point p = {0, 0, 0};

    i *= GEMM_PIXELS;
    if (!q->direct)
        p = point_at(q->k, i);
    for (; lo < hi; i += GEMM_PIXELS) {
        const int32_t n = each - c < hi - lo ? each - c : hi - lo;
        const X *x = q->windows;
        Y *y[4];

        if (i > last && last > 0) {
            i = last;
            if (!q->direct)
                p = point_at(q->k, i);
        }
        if (q->direct)
            x = gemm_points(q, i, y);
        else if (GEMM_PIXELS == 4 && q->t.side)
            gemm_beside(q, i, &p, y);
        else
            gemm_windows(q, i, &p, y);
        gemm_channels(q, x, c, n, y);
        lo += n;
        c = 0;
    }
}

/* Group g. */
static void gemm_group(struct gemm_call *q, const struct io *io, int32_t g)
{
    const struct conv_dims *k = q->k;
    const int32_t m = k->m, at = g * m;
    struct fours four;
    int32_t lo, hi;

    span((q->pixels + GEMM_PIXELS - 1) / GEMM_PIXELS * ((m + 3) / 4), io->core,
         io->ncore, &lo, &hi);
    if (lo == hi)
        return;
    gemm_epilogue(k, io, at, m, &four, &q->t);
    q->x = (const X *)io->in[0] + (ptrdiff_t)g * k->c;
    q->y = (Y *)io->out[0] + at;
    q->t.w = (const RIGHT *)io->in[1] + (ptrdiff_t)at * k->wm;
    if (q->copied)
        copy_weights(q, q->t.w, 4, (char *)q->windows + q->copied);
    if (q->whole) {
        copy_weights(q, q->t.w, m, (char *)q->windows + q->whole);
        q->t.w = (const RIGHT *)q->windows + q->whole;
    }
    if (gemm_lined(q))
        gemm_lines(q, lo, hi);
    else
        gemm_pieces(q, lo, hi);
}

/* Cores that begin at once come to each bank of the memory at once. */
static inline void gemm_apart(const struct io *io)
{
#ifdef XPULPV2
    for (int32_t i = 2 * io->core; i > 0; i--)
        __asm__ volatile("nop");
#else
    (void)io;
#endif
}

static inline void gemm_conv(const struct conv_dims *k, const struct io *io)
{
    struct gemm_call q;

    gemm_apart(io);
    q.k = k;
    q.windows = io->tmp;
    q.size = k->c * k->kh * k->kw;
    q.wide = (q.size + 3) & ~3;
    q.pixels = k->n * k->oh * k->ow;
    q.channels = k->m;
    q.direct = GEMM_PIXELS == 4 && gemm_direct(k);
    q.tops = k->h - (k->kh - 1) * k->dh;
    q.lefts = k->dw * k->xw == k->c || k->kw == 1
                  ? k->w - (k->kw - 1) * k->dw : 0;
    q.whole = q.copied = 0;
    if (q.size != q.wide && k->m > 3 &&
        (k->m > 32 || q.pixels < 8 * k->m))
        q.copied = (GEMM_PIXELS == 4 ? 5 : 2) * q.wide;
    else if (q.size != q.wide || k->m < 4)
        q.whole = GEMM_PIXELS * q.wide;
    q.row = q.copied ? q.size : q.wide;
    q.t.words = q.wide / 4;
    q.t.step = q.row;
    q.t.xstep = q.wide;
    q.t.jump = 4 * q.size - q.wide;
    q.t.side = GEMM_PIXELS == 4 && q.copied;
    for (int32_t g = 0; g < k->g; g++)
        gemm_group(&q, io, g);
}

#endif
