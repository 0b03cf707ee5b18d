/* Strided copy of dense runs, a word at a time.
 *
 * op       transpose slice expand concat
 * types    x:any -> y:=x
 * isa      xpulpv2
 * when     xs[7] == 1 && ys[7] == 1
 * split    n
 * stack    224
 * let      team = ncore > 1
 * let      size = n[7] * x.bytes
 * cycles   ncore * (fit.call + team * fit.team) + (fit.run + size % 4 *
 *          fit.byte + size / 2) * n[0] * n[1] * n[2] * n[3] * n[4] * n[5] *
 *          n[6]
 * code     370
 * cold     300
 */
#include "kern/copy/copy.h"
#include "kern/xpulp/transpose.h"

static inline void copy_one(const struct copy_dims *k, const X *x, Y *y,
                            int32_t n)
{
    (void)k;
    transpose_copy(x, y, n * (int32_t)sizeof *y);
}

COPY_RUNS(copy_one)
