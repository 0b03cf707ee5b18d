/* Scaling of bytes, four at a time.
 *
 * op       requant
 * types    x:s8|u8 mul:int add:int -> y:s8|u8
 * isa      xpulpv2
 * when     s0[5] == 1 && sm[5] == 0 && sa[5] == 0 && shift > 15 && shift < 39
 *          && max(-x.lo, x.hi) < 32768 && (max(-scaled.lo, scaled.hi) + (256 <<
 *          shift)) >> 16 < 2147418112
 * inplace  x
 * split    n
 * stack    320
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4]
 * let      team = ncore > 1
 * let      words = ceil(y.n, 4 * ncore)
 * cycles   ncore * (fit.call + team * fit.team + words * fit.word) + fit.row *
 *          (rows - 1) + (rows > 1) * team * ncore * fit.uneven
 * code     750
 */
#define Z Y
#define SIMD_SUM ONE
#define SIMD_SCALE SCALE64
#include "kern/xpulp/simd_map.h"

SIMD_REQUANT
