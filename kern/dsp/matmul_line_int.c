/* Matrix product of one row by b transposed, two columns at a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int -> y:s8|u8|s16|u16
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16
 * round    0 1
 * isa      dsp
 * when     m == 1 && ak == 1 && bk == 1 && k < 32768 && k > 7 &&
 *          has.mul && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          (shift > 31 || (shift > 0 && !has.shifts && 2 * mul.hi < 1 << shift &&
 *          2 * mul.lo >= -(1 << shift) && scaled.hi < 1 << shift + 31 &&
 *          scaled.lo >= -(1 << shift + 31)))
 * scratch  128 + 4 + 2 * min(k & -8, 256)
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (240 + n * (30 + (bn % 4 ? 7 * k : (19 * k >>
 *          4) + 4 * (k & 7) + 20 * (k - 1 >> 8))) +
 *          (5 * k * (k > 256 ? ceil(n, 32) : 1) >> 1))
 */
#include "kern/dsp/line_bytes.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    line_matmul(k, io);
}
