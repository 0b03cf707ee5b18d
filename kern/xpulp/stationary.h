/* Channels-last convolutions of small windows, weights stationary: those of two
 * channels, or of four if windows are of two words, stay in registers while
 * pixels pass, whose results are scaled and stored before the next begins.
 *
 * Single taps that need no copy are read from x.  Of windows of three by three
 * by three channels a line of up to STATIONARY_RUN pixels is copied once, its
 * columns one after the other: a window is 27 bytes in a row then, and weights,
 * copied too, have a zero behind them.
 *
 * The last channels are taken again where they are no multiple. */
#ifndef STATIONARY_H
#define STATIONARY_H

#include "kern/xpulp/gemm4x4_taps.h"
#include "kern/xpulp/stationary_pixels.h"

enum { STATIONARY_RUN = 64 };

struct stationary_call {
    const struct conv_dims *k;
    struct stationary t;
    char *strip;    /* NULL: none is needed */
    int32_t group;  /* channels */
    int dense;      /* pixels of all rows follow one another */
};

#ifdef XPULPV2
/* n columns of three pixels of three bytes, from three rows; the byte behind
 * them is lost. */
static char *stationary_columns(char *to, const X *const row[3],
                                const int32_t step[3], int32_t n)
{
    const X *r0 = row[0], *r1 = row[1], *r2 = row[2];
    int32_t a, b, c;

    if (n > 0)
        __asm__ volatile(XP_BLOCK "xlp.setup 0, %[n], 6\n"
                         "xp.lw.postr %[a], %[r0], %[s0]\n"
                         "xp.lw.postr %[b], %[r1], %[s1]\n"
                         "xp.lw.postr %[c], %[r2], %[s2]\n"
                         "xp.sw.post %[a], %[to], 3\n"
                         "xp.sw.post %[b], %[to], 3\n"
                         "xp.sw.post %[c], %[to], 3\n" XP_BLOCK_END
                         : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
                           [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2),
                           [to] "+r"(to)
                         : [n] "r"(n), [s0] "r"(step[0]), [s1] "r"(step[1]),
                           [s2] "r"(step[2])
                         : XP_CLOBBERS);
    return to;
}
#else
static char *stationary_columns(char *to, const X *const row[3],
                                const int32_t step[3], int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t r = 0; r < 3; r++, to += 3)
            memcpy(to, row[r] + i * step[r], 3);
    return to;
}
#endif

/* `cols` columns of three rows, those from `top` and `left` on. */
static NOINLINE void stationary_strip(const struct stationary_call *q,
                                      const X *x, int32_t top, int32_t left,
                                      int32_t cols)
{
    const struct conv_dims *k = q->k;
    const struct span in = window_span(left, cols, 1, k->w);
    const int32_t pad = (int32_t)((uint32_t)(k->padv & 255) * 0x01010101u);
    char *to = fill_run(q->strip, k->padv, 9 * in.lo);
    const X *row[3];
    int32_t step[3];

    for (int32_t i = 0; i < 3; i++, top++) {
        const int inside = top >= 0 && top < k->h;

        row[i] = inside ? x + top * k->xh + (left + in.lo) * 3
                        : (const X *)(const void *)&pad;
        step[i] = inside ? 3 : 0;
    }
    to = stationary_columns(to, row, step, in.hi - in.lo);
    fill_run(to, k->padv, 9 * (cols - in.hi));
}

/* Weights in the order of the strip, column by column. */
static NOINLINE void stationary_weights(const RIGHT *w, int32_t m, char *to)
{
    for (; m > 0; m--, w += 27, to += 28) {
        char *at = to;

        for (int32_t j = 0; j < 3; j++)
            for (int32_t i = 0; i < 3 && at < to + 24; i++, at += 3)
                word_store(at, word_load(w + 3 * j + 9 * i));
        word_store(to + 24, (int32_t)((uint32_t)word_load(w + 23) >> 8));
    }
}

