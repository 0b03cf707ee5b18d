/* Matrix product with b transposed: two rows by two columns at a time.  To be
 * included after finish() and dot22() are defined. */
#ifndef MATMUL_TRANSB_H
#define MATMUL_TRANSB_H

#define MATMUL_STEP 2
#include "kern/matmul/matmul.h"

/* Columns `of` rows m and m + 1 of one batch. */
static void two_rows(const struct matmul_dims *k, const struct io *io,
                     struct span of, const A *a, const B *b, int32_t m, Y *y)
{
    for (int32_t n = of.lo; n < of.hi; n += 2) {
        const int32_t n1 = n + 1 < of.hi ? n + 1 : n;
        ACC s[2] = {bias_at(k, io, m, n), bias_at(k, io, m, n1)};
        ACC t[2] = {bias_at(k, io, m + 1, n), bias_at(k, io, m + 1, n1)};

        dot22(a, a + k->am, b + (ptrdiff_t)n * k->bn,
              b + (ptrdiff_t)n1 * k->bn, k->k, s, t);
        s[0] = (ACC)finish(k, io, s[0], m, n);
        t[0] = (ACC)finish(k, io, t[0], m + 1, n);
        s[1] = (ACC)finish(k, io, s[1], m, n1);
        t[1] = (ACC)finish(k, io, t[1], m + 1, n1);
        y[n] = (Y)s[0];
        y[n1] = (Y)s[1];
        y[k->n + n] = (Y)t[0];
        y[k->n + n1] = (Y)t[1];
    }
}

static void one_row(const struct matmul_dims *k, const struct io *io,
                    struct span of, const A *a, const B *b, int32_t m, Y *y)
{
    for (int32_t n = of.lo; n < of.hi; n += 2) {
        const int32_t n1 = n + 1 < of.hi ? n + 1 : n;
        ACC s[2] = {bias_at(k, io, m, n), bias_at(k, io, m, n1)};

        dot12(a, b + (ptrdiff_t)n * k->bn, b + (ptrdiff_t)n1 * k->bn, k->k, s);
        y[n] = (Y)finish(k, io, s[0], m, n);
        y[n1] = (Y)finish(k, io, s[1], m, n1);
    }
}

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    int32_t m = of->rows.lo;

    for (; m + 2 <= of->rows.hi; m += 2)
        two_rows(k, io, of->channels, a + (ptrdiff_t)m * k->am, b, m,
                 y + (ptrdiff_t)m * k->n);
    if (m < of->rows.hi)
        one_row(k, io, of->channels, a + (ptrdiff_t)m * k->am, b, m,
                y + (ptrdiff_t)m * k->n);
}

#endif
