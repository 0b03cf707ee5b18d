/* The integer RMS norm of 16 bits, without divisions but of rows.
 *
 * op       irmsnorm
 * types    x:s8|u8|s16 w:s8|u8|s16 -> y:s8|u8|s16
 * isa      any
 * when     max(-x.lo, x.hi) * max(-w.lo, w.hi) < 2147483648 && shift < 32 &&
 *          n > 0
 * split    rows n
 * stack    192
 * let      share = ceil(rows * n, ncore)
 * cycles   ncore * (120 + ceil(share, n) * (300 + 8 * n) + 22 * share)
 * code     600
 */
#include "kern/row/inverse.h"
#include "kern/row/rmsnorm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    rows(k, io);
}
