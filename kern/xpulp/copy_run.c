/* Strided copy of dense runs of bytes, a word at a time.
 *
 * op       transpose slice expand concat
 * types    x:s8|u8|b8 -> y:=x
 * isa      xpulpv2
 * when     xs[7] == 1 && ys[7] == 1
 * split    n
 * stack    224
 * let      team = ncore > 1
 * cycles   ncore * (fit.call + team * fit.team) + (fit.run + n[7] % 4 *
 *          fit.byte + n[7] / 2) * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] *
 *          n[6]
 * code     370
 * cold     245
 */
#include "kern/copy/copy.h"
#include "kern/xpulp/transpose.h"

static inline void copy_one(const struct copy_dims *k, const X *x, Y *y,
                            int32_t n)
{
    (void)k;
    transpose_copy(x, y, n);
}

COPY_RUNS(copy_one)
