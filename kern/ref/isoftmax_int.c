/* The integer softmax, exp by a parabola and shifts.
 *
 * op       isoftmax
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    224
 * cycles   990 * ncore * ((rows + ncore - 1) / ncore) * n
 *
 * p0: coeffA, p1: coeffB, p2: coeffC, p3: log2, hi: n_levels - 1.
 * z = floor(-t / log2), p = t + z log2, y = (A (p + B)^2 + C) >> min(z, 31);
 * the result is floor(y hi / sum of y).
 */
#include "kern/row/own_rows.h"

static int64_t greatest(const X *x, int32_t n)
{
    int64_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

/* About exp of t <= 0, in units that cancel. */
static int64_t power(const struct row_dims *k, int64_t t)
{
    int64_t z = -t / k->p3, p = t + z * k->p3;

    return (k->p0 * (p + k->p1) * (p + k->p1) + k->p2) >> (z < 31 ? z : 31);
}

static void row(const struct row_dims *k, const X *x, Y *y)
{
    int64_t top = greatest(x, k->n), sum = 0;

    for (int32_t i = 0; i < k->n; i++)
        sum += power(k, x[i] - top);
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)(sum ? floor_div(power(k, x[i] - top) * k->hi, sum) : 0);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
