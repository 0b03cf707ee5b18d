/* Strided copy of dense runs, a word at a time.
 *
 * op       transpose slice expand concat
 * types    x:any -> y:=x
 * isa      xpulpv2
 * when     xs[7] == 1 && ys[7] == 1
 * split    n
 * stack    224
 * let      team = ncore > 1
 * let      runs = n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6]
 * let      most = max(max(max(n[0], n[1]), max(n[2], n[3])), max(max(n[4],
 *          n[5]), n[6]))
 * let      cut = n[0] >= ncore ? n[0] : n[1] >= ncore ? n[1] : n[2] >= ncore ?
 *          n[2] : n[3] >= ncore ? n[3] : n[4] >= ncore ? n[4] : n[5] >= ncore ?
 *          n[5] : n[6] >= ncore ? n[6] : most
 * let      parts = cut < ncore && cut <= n[7]
 * let      own = parts ? runs : runs / cut * ceil(cut, ncore)
 * let      size = (parts ? ceil(n[7], ncore) : n[7]) * x.bytes
 * cycles   ncore * (fit.call + team * fit.team + own * (fit.run + size % 4 *
 *          fit.byte + size / 2))
 * code     370
 * cold     325
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
