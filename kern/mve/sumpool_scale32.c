/* The sum of each window, channels-last, eight channels at a time, or four.
 *
 * op       sumpool
 * types    x:s8|u8|s16 mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      mve
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w &&
 *          c > 3 && -acc.lo <= 1 << 31 && acc.hi < 1 << 31 && (!has.mul ||
 *          mulc == 0 && addc == 0 && shift < 32 &&
 *          scaled.lo >= -2147483648 && scaled.hi < 2147483648)
 * layout   last
 * ahead    n > 1 || xw != c || yw != c || xh != w * xw || yh != ow * yw ||
 *          x.bytes != y.bytes ? -1 :
 *          y.bytes * max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    224
 * let      short = x.bytes == 1 && y.bytes == 1 && kh * kw <= 128
 * cycles   n * oh * ow * (60 + (short ? (c >> 3) * (30 + kh * (5 + 3 * kw)) +
 *          (c & 7) * (6 + kh * (2 + 5 * kw) / 4) :
 *          c * (6 + kh * (2 + 5 * kw) / 4)))
 */
#include "kern/pool/sum.h"
#include "kern/mve/pool_sums.h"

static inline int32x4_t pool_scaled(const struct pool_dims *k,
                                    const struct io *io, int32x4_t v)
{
    const MUL *mul = io->in[1];
    const ADD *add = io->in[2];

    if (mul) {
        v = vmulq_n_s32(v, (int32_t)*mul);
        v = vaddq_n_s32(v, add ? (int32_t)*add : 0);
        v = vshlq_r_s32(v, -k->shift);
    }
    return vminq_s32(vmaxq_s32(v, vdupq_n_s32(k->lo)), vdupq_n_s32(k->hi));
}

static NOINLINE void pool4(const struct pool_dims *k, const struct io *io,
                           const struct patch *p, const X *x, int32_t taps,
                           int32_t c, Y *y)
{
    const int32x4_t v = pool_scaled(k, io, pool_sums(p, x));

    (void)taps, (void)c;
    if (sizeof(Y) == 1)
        vstrbq_s32((int8_t *)y, v);
    else if (sizeof(Y) == 2)
        vstrhq_s32((int16_t *)y, v);
    else
        vstrwq_s32((int32_t *)y, v);
}

/* Eight channels: bytes of few taps as 16 bits. */
enum { POOL_LANES = 8 };
#define POOL_MANY POOL_LANES

static inline void pool_many(const struct pool_dims *k, const struct io *io,
                             const struct patch *p, const X *x, Y *y)
{
    if (sizeof(X) == 1 && sizeof(Y) == 1 && p->rows * p->cols <= POOL_SHORT) {
        const int16x8_t sum = pool_short_sums(p, x);
        int16x8_t v = vmovnbq_s32(sum, pool_scaled(k, io, vmovlbq_s16(sum)));

        v = vmovntq_s32(v, pool_scaled(k, io, vmovltq_s16(sum)));
        vstrbq_s16((int8_t *)y, v);
        return;
    }
    pool4(k, io, p, x, 0, 0, y);
    pool4(k, io, p, x + 4, 0, 0, y + 4);
}

#define POOL4
#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
