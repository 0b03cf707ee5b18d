/* Sum of bytes over axes but the last, four columns at a time, scaled.
 *
 * op       sum
 * types    x:s8|u8 mul:int add:int -> y:s8|u8|s16|s32
 * types    x:s8|u8 mul:int add:int shifts:int -> y:s8|u8|s16|s32
 * round    0 1
 * isa      xpulpv2
 * when     xs[5] == 1 && n[5] > 3 && count < 8388608
 * split    n
 * stack    288
 * let      team = ncore > 1
 * let      outer = n[0] * n[1] * n[2] * n[3] * n[4]
 * cycles   ncore * (fit.call + team * fit.team + ceil(outer * ((n[5] + 3) / 4),
 *          ncore) * (fit.columns + fit.row * count + fit.run * (count / m[5]) +
 *          (outer > 1) * fit.outer))
 * code     700
 */
#include "kern/finish.h"

FINISH(reduce, 1)

#define COLUMN_RESULT finish
#include "kern/xpulp/reduce_columns.h"

void FN(const struct reduce_dims *k, const struct io *io)
{
    columns(k, io);
}
