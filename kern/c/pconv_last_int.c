/* Channels-last convolution of weights of four bits, two pixels by two channels
 * at a time.
 *
 * op       pconv
 * types    x:s8|u8|s16 w:u8 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:u8 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * let      taps = kh * kw * c
 * let      some = min(m, max(2, 2048 / taps & -2))
 * when     mode == 2 && bits == 4 && less == 8 && xc == 1 && yc == 1
 * layout   last
 * words    8 4 2 0
 * split    oh m
 * scratch  some * taps
 * stack    960
 * cycles   n * oh * ow * (m * (25 + kh * (12 + 3 * c * kw)) +
 *          60 * ceil(m, some)) + m * (60 + 9 * taps)
 */
#include "kern/conv/unpack.h"
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    unpack_all(k, io, conv_all);
}
