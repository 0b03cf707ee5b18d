/* Channels-last depthwise convolution, four channels at a time.
 *
 * op       conv
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 && padv == 0
 * layout   last
 * split    oh g
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
#include "kern/conv/depth.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    depth_all(k, io);
}
