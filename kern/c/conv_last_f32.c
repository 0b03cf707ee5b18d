/* Channels-last convolution, two pixels by two channels at a time.
 *
 * op       conv
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * when     xc == 1 && yc == 1 && wc == 1 && padv == 0
 * layout   last
 * split    oh m
 * stack    608
 * cycles   n * g * oh * ow * (m * (25 + kh * (12 + 3 * c * kw)) + 60)
 */
#include "kern/kern.h"

static inline float finish(const struct conv_dims *k, const struct io *io,
                           float sum, int32_t channel)
{
    (void)io, (void)channel;
    return clipf(sum, k->flo, k->fhi);
}
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    conv_all(k, io);
}
