/* Softmax of bytes by a table, for XpulpV2.
 *
 * op       qsoftmax
 * types    x:s8|u8 t:s32 -> y:s8|u8
 * isa      xpulpv2
 * when     p0 == 8 && !p2 && n < 512 && t.lo >= 0
 * inplace  x
 * scratch  4 * n + 4
 * split    rows
 * stack    160
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + fit.element * n))
 * code     770
 */
#include "kern/xpulp/fixed.h"
#include "kern/xpulp/rows.h"
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, const T *t, uint32_t *v,
                Y *y)
{
    const ptrdiff_t top = rows_greatest(x, k->n);
    const uintptr_t from = (uintptr_t)t + (uintptr_t)(4 * top);

    fixed_quotients(v, fixed_powers(from, -4, x, k->n, v), k->n, k->lo, k->hi,
                    y);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->tmp, r.y);
}
