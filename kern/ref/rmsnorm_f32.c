/* Rows divided by the root of their mean square, times w.
 *
 * op       rmsnorm
 * types    x:f32 w:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    288
 * cycles   25 * rows * n
 */
#include <math.h>
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, const W *w, Y *y)
{
    float sum = 0, scale;

    for (int32_t i = 0; i < k->n; i++)
        sum += x[i] * x[i];
    scale = 1 / sqrtf(sum / k->n + k->eps);
    for (int32_t i = 0; i < k->n; i++)
        y[i] = x[i] * scale * (w ? w[i] : 1);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], r.y);
}
