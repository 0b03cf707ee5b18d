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
 * cycles   ncore * (370 + 240 * (nb[0] * nb[1] * nb[2] - 1) / ncore + 20 *
 *          (nb[0] * nb[1] * nb[2] - 1) + m * (n == 2 && bk == 2 && k > 3 &&
 *          ((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore) % 2 == 0 ? ((nb[0]
 *          * nb[1] * nb[2] * n + ncore - 1) / ncore) / 2 * (92 + k / 4 * 8 + k
 *          % 4 * 20) : min(((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore),
 *          n) < 4 || k < 4 ? ((nb[0] * nb[1] * nb[2] * n + ncore - 1) / ncore)
 *          * ((k < 4 ? 0 : 31) + 10 + 4 * k) : ((nb[0] * nb[1] * nb[2] * n +
 *          ncore - 1) / ncore) * 10 + (((nb[0] * nb[1] * nb[2] * n + ncore - 1)
 *          / ncore) + 3) / 4 * (61 + (k + 3) / 4 * (bk % 4 ? 22 : 19) + min(k %
 *          4, 1) * 10)))
 * code     1000
 * cold     420
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
