/* Scaling of bytes, four at a time, scaled in 32 bits.
 *
 * op       requant
 * types    x:s8|u8 mul:int add:int -> y:s8|u8
 * isa      xpulpv2
 * when     s0[5] == 1 && sm[5] == 0 && sa[5] == 0 && shift < 23 &&
 *          max(-scaled.lo, scaled.hi) + (256 << shift) < 2147483648
 * inplace  x
 * split    n
 * stack    320
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4]
 * let      team = ncore > 1
 * let      words = ceil(y.n, 4 * ncore)
 * let      factor = max(-mul.lo, mul.hi) * 65536 / (1 << shift)
 * let      near = n[5] > 2047 && shift > 0 && shift < 17 &&
 *          hi - lo == 255 && 2 * add.lo == 1 << shift && add.lo == add.hi &&
 *          mul.lo == mul.hi && factor < 131072 &&
 *          (factor < 32768 || factor % 2 == 0) &&
 *          (factor < 65536 || factor % 4 == 0)
 * cycles   ncore * (fit.call + team * fit.team + words * (fit.word - near *
 *          fit.near)) + fit.row * (rows - 1) + (rows > 1) * team * ncore *
 *          fit.uneven
 * code     530
 * cold     rows > 1 ? 600 : 430
 * asks     15
 */
#define Z Y
#define SIMD_SUM ONE
#define SIMD_SCALE SCALE32
#include "kern/xpulp/simd_map.h"

SIMD_REQUANT
