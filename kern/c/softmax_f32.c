/* Softmax with one division a row.
 *
 * op       softmax
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    288
 * cycles   rows * (60 + 170 * n)
 */
#include <math.h>
#include "kern/kern.h"

static float greatest(const X *x, int32_t n)
{
    float best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static void row(const X *x, Y *y, int32_t n)
{
    float top = greatest(x, n), sum = 0, scale;

    for (int32_t i = 0; i < n; i++) {
        const float v = expf(x[i] - top);

        y[i] = v;
        sum += v;
    }
    scale = 1 / sum;
    for (int32_t i = 0; i < n; i++)
        y[i] *= scale;
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
        row(x, y, k->n);
}
