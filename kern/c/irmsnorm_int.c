/* The integer RMS norm in 32 bits.
 *
 * op       irmsnorm
 * types    x:s8|u8|s16|s32 w:s8|u8|s16|s32 -> y:s8|u8|s16|s32
 * isa      any
 * when     max(-x.lo, x.hi) * max(-x.lo, x.hi) * n < 2147483648 &&
 *          max(-x.lo, x.hi) * max(-w.lo, w.hi) < 2147483648 && shift < 32
 * inplace  x
 * split    rows
 * stack    64
 * cycles   ncore * ((rows + ncore - 1) / ncore * (320 + 49 * n) + 60)
 * code     360
 */
#include "kern/row/own_rows.h"
#include "kern/row/root.h"

static void row(const struct row_dims *k, const X *x, const W *w, Y *y)
{
    const int32_t n = k->n, shift = k->shift, lo = k->lo, hi = k->hi;
    const int32_t sd = row_root(x, n);

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip((x[i] * w[i] / sd) >> shift, lo, hi);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], r.y);
}
