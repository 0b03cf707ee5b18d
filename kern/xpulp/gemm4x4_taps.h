/* Channels-last convolutions of dense rows, four neighbouring pixels by four
 * channels, lines of up to TAPS_RUN fours of pixels at a time: what they cover
 * is copied once, with its padding, and windows are read there.  Weights are
 * copied too, the words of four channels side by side, every row of taps filled
 * up with zeros.  Single taps that need no copy are read from x.
 *
 * Of a row of pixels the last four are taken again where they are not a
 * multiple of four; of channels too. */
#ifndef GEMM4X4_TAPS_H
#define GEMM4X4_TAPS_H

#include "kern/conv/window.h"

typedef X LEFT;
typedef W RIGHT;
typedef B START;
#include "kern/xpulp/gemm4x4.h"
#include "kern/xpulp/gemm4x4_epilogue.h"

enum { TAPS_RUN = 16 };

/* size, wide: bytes of a row of taps, and in whole words; pitch: from row to
 * row of `strip`; direct: no strip is needed. */
struct taps_call {
    const struct conv_dims *k;
    struct gemm t;
    char *strip;
    int32_t size, wide, pitch, direct;
};

#ifdef XPULPV2
#define taps_gemm gemm_taps
#else
/* The sum of window x and one of four channels. */
static int32_t taps_sum(const struct gemm *t, const LEFT *x, const RIGHT *w)
{
    int32_t sum = 0;

    for (int32_t r = t->rows; r > 0; r--, x += t->jump)
        for (int32_t i = t->words; i > 0; i--, x += 4, w += 16)
            sum = word_dot(sum, word_load(x), word_load(w));
    return sum;
}

/* `count` times four windows, from x on, by four channels, from `at` on. */
static void taps_gemm(const struct gemm *t, const LEFT *x, int32_t at,
                      int32_t count, Y *const y[4])
{
    const RIGHT *w = t->w + (ptrdiff_t)at * t->step;

    for (int32_t i = 0; i < 4 * count; i++)
        for (int32_t j = 0; j < 4; j++) {
            const int32_t sum = taps_sum(t, x + (i >> 2) * t->xnext +
                                         (i & 3) * t->xstep, w + 4 * j);
            const int32_t c = at + j;
            const int32_t b = (int32_t)t->bias[t->biasnext ? c : j];

            y[i & 3][c + (i >> 2) * t->ynext] =
                (Y)clip(scaled(b + sum, t->mul[t->mulnext ? c : j],
                               t->add[t->addnext ? c : j], t->shift),
                        t->lo, t->hi);
        }
}
#endif

/* The weights of four channels. */
static void taps_four(const struct taps_call *q, const RIGHT *w, char *to)
{
    const struct conv_dims *k = q->k;
    const int32_t rows = q->size == q->wide ? 1 : k->kh;
    const int32_t n = rows == 1 ? k->kh * q->size : q->size;

    for (int32_t i = 0; i < 4; i++, w += k->wm, to += 4) {
        const char *from = (const char *)w;
        char *at = to;

        for (int32_t r = rows; r > 0; r--, from += n)
            at = bytes_apart(at, from, n);
    }
}

static void taps_weights(const struct taps_call *q, const RIGHT *w, char *to)
{
    const int32_t m = q->k->m;

    for (int32_t c = 0; c < m; c += 4, to += 4 * q->t.step)
        taps_four(q, w + (ptrdiff_t)(c < m - 4 ? c : m - 4) * q->k->wm, to);
}

/* A row of what windows cover, `cols` columns from `left` on. */
static void taps_row(const struct conv_dims *k, const X *x, int32_t left,
                     int32_t cols, char *to)
{
    const struct span in = window_span(left, cols, 1, k->w);

    to = fill_run(to, k->padv, in.lo * k->c);
    to = copy_run(to, x + (left + in.lo) * k->c, (in.hi - in.lo) * k->c);
    fill_run(to, k->padv, (cols - in.hi) * k->c);
}

static NOINLINE void taps_strip(const struct taps_call *q, const X *x,
                                int32_t top, int32_t left, int32_t cols)
{
    const struct conv_dims *k = q->k;
    char *to = q->strip;

    for (int32_t i = k->kh; i > 0; i--, top += k->dh, to += q->pitch) {
        if (top < 0 || top >= k->h)
            fill_run(to, k->padv, cols * k->c);
        else
            taps_row(k, x + top * k->xh, left, cols, to);
    }
}

