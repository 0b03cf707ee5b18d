/* Convolution of one tap on NE16.
 *
 * op       pconv
 * types    x:u8 w:u8 b:none mul:u8|u16|s32 add:s32 -> y:u8|s8
 * types    x:u8 w:u8 b:none mul:none add:none -> y:s32
 * isa      any
 * engine   ne16
 * layout   last
 * direct   1
 * serves   ne16_job
 * words    16 2 0 3
 * when     tile == 16 && word == 2 && mode == 0 && bits > 1 && n == 1 &&
 *          g == 1 && kh * kw == 1 && ph + pw == 0 && oh == (h - 1) / sh + 1 &&
 *          ow == (w - 1) / sw + 1 && oh < 65536 && ow < 65536 && xc == 1 &&
 *          yc == 1 &&
 *          less >= -127 && less <= 128 &&
 *          (y.bytes == 4 ? lo <= acc.lo && acc.hi <= hi :
 *           scaled.lo >= -2147483648 && scaled.hi < 2147483648 && shift < 32 &&
 *           (lo == 0 && hi == 255 || lo == -128 && hi == 127) &&
 *           (mulc && addc || m == 1))
 * let      ko = ceil(m, 32)
 * let      ki = ceil(c, 16)
 * let      part = ki * (33 * ko + m)
 * let      out = y.bytes == 4 ? ko * 4 + 9 * ceil(m, 8) :
 *          ko * 30 + ceil(m * mul.bytes, 4) + ceil(m, 8)
 * stack    464
 * cycles   4 * (1 + (again > 0)) + (ceil(rows, 3) * ceil(cols, 3) +
 *          (again > 0)) * (part + out)
 * code     again > 0 ? 340 : 140
 * cold     again > 0 ? 365 : 165
 *
 * Each tile of 3x3 pixels and 32 output channels takes 19 cycles for 16
 * channels of the input, 6 for their offset, one for each output channel and 8;
 * then its results are scaled and stored.
 */
#include "kern/ne16/job.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    ne16_job(k, io);
}
