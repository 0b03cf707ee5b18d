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
#include "kern/row/own_rows.h"

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
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(r.x, r.y, k->n);
}
