/* Channels-last convolution of one tap with packed products.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      dsp
 * when     xc == 1 && yc == 1 && wc == 1 && kh == 1 && kw == 1 && g == 1 &&
 *          sh == 1 && sw == 1 && oh == h && ow == w && ph == 0 && pw == 0 &&
 *          (h == 1 || (xh == w * xw && yh == ow * yw)) &&
 *          c < 32768 && c > 3
 * layout   last
 * stack    384
 * cycles   n * oh * ow * (m * (27 + 2 * c) + 10)
 */
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv.h"
#include "kern/sums_dsp.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    const struct patch p = {1, 1, k->c, 0, 0, 0, 0};
    const int32_t pixels = k->h * k->w;

    for (int32_t n = 0; n < k->n; n++) {
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn;
        int32_t i = 0;

        for (; i + 1 < pixels; i += 2, x += 2 * k->xw, y += 2 * k->yw)
            conv_two(k, io, &p, x, k->xw, io->in[1], 0, y, y + k->yw);
        if (i < pixels)
            conv_one(k, io, &p, NULL, x, io->in[1], 0, y);
    }
}
