/* Rows that are multiplied by a function of others: a table's values.
 *
 * op       gate
 * types    x:int table:int -> y:int
 * isa      any
 * split    rows n
 * stack    96
 * cycles   ncore * ceil(rows * n, ncore) * 60
 *
 * y[j] = clip((table[x[j]] x[n + j] mul + 2^(shift - 1)) >> shift, lo, hi); the
 * table has 256 elements, of which a negative place counts from the end.
 */
#include "kern/finish.h"

void FN(const struct gate_dims *k, const struct io *io)
{
    const TABLE *table = io->in[1];
    int32_t i, to;

    span(k->rows * k->n, io->core, io->ncore, &i, &to);
    for (; i < to; i++) {
        const X *x = (const X *)io->in[0] + i / k->n * (ptrdiff_t)(2 * k->n) +
                     i % k->n;
        const int32_t at = (int32_t)*x;
        const int64_t v = (int64_t)table[at < 0 ? at + 256 : at] *
                          (int64_t)x[k->n];

        ((Y *)io->out[0])[i] = (Y)bound(
            (v * k->mul + (INT64_C(1) << (k->shift - 1))) >> k->shift, k->lo,
            k->hi);
    }
}
