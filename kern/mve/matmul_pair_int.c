/* Matrix product with b transposed, two rows by two columns of sixteen elements
 * at a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8 bias:int mul:int add:int -> y:s8|u8
 * types    a:s8|u8 b:s8 bias:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      columns = k + 15 & -16
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     m > 1 && n > 1 && ak == 1 && bk == 1 && k < 32768 && has.mul &&
 *          mulm == 0 && addm == 0 && (!has.bias || (biasm == 0 && biasn == 1)) &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * scratch  columns * min(m, max(16, min(64, 2048 / columns)))
 * stack    752
 * cycles   nb[0] * nb[1] * nb[2] * (m * (n * (15 + 9 * (columns >> 4)) >> 2) +
 *          m * (10 + (columns >> 2)) + 50 * n *
 *          ceil(m, max(16, min(64, 2048 / columns))))
 */
#include "kern/matmul/pair.h"
#include "kern/mve/point.h"
#include "kern/mve/pair.h"
#include "kern/matmul/batch.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    pair_matmul(k, io);
}
