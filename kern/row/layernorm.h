/* The integer layer norm in 32 bits; SQUARES holds the sum of a row's squares.
 * The root is of the variance plus one. */
#ifndef KERN_ROW_LAYERNORM_H
#define KERN_ROW_LAYERNORM_H

#include "kern/row/own_rows.h"

static int32_t mean(const X *x, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* The root of the variance about m, plus one. */
static int32_t deviation(const X *x, int32_t m, int32_t n)
{
    SQUARES sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const uint32_t d = (uint32_t)(x[i] - m);

        sum += d * d;
    }
    return (int32_t)isqrt32((uint32_t)(sum / (uint32_t)n) + 1);
}

static void row(const struct row_dims *k, const X *x, const W *w, const B *b,
                Y *y)
{
    const int32_t n = k->n, shift = k->shift, lo = k->lo, hi = k->hi;
    const int32_t m = mean(x, n), sd = deviation(x, m, n);

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip(((x[i] - m) * w[i] / sd + b[i]) >> shift, lo, hi);
}

static void rows(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}

#endif
