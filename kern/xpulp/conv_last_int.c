/* Channels-last convolution of copied windows, four pixels by four
 * channels.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     xc == 1 && yc == 1 && wc == 1 && g == 1 && ww == c &&
 *          wh == kw * c && c * kh * kw > 3 &&
 *          max(max(-x.lo, x.hi), max(-padv, padv)) * max(-w.lo, w.hi) *
 *          c * kh * kw + max(-b.lo, b.hi) < 2147483648 && shift < 63 &&
 *          ((max(max(-x.lo, x.hi), max(-padv, padv)) * max(-w.lo, w.hi) *
 *          c * kh * kw + max(-b.lo, b.hi)) *
 *          max(1, max(-mul.lo, mul.hi)) + max(-add.lo, add.hi)) >> shift <
 *          2147483648
 * layout   last
 * split    oh m
 * scratch  4 * c * kh * kw
 * stack    704
 * cycles   200 + n * oh * ow * (kh * (100 + 9 * c * kw / 4) + m *
 *          (45 + (c * kh * kw % 4 ? 15 + 5 * c * kh * kw / 8 :
 *          3 * c * kh * kw / 8)))
 */
#include "kern/kern.h"

#define scaled scaled_long
#include "kern/tile_conv.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    tile_windows(k, io);
}
