/* Channels-last convolution of one tap and of weights of four bits, four pixels
 * by two channels of sixteen columns at a time.
 *
 * op       pconv
 * types    x:s8|u8 w:u8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:u8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      columns = c + 15 & -16
 * let      row = c + 31 & -32
 * let      spare = 2 * row
 * let      usual = max(16, min(64, 2048 / columns))
 * let      all = n * oh * ow + 3 & -4
 * let      least = min(all, usual & -4)
 * let      pixels = room > 0 ? (room - spare) / columns & -4 : least
 * let      upper = has.shifts || round
 * let      quad = (upper ? 22 + 4 * round : 32) + 14 * (columns >> 4) +
 *          2 * ceil(columns, 64)
 * let      pair = (upper ? 95 : 130) + 44 + 16 * (row >> 5)
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * when     mode == 2 && bits == 4 && less == 8 && tile == 2 &&
 *          xc == 1 && yc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          xw == c && yw == m && (h == 1 || (xh == w * c && yh == w * m)) &&
 *          (n == 1 || (xn == h * w * c && yn == h * w * m)) &&
 *          m > 1 && m < 21846 && c < 32768 && has.mul &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * words    2 1 2 0
 * inplace  x
 * scratch  spare + columns * least
 * most     spare + columns * min(all, max(least, 64))
 * reads    ceil(all, pixels)
 * stack    768
 * cycles   (all >> 2) * ((m + 1 >> 1) * quad + 20 + 9 * (columns >> 4)) +
 *          (m + 1 >> 1) * pair * ceil(all, pixels) + 200
 */
#include "kern/mve/nibbles.h"
#include "kern/mve/quad.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    const struct conv_dims d = conv_of(k);

    pair_conv(&d, io);
}
