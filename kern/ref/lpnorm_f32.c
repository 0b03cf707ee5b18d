/* Rows divided by their length.
 *
 * op       lpnorm
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    288
 * cycles   40 * rows * n
 *
 * p0: 1 for the sum of magnitudes, 2 for the Euclidean length.  A row of zeros
 * stays one.
 */
#include <math.h>
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, Y *y)
{
    float size = 0;

    for (int32_t i = 0; i < k->n; i++)
        size += k->p0 == 1 ? fabsf(x[i]) : x[i] * x[i];
    if (k->p0 != 1)
        size = sqrtf(size);
    for (int32_t i = 0; i < k->n; i++)
        y[i] = size == 0 ? 0 : x[i] / size;
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
