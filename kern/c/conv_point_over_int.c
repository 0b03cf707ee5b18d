/* Channels-last convolution of one tap that may lie on its operand.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
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
#include <string.h>
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    const struct patch p = {1, 1, k->c, 0, 0, 0, 0};
    const struct span all = {0, k->m};
    const int32_t pixels = k->h * k->w;
    const size_t bytes = (size_t)k->c * sizeof(X);
    X *kept = io->tmp;

    for (int32_t n = 0; n < k->n; n++) {
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn;
        int32_t i = 0;

        for (; i + 1 < pixels; i += 2, x += 2 * k->xw, y += 2 * k->yw) {
            memcpy(kept, x, 2 * bytes);
            conv_two(k, io, &p, kept, k->c, io->in[1], 0, all, y, y + k->yw);
        }
        if (i < pixels) {
            memcpy(kept, x, bytes);
            conv_one(k, io, &p, NULL, kept, io->in[1], 0, all, y);
        }
    }
}
