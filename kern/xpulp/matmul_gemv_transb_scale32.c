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
 * cycles   ncore * (405 + 276 * (nb[0] * nb[1] * nb[2] - 1) / ncore + m *
 *          ((((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) + 31) / 32 * 90
 *          + ((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) * 11 + (((nb[0]
 *          * nb[1] * nb[2] * n + ncore - 1) / ncore) % 4 == 1 ? (k % 4 ? 41 + 9
 *          * k / 5 : k - 75) : ((nb[0] * nb[1] * nb[2] * n + ncore - 1) /
 *          ncore) % 4 == 2 ? (k % 4 ? 45 + 3 * k : 12 + 10 * k / 7) : 0) +
 *          (((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) + 1) / 4 * (k % 4
 *          ? 59 + 9 * k / 2 : (nb[0] * nb[1] * nb[2] > 1 ? 34 : 8) + 11 * k /
 *          4)))
 * code     780
 * cold     500
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
