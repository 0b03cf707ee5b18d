/* The layer norm of bytes on a grid, in whole numbers.
 *
 * op       qlayernorm
 * types    x:int w:int b:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * stack    240
 * cycles   400 * ncore * ((rows + ncore - 1) / ncore) * n
 *
 * Of a row of n, d = n x - sum x and v = n sum x^2 - (sum x)^2, so d / sqrt(v)
 * is x less the mean, by the deviation.  u = v 2^p0 + p1 times 4^m has 63 bits
 * or 64, r is its root and i = (2^62 - 1) / r; z = d i >> 39 - p0 / 2 - m has 23
 * places behind the point, 0 where v is 0; y = clip(z w + b >> shift, lo, hi).
 */
#include "kern/row/own_rows.h"

static void row(const struct row_dims *k, const X *x, const W *w, const B *b,
                Y *y)
{
    int64_t sum = 0, squares = 0, v, inverse, z;
    int shift = 39 - k->p0 / 2;
    uint64_t u;

    for (int32_t i = 0; i < k->n; i++) {
        sum += x[i];
        squares += (int64_t)x[i] * x[i];
    }
    v = k->n * squares - sum * sum;
    u = ((uint64_t)v << k->p0) + (uint32_t)k->p1;
    for (; v && !(u >> 62); shift--)
        u <<= 2;
    inverse = v ? (INT64_MAX >> 1) / (int64_t)isqrt(u) : 0;
    for (int32_t i = 0; i < k->n; i++) {
        z = (k->n * (int64_t)x[i] - sum) * inverse >> shift;
        y[i] = (Y)bound((z * w[i] + b[i]) >> k->shift, k->lo, k->hi);
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}
