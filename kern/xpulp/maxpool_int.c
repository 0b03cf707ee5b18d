/* The greatest of each window of bytes, channels-last.
 *
 * op       maxpool
 * types    x:s8|u8 -> y:=x
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w
 * layout   last
 * split    oh ow c
 * stack    352
 * let      taps = kh * kw
 * let      two = kh == 2 && kw == 2 && c > 3
 * let      word = two ? fit.two : fit.tap * taps + (kw == w ? fit.dense :
 *          fit.result + fit.row * kh)
 * let      pixel = fit.pixel + two * fit.words + c % 4 * fit.channel * taps
 * cycles   ncore * (fit.call + min(ceil(n * oh * ow, ncore) * (pixel + ceil(c,
 *          4) * word), n * oh * ow * (pixel + ceil(c, 4 * ncore) * word)))
 * code     1000
 * cold     790
 */
#define POOL_SIMD POOL_MOST
#include "kern/pool/max.h"
#include "kern/xpulp/pool_simd.h"
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
