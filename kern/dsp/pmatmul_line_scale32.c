/* Matrix product of one row with weights of two rows in halves of 16 bits, scaled
 * in 32 bits.
 *
 * op       pmatmul
 * types    a:s8|u8 b:s8 bias:int mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16
 * isa      dsp
 * when     m == 1 && ak == 1 && k % 4 == 0 && k < 32768 && n % 2 == 0 &&
 *          has.mul && has.add && muln == 1 && addn == 1 && shift < 32 &&
 *          acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * scratch  128 + 4 + 2 * min(k, 256)
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (200 + n * (22 + (27 * k >> 5) +
 *          (k & 4 ? 12 : 0) + 20 * (k - 1 >> 8)) +
 *          (5 * k * (k > 256 ? ceil(n, 32) : 1) >> 1))
 */
#define SCALED_32
#include "kern/dsp/line_halves.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    line_matmul(k, io);
}