/* n pixels, of which p is the first, by all channels: fours of them and, where
 * some are left over, the last four. */
static void taps_line(struct taps_call *q, const X *x, int32_t n, Y *p)
{
    const struct conv_dims *k = q->k;
    const int32_t step = k->yw, more = n & 3 ? n - 4 : 0;
    Y *const y[4] = {p, p + step, p + 2 * step, p + 3 * step};
    Y *const z[4] = {y[0] + more * step, y[1] + more * step,
                     y[2] + more * step, y[3] + more * step};
    const RIGHT *const w = q->t.w;

    for (int32_t c = 0; c < k->m; c += 4) {
        const int32_t at = c < k->m - 4 ? c : k->m - 4;

        q->t.w = w + (c - at) * q->t.step;
        taps_gemm(&q->t, x, at, n >> 2, y);
        if (more)
            taps_gemm(&q->t, x + more * q->t.xstep, at, 1, z);
    }
    q->t.w = w;
}

/* `n` pixels from ox on of row oy of an image. */
static void taps_run(struct taps_call *q, const X *x, int32_t oy, int32_t ox,
                     int32_t n, Y *y)
{
    const struct conv_dims *k = q->k;
    const int32_t top = oy * k->sh - k->ph, left = ox * k->sw - k->pw;

    y += oy * k->yh + ox * k->yw;
    if (q->direct) {
        taps_line(q, x + top * k->xh + left * k->c, n, y);
        return;
    }
    taps_strip(q, x, top, left, (n - 1) * k->sw + k->kw);
    taps_line(q, (const X *)(const void *)q->strip, n, y);
}

/* This core's share of the fours of pixels. */
static void taps_share(struct taps_call *q, const struct io *io)
{
    const struct conv_dims *k = q->k;
    const int32_t across = (k->ow + 3) >> 2;
    const int32_t run = q->direct ? across : TAPS_RUN;
    int32_t lo, hi, oy, ox, n;

    span(k->n * k->oh * across, io->core, io->ncore, &lo, &hi);
    oy = lo / across;
    ox = lo - oy * across;
    n = oy / k->oh;
    oy -= n * k->oh;
    while (lo < hi) {
        const int32_t rest = across - ox < hi - lo ? across - ox : hi - lo;
        const int32_t each = rest < run ? rest : run;
        const int32_t from = 4 * ox < k->ow - 4 ? 4 * ox : k->ow - 4;
        const int32_t to = 4 * (ox + each) < k->ow ? 4 * (ox + each) : k->ow;

        taps_run(q, (const X *)io->in[0] + n * k->xn, oy, from, to - from,
                 (Y *)io->out[0] + n * k->yn);
        lo += each;
        ox += each;
        if (ox == across)
            ox = 0, oy++;
        if (oy == k->oh)
            oy = 0, n++;
    }
}

/* Single taps, words of elements, all inside. */
static int taps_direct(const struct conv_dims *k)
{
    return k->kh == 1 && k->kw == 1 && k->c % 4 == 0 && k->ph == 0 &&
           k->pw == 0 && (k->oh - 1) * k->sh < k->h &&
           (k->ow - 1) * k->sw < k->w;
}

static inline void taps_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t most = k->ow < 4 * TAPS_RUN ? k->ow : 4 * TAPS_RUN;
    struct taps_call q = {.k = k, .strip = io->tmp};
    struct fours four;

    q.size = k->kw * k->c;
    q.wide = (q.size + 3) & ~3;
    q.pitch = ((most - 1) * k->sw * k->c + q.wide + 3) & ~3;
    q.direct = taps_direct(k);
    gemm_epilogue(k, io, 0, k->m, &four, &q.t);
    q.t.words = q.wide >> 2;
    q.t.step = k->kh * q.wide;
    q.t.xstep = k->sw * k->c;
    q.t.rows = k->kh;
    q.t.jump = q.pitch - q.wide;
    q.t.xnext = 4 * q.t.xstep;
    q.t.ynext = 4 * k->yw;
    q.t.lo = k->lo, q.t.hi = k->hi;
    q.t.w = (const RIGHT *)(q.strip + k->kh * q.pitch);
    taps_weights(&q, io->in[1], q.strip + k->kh * q.pitch);
    taps_share(&q, io);
}

#endif
