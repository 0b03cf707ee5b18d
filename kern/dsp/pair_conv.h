/* Channels-last convolution by panels of pixels (pair.h).  The including file
 * defines pixel_row(k, x, at, spare): the bytes under the window of pixel `at`
 * of a group, in order, perhaps in spare. */
#ifndef PAIR_CONV_H
#define PAIR_CONV_H

typedef X LEFT;
typedef W RIGHT;
#include "kern/dsp/pair.h"

/* What is at io->tmp: weights of a pair of channels and their tail, the pixels
 * of a panel, a row of bytes. */
struct pair_room {
    uint32_t *w, *x;
    uint8_t *spare;
    int32_t taps, columns;
};

static struct pair_scale pair_channel(const struct conv_dims *k,
                                      const struct io *io, int32_t channel)
{
    const B *b = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    return pair_scale(b ? (int64_t)b[channel] : 0,
                      (int32_t)mul[(ptrdiff_t)channel * k->mulc],
                      add ? (int64_t)add[(ptrdiff_t)channel * k->addc] : 0,
                      k->shift);
}

/* Channels c and c + 1 of n pixels, the last twice if n is odd, whose results
 * begin at y. */
static void pair_channels(const struct conv_dims *k, const struct io *io,
                          const struct pair_room *at, int32_t c, int32_t n,
                          Y *y)
{
    struct pair_tail *t = (struct pair_tail *)(at->w + at->columns);
    const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm;

    for (int i = 0; i < 2; i++) {
        pair_row(w + (ptrdiff_t)i * k->wm, at->taps, DSP_SIGNED(W),
                 at->w + 2 * i);
        t->of[i] = pair_channel(k, io, c + i);
    }
    t->y = (uint8_t *)(y + c);
    t->next = k->yw;
    t->end = at->x + (ptrdiff_t)(n >> 1) * at->columns;
    if (n > 1)
        pair_run(at->x, at->w, at->columns);
    if (n & 1) {
        const uint32_t *last = t->end;

        t->next = 0;
        t->end += at->columns;
        pair_run(last, at->w, at->columns);
    }
}

/* n pixels of a group from number `first` on. */
static void pair_panel(const struct conv_dims *k, const struct io *io,
                       const struct pair_room *at, int32_t group,
                       int32_t first, int32_t n)
{
    const X *x = (const X *)io->in[0] + (ptrdiff_t)group * k->c;
    const int32_t from = group * k->m, to = from + k->m;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)first * k->yw;

    for (int32_t i = 0; i < n + (n & 1); i++)
        pair_row(pixel_row(k, x, first + (i < n ? i : n - 1), at->spare),
                 at->taps, DSP_SIGNED(X),
                 at->x + (ptrdiff_t)(i >> 1) * at->columns + 2 * (i & 1));
    for (int32_t c = from; c < to; c += 2)
        pair_channels(k, io, at, c + 2 > to ? to - 2 : c, n, y);
    if (k->lo > (DSP_SIGNED(Y) ? -128 : 0) ||
        k->hi < (DSP_SIGNED(Y) ? 127 : 255))
        for (int32_t i = 0; i < n; i++, y += k->yw)
            pair_clip(y + from, k->m, k->lo, k->hi);
}

static inline void pair_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t pixels = k->n * k->oh * k->ow;
    struct pair_room at = {io->tmp, NULL, NULL, k->kh * k->kw * k->c, 0};
    int32_t most;

    at.columns = pair_columns(at.taps);
    at.x = at.w + at.columns + sizeof(struct pair_tail) / 4;
    most = pair_pixels(at.columns);
    at.spare = (uint8_t *)(at.x + (ptrdiff_t)(most >> 1) * at.columns);
    for (int32_t g = 0; g < k->g; g++)
        for (int32_t i = 0; i < pixels; i += most)
            pair_panel(k, io, &at, g, i,
                       pixels - i < most ? pixels - i : most);
}

#endif
