/* Weighted sum of bytes, four at a time, in 32 bits.
 *
 * op       wadd
 * types    x:s8|u8 y:s8|u8 c:int -> z:s8|u8
 * isa      xpulpv2
 * when     s0[5] == 1 && s1[5] == 1 && c.n == 1 && shift < 23 &&
 *          max(-scaled.lo, scaled.hi) + (256 << shift) < 2147483648
 * inplace  x y
 * split    n
 * stack    320
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4]
 * let      team = ncore > 1
 * let      words = ceil(z.n, 4 * ncore)
 * cycles   ncore * (fit.call + team * fit.team + words * fit.word) + fit.row *
 *          (rows - 1) + (rows > 1) * team * ncore * fit.uneven
 * code     580
 */
#define SIMD_SUM TWO
#define SIMD_SCALE SCALE32
#include "kern/xpulp/simd_map.h"

void FN(const struct map_dims *k, const struct io *io)
{
    const C *add = io->in[2];
    const struct words w = simd_of(k, k->p0, k->p1, (SIMD_WIDE)*add,
                                    k->shift);

    simd_all(k, io, &w);
}
