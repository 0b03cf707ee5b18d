/* Channels-last convolution of weights of four bits, two pixels by two channels
 * of halves of 16 bits at a time.
 *
 * op       pconv
 * types    x:s8|u8 w:u8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:u8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      dsp
 * let      taps = kh * kw * c
 * let      weights = m * taps
 * let      columns = taps + 7 & -8
 * let      usual = max(columns > 256 ? 8 : 16, min(32, 1024 / columns))
 * let      fixed = 64 + 4 * columns
 * let      all = n * oh * ow + 1 & -2
 * let      least = min(usual & -2, all)
 * let      pixels = room > 0 ? (room - fixed) / (2 * columns) & -2 : least
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     mode == 2 && bits == 4 && less == 8 && tile == 8 &&
 *          xc == 1 && yc == 1 &&
 *          (oh == 1 || yh == ow * yw) && (n == 1 || yn == oh * ow * yw) &&
 *          padv >= (x.lo < 0 ? -128 : 0) && padv <= (x.hi > 127 ? 255 : 127) &&
 *          m > 1 && taps < 32768 && has.mul &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * words    8 4 2 0
 * scratch  fixed + 2 * columns * least
 * most     fixed + 2 * columns * min(all, max(least, 64))
 * ahead    n > 1 || xw != c || yw != m || xh != w * xw ||
 *          yh != ow * yw || x.bytes * y.bytes > 1 ? -1 :
 *          max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * reads    ceil(n * oh * ow, pixels)
 * stack    608
 * cycles   n * oh * ow * (m * (8 + taps) + 40 +
 *          (taps > c ? kh * (20 + kw * c * 9) : 8 * c)) +
 *          weights * (ceil(all, pixels) - ceil(all, usual)) +
 *          (3 * weights >> 2) * ceil(all, pixels)
 */
#include "kern/dsp/nibbles.h"
#include "kern/conv/gather.h"
#include "kern/dsp/pair.h"
#include "kern/conv/pair.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    const struct conv_dims d = conv_of(k);

    pair_conv(&d, io);
}
