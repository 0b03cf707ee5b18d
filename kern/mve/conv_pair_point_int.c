/* Channels-last convolution of one tap, two pixels by two channels of
 * sixteen columns at a time.
 *
 * op       conv
 * types    x:s8|u8 w:s8 b:int mul:int add:int -> y:s8|u8
 * isa      mve
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          xw == c && yw == m && (h == 1 || (xh == w * c && yh == w * m)) &&
 *          (n == 1 || (xn == h * w * c && yn == h * w * m)) &&
 *          m > 1 && c < 32768 && has.mul &&
 *          (shift > 31 || (2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift)
 *          && scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * layout   last
 * inplace  x
 * scratch  16 + (c + 15 & -16) * (1 + max(16, min(64, 4096 / (c + 15 & -16))))
 * stack    544
 * cycles   n * oh * ow * (m * (20 + 9 * (c + 15 >> 4) >> 2) + 30 + 3 * m)
 */
#include "kern/mve/pair.h"
#include "kern/conv/pair.h"
#include "kern/conv/point.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    pair_conv(k, io);
}
