/* The greatest of each window, channels-last, sixteen bytes at a time.
 *
 * op       maxpool
 * types    x:s8 -> y:s8
 * types    x:u8 -> y:u8
 * types    x:s16 -> y:s16
 * isa      mve
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && ph < kh && pw < kw && dh == 1 && dw == 1 &&
 *          (oh - 1) * sh - ph < h && (ow - 1) * sw - pw < w
 * let      lanes = 16 / x.bytes
 * layout   last
 * ahead    n > 1 || xw != c || yw != c || xh != w * xw || yh != ow * yw ||
 *          x.bytes != y.bytes ? -1 :
 *          y.bytes * max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    256
 * cycles   n * oh * ow * (80 + c / lanes * (20 + kh * (4 + 4 * kw)) +
 *          c % lanes * (15 + 3 * kh * kw))
 */
#include <arm_mve.h>

#include "kern/conv/panel.h"
#include "kern/pool/max.h"
#include "kern/pool/patch.h"

typedef __typeof__(vld1q((const X *)0)) VEC;
enum { POOL_LANES = 16 / sizeof(X) };
#define POOL_MANY POOL_LANES

/* Bounds that are not those of the type are rare. */
static inline void pool_many(const struct pool_dims *k, const struct io *io,
                             const struct patch *p, const X *x, Y *y)
{
    VEC best = vld1q(x);

    (void)io;
    for (int32_t i = p->rows; i > 0; i--, x += p->row) {
        const X *at = x;

        for (int32_t j = p->cols; j > 0; j--, at += p->col)
            best = vmaxq(best, vld1q(at));
    }
    vst1q(y, best);
    if (panel_clips(k->lo, k->hi))
        panel_clip(y, POOL_LANES, k->lo, k->hi);
}

#include "kern/pool/pool.h"

void FN(const struct pool_dims *k, const struct io *io)
{
    pool_all(k, io);
}
