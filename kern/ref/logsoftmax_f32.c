/* The logarithm of softmax.
 *
 * op       logsoftmax
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    256
 * cycles   200 * rows * n
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

static void row(const struct row_dims *k, const X *x, Y *y)
{
    float top = greatest(x, k->n), sum = 0;

    for (int32_t i = 0; i < k->n; i++)
        sum += expf(x[i] - top);
    sum = logf(sum);
    for (int32_t i = 0; i < k->n; i++)
        y[i] = x[i] - top - sum;
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
