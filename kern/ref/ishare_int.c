/* Rows of weighted sums divided by the sums of their weights, as attention has
 * it (kern/ref/iattend_int.c): (x * (scale[0] / sum of w) + 2^(shift - 1) >>
 * shift) + scale[1].
 *
 * op       ishare
 * types    x:int w:int scale:int -> y:int
 * isa      any
 * split    rows
 * stack    208
 * cycles   ncore * ceil(rows, ncore) * (100 + 6 * n + 20 * e)
 */
#include "kern/finish.h"

static void row(const struct shares_dims *k, const X *x, const W *w,
                const SCALE *scale, Y *y)
{
    const int64_t half = INT64_C(1) << (k->shift - 1);
    int64_t sum = 0, share;

    for (int32_t i = 0; i < k->n; i++)
        sum += w[i];
    share = scale[0] / (sum + !sum);
    for (int32_t i = 0; i < k->e; i++)
        y[i] = (Y)narrow(requant(x[i], share, half, k->shift) + scale[1],
                         k->lo, k->hi);
}

void FN(const struct shares_dims *k, const struct io *io)
{
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        row(k, (const X *)io->in[0] + (ptrdiff_t)i * k->e,
            (const W *)io->in[1] + (ptrdiff_t)i * k->n, io->in[2],
            (Y *)io->out[0] + (ptrdiff_t)i * k->e);
}
