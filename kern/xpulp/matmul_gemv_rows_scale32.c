/* Matrix product of few rows with b in rows, one row by four columns,
 * scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bn == 1 && biasm == 0 && mulm == 0 && addm == 0 && shift
 *          < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    512
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      columns = ceil(batches * n, ncore)
 * cycles   ncore * (fit.call + fit.batch * (batches - 1) / ncore + fit.batches
 *          * (batches - 1) + m * (n == 2 && bk == 2 && k > 3 && columns % 2 ==
 *          0 ? columns / 2 * (fit.pair + k / 4 * fit.word2 + k % 4 * fit.byte2)
 *          : min(columns, n) < 4 || k < 4 ? columns * ((k < 4 ? 0 : fit.one) +
 *          fit.result + fit.product * k) : columns * fit.result + (columns + 3)
 *          / 4 * (fit.four + (k + 3) / 4 * (bk % 4 ? fit.bytes : fit.word) + (k
 *          % 4 > 0) * fit.rest)))
 * code     1000
 * cold     485
 */
#include "kern/kern.h"

#define EPILOGUE_SCALE32
#define LEFT A
#define RIGHT B
#include "kern/xpulp/vector_rows.h"
#include "kern/xpulp/gemv.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_v(k, io);
}
