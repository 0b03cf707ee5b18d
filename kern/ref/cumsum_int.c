/* Each element becomes the sum of all up to it.
 *
 * op       cumsum
 * types    x:int -> y:int
 * isa      any
 * split    rows
 * stack    64
 * cycles   14 * rows * n
 *
 * exclusive: without itself; reverse: from the end.  Summed without sign, so
 * that what does not fit wraps.
 */
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, Y *y)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i < k->n; i++) {
        int32_t at = k->reverse ? k->n - 1 - i : i;
        uint64_t next = sum + (uint64_t) x[at];

        y[at] = (Y)(k->exclusive ? sum : next);
        sum = next;
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, r.y);
}
