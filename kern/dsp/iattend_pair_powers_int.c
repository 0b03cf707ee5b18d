/* Attention of bytes whose powers are weights, divided once a row; two rows of
 * q at a time (kern/dsp/iattend_pair_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:u8 parts:none mask:s8
 *          -> y:s8
 * isa      dsp
 * let      wide = n + 7 & -8
 * let      deep = d + 7 & -8
 * let      pairs = m + 1 >> 1
 * when     !quotients && m > 1 && p0 < 32 && n < 32768 && d < 32768 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          max(-acc.lo, acc.hi) < 1 << 30 &&
 *          (d != e || (qrow == yrow && qhead == yhead))
 * inplace  q
 * scratch  2 * wide * (e + 1 & -2) + (d > 4 ? 2 * deep * (n + 1 & -2) :
 *          (d > 2 ? 8 : 4) * (n + 3 & -4)) + 4 * max(wide, deep) + 64 +
 *          (2 * max(n, e) + 7 & -8)
 * stack    456
 * let      score = 7 + has.mask * 2 + (d > 4 ? 8 + (3 * deep >> 2) : 7)
 * cycles   1500 + heads * (200 + n * (d > 4 ? 2 * d : 12) + 3 * n * e + pairs *
 *          (250 + 2 * n * score + 2 * e * (11 + (3 * wide >> 2))))
 */
#define POWERS_WEIGH
#include "kern/dsp/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_pairs(k, io);
}
