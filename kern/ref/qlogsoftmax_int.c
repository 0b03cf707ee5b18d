/* Logarithm of the softmax of bytes, as TensorFlow Lite computes it.
 *
 * op       qlogsoftmax
 * types    x:s8|u8|s16 t:int d:int -> y:s8|u8|s16
 * isa      any
 * split    rows
 * inplace  x
 * stack    256
 * cycles   ncore * ((rows + ncore - 1) / ncore) * (600 + 30 * n)
 *
 * Of every difference v = max - x: t has exp(-v) in Q12.19, d has v in Q5.26.
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

static int64_t log_of_sum(const X *x, const T *t, int32_t top, int32_t n)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (int64_t)t[top - x[i]];
    return fixed_log(sum < 2 ? 2 : fixed_sat(sum));
}

static void row(const struct row_dims *k, const X *x, const T *t, const D *d,
                Y *y)
{
    const int32_t top = greatest(x, k->n);
    const int64_t log = log_of_sum(x, t, top, k->n);

    for (int32_t i = 0; i < k->n; i++) {
        int64_t v = fixed_right(-(int64_t)d[top - x[i]] - log, 22) + k->hi;

        y[i] = (Y)(v < k->lo ? k->lo : v > k->hi ? k->hi : v);
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}
