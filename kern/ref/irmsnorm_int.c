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
#include "kern/row/own_rows.h"

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
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], r.y);
}
