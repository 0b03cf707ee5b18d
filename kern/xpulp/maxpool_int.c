/* The greatest of each window of bytes, channels-last.
 *
 * op       maxpool
 * types    x:s8|u8 -> y:=x
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w
 * layout   last
 * split    oh c
 * stack    352
 * cycles   ncore * (480 + c % 4 * 7 * kh * kw + ow * min((n * oh + ncore - 1)
 *          / ncore * (104 + (c + 3) / 4 * (2 * kh * kw + (kw == w ? 85 : 62 +
 *          18 * kh))), n * oh * (104 + (c + 4 * ncore - 1) / (4 * ncore) * (2
 *          * kh * kw + (kw == w ? 85 : 62 + 18 * kh)))))
 * code     800
 * cold     660
 */
#define POOL_SIMD POOL_MOST
#include "kern/pool/max.h"
#include "kern/xpulp/pool_simd.h"
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
