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
 * cycles   ncore * (992 * ((g + 3) / 4 % ncore && n * oh % (((g + 3) / 4 * n *
 *          oh + ncore - 1) / ncore) ? (((g + 3) / 4 * n * oh + ncore - 1) /
 *          ncore + n * oh - 2) / (n * oh) + 1 : (((g + 3) / 4 * n * oh + ncore
 *          - 1) / ncore + n * oh - 1) / (n * oh)) + (kh == 3 && kw == 3 && sh
 *          == 1 && dh == 1 && dw == 1 && (lo == 0 || lo + hi == -1) && oh != 1
 *          && oh != 3 ? 700 + (((g + 3) / 4 * n * oh + ncore - 1) / ncore + 1)
 *          / 2 * (36 + 61 * ((ow - 1) * sw + (kw - 1) * dw + 1) + 9 * ow +
 *          1622 * (1 + ((ow - 1) * sw + (kw - 1) * dw + 1) / 81) / max(1, 80 /
 *          ((ow - 1) * sw + (kw - 1) * dw + 1))) : 847 + ((g + 3) / 4 * n * oh
 *          + ncore - 1) / ncore * ((kh + 2) / 3 * (19 * ((ow - 1) * sw + (kw -
 *          1) * dw + 1) + 20) + ow * (kh < 4 && kw == 3 ? 36 : 64 + 48 * kw *
 *          ((kh + 2) / 3)) + 739 * (1 + ((ow - 1) * sw + (kw - 1) * dw + 1) /
 *          81) / max(1, 80 / ((ow - 1) * sw + (kw - 1) * dw + 1)))))
 * code     2280
 * cold     1480
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
