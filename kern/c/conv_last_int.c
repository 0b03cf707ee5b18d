/* Channels-last convolution, two pixels by two channels at a time.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && wc == 1
 * layout   last
 * split    oh m
 * ahead    n > 1 || xw != g * c || yw != g * m || xh != w * xw ||
 *          yh != ow * yw || x.bytes * y.bytes > 1 ? -1 :
 *          max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    576
 * cycles   n * g * oh * ow * (m * (25 + kh * (12 + 3 * c * kw)) +
 *          (g > 1 ? 180 : 60))
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    conv_all(k, io);
}
