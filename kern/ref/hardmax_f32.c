/* 1 at the first of the greatest elements, else 0.
 *
 * op       hardmax
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    160
 * cycles   12 * rows * n
 */
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, Y *y)
{
    int32_t best = 0;

    for (int32_t i = 1; i < k->n; i++)
        best = x[i] > x[best] ? i : best;
    for (int32_t i = 0; i < k->n; i++)
        y[i] = i == best;
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
