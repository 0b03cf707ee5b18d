/* Attention of bytes with zero points, whose weights are rounded quotients;
 * some rows of q at a time (kern/mve/iattend_quad_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:none mask:s8
 *          -> y:s8
 * isa      mve
 * let      wide = n + 15 & -16
 * let      deep = d + 15 & -16
 * let      spare = d & 15 ? 2 * deep : 0
 * let      fixed = e * (wide + 4) + spare + 8 * wide
 * let      bytes = wide + max(wide, deep) + 8
 * let      all = m + 3 & -4
 * let      some = min(all, room > 0 ? (room - fixed) / bytes & -4 : 24)
 * when     quotients && m > 1 && n > 1 && e > 1 && n < 4096 && d < 4096 &&
 *          yrow < 21846 && max(-acc.lo, acc.hi) < 1 << 30 &&
 *          (d != e || (qrow == yrow && qhead == yhead))
 * inplace  q
 * scratch  fixed + bytes * min(all, 24)
 * most     fixed + bytes * all
 * stack    1120
 * let      calls = ceil(all, some) + (m > 4 && m % 4 > 0)
 * let      quad = 40 + 14 * (deep >> 4)
 * let      value = 40 + 14 * (wide >> 4)
 * cycles   1000 + heads * (200 + 5 * n * ceil(e, 8) + e * (30 + (wide >> 3)) +
 *          n * (14 + deep / 4) + calls * (100 + 90 * ceil(n, 2) +
 *          110 * ceil(e, 2)) + all / 4 * (ceil(n, 2) * quad +
 *          ceil(e, 2) * value + wide) +
 *          m * (300 + (30 + 15 * has.mask) * ceil(n, 4)))
 */
#define QUOTIENTS_WEIGH
#include "kern/mve/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_quads(k, io);
}