/* What sums of each channel are multiplied by, and what is added then. */
static NOINLINE void stationary_scale(const struct conv_dims *k,
                                      const struct io *io, int32_t *to)
{
    const B *bias = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = mul ? io->in[4] : NULL;

    for (int32_t c = 0; c < k->m; c++, to += 2) {
        to[0] = mul ? (int32_t)mul[c * k->mulc] : 1;
        to[1] = (add ? (int32_t)add[c * k->addc] : 0) +
                (bias ? (int32_t)bias[c] : 0) * to[0];
    }
}

/* n pixels by all channels. */
static void stationary_line(const struct stationary_call *q, const X *x,
                            Y *y, int32_t n)
{
    const int32_t c = q->k->m - q->group;
    struct stationary t = q->t;

    stationary_pixels(&t, x, y, n);
    if (t.groups * q->group == q->k->m)
        return;
    t.groups = 1;
    t.w += 4 * c * t.words;
    t.scale += 2 * c;
    stationary_pixels(&t, x, y + c, n);
}

/* `n` pixels from ox on of row oy of an image. */
static void stationary_run(const struct stationary_call *q, const X *x,
                           int32_t oy, int32_t ox, int32_t n, Y *y)
{
    const struct conv_dims *k = q->k;
    const int32_t top = oy * k->sh - k->ph, left = ox * k->sw - k->pw;

    y += oy * k->yh + ox * k->yw;
    if (q->strip)
        stationary_strip(q, x, top, left, (n - 1) * k->sw + 3);
    stationary_line(q, q->strip ? (const X *)(const void *)q->strip
                                : x + top * k->xh + left * k->c, y, n);
}

/* This core's share of the pixels. */
static void stationary_share(const struct stationary_call *q,
                             const struct io *io)
{
    const struct conv_dims *k = q->k;
    int32_t lo, hi;

    span(k->n * k->oh * k->ow, io->core, io->ncore, &lo, &hi);
    while (lo < hi) {
        const int32_t row = lo / k->ow, ox = lo - row * k->ow;
        const int32_t n = row / k->oh, oy = row - n * k->oh;
        int32_t each = hi - lo;

        if (!q->dense && each > k->ow - ox)
            each = k->ow - ox;
        if (q->strip && each > STATIONARY_RUN)
            each = STATIONARY_RUN;
        stationary_run(q, (const X *)io->in[0] + n * k->xn, oy, ox, each,
                       (Y *)io->out[0] + n * k->yn);
        lo += each;
    }
}

/* Do pixels follow one another, row after row, in x and y? */
static int stationary_dense(const struct conv_dims *k)
{
    return k->sh == 1 && k->sw == 1 && k->n == 1 && k->xh == k->ow * k->c &&
           k->yh == k->ow * k->yw;
}

static inline void stationary_conv(const struct conv_dims *k,
                                   const struct io *io)
{
    const int direct = taps_direct(k);
    const int32_t words = (k->kh * k->kw * k->c + 3) >> 2;
    const int32_t group = words == 2 ? 4 : 2;
    const int32_t step = k->sw * (direct ? k->c : 9);
    int32_t *const scale = io->tmp;
    char *const own = (char *)(scale + 2 * k->m);
    const struct stationary_call q = {
        .k = k, .strip = direct ? NULL : own + 28 * k->m, .group = group,
        .dense = direct && stationary_dense(k),
        .t = {.w = direct ? io->in[1] : (const RIGHT *)(const void *)own,
              .scale = scale, .shift = io->in[3] ? k->shift : 0,
              .range = k->hi, .next = step - 4 * (words - 1),
              .ystep = k->yw, .groups = k->m / group, .words = words,
              .step = step, .low = k->lo},
    };

    stationary_scale(k, io, scale);
    if (!direct)
        stationary_weights(io->in[1], k->m, own);
    stationary_share(&q, io);
}

#endif
