/* Matrix product of one row by b transposed, scaled in 32 bits, two columns at
 * a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16
 * isa      dsp
 * when     m == 1 && ak == 1 && bk == 1 && k < 32768 && k > 7 &&
 *          has.mul && has.add && muln == 1 && addn == 1 && shift < 32 &&
 *          acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * scratch  128 + 4 + 2 * min(k & -8, 256)
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (200 + n * (24 + (bn % 4 ? 7 * k :
 *          (19 * k >> 4) + 4 * (k & 7) + 20 * (k - 1 >> 8))) +
 *          (5 * k * (k > 256 ? ceil(n, 32) : 1) >> 1))
 */
#define SCALED_32
#include "kern/dsp/line_bytes.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    line_matmul(k, io);
}
