/* Attention of bytes with zero points, whose weights are rounded quotients: a
 * row at a time, sums in 32 bits.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:none mask:s8
 *          -> y:s8
 * isa      any
 * when     quotients && n > 0 && n < 16384 && d < 16384
 * scratch  4 * n + 2 * d
 * split    heads * m
 * stack    352
 * let      mac = ncore > 1 ? 12 : 5
 * cycles   ncore * ceil(heads * m, ncore) * (700 + n * (70 + mac * (d + e)))
 */
#define QUOTIENTS_WEIGH
#include "kern/row/attend.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_rows(k, io);
}
