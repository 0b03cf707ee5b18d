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
#include "kern/kern.h"

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
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, x, y);
}
