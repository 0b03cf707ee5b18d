/* The integer layer norm in 32 bits.
 *
 * op       ilayernorm
 * types    x:s8|u8|s16|s32 w:s8|u8|s16|s32 b:s8|u8|s16|s32 -> y:s8|u8|s16|s32
 * isa      any
 * when     (x.hi - x.lo) * (x.hi - x.lo) * n < 2147483648 &&
 *          max(-x.lo, x.hi) * n < 2147483648 &&
 *          (x.hi - x.lo) * max(-w.lo, w.hi) + max(-b.lo, b.hi) < 2147483648 &&
 *          shift < 32
 * inplace  x
 * split    rows
 * stack    96
 * cycles   ncore * ((rows + ncore - 1) / ncore * (300 + 61 * n) + 60)
 * code     420
 */
#include "kern/kern.h"

static int32_t mean(const X *x, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* The root of the variance about m, plus one. */
static int32_t deviation(const X *x, int32_t m, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (x[i] - m) * (x[i] - m);
    return (int32_t)isqrt32((uint32_t)(sum / n) + 1);
}

static void row(const struct row_dims *k, const X *x, const W *w, const B *b,
                Y *y)
{
    const int32_t n = k->n, shift = k->shift, lo = k->lo, hi = k->hi;
    const int32_t m = mean(x, n), sd = deviation(x, m, n);

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip(((x[i] - m) * w[i] / sd + b[i]) >> shift, lo, hi);
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
