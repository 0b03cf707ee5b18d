/* Strided copy: y[yo + i ys] = x[xo + i xs].
 *
 * op       transpose slice windows expand concat
 * types    x:f32 -> y:f32
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    128
 * cycles   16 * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6] * n[7]
 * code     400
 */
#include "kern/copy/copy.h"

static inline void copy_one(const struct copy_dims *k, const X *x, Y *y,
                            int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        y[(ptrdiff_t)j * k->ys[7]] = (Y)x[(ptrdiff_t)j * k->xs[7]];
}

COPY_RUNS(copy_one)
