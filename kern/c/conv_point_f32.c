/* Channels-last convolution of one tap: a matrix product over the pixels.
 *
 * op       conv
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw))
 * layout   last
 * split    oh m
 * stack    528
 * cycles   n * oh * ow * (m * (25 + 3 * c) + 10)
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
    for (int32_t n = 0; n < k->n; n++)
        conv_points(k, io, n);
}
