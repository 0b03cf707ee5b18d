/* Attention of bytes, four rows of q at a time: products four by four, weights
 * by tables.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:s8 -> y:s8
 * isa      xpulpv2
 * when     has.parts && !bound && !both && m > 3 && n > 3 && p0 < 32 &&
 *          shift < 32 && n < 4096 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && most < 65536 &&
 *          most * n < 2147483648 && most * most * n < 68719476736 && p1 < 256
 * let      line = 4 * ceil(n, 4)
 * let      fours = ceil(e, 4)
 * let      values = 12 * fours - 5 * (e % 4 == 2)
 * let      pairs = same_scores && d == 32 && !has.mask
 * let      sums = pairs ? fit.pairs : (same_scores && !has.mask ?
 *          fit.linear : fit.sums) + 24 * ceil(d, 4)
 * scratch  (same_parts ? 32 : 416) + 4 * line + max(16 * fours,
 *          (pairs ? 8 : 16) * line) + (d > 4 && !pairs) *
 *          (16 + 16 * ceil(d, 4)) + 4 * fours * line + (d % 4 > 0) * 4 *
 *          ceil(d, 4) * n
 * split    heads * m
 * stack    576
 * let      blocks = ceil(heads * ceil(m, 4), ncore)
 * cycles   ncore * (fit.call + ceil(blocks, ceil(m, 4)) * (fit.head + fit.byte
 *          * n * e) + blocks * (fit.rows + line / 4 * (fit.four + (d > 4) *
 *          sums + has.mask * fit.mask + (most > 2047) * fit.long) + values *
 *          (fit.column + 6 * line) / 12))
 * code     3000
 * cold     2750
 */
#include "kern/xpulp/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_rows(k, io);
}
