/* Matrix product with b in rows, two rows by four columns at a time.
 *
 * op       matmul
 * types    a:f32 b:f32 bias:f32 mul:none add:none -> y:f32
 * isa      any
 * when     bn == 1
 * split    m n
 * stack    480
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (35 + 4 * k)
 *
 * Each step down b takes four neighbours of a row times one element of each
 * row of a; the columns left over are taken one at a time.
 */
#include "kern/kern.h"

static inline float finish(const struct matmul_dims *k, const struct io *io,
                           float sum, int32_t m, int32_t n)
{
    (void)io, (void)m, (void)n;
    return clipf(sum, k->flo, k->fhi);
}

#include "kern/matmul/rows.h"
