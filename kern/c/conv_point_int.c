/* Channels-last convolution of one tap: a matrix product over the pixels.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw))
 * layout   last
 * split    oh m
 * stack    480
 * cycles   n * oh * ow * (m * (25 + 3 * c) + 10)
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    for (int32_t n = 0; n < k->n; n++)
        conv_points(k, io, n);
}
