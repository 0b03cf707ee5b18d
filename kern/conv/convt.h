/* Transposed convolution, one output element at a time.  The including file
 * defines finish(k, io, sum, channel). */
#ifndef CONVT_H
#define CONVT_H

#include "kern/kern.h"

/* The input row (or column) that reaches output `at` by tap i, or -1. */
static inline int32_t convt_source(int32_t at, int32_t pad, int32_t i,
                                   int32_t dilation, int32_t stride,
                                   int32_t size)
{
    int32_t from = at + pad - i * dilation;

    if (from < 0 || from % stride != 0 || from / stride >= size)
        return -1;
    return from / stride;
}

/* x and w point at the group's first input channel. */
static NOINLINE ACC convt_window(const struct convt_dims *k, const X *x,
                                 const W *w, int32_t oy, int32_t ox)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            int32_t row = convt_source(oy, k->ph, i, k->dh, k->sh, k->h);
            int32_t col = convt_source(ox, k->pw, j, k->dw, k->sw, k->w);
            const X *xp = x + (ptrdiff_t)row * k->xh + (ptrdiff_t)col * k->xw;
            const W *wp = w + (ptrdiff_t)i * k->wh + (ptrdiff_t)j * k->ww;

            if (row < 0 || col < 0)
                continue;
            for (int32_t c = 0; c < k->c; c++)
                sum += (ACC)xp[(ptrdiff_t)c * k->xc] *
                       (ACC)wp[(ptrdiff_t)c * k->wc];
        }
    return sum;
}

/* Row i of output channel m of a group of one image. */
static inline void convt_row(const struct convt_dims *k, const struct io *io,
                             int32_t n, int32_t group, int32_t m, int32_t i)
{
    const B *b = io->in[2];
    const int32_t channel = group * k->m + m;
    const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn +
                 (ptrdiff_t)group * k->c * k->xc;
    const W *w = (const W *)io->in[1] + (ptrdiff_t)group * k->c * k->wc +
                 (ptrdiff_t)m * k->wm;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
           (ptrdiff_t)channel * k->yc + (ptrdiff_t)i * k->yh;

    for (int32_t j = 0; j < k->ow; j++) {
        ACC sum = convt_window(k, x, w, i, j) + (b ? (ACC)b[channel] : 0);

        y[(ptrdiff_t)j * k->yw] = (Y)finish(k, io, sum, channel);
    }
}

/* The rows of all channels of all images are dealt out. */
static inline void convt_all(const struct convt_dims *k, const struct io *io)
{
    const int32_t channels = k->g * k->m;
    int32_t from, to;

    span(k->n * channels * k->oh, io->core, io->ncore, &from, &to);
    for (; from < to; from++) {
        const int32_t plane = from / k->oh, n = plane / channels;
        const int32_t channel = plane - n * channels;

        convt_row(k, io, n, channel / k->m, channel % k->m,
                  from - plane * k->oh);
    }
}

#endif
