/* The sum of each window, channels-last, four channels at a time.
 *
 * op       sumpool
 * types    x:s8|u8|s16 mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 mul:int add:int shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      mve
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w &&
 *          c > 3 && -acc.lo <= 1 << 31 && acc.hi < 1 << 31
 * layout   last
 * ahead    n > 1 || xw != c || yw != c || xh != w * xw || yh != ow * yw ||
 *          x.bytes != y.bytes ? -1 :
 *          y.bytes * max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    256
 * cycles   n * oh * ow * (60 + c * (22 + kh * (2 + 5 * kw) / 4))
 */
#include "kern/pool/sum.h"
#include "kern/mve/pool_sums.h"

static inline void pool4(const struct pool_dims *k, const struct io *io,
                         const struct patch *p, const X *x, int32_t taps,
                         int32_t c, Y *y)
{
    int32_t a[4];

    vst1q_s32(a, pool_sums(p, x));
    for (int i = 0; i < 4; i++)
        a[i] = finish_pool(k, io, (ACC)a[i], taps, c + i);
    for (int i = 0; i < 4; i++)
        y[i] = (Y)a[i];
}

#define POOL4
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
