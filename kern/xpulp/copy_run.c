/* Strided copy of dense runs of bytes, a word at a time.
 *
 * op       transpose slice expand concat
 * types    x:s8|u8|b8 -> y:=x
 * isa      xpulpv2
 * when     xs[7] == 1 && ys[7] == 1
 * split    n
 * stack    224
 * cycles   ncore * (340 + min(ncore - 1, 1) * 90) + y.n / 2 +
 *          (32 + n[7] % 8 * 5) *
 *          n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6]
 */
#include "kern/copy.h"
#include "kern/turn.h"

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
        turn_copy(x + from, y + to, n[7]);
    while (next(k, n, i, &from, &to));
}
