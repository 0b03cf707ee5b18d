/* Attention of bytes without the columns that a mask hides, four rows of q at a
 * time (kern/xpulp/iattend_gemm_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:s8 -> y:s8
 * isa      xpulpv2
 * when     has.parts && m > 3 && n > 31 && n % 4 == 0 && has.mask &&
 *          reach + hidden <= 0 && mrow == n && !mhead && !bound &&
 *          !both && p0 < 32 && shift < 32 && n < 4096 && p1 < 256 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && most < 65536 &&
 *          most * n < 2147483648 && most * most * n < 68719476736
 * let      line = 4 * ceil(n, 4)
 * let      fours = ceil(e, 4)
 * let      values = 12 * fours - 5 * (e % 4 == 2)
 * let      shown = line / 8 + 1
 * scratch  416 + m + 10 + 4 * line + 16 * max(fours, line) + (d > 4) * 16 *
 *          ceil(d, 4) + 4 * fours * line + (d % 4 > 0) * 4 * ceil(d, 4) * n
 * split    heads * m
 * stack    576
 * let      blocks = ceil(heads * ceil(m, 4), ncore)
 * cycles   ncore * (fit.call + ceil(blocks, ceil(m, 4)) * (fit.head + fit.byte
 *          * n * e) + blocks * (fit.rows + shown * (fit.four + (d > 4) *
 *          (fit.sums + 24 * ceil(d, 4)) + fit.mask + (most > 2047) *
 *          fit.long) + values * (fit.column + 24 * shown) / 12))
 * code     3000
 * cold     2750
 *
 * Columns behind the last one that a mask of -128 shows to any of four rows
 * get no scores where each row's greatest leaves them without powers; one of 0
 * does.  The mask is taken to hide the upper half.
 */
#define HIDES
#include "kern/xpulp/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_rows(k, io);
}
