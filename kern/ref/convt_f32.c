/* Transposed convolution, one output element at a time: it gathers what the
 * convolution with these weights would scatter.
 *
 * op       convt
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * layout   any
 * split    g m oh
 * stack    368
 * cycles   n * g * m * oh * ow * (60 + kh * kw * (20 + 14 * c))
 */
#include "kern/kern.h"

static float finish(const struct convt_dims *k, const struct io *io,
                    float sum, int32_t channel)
{
    (void)io, (void)channel;
    return clipf(sum, k->flo, k->fhi);
}

#include "kern/conv/convt.h"

void FN(const struct convt_dims *k, const struct io *io)
{
    convt_all(k, io);
}
