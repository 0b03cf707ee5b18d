/* Convolution of three by three taps on N-Eureka.
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
 *          g == 1 && kh == 3 && kw == 3 && sh * sw * dh * dw == 1 &&
 *          oh + 2 - ph - h >= 0 && oh + 2 - ph - h < 3 &&
 *          ow + 2 - pw - w >= 0 && ow + 2 - pw - w < 3 && ph < 3 && pw < 3 &&
 *          oh < 65536 && ow < 65536 &&
 *          xc == 1 && yc == 1 &&
 *          padv >= -32768 && padv < 32768 &&
 *          (y.bytes == 4 ? lo <= acc.lo && acc.hi <= hi :
 *           scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           (mulc && addc || m * g == 1))
 * let      ko = ceil(m, 32)
 * let      ki = ceil(c, 28)
 * let      sums = bits * m + 5 * ko
 * let      rest = (m - 32 * (ko - 1)) * bits + 5
 * let      ahead = (ko - 1) * max(32 * bits + 5, 69) + max(rest, 69)
 * let      part = ki * (port ? 8 * ko + ahead : 78 * ko + sums)
 * let      out = y.bytes == 4 ? ko * 4 + 36 * ceil(m, 8) :
 *          ko * 57 + ceil(m * mul.bytes, 4) + ceil(m, 8)
 * stack    464
 * cycles   4 + port * (70 + rest - max(rest, 69)) +
 *          ceil(oh, 6) * ceil(ow, 6) * (part + out)
 * code     140
 * cold     165
 *
 * As pconv_point_int.c; an input tile of 8x8 pixels takes 70 cycles, and a
 * channel as many as a weight has bits, a tile at least 69 if the next is on
 * its way meanwhile.
 */
#include "kern/neureka/job.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    neureka_job(k, io);
}
