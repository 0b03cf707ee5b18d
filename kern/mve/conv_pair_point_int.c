/* Channels-last convolution of one tap, four pixels by two channels of
 * sixteen columns at a time.
 *
 * op       conv
 * types    x:s8|u8 w:s8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:s8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      columns = c + 15 & -16
 * let      spare = c & 15 ? 2 * columns : 0
 * let      usual = columns * max(16, min(64, 2048 / columns)) - spare
 * let      all = n * oh * ow + 3 & -4
 * let      least = min(all, usual / columns & -4)
 * let      pixels = room > 0 ? (room - spare) / columns & -4 : least
 * let      upper = has.shifts || round
 * let      quad = (upper ? 22 + 4 * round : 32) + 14 * (columns >> 4) +
 *          2 * ceil(columns, 64)
 * let      pair = (upper ? 95 : 130) + (c & 15 ? 20 + 5 * (columns >> 4) : 0)
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          xw == c && yw == m && (h == 1 || (xh == w * c && yh == w * m)) &&
 *          (n == 1 || (xn == h * w * c && yn == h * w * m)) &&
 *          m > 1 && m < 21846 && c < 32768 && has.mul &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * inplace  x
 * scratch  spare + columns * least
 * most     spare + columns * min(all, max(least, 64))
 * reads    ceil(all, pixels)
 * stack    544
 * cycles   (all >> 2) * ((m + 1 >> 1) * quad + 20 + 9 * (columns >> 4)) +
 *          (m + 1 >> 1) * pair * ceil(all, pixels) + 200
 */
#include "kern/mve/quad.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    pair_conv(k, io);
}
