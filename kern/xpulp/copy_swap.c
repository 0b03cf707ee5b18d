/* Strided copy of bytes that swaps its two innermost axes, four by four.
 *
 * op       transpose slice windows expand concat
 * types    x:s8|u8|b8 -> y:=x
 * isa      xpulpv2
 * when     ys[7] == 1 && xs[6] == 1
 * split    n
 * stack    256
 * let      team = ncore > 1
 * let      pairs = n[6] == 2 && xs[7] == 2
 * cycles   ncore * (fit.call + team * fit.team) + n[0] * n[1] * n[2] * n[3] *
 *          n[4] * n[5] * (fit.plane + (pairs ? n[7] / 4 * fit.pair + n[7] % 4
 *          * 2 * fit.byte : n[7] * (fit.column + n[6] % 4 * fit.byte) + n[6] *
 *          (ys[6] == n[7] && (n[7] == 2 || n[7] == 3) ? 2 * n[7] : n[7] / 4 *
 *          fit.word + n[7] % 4 * fit.byte)))
 * code     700
 * cold     445
 */
#include "kern/copy/copy.h"
#include "kern/xpulp/transpose.h"

/* Columns [j, to) of rows from `from` on. */
static NOINLINE void rest(const struct copy_dims *k, const int32_t n[8],
                          const X *x, Y *y, int32_t from, int32_t j,
                          int32_t to)
{
    for (; from < n[6] && j < to; j++)
        for (int32_t i = from; i < n[6]; i++)
            y[i * k->ys[6] + j] = x[i + j * k->xs[7]];
}

/* Cores begin at columns of their own, lest they all want the same bank. */
static void swap(const struct copy_dims *k, const int32_t n[8], const X *x,
                 Y *y, int32_t core)
{
    const int32_t rows = n[6] & ~3, cols = n[7] & ~3;
    const ptrdiff_t xs = k->xs[7], ys = k->ys[6];
    const int dense = ys == n[7], two = dense && ys == 2;
    const int three = dense && ys == 3, pairs = n[6] == 2 && xs == 2;
    int32_t j = 4 * core < cols ? 4 * core : 0;

    for (int32_t left = cols; left > 0; left -= 4) {
        for (int32_t i = 0; i < rows; i += 4)
            transpose4x4(x + i + j * xs, xs, y + i * ys + j, ys);
        j = j + 4 < cols ? j + 4 : 0;
    }
    for (int32_t i = 0; two && i < rows; i += 4)
        transpose4x2(x + i, xs, y + 2 * i);
    for (int32_t i = 0; three && i < rows; i += 4)
        transpose4x3(x + i, xs, y + 3 * i);
    for (int32_t i = 0; pairs && i < cols; i += 4)
        transpose2x4(x + 2 * i, y + i, ys);
    rest(k, n, x, y, two || three ? rows : 0, cols, n[7]);
    rest(k, n, x, y, rows, 0, pairs ? 0 : cols);
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
        swap(k, n, x + from, y + to, io->core);
    while (copy_next(k, n, i, 6, &from, &to));
}
