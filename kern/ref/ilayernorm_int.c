/* The integer layer norm: its root and divisions truncate.
 *
 * op       ilayernorm
 * types    x:int w:int b:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    224
 * cycles   300 * ncore * ((rows + ncore - 1) / ncore) * n
 *
 * shift: log2(D); lo, hi: by n_levels.
 */
#include "kern/row/own_rows.h"

/* The root of the variance about m, plus one. */
static int64_t deviation(const X *x, int64_t m, int32_t n)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (x[i] - m) * (x[i] - m);
    return isqrt((uint64_t)(sum / n + 1));
}

static void row(const struct row_dims *k, const X *x, const W *w, const B *b,
                Y *y)
{
    int64_t m = 0, sd;

    for (int32_t i = 0; i < k->n; i++)
        m += x[i];
    m /= k->n;
    sd = deviation(x, m, k->n);
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)bound(((x[i] - m) * w[i] / sd + b[i]) >> k->shift, k->lo,
                        k->hi);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}
