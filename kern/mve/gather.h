/* pair_put() of mve/pair.h for windows of any form: the bytes under each, in
 * order.  Elements outside x have the value padv. */
#ifndef MVE_GATHER_H
#define MVE_GATHER_H

#include "kern/conv/window.h"
#include "kern/mve/put.h"

/* A window that begins at column `left`, of whose rows those are inside; x: the
 * first of them. */
static NOINLINE void put_window(const struct conv_dims *k, uint8_t *to,
                                const X *x, struct span rows, int32_t left)
{
    const struct span cols = window_span(left, k->kw, k->dw, k->w);
    const int32_t next = k->kw * k->c;

    if (!window_whole(rows, k->kh) || !window_whole(cols, k->kw))
        put_value(to, k->kh * next, (uint8_t)(k->padv ^ MVE_FLIP));
    to += rows.lo * next + cols.lo * k->c;
    x += (ptrdiff_t)(left + cols.lo * k->dw) * k->xw;
    if (k->dw == 1 && k->xw == k->c)
        put_rows(to, next, x, k->dh * k->xh, (cols.hi - cols.lo) * k->c,
                 rows.hi - rows.lo);
    else
        for (int32_t i = rows.lo; i < rows.hi; i++, to += next) {
            put_rows(to, k->c, x, k->dw * k->xw, k->c, cols.hi - cols.lo);
            x += (ptrdiff_t)k->dh * k->xh;
        }
}

/* n windows of one row, the first from (top, left) on. */
static NOINLINE void put_line(const struct conv_dims *k, const X *x,
                              int32_t top, int32_t left, int32_t n,
                              uint8_t *to, int32_t columns)
{
    const struct span rows = window_span(top, k->kh, k->dh, k->h);
    const int32_t next = k->kw * k->c, most = k->w - k->kw;
    const int32_t step = k->dh * k->xh, xw = k->xw, sw = k->sw, kh = k->kh;
    const int whole = window_whole(rows, kh) && k->dw == 1 && xw == k->c;

    x += (ptrdiff_t)(top + rows.lo * k->dh) * k->xh;
    for (; n > 0; n--, to += columns, left += sw)
        if (whole && left >= 0 && left <= most)
            put_rows(to, next, x + left * xw, step, next, kh);
        else
            put_window(k, to, x, rows, left);
}

static void pair_put(const struct conv_dims *k, const X *x, int32_t first,
                     int32_t n, uint8_t *to, int32_t columns)
{
    while (n > 0) {
        const int32_t row = first / k->ow, image = row / k->oh;
        const int32_t ox = first - row * k->ow, oy = row - image * k->oh;
        const int32_t count = k->ow - ox < n ? k->ow - ox : n;

        put_line(k, x + (ptrdiff_t)image * k->xn, oy * k->sh - k->ph,
                 ox * k->sw - k->pw, count, to, columns);
        to += (ptrdiff_t)count * columns;
        first += count;
        n -= count;
    }
}

#endif
