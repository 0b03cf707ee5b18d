/* Matrix product of one row with weights of two rows in halves of 16 bits.
 *
 * op       pmatmul
 * types    a:s8|u8 b:s8 bias:int mul:int add:int -> y:s8|u8|s16|u16
 * types    a:s8|u8 b:s8 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16
 * round    0 1
 * isa      dsp
 * when     m == 1 && ak == 1 && k % 4 == 0 && k < 32768 && n % 2 == 0 &&
 *          has.mul && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          (shift > 31 || (shift > 0 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * scratch  128 + 4 + 2 * min(k, 256)
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (240 + n * (28 + (27 * k >> 5) +
 *          (k & 4 ? 12 : 0) + 20 * (k - 1 >> 8)) +
 *          (5 * k * (k > 256 ? ceil(n, 32) : 1) >> 1))
 */
#include "kern/dsp/line_halves.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    line_matmul(k, io);
}
