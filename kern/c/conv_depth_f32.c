/* Channels-last depthwise convolution, four channels at a time.
 *
 * op       conv
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 && padv == 0
 * layout   last
 * stack    544
 * cycles   n * oh * ow * (g * (40 + 5 * kh * kw) + 90)
 *
 * The taps that lie inside x are found once per pixel, for all channels.
 */
#include "kern/kern.h"

static inline float finish(const struct conv_dims *k, const struct io *io,
                           float sum, int32_t channel)
{
    (void)io, (void)channel;
    return clipf(sum, k->flo, k->fhi);
}
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
