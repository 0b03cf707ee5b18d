/* The sum of each window of bytes, channels-last.
 *
 * op       sumpool
 * types    x:s8|u8 mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w &&
 *          max(-x.lo, x.hi) * kh * kw < 2147483648
 * layout   last
 * split    oh ow c
 * stack    352
 * let      taps = kh * kw
 * let      word = fit.tap * taps + (has.mul ? fit.scaled : fit.result) + (kw ==
 *          w ? 1 : kh) * (fit.row + kw % 2 * fit.odd)
 * cycles   ncore * (fit.call + c % 4 * fit.channel * taps + min(ceil(n * oh
 *          * ow, ncore) * (fit.pixel + ceil(c, 4) * word), n * oh * ow *
 *          (fit.pixel + ceil(c, 4 * ncore) * word)))
 * code     1300
 */
#define POOL_SIMD POOL_SUMS
#include "kern/pool/sum.h"
#include "kern/xpulp/pool_simd.h"
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
