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
#include "kern/kern.h"

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
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, x, y);
}
