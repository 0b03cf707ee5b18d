/* Strided copy of dense runs.
 *
 * op       transpose slice expand concat
 * types    x:any -> y:=x
 * isa      any
 * when     xs[7] == 1 && ys[7] == 1
 * stack    160
 * cycles   40 * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6] + y.n
 */
#include <string.h>
#include "kern/kern.h"

/* On to the next run of the last axis; 0 after the last run. */
static int next(const struct copy_dims *k, int32_t i[7], ptrdiff_t *from,
                ptrdiff_t *to)
{
    for (int axis = 6; axis >= 0; axis--) {
        *from += k->xs[axis];
        *to += k->ys[axis];
        if (++i[axis] < k->n[axis])
            return 1;
        *from -= (ptrdiff_t)k->n[axis] * k->xs[axis];
        *to -= (ptrdiff_t)k->n[axis] * k->ys[axis];
        i[axis] = 0;
    }
    return 0;
}

void FN(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[7] = {0};
    ptrdiff_t from = k->xo, to = k->yo;

    do
        memcpy(y + to, x + from, (size_t)k->n[7] * sizeof *y);
    while (next(k, i, &from, &to));
}
