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
 *          * 2 * fit.byte : n[7] * (n[6] % 4 * fit.byte) + n[6] *
 *          (ys[6] == n[7] && (n[7] == 2 || n[7] == 3) ? 2 * n[7] : fit.row +
 *          n[7] / 4 * fit.tile / 4 + n[7] % 4 * fit.byte)))
 * code     700
 * cold     660
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

/* Four rows of `count` times four columns: column j of x, xs apart, is what row y
 * has from j on; its other rows are ys apart. */
#ifdef XPULPV2
static inline void swap_four(const X *x, ptrdiff_t xs, Y *y, ptrdiff_t ys,
                             int32_t count)
{
    int32_t a, b, c, d, t, u;

    if (count > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 18\n"
            "xp.lw.postr %[a], %[x], %[xs]\n"
            "xp.lw.postr %[b], %[x], %[xs]\n"
            "xp.lw.postr %[c], %[x], %[xs]\n"
            "xp.lw.postr %[d], %[x], %[xs]\n"
            "addi %[t], %[a], 0\n"
            "addi %[u], %[c], 0\n"
            "xpv.shuffle2.b %[t], %[b], %[even]\n"
            "xpv.shuffle2.b %[u], %[d], %[even]\n"
            "xpv.shuffle2.b %[a], %[b], %[odd]\n"
            "xpv.shuffle2.b %[c], %[d], %[odd]\n"
            "xpv.pack %[b], %[u], %[t]\n"
            "xpv.pack %[d], %[c], %[a]\n"
            "xpv.shuffle2.b %[t], %[u], %[upper]\n"
            "xpv.shuffle2.b %[a], %[c], %[upper]\n"
            "xp.sw.postr %[b], %[y], %[ys]\n"
            "xp.sw.postr %[t], %[y], %[ys]\n"
            "xp.sw.postr %[d], %[y], %[ys]\n"
            "xp.sw.postr %[a], %[y], %[back]\n" XP_BLOCK_END
            : [x] "+&r"(x), [y] "+&r"(y), [a] "=&r"(a), [b] "=&r"(b),
              [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t), [u] "=&r"(u)
            : [n] "r"(count), [xs] "r"(xs), [ys] "r"(ys), [back] "r"(4 - 3 * ys),
              [even] "r"(0x05010400), [odd] "r"(0x07030602),
              [upper] "r"(0x07060302)
            : XP_CLOBBERS);
}
#else
static void swap_four(const X *x, ptrdiff_t xs, Y *y, ptrdiff_t ys,
                      int32_t count)
{
    for (; count > 0; count--, x += 4 * xs, y += 4)
        transpose4x4(x, xs, y, ys);
}
#endif

/* Cores begin at columns of their own, lest they all want the same bank. */
static void swap(const struct copy_dims *k, const int32_t n[8], const X *x,
                 Y *y, int32_t core)
{
    const int32_t rows = n[6] & ~3, cols = n[7] & ~3;
    const ptrdiff_t xs = k->xs[7], ys = k->ys[6];
    const int dense = ys == n[7], two = dense && ys == 2;
    const int three = dense && ys == 3, pairs = n[6] == 2 && xs == 2;
    const int32_t first = 4 * core < cols ? 4 * core : 0;

    for (int32_t i = 0; cols && i < rows; i += 4) {
        swap_four(x + i + first * xs, xs, y + i * ys + first, ys,
                  (cols - first) >> 2);
        swap_four(x + i, xs, y + i * ys, ys, first >> 2);
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
