/* Channels-last convolution of one tap, four pixels by four channels.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw)) && c > 3 &&
 *          max(-x.lo, x.hi) * max(-w.lo, w.hi) *
 *          c + max(-b.lo, b.hi) < 2147483648 && shift < 63 &&
 *          ((max(-x.lo, x.hi) * max(-w.lo, w.hi) *
 *          c + max(-b.lo, b.hi)) *
 *          max(1, max(-mul.lo, mul.hi)) + max(-add.lo, add.hi)) >> shift <
 *          2147483648
 * layout   last
 * split    oh m
 * stack    704
 * cycles   200 + n * oh * ow * m *
 *          (45 + (c % 4 ? 15 + 5 * c / 8 : 3 * c / 8))
 */
#include "kern/kern.h"

#define scaled scaled_long
#include "kern/tile_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    tile_points(k, io);
}
