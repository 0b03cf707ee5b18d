/* Softmax of bytes by a table, its quotients rounded half to even: in 32 bits
 * but for sums, and for what is too near to a half.
 *
 * op       qsoftmax
 * types    x:s8|u8 t:s32 -> y:s8|u8
 * isa      any
 * when     p2 > 0 && t.lo >= 0
 * split    rows
 * inplace  x
 * stack    272
 * cycles   ncore * ((rows + ncore - 1) / ncore * (700 + 50 * n) + 60)
 */
#include "kern/row/levels.h"

static int32_t greatest(const X *x, int32_t n)
{
    int32_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static void row(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    const int32_t n = k->n, lo = k->lo, hi = k->hi;
    const T *from = t + greatest(x, n);
    struct levels levels;
    uint64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (uint32_t)from[-(int32_t)x[i]];
    levels = levels_of(sum, (uint32_t)k->p2);
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip(level_of(&levels, (uint32_t)from[-(int32_t)x[i]]) + lo,
                       lo, hi);
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
