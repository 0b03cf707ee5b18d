/* Differences of bytes and a number, which bytes hold as they are.
 *
 * op       sub
 * types    x:s8|u8 y:s8|u8|s16 -> z:s8|u8
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] == 0 &&
 *          lo <= x.lo - y.hi && x.hi - y.lo <= hi
 * inplace  x
 * split    n
 * stack    96
 * cycles   ncore * (fit.call + fit.word * ceil(z.n, 4 * ncore))
 * code     182
 */
#include "kern/xpulp/offset.h"

void FN(const struct map_dims *k, const struct io *io)
{
    offset_all(io, k->n[5], -*(const Y *)io->in[1]);
}
