/* Softmax of bytes by a table, in 32 bits but for the products.
 *
 * op       qsoftmax
 * types    x:s8|u8 t:s32 -> y:s8|u8
 * isa      any
 * when     p0 == 8 && !p2 && n < 512 && t.lo >= 0
 * split    rows
 * inplace  x
 * stack    192
 * cycles   ncore * ((rows + ncore - 1) / ncore * (700 + 26 * n) + 60)
 *
 * A row's sum is below 2^28, so that no quotient is shifted by more than 31.
 */
#include "kern/row/fixed.h"
#include "kern/row/own_rows.h"

static int32_t greatest(const X *x, int32_t n)
{
    int32_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

/* Of the powers, in Q12.19; at least 1. */
static uint32_t sum_of(const X *x, const T *t, int32_t n)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const uint32_t v = (uint32_t)t[-(int32_t)x[i]];

        sum += (v >> 12) + (v >> 11 & 1);
    }
    return sum ? sum : 1;
}

static void row(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    const int32_t n = k->n, lo = k->lo, hi = k->hi;
    const T *from = t + greatest(x, n);
    const uint32_t sum = sum_of(x, from, n);
    const int room = fixed_clz(sum), shift = 35 - room;
    const uint32_t half = (uint32_t)1 << (shift - 1);
    const int32_t inverse = fixed_inverse32((sum << room) -
                                            ((uint32_t)1 << 31));

    for (int32_t i = 0; i < n; i++) {
        const int64_t e = (int64_t)inverse * from[-(int32_t)x[i]];
        const uint32_t v = (uint32_t)((e + ((int64_t)1 << 30)) >> 31);

        y[i] = (Y)clip((int32_t)((v + half) >> shift) + lo, lo, hi);
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], r.y);
}
