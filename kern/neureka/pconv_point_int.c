/* Convolution of one tap on N-Eureka.
 *
 * op       pconv
 * types    x:u8|s8 w:u8 b:none mul:u8|u16|s32 add:s32 -> y:u8|s8
 * types    x:u8|s8 w:u8 b:none mul:none add:none -> y:s32
 * isa      any
 * engine   neureka
 * layout   last
 * direct   1
 * serves   neureka_job
 * words    32 32 1 6
 * when     tile == 32 && word == 32 && mode == 1 && bits > 1 && n == 1 &&
 *          g == 1 && kh * kw == 1 && ph + pw == 0 && oh == (h - 1) / sh + 1 &&
 *          ow == (w - 1) / sw + 1 && oh < 65536 && ow < 65536 && xc == 1 &&
 *          yc == 1 &&
 *          (y.bytes == 4 ? lo <= acc.lo && acc.hi <= hi :
 *           scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           (mulc && addc || m == 1))
 * let      ko = ceil(m, 32)
 * let      ki = ceil(c, 32)
 * let      rest = m - 32 * (ko - 1) + 5
 * let      once = 46 * (ko - 1) + max(rest, 46)
 * let      more = 50 * (ko - 1) + max(rest, 50)
 * let      part = port ? 8 * ko * ki + once + (ki - 1) * more :
 *          65 * ko * ki + m * ki
 * let      out = y.bytes == 4 ? ko * 4 + 36 * ceil(m, 8) :
 *          ko * 57 + ceil(m * mul.bytes, 4) + ceil(m, 8)
 * stack    464
 * cycles   (1 + (again > 0)) * (4 + port * (52 + rest - max(rest, ki > 1 ? 50 :
 *          46))) + (ceil(rows, 6) * ceil(cols, 6) + (again > 0)) * (part + out)
 * code     again > 0 ? 340 : 140
 * cold     again > 0 ? 365 : 165
 *
 * Each tile of 6x6 pixels and 32 output channels takes 52 cycles for 32
 * channels of the input, 6 for their offset, one for each output channel and 7;
 * then its results are scaled and stored.  Weights that come through the port
 * let the next tile be loaded meanwhile, which takes 46 cycles, or 50.
 */
#include "kern/neureka/job.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    neureka_job(k, io);
}
