/* Strided copy of dense runs.
 *
 * op       transpose slice expand concat
 * types    x:any -> y:=x
 * isa      any
 * when     xs[7] == 1 && ys[7] == 1
 * split    n
 * stack    224
 * cycles   40 * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6] + y.n
 */
#include <string.h>
#include "kern/copy.h"

/* On to the next run of the last axis; 0 after the last run. */
static int next(const struct copy_dims *k, const int32_t n[8], int32_t i[7],
                ptrdiff_t *from, ptrdiff_t *to)
{
    for (int axis = 6; axis >= 0; axis--) {
        *from += k->xs[axis];
        *to += k->ys[axis];
        if (++i[axis] < n[axis])
            return 1;
        *from -= (ptrdiff_t)n[axis] * k->xs[axis];
        *to -= (ptrdiff_t)n[axis] * k->ys[axis];
        i[axis] = 0;
    }
    return 0;
}

void FN(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[7] = {0};
    int32_t n[8];
    ptrdiff_t from, to;

    if (!copy_begin(k, io, n, &from, &to))
        return;
    do
        memcpy(y + to, x + from, (size_t)n[7] * sizeof *y);
    while (next(k, n, i, &from, &to));
}
