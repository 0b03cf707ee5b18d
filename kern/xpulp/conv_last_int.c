/* Channels-last convolution, four pixels by four channels.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c && wm == kh
 *          * kw * c && wm > 1 && hi - lo < 1 << 8 * y.bytes && max(-acc.lo,
 *          acc.hi) < 2147483648 && shift < 63 && max(-scaled.lo, scaled.hi) >>
 *          shift < 2147483648
 * layout   last
 * split    oh m
 * scratch  kh == 1 && kw == 1 && c % 4 == 0 && m > 3 && xw == c && n == 1 &&
 *           g == 1 && ph == 0 && pw == 0 && sh == 1 && sw == 1 && ow <= w &&
 *           oh <= h && oh * ow > 3 &&
 *           (oh == 1 || (xh == ow * xw && yh == ow * yw)) ?
 *          0 : (4 + (c * kh * kw % 4 && m > 3 &&
 *          (m > 32 || n * oh * ow < 8 * m) ?
 *          5 : c * kh * kw % 4 || m < 4 ? max(4, m) : 0)) *
 *          ((c * kh * kw + 3) / 4 * 4)
 * stack    768
 * cycles   g * (5600 + ((n * oh * ow + 3) / 4 * ((m + 3) / 4) + 7) / 8 * 8 *
 *          (6 * ((c * kh * kw + 3) / 4 * 4) +
 *          (shift < 32 || add.lo % 4294967296 || add.hi % 4294967296 ?
 *          320 : 222) + c * kh * kw / 16) +
 *          ((n * oh * ow + 3) / 4 + ((n * oh * ow + 3) / 4 % 8 ? 8 : 0)) *
 *          (kh * kw == 1 && c % 4 == 0 && sh == 1 && sw == 1 ? 300 :
 *          4 * (110 + kh * ((kh > 1 && ph + pw == 0 ? 28 : 70) +
 *          3 * c * kw / 4))) + (c * kh * kw % 4 && m > 3 &&
 *          (m > 32 || n * oh * ow < 8 * m) ?
 *          32 * (60 + 3 * c * kh * kw / 4) + (n * oh * ow + 35) / 4 *
 *          (320 + 3 * c * kh * kw) + (n * oh * ow + 3) / 4 * ((m + 3) / 4) *
 *          (30 + (c * kh * kw + 3) / 4 * (3 + c * kh * kw % 2 * 3)) :
 *          c * kh * kw % 4 || m < 4 ? 8 * m * (60 + 3 * c * kh * kw / 4) : 0))
 * code     kh * kw * sh * sw == 1 ? 2380 : 2780
 *
 * Pixels that are as far apart as rows of weights are taken from x; all else
 * by copies of four windows.  Windows whose elements do not fill words, or of
 * fewer than four channels, need copies of four rows of weights too, or of all
 * where they are few.
 */
#include "kern/kern.h"

#define scaled scale64
#define GEMM_SCALE32 0
#include "kern/xpulp/gemm4x4_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    gemm_conv(k, io);
}
