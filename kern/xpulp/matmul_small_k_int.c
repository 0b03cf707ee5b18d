/* Matrix product of rows of 1 to 4 with b transposed.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k < 5 && bn >= k && biasm == 0 && mulm == 0 &&
 *          addm == 0 && max(-acc.lo, acc.hi) < 2147483648 && shift < 63 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * split    n
 * stack    512
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      columns = ceil(batches * n, ncore)
 * cycles   ncore * (fit.call + fit.batch * (batches - 1) / ncore + fit.batches
 *          * (batches - 1) + m * (columns * fit.column + (columns + 31) / 32 *
 *          fit.run))
 * code     990
 */
#include "kern/kern.h"

#define scaled scale64
#define LEFT A
#define RIGHT B
#include "kern/xpulp/vector_small_k.h"
#include "kern/xpulp/gemv.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_v(k, io);
}
