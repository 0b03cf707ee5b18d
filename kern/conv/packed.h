/* Convolutions of packed weights, one output element at a time. */
#ifndef PACKED_H
#define PACKED_H

#include "kern/conv/words.h"

static inline ACC packed_weight(const struct pconv_dims *k, const W *w,
                                int32_t o, int32_t tap, int32_t c)
{
    int32_t by, code = 0;
    int64_t bit = word_bit(k, o, tap, c, &by);

    for (int32_t b = 0; b < k->bits; b++, bit += by)
        code |= ((int32_t)w[bit >> 3] >> (bit & 7) & 1) << b;
    return (ACC)(code - k->less);
}

/* What output channel o has of one tap; x: NULL for padding. */
static inline ACC packed_tap(const struct pconv_dims *k, const W *w, int32_t o,
                             int32_t tap, const X *x)
{
    ACC sum = 0;

    for (int32_t c = 0; c < k->c; c++)
        sum += (x ? (ACC)x[(ptrdiff_t)c * k->xc] : (ACC)k->padv) *
               packed_weight(k, w, o, tap, c);
    return sum;
}

/* Of element (oy, ox) of output channel o; x: the group's first channel. */
static inline ACC packed_sum(const struct pconv_dims *k, const struct io *io,
                             const X *x, int32_t o, int32_t oy, int32_t ox)
{
    const B *b = io->in[2];
    ACC sum = b ? (ACC)b[o] : 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            const int32_t row = oy * k->sh - k->ph + i * k->dh;
            const int32_t col = ox * k->sw - k->pw + j * k->dw;
            const int in = row >= 0 && row < k->h && col >= 0 && col < k->w;

            sum += packed_tap(k, io->in[1], o, i * k->kw + j,
                              in ? x + (ptrdiff_t)row * k->xh +
                                       (ptrdiff_t)col * k->xw : NULL);
        }
    return sum;
}

/* The including file defines finish(k, io, sum, channel). */
static inline void packed_all(const struct pconv_dims *k, const struct io *io)
{
    const int32_t channels = k->g * k->m;
    int32_t i, end;

    span(k->n * channels, io->core, io->ncore, &i, &end);
    for (; i < end; i++) {
        const int32_t n = i / channels, o = i - n * channels;
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn +
                     (ptrdiff_t)(o / k->m) * k->c * k->xc;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn + (ptrdiff_t)o * k->yc;

        for (int32_t oy = 0; oy < k->oh; oy++)
            for (int32_t ox = 0; ox < k->ow; ox++)
                y[(ptrdiff_t)oy * k->yh + (ptrdiff_t)ox * k->yw] = (Y)finish(
                    k, io, packed_sum(k, io, x, o, oy, ox), o);
    }
}

#endif
