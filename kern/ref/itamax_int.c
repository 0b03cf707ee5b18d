/* Softmax with powers of two, as the ITA accelerator has it.
 *
 * op       itamax
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    192
 * cycles   68 * ncore * ((rows + ncore - 1) / ncore) * n
 *
 * hi: n_levels - 1.
 */
#include "kern/row/own_rows.h"

static int64_t greatest(const X *x, int32_t n)
{
    int64_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static int halvings(int64_t top, int64_t x)
{
    int64_t s = (top - x + 16) >> 5;

    return s < 31 ? (int)s : 31;
}

static void row(const struct row_dims *k, const X *x, Y *y)
{
    int64_t top = greatest(x, k->n), sum = 0, inverse;

    for (int32_t i = 0; i < k->n; i++)
        sum += 256 >> halvings(top, x[i]);
    inverse = (int64_t)k->hi * 256 / sum;
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)(inverse >> halvings(top, x[i]));
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
