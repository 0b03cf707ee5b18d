/* Matrix product with b transposed, two rows by two columns of halves of 16
 * bits at a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int -> y:s8|u8
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      dsp
 * param    PANEL 1024 512 2048 4096
 * param    UNROLL 16 32
 * let      weights = nb[0] * nb[1] * nb[2] * n * k
 * let      columns = k + 7 & -8
 * let      usual = max(columns > 256 ? 8 : 16, min(32, 1024 / columns))
 * let      fixed = 64 + 4 * columns
 * let      all = m + 1 & -2
 * let      least = min(usual * PANEL >> 10, all)
 * let      pixels = room > 0 ? (room - fixed) / (2 * columns) & -2 : least
 * let      more = weights * ceil(all, pixels) -
 *          (UNROLL > 16 ? 3 * weights * m >> 7 : 0)
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     m > 1 && n > 1 && ak == 1 && bk == 1 && k < 32768 && has.mul &&
 *          mulm == 0 && addm == 0 && (!has.bias || (biasm == 0 && biasn == 1)) &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small) &&
 *          (PANEL < 2048 || 2 * columns * least < 65536)
 * scratch  fixed + 2 * columns * least
 * most     fixed + 2 * columns * min(all, max(least, 64))
 * reads    ceil(m, pixels)
 * stack    592
 * cycles   nb[0] * nb[1] * nb[2] * (all * n * (8 + (11 * k >> 4)) +
 *          2 * m * k + 90 * n * ceil(m, 16)) + more
 */
#include "kern/matmul/pair.h"
#include "kern/dsp/pair.h"
#include "kern/conv/pair.h"
#include "kern/conv/point.h"
#include "kern/matmul/batch.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    pair_matmul(k, io);
}
