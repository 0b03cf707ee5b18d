/* The sum of each window, channels-last.
 *
 * op       sumpool
 * types    x:s8|u8|s16 mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 mul:int add:int shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w
 * layout   last
 * split    oh ow c
 * ahead    n > 1 || xw != c || yw != c || xh != w * xw || yh != ow * yw ||
 *          x.bytes != y.bytes ? -1 :
 *          y.bytes * max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    320
 * cycles   ncore > 1 ? ncore * (290 + min(ceil(n * oh * ow, ncore) * (60 +
 *          c * (30 + 6 * kh * kw)),
 *          n * oh * ow * (60 + ceil(c, 4 * ncore) * 4 * (30 + 6 * kh * kw)))) :
 *          n * oh * ow * (60 + c * (15 + 3 * kh * kw))
 * code     1720
 */
#include "kern/pool/sum.h"
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
