/* Channels-last depthwise convolution, four channels at a time.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     c == 1 && m == 1 && g > 3 && xc == 1 && yc == 1 &&
 *          max(max(-x.lo, x.hi), max(-padv, padv)) * max(-w.lo, w.hi) *
 *          kh * kw + max(-b.lo, b.hi) < 2147483648 && shift < 63 &&
 *          ((max(max(-x.lo, x.hi), max(-padv, padv)) * max(-w.lo, w.hi) *
 *          kh * kw + max(-b.lo, b.hi)) *
 *          max(1, max(-mul.lo, mul.hi)) + max(-add.lo, add.hi)) >> shift <
 *          2147483648
 * layout   last
 * split    oh g
 * scratch  16 * ((kh + 2) / 3) * (kw + max(80, (kw - 1) * dw + 1))
 * stack    512
 * cycles   4800 + (g + 3) / 4 * 700 + ((g + 3) / 4 * n * oh + 7) / 8 * 8 *
 *          ((105 + ((ow - 1) * sw + (kw - 1) * dw + 1) * 18) *
 *          ((kh + 2) / 3) +
 *          min(420, max(420 / oh, 5 * ((ow - 1) * sw + kw))) +
 *          ow * (kh < 4 && kw == 3 ? 84 : 112 + 48 * kw * ((kh + 2) / 3)))
 * code     1850
 *
 * Three rows of a column become a word per channel; results are products of
 * such words.
 */
#include "kern/kern.h"

#define scaled scale_long
#define DEPTH_SHORT 0
#include "kern/depth_cols.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    depth_conv(k, io);
}
