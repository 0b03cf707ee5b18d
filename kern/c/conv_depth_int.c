/* Channels-last depthwise convolution, four channels at a time.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1
 * layout   last
 * stack    480
 * cycles   n * oh * ow * (g * (40 + 5 * kh * kw) + 90)
 *
 * The taps that lie inside x are found once per pixel, for all channels.
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/depth.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    for (int32_t n = 0; n < k->n; n++)
        for (int32_t oy = 0; oy < k->oh; oy++)
            row(k, io, oy * k->sh - k->ph,
                (const X *)io->in[0] + (ptrdiff_t)n * k->xn, 0,
                (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
                    (ptrdiff_t)oy * k->yh);
}
