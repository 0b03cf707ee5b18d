/* Matrix product of few rows with b transposed, one row by four columns,
 * scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k > 3 && biasm == 0 && mulm == 0 && addm == 0
 *          && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    512
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      columns = ceil(batches * n, ncore)
 * cycles   ncore * (fit.call + fit.batch * (batches - 1) / ncore + m *
 *          ((columns + 31) / 32 * fit.run + columns * fit.result + (columns % 4
 *          == 1 ? (k % 4 ? fit.one_rest + 9 * k / 5 : k - fit.one) : columns %
 *          4 == 2 ? (k % 4 ? fit.two_rest + 3 * k : fit.two + 5 * k / 4) : 0)
 *          + (columns + 1) / 4 * (k % 4 ? fit.four_rest + 9 * k / 2 : (batches
 *          > 1 ? fit.four_more : fit.four) + fit.words * k / 4)))
 * code     batches > 1 ? 420 : 780
 * cold     batches > 1 ? 285 : 640
 * asks     54
 */
#include "kern/kern.h"

#define EPILOGUE_SCALE32
#define LEFT A
#define RIGHT B
#include "kern/xpulp/vector_sums.h"
#include "kern/xpulp/gemv.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_v(k, io);
}
