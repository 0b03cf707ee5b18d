/* Matrix product with b transposed, four rows by two columns of sixteen
 * elements at a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8 bias:int mul:int add:int -> y:s8|u8
 * types    a:s8|u8 b:s8 bias:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      columns = k + 15 & -16
 * let      spare = k & 15 ? 2 * columns : 0
 * let      usual = columns * max(16, min(64, 2048 / columns)) - spare
 * let      all = m + 3 & -4
 * let      least = min(all, usual / columns & -4)
 * let      rows = room > 0 ? (room - spare) / columns & -4 : least
 * let      upper = has.shifts || round
 * let      quad = (upper ? 22 + 4 * round : 32) + 14 * (columns >> 4) +
 *          2 * ceil(columns, 64)
 * let      pair = (upper ? 95 : 130) + (k & 15 ? 20 + 5 * (columns >> 4) : 0)
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     m > 1 && n > 1 && n < 21846 && ak == 1 && bk == 1 &&
 *          k < 32768 && has.mul && mulm == 0 && addm == 0 &&
 *          (!has.bias || (biasm == 0 && biasn == 1)) &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * scratch  spare + columns * least
 * most     spare + columns * min(all, max(least, 64))
 * reads    ceil(all, rows)
 * stack    752
 * cycles   nb[0] * nb[1] * nb[2] * ((all >> 2) * ((n + 1 >> 1) * quad + 20 +
 *          9 * (columns >> 4)) + (n + 1 >> 1) * pair * ceil(all, rows) + 200)
 */
#include "kern/matmul/pair.h"
#include "kern/mve/quad.h"
#include "kern/matmul/batch.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    pair_matmul(k, io);
}
