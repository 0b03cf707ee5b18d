/* Attention of bytes over four to eight keys: weights of all rows of a head by
 * tables, then four columns of v at a time for all rows.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:none -> y:s8
 * isa      xpulpv2
 * when     has.parts && n > 3 && n < 9 && d % 8 == 0 && e % 4 == 0 &&
 *          lo == -128 && hi == 127 && p0 < 32 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && most < 65536 &&
 *          most * most * n < 4194304 && p1 < 256
 * scratch  8 * m
 * split    heads * m
 * stack    256
 * let      share = ceil(heads * m, ncore)
 * cycles   ncore * (fit.call + ceil(share, m) * (fit.head + e / 4 * fit.four) +
 *          share * (fit.row + n * (fit.key + 3 * d / 4) + 25 * e / 4))
 * code     1100
 */
#include "kern/xpulp/attend_few.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_few(k, io);
}
