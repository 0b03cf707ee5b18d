/* Channels-last convolution, two pixels by four channels.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c && wm == kh
 *          * kw * c && wm > 1 && hi - lo < 1 << 8 * y.bytes && max(-acc.lo,
 *          acc.hi) < 2147483648 && shift < 63 && max(-scaled.lo, scaled.hi) >>
 *          shift < 2147483648
 * layout   last
 * split    oh m
 * scratch  (2 + (c * kh * kw % 4 && m > 3 &&
 *          (m > 32 || n * oh * ow < 8 * m) ?
 *          4 : c * kh * kw % 4 || m < 4 ? max(4, m) : 0)) *
 *          ((c * kh * kw + 3) / 4 * 4)
 * stack    704
 * let      pixels = n * oh * ow
 * let      size = c * kh * kw
 * let      words = (size + 3) / 4
 * let      apart = size % 4 && m > 3 && (m > 32 || pixels < 8 * m)
 * let      pairs = (pixels + 1) / 2
 * let      blocks = pairs * ((m + 3) / 4)
 * cycles   g * (ncore * fit.call + ceil(blocks, ncore) * ncore * (fit.word *
 *          (words * 4) / 2 + fit.result) + (pairs + ncore) * 2 * (fit.window +
 *          kh * (fit.row + fit.copy * c * kw / 4)) + (apart ? 4 * ncore *
 *          (fit.weights + 3 * size / 4) + (pairs + ncore) * fit.side + blocks *
 *          words * 2 : size % 4 || m < 4 ? ncore * m * (fit.weights + 3 * size
 *          / 4) : 0))
 * code     2400
 *
 * As conv_last, with half the memory for windows: for where that is scarce.
 */
#include "kern/kern.h"

#define scaled scale64
#define GEMM_PIXELS 2
#define GEMM_SCALE32 0
#include "kern/xpulp/gemm4x4_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    gemm_conv(k, io);
}
