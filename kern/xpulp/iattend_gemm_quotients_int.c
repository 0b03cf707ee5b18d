/* Attention of bytes with zero points, whose weights are rounded quotients;
 * four rows of q at a time (kern/xpulp/iattend_gemm_int.c).
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:none mask:s8
 *          -> y:s8
 * isa      xpulpv2
 * when     quotients && m > 3 && n > 3 && n < 1024 && d < 4096 && vzero > -128 &&
 *          none * n < 1021 && (p4 == 0 || p4 > 66980000)
 * let      line = 4 * ceil(n, 4)
 * let      fours = ceil(e, 4)
 * scratch  4 * max(line, 4 * fours) + 16 * line + 4 * n + 16 * ceil(d, 4) +
 *          4 * fours * (line + 4) + (d % 4 > 0) * 4 * ceil(d, 4) * n
 * split    heads * m
 * stack    640
 * let      blocks = ceil(heads * ceil(m, 4), ncore)
 * cycles   ncore * (ceil(blocks, ceil(m, 4)) *
 *          (6000 + n * (8 + 8 * ceil(d, 4) + 15 * fours)) + blocks *
 *          (3200 + line / 4 * (370 + 28 * ceil(d, 4)) + fours *
 *          (180 + 8 * line))) * 4 / 5
 * code     3000
 * cold     5000
 */
#define QUOTIENTS_WEIGH
#include "kern/xpulp/attend_rows.h"

void FN(const struct attend_dims *k, const struct io *io)
{
    attend_rows(k, io);
}
