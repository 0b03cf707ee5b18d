/* Depthwise convolution of three by three taps on NE16.
 *
 * op       pconv
 * types    x:u8 w:u8 b:none mul:u8|u16|s32 add:s32 -> y:u8|s8
 * types    x:u8 w:u8 b:none mul:none add:none -> y:s32
 * isa      any
 * engine   ne16
 * layout   last
 * direct   1
 * serves   ne16_job
 * words    16 18 0 3
 * when     tile == 16 && word == 18 && mode == 0 && bits > 1 && n == 1 &&
 *          g > 1 && c == 1 && m == 1 && kh == 3 && kw == 3 &&
 *          sh * sw * dh * dw == 1 &&
 *          oh + 2 - ph - h >= 0 && oh + 2 - ph - h < 3 &&
 *          ow + 2 - pw - w >= 0 && ow + 2 - pw - w < 3 && ph < 3 && pw < 3 &&
 *          oh < 65536 && ow < 65536 &&
 *          xc == 1 && yc == 1 &&
 *          padv == 0 && less >= -127 && less <= 128 &&
 *          (y.bytes == 4 ? lo <= acc.lo && acc.hi <= hi :
 *           scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           (mulc && addc || m * g == 1))
 * let      go = ceil(g, 16)
 * let      part = go * 45 + g * (bits + 1)
 * let      out = y.bytes == 4 ? go * 4 + 9 * ceil(g, 8) :
 *          go * 30 + ceil(g * mul.bytes, 4) + ceil(g, 8)
 * stack    464
 * cycles   4 + ceil(oh, 3) * ceil(ow, 3) * (part + out)
 * code     140
 * cold     165
 *
 * As pconv_int.c; 16 channels are made at a time, each in as many cycles as a
 * weight has bits, and one for the weights' offset.
 */
#include "kern/ne16/job.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    ne16_job(k, io);
}
