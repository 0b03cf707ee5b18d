/* The sum of each window of bytes, channels-last.
 *
 * op       sumpool
 * types    x:s8|u8 mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w &&
 *          max(-x.lo, x.hi) * kh * kw < 2147483648
 * layout   last
 * split    oh c
 * stack    352
 * cycles   ncore * (480 + c % 4 * 8 * kh * kw + ow * min((n * oh + ncore - 1)
 *          / ncore * (104 + (c + 3) / 4 * (5 * kh * kw + (has.mul ? 320 :
 *          160) + (kw == w ? 1 : kh) * (20 + kw % 2 * 25))), n * oh * (104 +
 *          (c + 4 * ncore - 1) / (4 * ncore) * (5 * kh * kw + (has.mul ? 320
 *          : 160) + (kw == w ? 1 : kh) * (20 + kw % 2 * 25)))))
 * code     1170
 */
#define POOL_SIMD POOL_SUMS
#include "kern/pool/sum.h"
#include "kern/xpulp/pool_simd.h"
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
