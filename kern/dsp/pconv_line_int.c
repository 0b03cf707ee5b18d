/* Convolution of one pixel, of weights of four bits, two channels at a time.
 *
 * op       pconv
 * types    x:s8|u8 w:u8 b:int mul:int add:int -> y:s8|u8|s16|u16
 * types    x:s8|u8 w:u8 b:int mul:int add:int shifts:int -> y:s8|u8|s16|u16
 * round    0 1
 * isa      dsp
 * let      k = kh * kw * c
 * when     mode == 2 && bits == 4 && less == 8 && tile == 8 &&
 *          n * oh * ow == 1 && kh == h && kw == w && ph == 0 && pw == 0 &&
 *          xc == 1 && yc == 1 && (kw == 1 || xw == c) &&
 *          (kh == 1 || xh == kw * c) && k < 32768 &&
 *          has.mul && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          (shift > 31 || (shift > 0 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * layout   last
 * words    8 4 2 0
 * scratch  128 + 8 + 2 * min(k + 7 & -8, 256)
 * stack    512
 * cycles   260 + m * (34 + (19 * k >> 4) + 23 * (k - 1 >> 8)) +
 *          (9 * k * (k > 256 ? ceil(m, 32) : 1) >> 1)
 */
#include "kern/conv/nibbles.h"
#include "kern/conv/line.h"
#include "kern/dsp/line_nibbles.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    const struct matmul_dims d = line_of(k);

    line_matmul(&d, io);
}
