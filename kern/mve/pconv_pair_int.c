/* Channels-last convolution of weights of four bits, two pixels by two channels
 * of sixteen columns at a time.
 *
 * op       pconv
 * types    x:s8|u8 w:u8 b:int mul:int add:int -> y:s8|u8
 * types    x:s8|u8 w:u8 b:int mul:int add:int
 *          shifts:s8|s32 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      taps = kh * kw * c
 * let      columns = taps + 15 & -16
 * let      spare = 2 * (taps + 31 & -32)
 * let      whole = max(-mul.lo, mul.hi) < 2147483648 &&
 *          (has.shifts ? shifts.lo > 31 : shift > 31)
 * let      small = shift > 0 && shift < 32 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)
 * let      top = min(ph / sh, oh - 1)
 * let      below = min(top + 1, oh - 1)
 * let      bottom = oh * ow * yw - max(0, (oh - 1) * sh - ph) * xh
 * when     mode == 2 && bits == 4 && less == 8 && tile == 2 &&
 *          xc == 1 && yc == 1 &&
 *          (oh == 1 || yh == ow * yw) && (n == 1 || yn == oh * ow * yw) &&
 *          padv >= (x.lo < 0 ? -128 : 0) && padv <= (x.hi > 127 ? 255 : 127) &&
 *          m > 1 && taps < 32768 && has.mul &&
 *          max(-acc.lo, acc.hi) < 1 << 30 && (whole || small)
 * layout   last
 * words    2 1 2 0
 * scratch  spare + columns * min(n * oh * ow, max(16, min(64, 2048 / columns)))
 * ahead    n > 1 || xw != c || yw != m || xh != w * xw || yh != ow * yw ||
 *          x.bytes * y.bytes > 1 ? -1 :
 *          max(max(0, bottom), max((top + 1) * ow * yw,
 *          (below + 1) * ow * yw - max(0, below * sh - ph) * xh))
 * stack    768
 * cycles   n * oh * ow * (m * (15 + 9 * (columns >> 4)) / 4 + 60 +
 *          (columns >> 3) + kh * (7 + 3 * (kw * c + 15 >> 4))) +
 *          m * (75 + 8 * (taps + 31 >> 5)) *
 *          ceil(n * oh * ow, max(16, min(64, 2048 / columns)))
 */
#include "kern/mve/nibbles.h"
#include "kern/mve/gather.h"
#include "kern/mve/pair.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    const struct conv_dims d = conv_of(k);

    pair_conv(&d, io);
}
