/* Matrix product of rows of 1 to 4 with b transposed,
 * scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k < 5 && bn >= k && biasm == 0 && mulm == 0 &&
 *          addm == 0 && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    512
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      columns = ceil(batches * n, ncore)
 * cycles   ncore * (fit.call + fit.batch * (batches - 1) / ncore + fit.batches
 *          * (batches - 1) + m * (biasn == 0 && muln == 0 && addn == 0 ?
 *          columns * fit.pair / 2 + ceil(columns, n) * fit.start : columns *
 *          fit.column + (columns + 31) / 32 * fit.run))
 * code     990
 * cold     325
 */
#include "kern/kern.h"

#define EPILOGUE_SCALE32
#define LEFT A
#define RIGHT B
#include "kern/xpulp/vector_small_k.h"
#include "kern/xpulp/gemv.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_v(k, io);
}
