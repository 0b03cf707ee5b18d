/* The integer RMS norm of 16 bits: squares are summed in 64, and a row is
 * divided by its root once.
 *
 * A core takes a stretch of all elements, whatever the rows; of a row that it
 * shares, it has the sum too.  To be included behind inverse.h, after X, W and
 * Y are defined; and SQUARES and QUOTIENTS, functions, where there are better
 * ones. */
#ifndef ROW_RMSNORM_H
#define ROW_RMSNORM_H

#include "kern/row/divisor.h"

#ifndef SQUARES
#define SQUARES squares
static inline uint64_t squares(const X *x, int32_t n)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (uint32_t)((int32_t)x[i] * x[i]);
    return sum;
}
#endif

/* n results: x w / root as in C, the sign taken off and put on. */
#ifndef QUOTIENTS
#define QUOTIENTS quotients
static inline void quotients(const struct row_dims *k, const X *x, const W *w,
                             Y *y, int32_t n, uint32_t inverse, int32_t shift)
{
    const int32_t less = k->shift, lo = k->lo, hi = k->hi;

    for (int32_t i = 0; i < n; i++) {
        const int32_t v = (int32_t)x[i] * w[i];
        const uint32_t sign = (uint32_t)(v >> 31);
        const uint64_t size = ((uint32_t)v ^ sign) - sign;
        const uint32_t q = (uint32_t)(size * inverse >> 32) >> shift;

        y[i] = (Y)clip((int32_t)((q ^ sign) - sign) >> less, lo, hi);
    }
}
#endif

static inline void row(const struct row_dims *k, const X *x, const W *w, Y *y,
                       int32_t from, int32_t to)
{
    const struct divisor d = divisor_of(mean_of(SQUARES(x, k->n),
                                                (uint32_t)k->n));

    if (d.root > 1)
        QUOTIENTS(k, x + from, w + from, y + from, to - from, d.inverse,
                  d.shift);
    for (int32_t i = from; d.root < 2 && i < to; i++)
        y[i] = (Y)clip((int32_t)x[i] * w[i] >> k->shift, k->lo, k->hi);
}

static inline void rows(const struct row_dims *k, const struct io *io)
{
    const int32_t n = k->n;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t at, end, first;

    span(k->rows * n, io->core, io->ncore, &at, &end);
    first = at % n;
    x += at - first;
    y += at - first;
    for (; at < end; x += n, y += n, first = 0) {
        const int32_t to = n - first < end - at ? n : first + end - at;

        row(k, x, io->in[1], y, first, to);
        at += to - first;
    }
}

#endif
