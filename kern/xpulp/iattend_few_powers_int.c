/* Attention of bytes over four to eight keys whose powers are weights, divided
 * once a row (kern/xpulp/iattend_few_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:u8 parts:none
 *          mask:none -> y:s8
 * isa      xpulpv2
 * when     !quotients && n > 3 && n < 9 && d % 8 == 0 && e % 4 == 0 &&
 *          lo == -128 && hi == 127 && p0 < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * scratch  12 * m
 * split    heads * m
 * stack    256
 * let      share = ceil(heads * m, ncore)
 * cycles   ncore * (fit.call + ceil(share, m) * (fit.head + e / 4 * fit.four) +
 *          share * (fit.row + n * (fit.key + 3 * d / 4) + 41 * e / 4))
 * code     1000
 */
#define POWERS_WEIGH
#include "kern/xpulp/attend_few.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_few(k, io);
}
