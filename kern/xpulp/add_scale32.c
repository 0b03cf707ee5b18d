/* Sum of bytes, four at a time, scaled in 32 bits.
 *
 * op       add
 * types    x:s8|u8 y:s8|u8 mul:int add:int -> z:s8|u8
 * isa      xpulpv2
 * when     s0[5] == 1 && s1[5] == 1 && has.mul == has.add && (!has.mul || mul.n
 *          == 1) && (!has.add || add.n == 1) && (!has.mul || shift < 23) &&
 *          max(-scaled.lo, scaled.hi) + (256 << (has.mul ? shift : 0)) <
 *          2147483648
 * inplace  x y
 * split    n
 * stack    320
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4]
 * let      team = ncore > 1
 * let      words = ceil(z.n, 4 * ncore)
 * let      factor = max(-mul.lo, mul.hi) * 65536 / (1 << shift)
 * let      near = has.mul && n[5] > 2047 && shift > 0 && shift < 17 &&
 *          hi - lo == 255 && 2 * add.lo == 1 << shift && add.lo == add.hi &&
 *          mul.lo == mul.hi && factor < 131072 &&
 *          (factor < 32768 || factor % 2 == 0) &&
 *          (factor < 65536 || factor % 4 == 0)
 * cycles   ncore * (fit.call + team * fit.team + words * (fit.word - near *
 *          fit.near)) + fit.row * (rows - 1) + (rows > 1) * team * ncore *
 *          fit.uneven
 * code     has.mul ? 540 : 800
 * cold     has.mul ? 515 : 585
 * asks     30
 */
#define SIMD_SUM ADD
#define SIMD_SCALE SCALE32
#include "kern/xpulp/simd_map.h"

SIMD_SCALED(2)
