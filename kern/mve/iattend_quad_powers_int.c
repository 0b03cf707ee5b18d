/* Attention of bytes whose powers are weights, divided once a row; some rows of
 * q at a time (kern/mve/iattend_quad_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:u8 parts:none mask:s8
 *          -> y:s8
 * isa      mve
 * let      wide = n + 15 & -16
 * let      deep = d + 15 & -16
 * let      spare = d & 15 ? 2 * deep : 0
 * let      fixed = e * (wide + 4) + spare
 * let      bytes = wide + max(wide, deep) + 8
 * let      all = m + 3 & -4
 * let      some = min(all, room > 0 ? (room - fixed) / bytes & -4 : 24)
 * when     !quotients && m > 1 && n > 1 && e > 1 && n < 7168 && yrow < 21846 &&
 *          p0 < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          max(-acc.lo, acc.hi) < 1 << 30 &&
 *          (d != e || (qrow == yrow && qhead == yhead))
 * inplace  q
 * scratch  fixed + bytes * min(all, 24)
 * most     fixed + bytes * all
 * stack    1088
 * let      calls = ceil(all, some) + (m > 4 && m % 4 > 0)
 * let      quad = 36 + 14 * (deep >> 4)
 * let      value = 36 + 14 * (wide >> 4)
 * cycles   1000 + heads * (200 + 5 * n * ceil(e, 8) + e * (30 + (wide >> 3)) +
 *          calls * (100 + 60 * ceil(n, 2) + 110 * ceil(e, 2)) +
 *          all / 4 * (ceil(n, 2) * quad + ceil(e, 2) * value + wide) +
 *          m * (110 + (21 + 12 * has.mask) * ceil(n, 16)))
 */
#define POWERS_WEIGH
#include "kern/mve/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_quads(k, io);
}
