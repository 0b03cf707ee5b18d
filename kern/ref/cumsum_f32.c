/* Each element becomes the sum of all up to it.
 *
 * op       cumsum
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    rows
 * stack    192
 * cycles   14 * rows * n
 *
 * exclusive: without itself; reverse: from the end.
 */
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, Y *y)
{
    float sum = 0;

    for (int32_t i = 0; i < k->n; i++) {
        int32_t at = k->reverse ? k->n - 1 - i : i;
        float next = sum + x[at];

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
