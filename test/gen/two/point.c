/* Convolution of one tap on the second of two NE16.
 *
 * op       pconv
 * types    x:u8 w:u8 b:none mul:u8|u16|s32 add:s32 -> y:u8|s8
 * isa      any
 * engine   twin
 * layout   last
 * serves   ne16_job
 * words    16 2 0 3
 * when     tile == 16 && word == 2 && mode == 0 && bits > 1 && n == 1 &&
 *          g == 1 && kh * kw == 1 && ph + pw == 0 && oh == (h - 1) / sh + 1 &&
 *          ow == (w - 1) / sw + 1 && oh < 65536 && ow < 65536 && xc == 1 &&
 *          yc == 1 && (mulc && addc || m == 1) && shift < 32 &&
 *          less >= -127 && less <= 128 &&
 *          scaled.lo >= -2147483648 && scaled.hi < 2147483648 &&
 *          (lo == 0 && hi == 255 || lo == -128 && hi == 127)
 * let      ko = ceil(m, 32)
 * let      ki = ceil(c, 16)
 * let      each = ko * 30 + ki * (33 * ko + m) + ceil(m * mul.bytes, 4) + ceil(m, 8)
 * stack    128
 * cycles   3 + ceil(rows, 3) * ceil(cols, 3) * each
 */
#include "kern/ne16/job.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    ne16_job(k, io);
}
