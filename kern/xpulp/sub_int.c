/* Difference of bytes, four at a time.
 *
 * op       sub
 * types    x:s8|u8 y:s8|u8 mul:int add:int -> z:s8|u8
 * isa      xpulpv2
 * when     s0[5] == 1 && s1[5] == 1 && has.mul == has.add && (!has.mul || mul.n
 *          == 1) && (!has.add || add.n == 1) && has.mul && shift > 15 && shift
 *          < 39 && max(-acc.lo, acc.hi) < 32768 && (max(-scaled.lo, scaled.hi)
 *          + (256 << shift)) >> 16 < 2147418112
 * inplace  x y
 * split    n
 * stack    320
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4]
 * let      team = ncore > 1
 * let      words = ceil(z.n, 4 * ncore)
 * cycles   ncore * (fit.call + team * fit.team + words * fit.word) + fit.row *
 *          (rows - 1) + (rows > 1) * team * ncore * fit.uneven
 * code     730
 */
#define SIMD_SUM SUB
#define SIMD_SCALE SCALE64
#include "kern/xpulp/simd_map.h"

SIMD_SCALED(2)
