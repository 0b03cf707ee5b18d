/* Strided copy that swaps its two innermost axes, in tiles of 8 by 8, so that
 * the lines of a cache that are read are used up before they are lost.
 *
 * op       transpose slice windows expand concat
 * types    x:any -> y:=x
 * isa      any
 * when     ys[7] == 1 && xs[6] == 1
 * split    n
 * stack    192
 * cycles   40 * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] + 8 * y.n
 * code     690
 */
#include "kern/copy/copy.h"

static void tile(const X *x, ptrdiff_t xs, Y *y, ptrdiff_t ys, int32_t rows,
                 int32_t cols)
{
    for (int32_t i = 0; i < rows; i++, x++, y += ys) {
        const X *from = x;

        for (int32_t j = 0; j < cols; j++, from += xs)
            y[j] = *from;
    }
}

static void swap(const struct copy_dims *k, const int32_t n[8], const X *x,
                 Y *y)
{
    const ptrdiff_t xs = k->xs[7], ys = k->ys[6];
    const int32_t rows = n[6], cols = n[7];

    for (int32_t i = 0; i < rows; i += 8)
        for (int32_t j = 0; j < cols; j += 8)
            tile(x + i + j * xs, xs, y + i * ys + j, ys,
                 rows - i < 8 ? rows - i : 8, cols - j < 8 ? cols - j : 8);
}

void FN(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[6] = {0};
    int32_t n[8];
    ptrdiff_t from, to;

    if (!copy_begin(k, io, 7, n, &from, &to))
        return;
    do
        swap(k, n, x + from, y + to);
    while (copy_next(k, n, i, 6, &from, &to));
}
