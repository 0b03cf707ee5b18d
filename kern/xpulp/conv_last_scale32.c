/* Channels-last convolution, four pixels by four channels, scaled in 32 bits.
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
 * scratch  kh == 1 && kw == 1 && c % 4 == 0 && m > 3 && xw == c && n == 1 &&
 *           g == 1 && ph == 0 && pw == 0 && sh == 1 && sw == 1 && ow <= w &&
 *           oh <= h && oh * ow > 3 &&
 *           (oh == 1 || (xh == ow * xw && yh == ow * yw)) ?
 *          0 : (4 + (c * kh * kw % 4 && m > 3 &&
 *          (m > 32 || n * oh * ow < 8 * m) ?
 *          5 : c * kh * kw % 4 || m < 4 ? max(4, m) : 0)) *
 *          ((c * kh * kw + 3) / 4 * 4)
 * stack    704
 * let      pixels = n * oh * ow
 * let      size = c * kh * kw
 * let      words = (size + 3) / 4
 * let      apart = size % 4 && m > 3 && (m > 32 || pixels < 8 * m)
 * let      fours = (pixels + 3) / 4
 * let      blocks = fours * ((m + 3) / 4)
 * let      direct = kh * kw == 1 && c % 4 == 0 && sh == 1 && sw == 1
 * let      lines = kh * kw * sh * sw == 1 && c % 4 == 0 && n * g == 1 && m > 3
 *          && (lo == 0 || lo + hi == -1) && y.bytes < 2 && fours * ((m + 3) /
 *          4) * (c / 4 + 13) >= 350 * ((m + 3) / 4 - fours)
 * cycles   lines ? ncore * (fit.calls + fit.line * (oh * ow % 4 ? 2 : 1) *
 *          (ceil(ceil(blocks, ncore), fours) + ((m + 3) / 4 % ncore ? 1 : 0)) +
 *          ceil(blocks, ncore) * ((c % 32 ? fit.bytes : fit.bank) * c / 8 +
 *          fit.end)) : g * (ncore * fit.call + ceil(blocks, ncore) * ncore *
 *          (fit.word * (words * 4) + fit.result + size / 16) + (fours + (fours
 *          % ncore ? ncore : 0)) * (direct ? fit.direct : 4 * (fit.window + kh
 *          * ((kh > 1 && ph + pw == 0 ? fit.dense : fit.row) + fit.copy * c *
 *          kw / 4))) + (apart ? 4 * ncore * (fit.weights + 3 * size / 4) +
 *          (fours + ncore) * (fit.side + 3 * size) + blocks * (fit.mask + words
 *          * (3 + size % 2 * 3)) : size % 4 || m < 4 ? ncore * m * (fit.weights
 *          + 3 * size / 4) : 0))
 * code     kh * kw * sh * sw == 1 ? 1800 : 2560
 * cold     kh * kw * sh * sw == 1 ? 1430 : 1600
 *
 * Pixels that are as far apart as rows of weights are taken from x, in lines
 * where there are many; all else by copies of four windows.  Windows whose
 * elements do not fill words, or of fewer than four channels, need copies of
 * four rows of weights too, or of all where they are few.
 */
#include "kern/kern.h"

#define scaled scale32
#define GEMM_SCALE32 1
#include "kern/xpulp/gemm4x4_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    gemm_conv(k, io);
}
