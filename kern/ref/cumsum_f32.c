/* Each element becomes the sum of all up to it.
 *
 * op       cumsum
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    192
 * cycles   14 * rows * n
 *
 * exclusive: without itself; reverse: from the end.
 */
#include "kern/kern.h"

static void row(const struct row_dims *k, const X *x, Y *y)
{
    float sum = 0;

    for (int32_t i = 0; i < k->n; i++) {
        int32_t at = k->reverse ? k->n - 1 - i : i;
        float next = sum + x[at];

        y[at] = (Y)(k->exclusive ? sum : next);
        sum = next;
    }
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
