/* The integer RMS norm of 16 bits: squares are summed two by two.
 *
 * op       irmsnorm
 * types    x:s16 w:s8|u8|s16 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     max(-x.lo, x.hi) * max(-w.lo, w.hi) < 2147483648 && shift < 32 &&
 *          n > 1
 * split    rows n
 * stack    192
 * let      share = ceil(rows * n, ncore)
 * let      odd = (n & (n - 1)) > 0
 * cycles   ncore * (fit.call + (ncore > 1) * fit.team + ceil(share, n) *
 *          (fit.row + odd * fit.odd + 5 * n / 2) + fit.element * share)
 * code     620
 */
#include "kern/xpulp/rmsnorm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    rows(k, io);
}
