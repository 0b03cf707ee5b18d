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
 * code     600
 */
#include "kern/xpulp/fixed.h"
#include "kern/xpulp/rows.h"

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
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, x, io->in[1], io->tmp, y);
}
