/* Channels-last depthwise convolution of windows of three by three, four
 * channels at a time, scaled in 32 bits.
 *
 * op       conv
 * types    x:s8|u8 w:s8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8
 * isa      xpulpv2
 * param    ACROSS 4 16
 * param    PLANES 1520 6128
 * param    UNROLL 1 3
 * let      team = ncore > 1
 * let      rows = ceil((g + 3) / 4 * n * oh, ncore)
 * let      lines = min(oh, ow)
 * let      fours = min((ow + 3) / 4 * oh, (oh + 3) / 4 * ow)
 * let      across = fours / lines
 * let      row = 16 * (min(across * sh, ACROSS) + 1)
 * let      high = min(lines, rows)
 * let      deep = min(high, (PLANES / row - 3 >> sh - 1) + 1)
 * let      words = ceil(across * sh, ACROSS)
 * when     c == 1 && m == 1 && g > 3 && xc == 1 && yc == 1 && kh == 3 &&
 *          kw == 3 && wh == 3 && ww == 1 && dh == 1 && dw == 1 && sh == sw &&
 *          sh < 3 && hi - lo < 256 && (lo == 0 || lo + hi == -1) && shift < 32
 *          && max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          (ACROSS == 4 || across * sh > 4) &&
 *          (PLANES == 1520 || row * (high * sh + 2) > 1520) &&
 *          (UNROLL == 1 || sh == 1 && high > 2)
 * layout   last
 * split    oh g
 * scratch  min(PLANES, 16 * max((min((ow + 3) / 4 * sh, ACROSS) + 1) *
 *          ((oh - 1) * sh + 3), ow % 4 ? (min((oh + 3) / 4 * sh, ACROSS) + 1) *
 *          ((ow - 1) * sh + 3) : 0))
 * stack    640
 * let      step = sh == 2 ? fit.step2 : UNROLL == 1 ? fit.step1 :
 *          fit.step3 * 3 * ceil(deep, 3) / deep
 * cycles   ncore * (fit.call + team * fit.team + (ceil(rows, oh) + (oh > rows
 *          && oh % rows > 0)) * (fit.channels + team * fit.apart + ceil(high,
 *          deep) * (words * fit.place + across * fit.start)) + rows * (fours *
 *          step + lines * words * fit.plane * sh) / oh)
 * code     2650 + (UNROLL == 1 ? 0 : 260)
 * asks     58
 *
 * Four neighbours of a row become a word per channel; results are products of
 * such words.
 */
#include "kern/xpulp/depth3.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    depth3_conv(k, io);
}
