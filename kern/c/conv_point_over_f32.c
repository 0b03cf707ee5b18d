/* Channels-last convolution of one tap that may lie on its operand.
 *
 * op       conv
 * types    x:f32 w:f32 b:f32 mul:none add:none -> y:f32
 * isa      any
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          xw == c && yw == m &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw))
 * layout   last
 * inplace  x
 * scratch  2 * c * x.bytes
 * stack    480
 * cycles   n * oh * ow * (m * (25 + 3 * c) + c + 20)
 *
 * The pixels at hand are kept aside while results take their place; as
 * all is done in order, results never reach what is still to be read.
 */
#include "kern/kern.h"

static inline float finish(const struct conv_dims *k, const struct io *io,
                           float sum, int32_t channel)
{
    (void)io, (void)channel;
    return clipf(sum, k->flo, k->fhi);
}
#include "kern/conv/point_over.h"
