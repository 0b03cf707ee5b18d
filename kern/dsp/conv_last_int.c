/* Channels-last convolution with packed products, two pixels by two channels.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      dsp
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && wc == 1 &&
 *          c * kh * kw < 32768 && c * kw > 3
 * layout   last
 * split    oh m
 * ahead    n > 1 || xw != g * c || yw != g * m || xh != w * xw ||
 *          yh != ow * yw || x.bytes * y.bytes > 1 ? -1 :
 *          max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    544
 * cycles   n * g * oh * ow * (m * (25 + kh * (14 + 2 * c * kw)) + 60)
 */
#include "kern/dsp/dsp.h"
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/dsp/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    conv_all(k, io);
}
