/* The integer RMS norm of bytes without divisions but of rows.
 *
 * op       irmsnorm
 * types    x:s8|u8 w:s8|u8|s16|s32 -> y:s8|u8
 * isa      xpulpv2
 * when     n > 3 && n < 32768 && shift < 17 && lo >= -128 && hi < 128 &&
 *          255 * (max(-w.lo, w.hi) + 1) < 2147483648
 * split    rows n
 * stack    160
 * let      team = ncore > 1
 * let      words = (n + 3) / 4
 * let      share = ceil(rows * words, ncore)
 * let      odd = (n & (n - 1)) > 0
 * cycles   ncore * (fit.call + team * fit.team + (share / words + (rows % ncore
 *          > 0)) * (fit.row + 3 * n / 4 + odd * fit.odd + (n % 4 > 0) *
 *          fit.rest) + share * fit.word)
 * code     660
 * cold     690
 */
#define NORM_MEAN 0
#include "kern/xpulp/norm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    norm_all(k, io, io->in[1]);
}
