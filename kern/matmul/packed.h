/* Matrix product with b in rows, two columns of which are packed at a time.
 * To be included after finish() and dot22() are defined. */
#ifndef MATMUL_PACKED_H
#define MATMUL_PACKED_H

#define MATMUL_STEP 2
#include "kern/matmul/matmul.h"

/* Columns n and n1 of b into rows of their own. */
static void pack(const struct matmul_dims *k, const B *b, int32_t n,
                 int32_t n1, B *to)
{
    for (int32_t i = 0; i < k->k; i++, b += k->bk) {
        to[i] = b[n];
        to[k->k + i] = b[n1];
    }
}

static void two_rows(const struct matmul_dims *k, const struct io *io,
                     const A *a, const B *pair, int32_t m, int32_t n,
                     int32_t n1, Y *y)
{
    ACC s[2] = {bias_at(k, io, m, n), bias_at(k, io, m, n1)};
    ACC t[2] = {bias_at(k, io, m + 1, n), bias_at(k, io, m + 1, n1)};

    dot22(a, a + k->am, pair, pair + k->k, k->k, s, t);
    s[0] = (ACC)finish(k, io, s[0], m, n);
    t[0] = (ACC)finish(k, io, t[0], m + 1, n);
    s[1] = (ACC)finish(k, io, s[1], m, n1);
    t[1] = (ACC)finish(k, io, t[1], m + 1, n1);
    y[n] = (Y)s[0];
    y[n1] = (Y)s[1];
    y[k->n + n] = (Y)t[0];
    y[k->n + n1] = (Y)t[1];
}

static void one_row(const struct matmul_dims *k, const struct io *io,
                    const A *a, const B *pair, int32_t m, int32_t n,
                    int32_t n1, Y *y)
{
    ACC s[2] = {bias_at(k, io, m, n), bias_at(k, io, m, n1)};

    dot12(a, pair, pair + k->k, k->k, s);
    y[n] = (Y)finish(k, io, s[0], m, n);
    y[n1] = (Y)finish(k, io, s[1], m, n1);
}

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    B *pair = io->tmp;

    for (int32_t n = of->channels.lo; n < of->channels.hi; n += 2) {
        const int32_t n1 = n + 1 < of->channels.hi ? n + 1 : n;
        int32_t m = of->rows.lo;

        pack(k, b, n, n1, pair);
        for (; m + 2 <= of->rows.hi; m += 2)
            two_rows(k, io, a + (ptrdiff_t)m * k->am, pair, m, n, n1,
                     y + (ptrdiff_t)m * k->n);
        if (m < of->rows.hi)
            one_row(k, io, a + (ptrdiff_t)m * k->am, pair, m, n, n1,
                    y + (ptrdiff_t)m * k->n);
    }
}

#endif
