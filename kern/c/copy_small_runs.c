/* Strided copy of runs of two, four or eight bytes, a run at once.
 *
 * op       transpose slice windows expand concat
 * types    x:s8|u8|b8 -> y:=x
 * isa      any
 * when     xs[7] == 1 && ys[7] == 1 && (n[7] == 2 || n[7] == 4 || n[7] == 8)
 * split    n
 * stack    224
 * cycles   (ncore > 1 ? 800 * ncore : 0) + n[0] * n[1] * n[2] * n[3] * n[4] *
 *          n[5] * (60 + 8 * n[6])
 * code     500
 */
#include <string.h>
#include "kern/copy/copy.h"

static inline void small_runs(const X *x, Y *y, const struct copy_dims *k,
                              int32_t rows, size_t n)
{
    const int32_t xs = k->xs[6], ys = k->ys[6];

    for (; rows > 0; rows--, x += xs, y += ys)
        memcpy(y, x, n);
}

/* A run may itself be cut among the cores. */
void FN(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[7] = {0}, n[8];
    ptrdiff_t from, to;

    if (!copy_begin(k, io, 7, n, &from, &to))
        return;
    do {
        if (n[7] == 2)
            small_runs(x + from, y + to, k, n[6], 2);
        else if (n[7] == 4)
            small_runs(x + from, y + to, k, n[6], 4);
        else if (n[7] == 8)
            small_runs(x + from, y + to, k, n[6], 8);
        else
            small_runs(x + from, y + to, k, n[6], (size_t)n[7]);
    } while (copy_next(k, n, i, 6, &from, &to));
}
