/* Channels-last depthwise convolution, four channels at a time, scaled in
 * 32 bits.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     c == 1 && m == 1 && g > 3 && xc == 1 && yc == 1 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * layout   last
 * split    oh g
 * scratch  16 * ((kh + 2) / 3) * (kw + max(min(80, oh * ((ow - 1) * sw + (kw -
 *          1) * dw + 1)), (kw - 1) * dw + 1))
 * stack    640
 * let      rows = ceil((g + 3) / 4 * n * oh, ncore)
 * let      planes = (kh + 2) / 3
 * let      columns = (ow - 1) * sw + (kw - 1) * dw + 1
 * let      two = kh == 3 && kw == 3 && sh == 1 && dh == 1 && dw == 1 && (lo ==
 *          0 || lo + hi == -1) && oh != 1 && oh != 3
 * let      turns = (g + 3) / 4 % ncore && n * oh % rows ? (rows + n * oh - 2) /
 *          (n * oh) + 1 : ceil(rows, n * oh)
 * let      places = max(1, 80 / columns)
 * cycles   ncore * (fit.channels * turns + (two ? fit.call2 + (rows + 1) / 2 *
 *          (fit.row2 + fit.column2 * columns + fit.result2 * ow + fit.place2 *
 *          (1 + columns / 81) / places) : fit.call + rows * (planes *
 *          (fit.column * columns + fit.plane) + ow * (kh < 4 && kw == 3 ?
 *          fit.result3 : fit.result + fit.tap * kw * planes) + fit.place * (1 +
 *          columns / 81) / places)))
 * code     2280
 * cold     1890
 * asks     58
 *
 * Three rows of a column become a word per channel; results are products of
 * such words.
 */
#include "kern/kern.h"

#define scaled scale32
#define DEPTH_SCALE32 1
#include "kern/xpulp/depth_cols.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    depth_conv(k, io);
}
