/* Channels-last convolution of one tap with packed products.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      dsp
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw)) &&
 *          c < 32768 && c > 3
 * layout   last
 * split    oh m
 * stack    416
 * cycles   n * oh * ow * (m * (27 + 2 * c) + 10)
 */
#include "kern/dsp/dsp.h"
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/dsp/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    for (int32_t n = 0; n < k->n; n++)
        conv_points(k, io, n);
}
