/* Channels-last convolution by panels of pixels, two channels at a time.
 *
 * To be included after dsp/pair.h, which has the inner loop and says what a
 * panel is.  The including file defines pixel_row(k, x, at, spare):
 * the bytes under the window of pixel `at` of a group, in order, perhaps in
 * spare. */
#ifndef CONV_PAIR_H
#define CONV_PAIR_H

static const void *pixel_row(const struct conv_dims *k, const X *x, int32_t at,
                             void *spare);

static struct scale32 pair_channel(const struct conv_dims *k,
                                   const struct io *io, int32_t channel,
                                   const W *w)
{
    const B *b = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];
    const ptrdiff_t at = (ptrdiff_t)channel * k->mulc;

    return scale32((b ? (int32_t)b[channel] : 0) +
                       pair_bias(w, k->kh * k->kw * k->c),
                   (int32_t)mul[at],
                   add ? (int64_t)add[(ptrdiff_t)channel * k->addc] : 0,
                   SHIFT_OF(k, io, 5, at));
}

/* n pixels of a group from number `first` on. */
static void pair_panel(const struct conv_dims *k, const struct io *io,
                       const struct panel *at, int32_t group,
                       int32_t first, int32_t n)
{
    const X *x = (const X *)io->in[0] + (ptrdiff_t)group * k->c;
    const int32_t from = group * k->m, to = from + k->m;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)first * k->yw;

    for (int32_t i = 0; i < n; i += 2) {
        const int32_t next = i + 1 < n ? i + 1 : i;

        pair_rows(at, pixel_row(k, x, first + i, at->spare),
                  pixel_row(k, x, first + next,
                            (uint8_t *)at->spare + at->columns), i);
    }
    for (int32_t c = from; c < to; c += 2) {
        const int32_t c0 = c + 2 > to ? to - 2 : c;
        const W *w = (const W *)io->in[1] + (ptrdiff_t)c0 * k->wm;
        const struct scale32 s[2] = {
            pair_channel(k, io, c0, w), pair_channel(k, io, c0 + 1, w + k->wm)};

        pair_channels(at, w, k->wm, s, n, (uint8_t *)(y + c0), k->yw);
    }
    if (panel_clips(k->lo, k->hi))
        for (int32_t i = 0; i < n; i++, y += k->yw)
            panel_clip(y + from, k->m, k->lo, k->hi);
}

static inline void pair_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t pixels = k->n * k->oh * k->ow, taps = k->kh * k->kw * k->c;
    const int32_t columns = pair_columns(taps), all = (pixels + 1) & -2;
    const int32_t some = pair_pixels(columns, io->more.room);
    const int32_t most = some < all ? some : all;
    struct panel at = {io->tmp, NULL, NULL, taps, columns};

    at.own = (uint8_t *)at.x + pair_bytes(columns) * most;
    at.spare = at.own; /* before weights are there */
    for (int32_t g = 0; g < k->g; g++)
        for (int32_t i = 0; i < pixels; i += most)
            pair_panel(k, io, &at, g, i,
                       pixels - i < most ? pixels - i : most);
}

#endif
