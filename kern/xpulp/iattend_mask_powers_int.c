/* Attention of bytes whose powers are weights, without the columns that a mask
 * hides, four rows of q at a time (kern/xpulp/iattend_mask_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:u8 parts:none mask:s8
 *          -> y:s8
 * isa      xpulpv2
 * when     !quotients && m > 3 && n > 31 && n % 4 == 0 && has.mask &&
 *          reach + hidden <= 0 &&
 *          mrow == n && !mhead && p0 < 32 && n < 4096 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * let      line = 4 * ceil(n, 4)
 * let      fours = ceil(e, 4)
 * let      values = 12 * fours - 5 * (e % 4 == 2)
 * let      shown = line / 8 + 1
 * scratch  m + 10 + 4 * max(line, 4 * fours) + (d > 4 ? 16 * line + 16 *
 *          ceil(d, 4) : 4 * line + 24) + 4 * fours * line + (d % 4 > 0) * 4 *
 *          ceil(d, 4) * n
 * split    heads * m
 * stack    576
 * let      blocks = ceil(heads * ceil(m, 4), ncore)
 * cycles   ncore * (fit.call + ceil(blocks, ceil(m, 4)) * (fit.head + fit.byte
 *          * n * e) + blocks * (fit.rows + shown * (fit.four + (d > 4) *
 *          (fit.sums + 24 * ceil(d, 4)) + (bound ? fit.bound : fit.mask)) +
 *          values * (fit.column + 24 * shown) / 12))
 * code     2400
 * cold     1500
 */
#define HIDES
#define POWERS_WEIGH
#include "kern/xpulp/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_rows(k, io);
}
