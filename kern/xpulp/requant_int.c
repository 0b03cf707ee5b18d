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
 * cycles   ncore * (245 + min(ncore - 1, 1) * 70 +
 *          (y.n + 4 * ncore - 1) / (4 * ncore) * 30) +
 *          150 * (n[0] * n[1] * n[2] * n[3] * n[4] - 1) +
 *          min(n[0] * n[1] * n[2] * n[3] * n[4] - 1, 1) *
 *          min(ncore - 1, 1) * ncore * 100
 * code     680
 */
#define Z Y
#define SIMD_SUM ONE
#define SIMD_SCALE SCALE64
#include "kern/xpulp/simd_map.h"

SIMD_REQUANT
