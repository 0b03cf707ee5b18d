/* Channels-last convolution, two pixels by two channels of halves of 16 bits at
 * a time.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int -> y:s8|u8
 * isa      dsp
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c &&
 *          (oh == 1 || yh == ow * yw) && (n == 1 || yn == oh * ow * yw) &&
 *          padv >= (x.lo < 0 ? -128 : 0) && padv <= (x.hi > 127 ? 255 : 127) &&
 *          m > 1 && c * kh * kw < 32768 && has.mul &&
 *          (shift > 31 || (2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift)
 *          && scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * layout   last
 * scratch  64 + 5 * (kh * kw * c + 7 & -8) + 2 * (kh * kw * c + 7 & -8) *
 *          max(kh * kw * c > 256 ? 8 : 16,
 *          min(64, 2048 / (kh * kw * c + 7 & -8)))
 * stack    320
 * cycles   n * g * oh * ow * (m * (8 + kh * kw * c) + 40 +
 *          kh * (20 + kw * c * 9))
 */
#include "kern/kern.h"
#include "kern/conv/window.h"

static uint8_t *put_value(uint8_t *to, int32_t n, int32_t value)
{
    for (; n > 0; n--)
        *to++ = (uint8_t)value;
    return to;
}

static uint8_t *put_run(uint8_t *to, const X *x, int32_t n)
{
    const uint8_t *from = (const uint8_t *)x, *end = from + n;

    for (; end - from >= 4; from += 4, to += 4)
        __builtin_memcpy(to, from, 4);
    while (from != end)
        *to++ = *from++;
    return to;
}

/* The taps of a row of x under a window that begins at column `left`. */
static uint8_t *put_row(const struct conv_dims *k, uint8_t *to, const X *x,
                        int32_t left, struct span cols)
{
    to = put_value(to, cols.lo * k->c, k->padv);
    x += (ptrdiff_t)(left + cols.lo * k->dw) * k->xw;
    if (k->dw == 1 && k->xw == k->c)
        to = put_run(to, x, (cols.hi - cols.lo) * k->c);
    else
        for (int32_t j = cols.lo; j < cols.hi; j++, x += k->dw * k->xw)
            to = put_run(to, x, k->c);
    return put_value(to, (k->kw - cols.hi) * k->c, k->padv);
}

static const void *pixel_row(const struct conv_dims *k, const X *x, int32_t at,
                             void *spare)
{
    const int32_t row = at / k->ow, n = row / k->oh;
    const int32_t top = (row - n * k->oh) * k->sh - k->ph;
    const int32_t left = (at - row * k->ow) * k->sw - k->pw;
    const struct span cols = window_span(left, k->kw, k->dw, k->w);
    uint8_t *to = spare;

    x += (ptrdiff_t)n * k->xn;
    for (int32_t i = 0, y = top; i < k->kh; i++, y += k->dh)
        if (y < 0 || y >= k->h)
            to = put_value(to, k->kw * k->c, k->padv);
        else
            to = put_row(k, to, x + (ptrdiff_t)y * k->xh, left, cols);
    return spare;
}

#include "kern/dsp/pair_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    pair_conv(k, io);
}
