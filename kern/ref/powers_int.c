/* What a softmax of bytes has before it divides: the place in a table that each
 * element is below the greatest of its row.
 *
 * op       powers
 * types    x:int t:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    96
 * cycles   ncore * ceil(rows, ncore) * (60 + 16 * n)
 */
#include "kern/row/own_rows.h"

static void row(const X *x, const T *t, int32_t n, Y *y)
{
    ACC best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)t[best - x[i]];
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(r.x, io->in[1], k->n, r.y);
}
