/* Channels-last convolution of one tap that may lie on its operand.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          xw == c && yw == m &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw))
 * layout   last
 * inplace  x
 * scratch  2 * c * x.bytes
 * stack    480
 * cycles   n * oh * ow * (m * (25 + 3 * c) + c + 20)
 *
 * The pixels at hand are kept aside while results take their place; as
 * all is done in order, results never reach what is still to be read.
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/point_over.h"
