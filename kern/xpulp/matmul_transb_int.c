/* Matrix product with b transposed, four rows by four columns.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k > 3 && biasm == 0 && mulm == 0 && addm == 0
 *          && max(-acc.lo, acc.hi) < 2147483648 && shift < 63 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * split    m n
 * stack    704
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      fours = min(ceil((m + 3) / 4, ncore) * ((n + 3) / 4), (m + 3) / 4 *
 *          ceil((n + 3) / 4, ncore))
 * cycles   ncore * (fit.call + batches * (fit.batch + (m < 3 ? fit.two + (k % 4
 *          ? fit.two_rest + 7 * k : 7 * k / 2) : fit.four + (k % 4 ?
 *          fit.four_rest + 12 * k : fit.word * k)) * fours))
 * code     1880
 */
#include "kern/kern.h"

#define scaled scale64
#include "kern/share.h"

#include "kern/xpulp/matmul_tile.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
