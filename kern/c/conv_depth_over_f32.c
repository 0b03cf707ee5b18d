/* Channels-last depthwise convolution that may lie on its operand.
 *
 * op       conv
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 && padv == 0 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w &&
 *          ph <= (kh - 1) * dh && xw == g && xh == w * g
 * layout   last
 * inplace  x
 * scratch  x.bytes * g * w * ((kh - 1) * dh + 1)
 * stack    608
 * cycles   n * oh * (ow * (g * (40 + kh + 5 * kh * kw) + 90) + 60)
 *
 * The rows under the window are kept aside, and move on by one when a row is
 * done: those above it lie where results are by then.
 */
#include "kern/kern.h"

static inline float finish(const struct conv_dims *k, const struct io *io,
                           float sum, int32_t channel)
{
    (void)io, (void)channel;
    return clipf(sum, k->flo, k->fhi);
}
#include "kern/conv/depth_over.h"
