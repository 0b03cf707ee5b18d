/* The integer softmax in 32 bits, each power computed once.
 *
 * op       isoftmax
 * types    x:s8|u8|s16|s32 -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     p3 > 0 && p0 >= 0 && p2 >= 0 && hi > 0 &&
 *          x.hi - x.lo < 1073741824 &&
 *          (p0 * max(max(p1, -p1), max(p3 - p1, p1 - p3)) *
 *          max(max(p1, -p1), max(p3 - p1, p1 - p3)) + p2) * max(hi, n) <
 *          2147483648
 * inplace  x
 * scratch  4 * n
 * split    rows
 * stack    64
 * cycles   ncore * ((rows + ncore - 1) / ncore * (75 + 82 * n) + 20)
 * code     320
 * cold     265
 *
 * p lies in (-log2, 0], so (p + B)^2 is greatest at one of its ends: neither
 * the sum of a row nor the numerator of its divisions leaves 32 bits.
 */
#include "kern/row/own_rows.h"

static int32_t greatest(const X *x, int32_t n)
{
    int32_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

/* The powers of a row into v; returns their sum. */
static uint32_t powers(const struct row_dims *k, const X *x, uint32_t *v)
{
    const int32_t a = k->p0, b = k->p1, c = k->p2, log2 = k->p3, n = k->n;
    const int32_t top = greatest(x, n);
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const int32_t t = top - x[i], z = t / log2, p = z * log2 - t + b;

        v[i] = (uint32_t)(a * p * p + c) >> (z < 31 ? z : 31);
        sum += v[i];
    }
    return sum;
}

static void row(const struct row_dims *k, const X *x, uint32_t *v, Y *y)
{
    const uint32_t sum = powers(k, x, v), hi = (uint32_t)k->hi;
    const int32_t n = k->n;

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)(sum ? v[i] * hi / sum : 0);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->tmp, r.y);
}
