/* Windows of bytes side by side: strided copies of runs, a word at a time, the
 * longer of the two axes before the last inside.
 *
 * op       windows
 * types    x:s8|u8|b8 -> y:=x
 * isa      xpulpv2
 * when     xs[7] == 1 && ys[7] == 1
 * split    n
 * stack    248
 * let      runs = n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6]
 * let      most = max(max(max(n[0], n[1]), max(n[2], n[3])), max(max(n[4],
 *          n[5]), n[6]))
 * let      cut = n[0] >= ncore ? n[0] : n[1] >= ncore ? n[1] : n[2] >= ncore ?
 *          n[2] : n[3] >= ncore ? n[3] : n[4] >= ncore ? n[4] : n[5] >= ncore ?
 *          n[5] : n[6] >= ncore ? n[6] : most
 * let      short = n[7] >= 8 && n[7] <= 16
 * cycles   ncore * (fit.call + runs / cut * ceil(cut, ncore) * (short ?
 *          fit.short : fit.run + n[7] % 4 * fit.byte + n[7] / 2))
 * code     580
 */
#include "kern/copy/copy.h"
#include "kern/xpulp/transpose.h"

static inline void eight_bytes(const X *x, Y *y)
{
    const int32_t a = transpose_load(x), b = transpose_load(x + 4);

    transpose_store(y, a);
    transpose_store(y + 4, b);
}

/* Of 8 to 16 bytes the first 8 and the last, which may be the same in part. */
static inline void copy_window(const X *x, Y *y, int32_t n)
{
    if (n < 8 || n > 16) {
        transpose_copy(x, y, n);
        return;
    }
    eight_bytes(x, y);
    eight_bytes(x + n - 8, y + n - 8);
}

static inline void copy_plane(const struct copy_dims *k, const int32_t n[8],
                              const X *x, Y *y)
{
    const int in = n[5] > n[6] ? 5 : 6, out = 11 - in;
    const ptrdiff_t xs = k->xs[in], ys = k->ys[in];
    const int32_t last = n[7];

    for (int32_t i = n[out]; i > 0; i--, x += k->xs[out], y += k->ys[out]) {
        const X *p = x;
        Y *q = y;

        for (int32_t j = n[in]; j > 0; j--, p += xs, q += ys)
            copy_window(p, q, last);
    }
}

void FN(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[5] = {0}, n[8];
    ptrdiff_t from, to;

    if (!copy_begin(k, io, 6, n, &from, &to))
        return;
    do
        copy_plane(k, n, x + from, y + to);
    while (copy_next(k, n, i, 5, &from, &to));
}
