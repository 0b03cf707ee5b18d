/* The integer softmax of bytes, its powers from a table, without divisions but
 * of rows.
 *
 * op       isoftmax
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     p0 == 1 && p2 >= 0 && p3 > 0 && hi > 0 && hi < 256 &&
 *          max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2 < 8388608 &&
 *          (max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2) * n < 2147483648
 * inplace  x
 * scratch  1024 + 4 * n + 4
 * split    rows
 * stack    160
 * let      most = max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + (most < 2048 ?
 *          fit.short : fit.element) * n))
 * code     850
 * cold     500
 */
#include "kern/xpulp/powers.h"
#include "kern/xpulp/rows.h"
#include "kern/row/own_rows.h"

static inline void row(const struct row_dims *k, const uint32_t *table,
                       int32_t most, const X *x, uint32_t *v, Y *y)
{
    const uintptr_t zero = powers_zero(table, rows_greatest(x, k->n));
    const uint32_t sum = powers(zero, x, k->n, v);

    powers_quotients((uint32_t)k->hi, most, sum, v, k->n, y);
}

void FN(const struct row_dims *k, const struct io *io)
{
    const int32_t most = powers_most(k);
    uint32_t *table = io->tmp;
    struct own_rows r = own_rows(k, io);

    if (!r.left)
        return;
    powers_table(k, table);
    for (; r.left > 0; next_row(&r))
        row(k, table, most, r.x, table + POWERS_ALL, r.y);
}
