/* Channels-last convolution, two pixels by two channels of sixteen columns at a
 * time.
 *
 * op       conv
 * types    x:s8|u8 w:s8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:s8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      taps = kh * kw * c
 * let      columns = taps + 15 & -16
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     xc == 1 && yc == 1 && wc == 1 && ww == c && wh == kw * c &&
 *          (oh == 1 || yh == ow * yw) && (n == 1 || yn == oh * ow * yw) &&
 *          padv >= (x.lo < 0 ? -128 : 0) && padv <= (x.hi > 127 ? 255 : 127) &&
 *          m > 1 && taps < 32768 && has.mul &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * scratch  columns * min(n * oh * ow, max(16, min(64, 2048 / columns)))
 * ahead    n > 1 || g > 1 || xw != g * c || yw != g * m || xh != w * xw ||
 *          yh != ow * yw || x.bytes * y.bytes > 1 ? -1 :
 *          max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    544
 * cycles   n * g * oh * ow * (m * (15 + 9 * (columns >> 4)) / 4 + 60 +
 *          (columns >> 3) + kh * (7 + 3 * (kw * c + 15 >> 4))) + g * m * 50 *
 *          ceil(n * oh * ow, max(16, min(64, 2048 / columns)))
 */
#include "kern/mve/gather.h"
#include "kern/mve/pair.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    pair_conv(k, io);
}
