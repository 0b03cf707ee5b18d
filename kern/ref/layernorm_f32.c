/* Rows of mean 0 and variance 1, then w times that plus b.
 *
 * op       layernorm
 * types    x:f32 w:f32 b:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    288
 * cycles   40 * rows * n
 */
#include <math.h>
#include "kern/row/own_rows.h"

static float mean(const X *x, int32_t n)
{
    float sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

static float variance(const X *x, float middle, int32_t n)
{
    float sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (x[i] - middle) * (x[i] - middle);
    return sum / n;
}

static void row(const struct row_dims *k, const X *x, const W *w, const B *b,
                Y *y)
{
    float middle = mean(x, k->n);
    float scale = 1 / sqrtf(variance(x, middle, k->n) + k->eps);

    for (int32_t i = 0; i < k->n; i++)
        y[i] = (x[i] - middle) * scale * (w ? w[i] : 1) + (b ? b[i] : 0);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}
