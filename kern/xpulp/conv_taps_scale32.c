/* Channels-last convolution of few weights, windows read where they lie, scaled
 * in 32 bits.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s32 mul:s32 add:s32 -> y:s8|u8
 * isa      xpulpv2
 * param    STATIONARY 0 1
 * let      direct = kh == 1 && kw == 1 && c % 4 == 0 && ph == 0 && pw == 0
 * let      columns = (min(ow, 64) - 1) * sw + kw
 * let      run = (kw * c + 3) / 4
 * let      words = (kh * kw * c + 3) / 4
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c && wm == kh
 *          * kw * c && g == 1 && xw == c && (dw == 1 || kw == 1) && m > 3 && ow
 *          > 3 && hi - lo < 256 && (lo == 0 || lo + hi == -1) && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && (STATIONARY == 0 ||
 *          (direct ? (words == 2 || words == 4 || words > 6 && words < 9) &&
 *          (oh - 1) * sh < h && (ow - 1) * sw < w : kh == 3 && kw == 3 &&
 *          c == 3 && dh == 1))
 * layout   last
 * split    oh m
 * scratch  STATIONARY ? 8 * m + (direct ? 0 : 28 * m + 9 * columns + 7) / 4 * 4
 *          : kh * ((columns * c - kw * c + 4 * run + 3) / 4 * 4 + (m + 3) / 4 *
 *          16 * run)
 * stack    704
 * let      fours = n * oh * ((ow + 3) / 4)
 * let      copied = ncore * (fit.call + m * (fit.row * (kw * c % 4 ? kh : 1) +
 *          run * kh)) + ceil(fours, ncore) * ncore * ((m + 3) / 4) *
 *          (fit.result + kh * (fit.tap + (sw * c % 4 ? fit.bytes : fit.words) *
 *          run)) + (n * oh + ncore) * (m + 3) / 4 * fit.line + (direct ? 0 :
 *          (n * oh * ((ow + 63) / 64) + ncore) * kh * (fit.copy + columns * c *
 *          2 / 5))
 * let      lines = direct && n * sh * sw == 1 && oh * ow == h * w ? 1 :
 *          ceil(n * oh * ceil(ow, 64) + ncore, ncore)
 * let      groups = words == 2 ? (m + 3) / 4 : (m + 1) / 2
 * let      pixel = words == 2 ? 26 : 3 * words + 9 + words / 8 *
 *          (direct && sw == 1 && hi - lo == 255 ? 0 : 2) +
 *          (direct ? 0 : fit.apart)
 * let      stationary = ncore * (fit.own + m * (direct ? fit.scale :
 *          fit.weights) + lines * (groups * fit.group + (direct ? 0 : fit.strip
 *          + 10 * columns)) + ceil(n * oh * ow, ncore) * groups * pixel)
 * cycles   STATIONARY ? stationary : copied
 * code     STATIONARY ? 1500 : 2340
 * cold     STATIONARY ? 1100 : 1960
 *
 * What windows cover is copied once for up to 64 pixels, with its padding;
 * weights are copied too, the words of four channels side by side.  Where
 * windows are of a few words, weights may be stationary instead: they stay in
 * registers.
 */
#include "kern/kern.h"

#define scaled scale32
#define GEMM_SCALE32 1
#include "kern/xpulp/gemm4x4_taps.h"
#ifndef STATIONARY
#define STATIONARY 0
#endif
#if STATIONARY
#include "kern/xpulp/stationary.h"
#endif

void FN(const struct conv_dims *k, const struct io *io)
{
#if STATIONARY
    stationary_conv(k, io);
#else
    taps_conv(k, io);
#endif
}
