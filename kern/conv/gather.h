/* The bytes under a window, in a row: pixel_row() of conv/pair.h for windows of
 * any form.  Elements outside x have the value padv. */
#ifndef GATHER_H
#define GATHER_H

#include <string.h>

#include "kern/conv/window.h"

static uint8_t *put_value(uint8_t *to, int32_t n, int32_t value)
{
    for (; n > 0; n--)
        *to++ = (uint8_t)value;
    return to;
}

static inline uint8_t *put_run(uint8_t *to, const X *x, int32_t n)
{
    const uint8_t *from = (const uint8_t *)x, *const end = from + n;

    for (n >>= 2; n > 0; n--, from += 4, to += 4)
        memcpy(to, from, 4);
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

/* A window that is all inside, whose rows are one run each. */
static const void *put_window(const struct conv_dims *k, uint8_t *to,
                              const X *x)
{
    const ptrdiff_t next = (ptrdiff_t)k->dh * k->xh;
    const int32_t run = k->kw * k->c;
    const void *const all = to;

    if (k->kh == 1)
        return x;
    for (int32_t i = k->kh; i > 0; i--, x += next)
        to = put_run(to, x, run);
    return all;
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
    if (k->dw == 1 && k->xw == k->c && top >= 0 && left >= 0 &&
        top + (k->kh - 1) * k->dh < k->h && left + k->kw <= k->w)
        return put_window(k, spare, x + (ptrdiff_t)top * k->xh +
                                        (ptrdiff_t)left * k->xw);
    for (int32_t i = 0, y = top; i < k->kh; i++, y += k->dh)
        if (y < 0 || y >= k->h)
            to = put_value(to, k->kw * k->c, k->padv);
        else
            to = put_row(k, to, x + (ptrdiff_t)y * k->xh, left, cols);
    return spare;
}

#endif
