/* Mean of bytes over axes but the last, four columns at a time; ties go up.
 *
 * op       mean
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     xs[5] == 1 && n[5] > 3 && count < 4194304
 * split    n
 * stack    256
 * let      team = ncore > 1
 * let      outer = n[0] * n[1] * n[2] * n[3] * n[4]
 * cycles   ncore * (fit.call + team * fit.team + ceil(outer * ((n[5] + 3) / 4),
 *          ncore) * (fit.columns + fit.row * count + fit.run * (count / m[5]) +
 *          (outer > 1) * fit.outer))
 * code     480
 * cold     448
 */
#include "kern/kern.h"

/* (2 sum + n) / 2n rounded down, n > 0 */
static inline int32_t mean(int32_t sum, int32_t n)
{
    const int32_t a = 2 * sum + n, q = a / (2 * n);

    return q - (a - q * 2 * n < 0);
}

#define COLUMN_RESULT(k, io, sum, column) mean(sum, (k)->count)
#include "kern/xpulp/reduce_columns.h"

void FN(const struct reduce_dims *k, const struct io *io)
{
    columns(k, io);
}
