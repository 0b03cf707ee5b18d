/* Channels-last convolution of few weights, windows read where they lie, scaled
 * in 32 bits.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s32 mul:s32 add:s32 -> y:s8|u8
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c && wm == kh
 *          * kw * c && g == 1 && xw == c && (dw == 1 || kw == 1) && m > 3 && ow
 *          > 3 && hi - lo < 256 && (lo == 0 || lo + hi == -1) && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * layout   last
 * split    oh m
 * scratch  kh * (((min(ow, 64) - 1) * sw * c + (kw * c + 3) / 4 * 4 + 3) /
 *          4 * 4 + (m + 3) / 4 * 16 * ((kw * c + 3) / 4))
 * stack    704
 * let      run = (kw * c + 3) / 4
 * let      fours = n * oh * ((ow + 3) / 4)
 * let      direct = kh == 1 && kw == 1 && c % 4 == 0 && ph == 0 && pw == 0
 * cycles   ncore * (fit.call + m * (fit.row * (kw * c % 4 ? kh : 1) + run *
 *          kh)) + ceil(fours, ncore) * ncore * ((m + 3) / 4) * (fit.result + kh
 *          * (fit.tap + (sw * c % 4 ? fit.bytes : fit.words) * run)) + (n * oh
 *          + ncore) * (m + 3) / 4 * fit.line + (direct ? 0 : (n * oh * ((ow +
 *          63) / 64) + ncore) * kh * (fit.copy + ((min(ow, 64) - 1) * sw + kw)
 *          * c * 2 / 5))
 * code     2340
 * cold     1380
 *
 * What windows cover is copied once for up to 64 pixels, with its padding;
 * weights are copied too, the words of four channels side by side.
 */
#include "kern/kern.h"

#define scaled scale32
#define GEMM_SCALE32 1
#include "kern/xpulp/gemm4x4_taps.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    taps_conv(k, io);
}
