/* Each row by the factor that a table has for the root of the mean of its
 * squares: an integer RMS norm of equal weights.
 *
 * op       rootscale
 * types    x:int t:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    224
 * cycles   ncore * ceil(rows, ncore) * (1000 + 60 * n)
 * code     700
 */
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    int64_t sum = 0, factor;

    for (int32_t i = 0; i < k->n; i++)
        sum += (int64_t)x[i] * x[i];
    factor = t[isqrt((uint64_t)(sum / k->n + 1)) - 1];
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)bound(x[i] * factor >> k->shift, k->lo, k->hi);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], r.y);
}
