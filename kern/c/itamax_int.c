/* Softmax with powers of two, in 32 bits.
 *
 * op       itamax
 * types    x:s8|u8 -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     hi > 0 && hi < 8388608 && n < 8388608
 * inplace  x
 * split    rows
 * stack    64
 * cycles   ncore * ((rows + ncore - 1) / ncore * (110 + 27 * n) + 60)
 * code     290
 */
#include "kern/kern.h"

static int32_t greatest(const X *x, int32_t n)
{
    int32_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static void row(const X *x, Y *y, int32_t n, int32_t hi)
{
    const int32_t top = greatest(x, n) + 16;
    int32_t sum = 0, inverse;

    for (int32_t i = 0; i < n; i++)
        sum += 256 >> ((top - x[i]) >> 5);
    inverse = hi * 256 / sum;
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)(inverse >> ((top - x[i]) >> 5));
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
        row(x, y, k->n, k->hi);
}
