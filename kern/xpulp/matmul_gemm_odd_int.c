/* Matrix product of rows that do not fill words, or lie differently far apart,
 * with b transposed, four rows by four columns.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && (k % 4 || am != bn) && bn >= k && k > 3 &&
 *          m > 3 && n > 3 && biasm == 0 && mulm == 0 && addm == 0 && hi - lo <
 *          1 << 8 * y.bytes && max(-acc.lo, acc.hi) < 2147483648 && shift < 63 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * scratch  32 * ((k + 3) / 4)
 * split    m n
 * stack    704
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      blocks = ceil(batches * ((m + 3) / 4) * ((n + 3) / 4), ncore)
 * cycles   ncore * (fit.call + (fit.block + fit.word * ((k + 3) / 4)) *
 *          blocks + ((m + 3) / 4 * batches / ncore + 1) * (fit.rows +
 *          fit.packed * k))
 * code     2120
 */
#include "kern/kern.h"

#define scaled scale64
#define GEMM_SCALE32 0
#define GEMM_ODD
#include "kern/xpulp/gemm4x4_matmul.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    gemm_matmul(k, io);
}
