/* The mean of each window to the nearest, channels-last.
 *
 * op       avgpool
 * types    x:s8|u8|s16 mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w &&
 *          max(-x.lo, x.hi) * kh * kw < 536870912
 * layout   last
 * split    oh c
 * stack    480
 * cycles   n * oh * ow * (60 + c * (15 + 3 * kh * kw))
 */
#include "kern/finish.h"

static inline ACC first(ACC x)
{
    (void)x;
    return 0;
}

static inline ACC more(ACC a, ACC x)
{
    return a + x;
}

FINISH(pool, 1)

static inline int32_t finish_pool(const struct pool_dims *k,
                                  const struct io *io, ACC a,
                                  int32_t taps, int32_t channel)
{
    const ACC up = 2 * a + taps, by = 2 * taps;
    const ACC down = up / by;

    return finish(k, io, down - (up - down * by < 0), channel);
}

#include "kern/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
