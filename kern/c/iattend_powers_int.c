/* Attention of bytes in 32 bits: a row at a time, powers by a table, which are
 * weights and divided once a row.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:u8 parts:none mask:s8
 *          -> y:s8
 * isa      any
 * when     !quotients && n > 0 && p0 < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          max(-acc.lo, acc.hi) < 2147483648
 * scratch  4 * n
 * split    heads * m
 * stack    160
 * let      mac = ncore > 1 ? 15 : 4
 * cycles   ncore * ceil(heads * m, ncore) * (100 + n * (30 + mac * (d + e)))
 */
#define POWERS_WEIGH
#include "kern/row/attend.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_rows(k, io);
}
