/* Matrix product of few rows with b transposed, one row by four columns.
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
 * split    n
 * stack    512
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      columns = ceil(batches * n, ncore)
 * cycles   ncore * (fit.call + fit.batch * (batches - 1) / ncore + m *
 *          ((columns + 31) / 32 * fit.run + columns * fit.result + (columns % 4
 *          == 1 ? (k % 4 ? fit.one_rest + 9 * k / 5 : k - fit.one) : columns %
 *          4 == 2 ? (k % 4 ? fit.two_rest + 3 * k : fit.two + 10 * k / 7) : 0)
 *          + (columns + 1) / 4 * (k % 4 ? fit.four_rest + 9 * k / 2 : fit.four
 *          + fit.words * k / 4)))
 * code     910
 * asks     54
 */
#include "kern/kern.h"

#define scaled scale64
#define LEFT A
#define RIGHT B
#include "kern/xpulp/vector_sums.h"
#include "kern/xpulp/gemv.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_v(k, io);
}
