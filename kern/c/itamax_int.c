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
#include "kern/row/own_rows.h"

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
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(r.x, r.y, k->n, k->hi);
}
