/* Softmax with powers of two over groups as they stream in.
 *
 * op       itapartial
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    224
 * cycles   66 * ncore * ((rows + ncore - 1) / ncore) * n
 *
 * hi: n_levels / 2 - 1, p0: group_width, which divides n.  Bytes always have a
 * sum; of wider numbers all may be too far below -128: the result is then 0.
 */
#include "kern/row/own_rows.h"

static int64_t greatest(const X *x, int32_t n)
{
    int64_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static int halvings(int64_t top, int64_t x)
{
    int64_t s = (top - x + 16) >> 5;

    return s < 31 ? (int)s : 31;
}

/* Takes in one group: the greatest so far, and the sum relative to it. */
static int64_t group(const X *x, int32_t n, int64_t *top, int64_t sum)
{
    int64_t best = greatest(x, n);

    if (best > *top) {
        sum >>= halvings(best, *top);
        *top = best;
    }
    for (int32_t i = 0; i < n; i++)
        sum += 256 >> halvings(*top, x[i]);
    return sum;
}

static void row(const struct row_dims *k, const X *x, Y *y)
{
    int64_t top = -128, sum = 0, inverse;

    for (int32_t i = 0; i + k->p0 <= k->n; i += k->p0)
        sum = group(x + i, k->p0, &top, sum);
    inverse = sum ? (int64_t)k->hi * 256 / sum : 0;
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)(inverse >> halvings(top, x[i]));
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
