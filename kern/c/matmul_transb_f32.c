/* Matrix product with b transposed, two rows by two columns at a time.
 *
 * op       matmul
 * types    a:f32 b:f32 bias:f32 mul:none add:none -> y:f32
 * isa      any
 * when     ak == 1 && bk == 1
 * split    m n
 * stack    416
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (25 + 3 * k)
 */
#include "kern/kern.h"

static inline float finish(const struct matmul_dims *k, const struct io *io,
                           float sum, int32_t m, int32_t n)
{
    (void)io, (void)m, (void)n;
    return clipf(sum, k->flo, k->fhi);
}

typedef A LEFT;
typedef B RIGHT;
#include "kern/matmul/dot.h"
#include "kern/matmul/transb.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
