/* Product of one row with a matrix in rows, each with its mul and add behind;
 * and the weighted sum of that with r.
 *
 * op       rowmatmul
 * types    a:int w:s8 r:int -> y:int
 * isa      any
 * split    n
 * stack    128
 * cycles   ncore * ceil(n, ncore) * (60 + 10 * k)
 */
#include "kern/finish.h"
#include "kern/matmul/scales.h"

/* The four bytes from w on. */
static int32_t scale_at(const W *w)
{
    return row_scale((int32_t)w[0], (int32_t)w[1], (int32_t)w[2],
                     (int32_t)w[3]);
}

void FN(const struct rowmatmul_dims *k, const struct io *io)
{
    const A *a = io->in[0];
    const W *w = io->in[1];
    const R *r = io->in[2];
    int32_t n, to;

    span(k->n, io->core, io->ncore, &n, &to);
    w += (ptrdiff_t)n * (k->k + ROW_SCALES);
    for (; n < to; n++, w += k->k + ROW_SCALES) {
        ACC sum = 0;
        int64_t y;

        for (int32_t i = 0; i < k->k; i++)
            sum += (ACC)a[i] * w[i];
        y = bound(requant(sum, scale_at(w + k->k), scale_at(w + k->k + 4),
                          k->shift), k->lo, k->hi);
        if (r)
            y = bound((y * k->p1 + (int64_t)r[n] * k->p0 + k->p3) >> k->p2,
                      k->lo, k->hi);
        ((Y *)io->out[0])[n] = (Y)y;
    }
}
