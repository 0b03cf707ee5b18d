/* Channels-last convolution of 16 bits by bytes, two pixels by two channels with
 * packed products.
 *
 * op       conv
 * types    x:s16 w:s8 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s16 w:s8 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      dsp
 * when     xc == 1 && yc == 1 && wc == 1 && c * kw > 3
 * layout   last
 * split    oh m
 * stack    640
 * let      runs = dw == 1 && xw == c && ww == c ? kh : kh * kw
 * cycles   n * g * oh * ow * (m * (36 + 10 * runs + 13 * kh * kw * c / 8) + 60)
 */
#include "kern/dsp/dsp.h"
#include "kern/finish.h"

FINISH(conv, 3)
typedef X LEFT;
typedef W RIGHT;
#include "kern/dsp/short.h"
#include "kern/conv/dots.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    conv_all(k, io);
}
