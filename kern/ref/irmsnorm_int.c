/* The integer RMS norm: its root and division truncate.
 *
 * op       irmsnorm
 * types    x:int w:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    224
 * cycles   245 * ncore * ((rows + ncore - 1) / ncore) * n
 * code     1100
 *
 * shift: log2(D); lo, hi: by n_levels.
 */
#include "kern/kern.h"

static void row(const struct row_dims *k, const X *x, const W *w, Y *y)
{
    int64_t sum = 0, sd;

    for (int32_t i = 0; i < k->n; i++)
        sum += (int64_t)x[i] * x[i];
    sd = isqrt((uint64_t)(sum / k->n + 1));
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)bound(((int64_t)x[i] * w[i] / sd) >> k->shift, k->lo, k->hi);
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
        row(k, x, io->in[1], y);
}
