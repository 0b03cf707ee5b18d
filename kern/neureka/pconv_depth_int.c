/* Depthwise convolution of three by three taps on N-Eureka.
 *
 * op       pconv
 * types    x:u8|s8 w:u8 b:none mul:u8|u16|s32 add:s32 -> y:u8|s8
 * types    x:u8|s8 w:u8 b:none mul:none add:none -> y:s32
 * isa      any
 * engine   neureka
 * layout   last
 * direct   1
 * serves   neureka_job
 * words    28 32 0 6
 * when     tile == 28 && word == 32 && mode == 0 && bits > 1 && n == 1 &&
 *          g > 1 && c == 1 && m == 1 && kh == 3 && kw == 3 &&
 *          sh * sw * dh * dw == 1 &&
 *          oh + 2 - ph - h >= 0 && oh + 2 - ph - h < 3 &&
 *          ow + 2 - pw - w >= 0 && ow + 2 - pw - w < 3 && ph < 3 && pw < 3 &&
 *          oh < 65536 && ow < 65536 &&
 *          xc == 1 && yc == 1 &&
 *          padv >= -32768 && padv < 32768 &&
 *          (y.bytes == 4 ? lo <= acc.lo && acc.hi <= hi :
 *           scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           (mulc && addc || m * g == 1))
 * let      go = ceil(g, 28)
 * let      part = go * (port ? 40 : 81 + bits) + g
 * let      words = 4 * (go - 1) + ceil(g - 28 * (go - 1), 8)
 * let      out = y.bytes == 4 ? go * 4 + 36 * words :
 *          go * 57 + ceil(g * mul.bytes, 4) + ceil(g, 8)
 * stack    464
 * cycles   port * (70 + bits - 29) + 4 +
 *          ceil(oh, 6) * ceil(ow, 6) * (part + out)
 * code     140
 * cold     165
 *
 * As pconv_int.c; 28 channels are made at a time, in as many cycles as a weight
 * has bits, but with the next tile on its way in 33.
 */
#include "kern/neureka/job.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    neureka_job(k, io);
}
