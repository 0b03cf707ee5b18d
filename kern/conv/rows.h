/* Channels-last depthwise convolution, four channels at a time, the rows under
 * the window of which are kept in scratch memory in a form that suits the inner
 * loop, with their borders.
 *
 * A row takes the slot of the one that is no longer needed; which weights meet
 * which row then turns, so there are as many orders of weights as rows.  To be
 * included after dsp/rows.h, which has the inner loop. */
#ifndef CONV_ROWS_H
#define CONV_ROWS_H

/* The epilogues of `count` channels from c on, whose weights are w. */
static void rows_scales(const struct conv_dims *k, const struct io *io,
                        const struct rows *at, int32_t c, int32_t count,
                        const W *w)
{
    const B *b = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    for (int32_t i = 0; i < ROWS_CHANNELS; i++) {
        rows_put_scale(
            at, i,
            scale32((b ? (int32_t)b[c] : 0) + rows_bias(k, w),
                    (int32_t)mul[(ptrdiff_t)c * k->mulc],
                    add ? (int64_t)add[(ptrdiff_t)c * k->addc] : 0,
                    SHIFT_OF(k, io, 5, (ptrdiff_t)c * k->mulc)));
        if (i + 1 < count) {
            c++;
            w += k->wm;
        }
    }
}

/* An output row, of whose window row 0 is in `slot`. */
static void rows_out(const struct conv_dims *k, const struct rows *at,
                     int32_t slot, int32_t count, Y *y)
{
    if (count == ROWS_CHANNELS) {
        rows_run(at, slot, (uint8_t *)y, k->yw);
    } else {
        rows_run(at, slot, at->few, ROWS_CHANNELS);
        for (int32_t i = 0; i < k->ow; i++)
            for (int32_t c = 0; c < count; c++)
                y[(ptrdiff_t)i * k->yw + c] = (Y)at->few[ROWS_CHANNELS * i + c];
    }
    if (panel_clips(k->lo, k->hi))
        for (int32_t i = 0; i < k->ow; i++)
            panel_clip(y + (ptrdiff_t)i * k->yw, count, k->lo, k->hi);
}

/* `count` channels from x and y on. */
static void rows_channels(const struct conv_dims *k, const struct rows *at,
                          int32_t count, const X *x, Y *y)
{
    int32_t slot = 0, next = -k->ph;

    for (int32_t oy = 0; oy < k->oh; oy++, y += k->yh) {
        const int32_t top = oy * k->sh - k->ph;

        if (next < top)
            next = top;
        for (; next < top + k->kh; next++) {
            rows_keep(k, at, next < 0 || next >= k->h
                                 ? NULL : x + (ptrdiff_t)next * k->xh,
                      slot, count);
            slot = slot + 1 == k->kh ? 0 : slot + 1;
        }
        rows_out(k, at, slot, count, y);
    }
}

static inline void rows_conv(const struct conv_dims *k, const struct io *io)
{
    const struct rows at = rows_of(k, io->tmp);

    for (int32_t n = 0; n < k->n; n++)
        for (int32_t c = 0; c < k->g; c += ROWS_CHANNELS) {
            const int32_t left = k->g - c;
            const int32_t count = left < ROWS_CHANNELS ? left : ROWS_CHANNELS;
            const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm;

            rows_scales(k, io, &at, c, count, w);
            rows_turn(k, &at, w, count);
            rows_channels(k, &at, count,
                          (const X *)io->in[0] + (ptrdiff_t)n * k->xn + c,
                          (Y *)io->out[0] + (ptrdiff_t)n * k->yn + c);
        }
}

#endif
