/* Matrix product of few rows with b transposed, one row by four columns.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k > 3 && biasm == 0 && mulm == 0 && addm == 0
 *          && max(-acc.lo, acc.hi) < 2147483648 && shift < 63 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * split    n
 * stack    512
 * cycles   ncore * (405 + 376 * (nb[0] * nb[1] * nb[2] - 1) / ncore + m *
 *          ((((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) + 31) / 32 * 90
 *          + ((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) * 37 + (((nb[0]
 *          * nb[1] * nb[2] * n + ncore - 1) / ncore) % 4 == 1 ? (k % 4 ? 41 + 9
 *          * k / 5 : k - 75) : ((nb[0] * nb[1] * nb[2] * n + ncore - 1) /
 *          ncore) % 4 == 2 ? (k % 4 ? 45 + 3 * k : 12 + 10 * k / 7) : 0) +
 *          (((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) + 1) / 4 * (k % 4
 *          ? 59 + 9 * k / 2 : 8 + 11 * k / 4)))
 * code     990
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
