/* Channels-last convolution, two pixels by four channels, scaled in 32 bits.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c && wm == kh
 *          * kw * c && wm > 1 && hi - lo < 1 << 8 * y.bytes && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * layout   last
 * split    oh m
 * scratch  (2 + (c * kh * kw % 4 && m > 3 &&
 *          (m > 32 || n * oh * ow < 8 * m) ?
 *          4 : c * kh * kw % 4 || m < 4 ? max(4, m) : 0)) *
 *          ((c * kh * kw + 3) / 4 * 4)
 * stack    704
 * cycles   g * (5600 + ((n * oh * ow + 1) / 2 * ((m + 3) / 4) + 7) / 8 * 8 *
 *          (9 * ((c * kh * kw + 3) / 4 * 4) / 2 + 150) +
 *          ((n * oh * ow + 1) / 2 + 8) *
 *          2 * (140 + kh * (90 + 3 * c * kw / 4)) +
 *          (c * kh * kw % 4 && m > 3 &&
 *          (m > 32 || n * oh * ow < 8 * m) ?
 *          32 * (60 + 3 * c * kh * kw / 4) + (n * oh * ow + 17) / 2 * 240 +
 *          (n * oh * ow + 1) / 2 * ((m + 3) / 4) *
 *          ((c * kh * kw + 3) / 4) * 2 :
 *          c * kh * kw % 4 || m < 4 ? 8 * m * (60 + 3 * c * kh * kw / 4) : 0))
 * code     2400
 * cold     1640
 *
 * As conv_last, with half the memory for windows: for where that is scarce.
 */
#include "kern/kern.h"

#define scaled scale32
#define GEMM_PIXELS 2
#define GEMM_SCALE32 1
#include "kern/xpulp/gemm4x4_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    gemm_conv(k, io);
}
