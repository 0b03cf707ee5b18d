/* Rows divided by their Euclidean length, as TensorFlow Lite computes it.
 *
 * op       qlpnorm
 * types    x:s8|u8|s16 -> y:s8
 * isa      any
 * inplace  x
 * split    rows
 * stack    384
 * cycles   ncore * ((rows + ncore - 1) / ncore) * (600 + 40 * n)
 *
 * p0: x's zero point; the result has 7 bits behind the point.
 */
#include "kern/row/fixed.h"
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, Y *y)
{
    int64_t sum = 0, m;
    int shift;

    for (int32_t i = 0; i < k->n; i++)
        sum += ((int64_t)x[i] - k->p0) * ((int64_t)x[i] - k->p0);
    shift = fixed_inverse_sqrt(fixed_sat(sum), &m) - 7;
    for (int32_t i = 0; i < k->n; i++) {
        int64_t v = fixed_scale((int64_t)x[i] - k->p0, m, shift);

        y[i] = (Y)(v < k->lo ? k->lo : v > k->hi ? k->hi : v);
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
