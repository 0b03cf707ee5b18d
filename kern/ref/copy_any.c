/* Strided copy: y[yo + i ys] = x[xo + i xs].
 *
 * op       transpose slice expand concat
 * types    x:f32 -> y:f32
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    128
 * cycles   16 * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6] * n[7]
 */
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
        for (int32_t j = 0; j < n[7]; j++)
            y[to + (ptrdiff_t)j * k->ys[7]] =
                (Y)x[from + (ptrdiff_t)j * k->xs[7]];
    while (next(k, n, i, &from, &to));
}
