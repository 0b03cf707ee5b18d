/* Channels-last convolution of one tap, two pixels by two channels of
 * sixteen columns at a time.
 *
 * op       conv
 * types    x:s8|u8 w:s8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:s8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      columns = c + 15 & -16
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
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * inplace  x
 * scratch  columns * min(n * oh * ow, max(16, min(64, 2048 / columns)))
 * stack    544
 * cycles   n * oh * ow * (m * (15 + 9 * (columns >> 4)) / 4 + 10 +
 *          (columns >> 2)) + m * 50 *
 *          ceil(n * oh * ow, max(16, min(64, 2048 / columns)))
 */
#include "kern/mve/point.h"
#include "kern/mve/pair.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    pair_conv(k, io);
}
