/* Channels-last depthwise convolution, four channels at a time.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1
 * layout   last
 * split    oh g
 * stack    480
 * cycles   n * oh * ow * (g * (36 + 9 * kh * kw) + 90)
 * code     2250
 *
 * The taps that lie inside x are found once per pixel, for all channels.
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/depth.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    depth_all(k, io);
}
