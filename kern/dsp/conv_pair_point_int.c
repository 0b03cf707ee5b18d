/* Channels-last convolution of one tap, two pixels by two channels of halves of
 * 16 bits at a time.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      dsp
 * param    PANEL 1024 512 2048 4096
 * param    UNROLL 16 32
 * let      weights = m * c
 * let      columns = c + 7 & -8
 * let      usual = max(columns > 256 ? 8 : 16, min(32, 1024 / columns))
 * let      fixed = 64 + 4 * columns
 * let      all = n * oh * ow + 1 & -2
 * let      least = min(usual * PANEL >> 10, all)
 * let      pixels = room > 0 ? (room - fixed) / (2 * columns) & -2 : least
 * let      more = weights * (ceil(all, pixels) - ceil(all, usual)) -
 *          (UNROLL > 16 ? 3 * weights * n * oh * ow >> 7 : 0)
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          xw == c && yw == m && (h == 1 || (xh == w * c && yh == w * m)) &&
 *          (n == 1 || (xn == h * w * c && yn == h * w * m)) &&
 *          m > 1 && c < 32768 && has.mul &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small) &&
 *          (PANEL < 2048 || 2 * columns * least < 65536)
 * layout   last
 * inplace  x
 * scratch  fixed + 2 * columns * least
 * most     fixed + 2 * columns * min(all, max(least, 64))
 * reads    ceil(n * oh * ow, pixels)
 * stack    320
 * cycles   n * oh * ow * (m * (8 + c) + 8 * c) + more
 */
#include "kern/dsp/pair.h"
#include "kern/conv/pair.h"
#include "kern/conv/point.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    pair_conv(k, io);
}
