/* Softmax with one division a row, powers from a table.
 *
 * op       softmax
 * types    x:f32 -> y:f32
 * isa      dsp
 * inplace  x
 * split    rows
 * stack    96
 * cycles   rows * (60 + 36 * n)
 */
#include "kern/dsp/power.h"
#include "kern/row/own_rows.h"

static float greatest(const X *x, int32_t n)
{
    float best = x[0];

#pragma GCC unroll 4
    for (int32_t i = 1; i < n; i++)
        best = greater(best, x[i]);
    return best;
}

static void row(const X *x, Y *y, int32_t n)
{
    const float top = greatest(x, n);
    float sum = 0, scale;

#pragma GCC unroll 2
    for (int32_t i = 0; i < n; i++) {
        const float v = power(x[i] - top);

        y[i] = v;
        sum += v;
    }
    scale = 1 / sum;
#pragma GCC unroll 4
    for (int32_t i = 0; i < n; i++)
        y[i] *= scale;
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(r.x, r.y, k->n);
}
