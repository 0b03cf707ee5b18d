/* Matrix product with b transposed, four rows by four columns, scaled
 * in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && am == bn && am >= k && k % 4 == 0 && k > 3 &&
 *          m > 3 && n > 3 && biasm == 0 && mulm == 0 && addm == 0 && hi - lo <
 *          1 << 8 * y.bytes && shift < 32 && max(-scaled.lo, scaled.hi) <
 *          2147483648
 * split    m n
 * stack    704
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      blocks = ceil(batches * ((m + 3) / 4) * ((n + 3) / 4), ncore)
 * cycles   ncore * (fit.call + (fit.block + fit.word * k + k / 16) * blocks +
 *          ((m + 3) / 4 * batches / ncore + 1) * fit.rows)
 * code     1460
 * cold     1165
 */
#include "kern/kern.h"

#define scaled scale32
#define GEMM_SCALE32 1
#include "kern/xpulp/gemm4x4_matmul.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    gemm_matmul(k, io);
}
