/* Matrix product of rows of 1 to 3 with b transposed.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k < 4 && bn >= k && biasm == 0 && mulm == 0 &&
 *          addm == 0 && max(-acc.lo, acc.hi) < 2147483648 && shift < 63 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * split    n
 * stack    512
 * cycles   ncore * (430 + 240 * (nb[0] * nb[1] * nb[2] - 1) / ncore + 20 *
 *          (nb[0] * nb[1] * nb[2] - 1) + m * (((nb[0] * nb[1] * nb[2] * n +
 *          ncore - 1) / ncore) * 38 + (((nb[0] * nb[1] * nb[2] * n + ncore -
 *          1) / ncore) + 31) / 32 * 90))
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
