/* The layer norm of bytes on a grid (kern/ref/qlayernorm_int.c): a row by upper
 * halves of products.
 *
 * op       qlayernorm
 * types    x:s8|u8 w:s32 b:s64 -> y:s8|u8
 * isa      any
 * when     n < 4096 && shift > 31
 * inplace  x
 * split    rows
 * stack    256
 * let      long = ncore > 1
 * cycles   ncore * (ceil(rows, ncore) * (250 + 480 * long + (34 + 18 * long) *
 *          n) + 60)
 */
#include "kern/row/inverse.h"
#include "kern/row/own_rows.h"
#include "kern/row/qlayernorm.h"

static NOINLINE void row(const struct row_dims *k, const X *x, const W *w,
                         const B *b, Y *y)
{
    const int32_t n = k->n, shift = k->shift - 32, lo = k->lo, hi = k->hi;
    int32_t sum = 0;
    uint32_t squares = 0;
    struct scale s;

    for (int32_t i = 0; i < n; i++) {
        sum += x[i];
        squares += (uint32_t)(x[i] * x[i]);
    }
    take_scale(k, sum, squares, &s);
    for (int32_t i = 0; i < n; i++) {
        const int32_t d = (n * x[i] - s.sum) * (1 << s.up);
        const int32_t z = upper(d, s.by) >> s.down;
        const int64_t v = (int64_t)z * w[i] + b[i];

        y[i] = (Y)clip((int32_t)(v >> 32) >> shift, lo, hi);
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}
