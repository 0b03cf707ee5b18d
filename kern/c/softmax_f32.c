/* Softmax with one division a row.
 *
 * op       softmax
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
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

    for (int32_t i = 0; i < k->rows; i++, x += k->n, y += k->n)
        row(x, y, k->n);
}
