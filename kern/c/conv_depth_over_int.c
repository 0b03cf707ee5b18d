/* Channels-last depthwise convolution that may lie on its operand.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w &&
 *          ph <= (kh - 1) * dh && xw == g && xh == w * g
 * layout   last
 * inplace  x
 * scratch  x.bytes * g * w * ((kh - 1) * dh + 1)
 * stack    608
 * cycles   n * oh * (ow * (g * (60 + kh + (17 * kh * kw >> 1)) + 90) + 60)
 *
 * The rows under the window are kept aside, and move on by one when a row is
 * done: those above it lie where results are by then.
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/depth_over.h"
