/* Attention of bytes with zero points, whose weights are rounded quotients; two
 * rows of q at a time (kern/dsp/iattend_pair_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:none mask:s8
 *          -> y:s8
 * isa      dsp
 * let      wide = n + 7 & -8
 * let      deep = d + 7 & -8
 * let      pairs = m + 1 >> 1
 * when     quotients && m > 1 && n > 1 && n < 4096 && d < 4096 &&
 *          max(-acc.lo, acc.hi) < 1 << 30 &&
 *          (d != e || (qrow == yrow && qhead == yhead))
 * inplace  q
 * scratch  2 * wide * (e + 1 & -2) + 2 * deep * (n + 1 & -2) +
 *          4 * max(wide, deep) + 64 + (2 * max(n, e) + 7 & -8)
 * stack    560
 * cycles   heads * (5800 + 8 * n * e + pairs * (470 + 2 * n *
 *          (40 + (3 * deep >> 2)) + 2 * e * (14 + (5 * wide >> 3))))
 */
#define QUOTIENTS_WEIGH
#include "kern/dsp/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_pairs(k, io);
}
