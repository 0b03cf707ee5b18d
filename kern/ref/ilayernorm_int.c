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
#include "kern/kern.h"

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
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, x, io->in[1], io->in[2], y);
}
