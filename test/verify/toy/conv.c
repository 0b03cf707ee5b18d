/* Convolution on an accelerator that there is none of.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * engine   toy
 * when     xc == 1 && yc == 1 && wc == 1
 * layout   last
 * stack    576
 * cycles   40 + n * g * oh * ow * m * kh * kw * c / 64
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    conv_all(k, io);
}
