/* Channels-last depthwise convolution, four channels at a time with a window a
 * vector; it may lie on its operand.
 *
 * op       conv
 * types    x:s8|u8 w:s8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:s8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * let      upper = has.shifts || round
 * let      window = upper ? 23 + 2 * round : 28
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 && dh == 1 && dw == 1 &&
 *          kh * kw <= 16 && ww == 1 && wh == kw && g < 8192 && has.mul &&
 *          ph < kh && oh <= h && ow <= w && xw == g && yw == g &&
 *          xh == w * g && yh == ow * g &&
 *          padv >= (x.lo < 0 ? -128 : 0) && padv <= (x.hi > 127 ? 255 : 127) &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * inplace  x
 * scratch  64 + 80 * kh + 4 * ((ow - 1) * sw + kw) * kh + (g & 3 ? 4 * ow : 0)
 * stack    576
 * cycles   300 + n * (g + 3 >> 2) * ((upper ? 250 : 440) + oh * (15 + window * ow +
 *          (g & 3 ? 150 + sh * (40 + 9 * w) : sh * (17 + 5 * (w + 3 >> 2)))))
 *
 * In place rows are kept before results take their place: of those same
 * channels, and the result of a window is never behind its last row.
 */
#include "kern/mve/rows.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    rows_conv(k, io);
}
