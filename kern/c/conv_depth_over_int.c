/* Channels-last depthwise convolution that may lie on its operand.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 &&
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
#include <string.h>
#include "kern/finish.h"

FINISH(conv, 3)
#include "kern/conv/depth.h"

/* Row `at` of x becomes row i of those kept, if there is one. */
static void keep(const struct conv_dims *k, X *kept, int32_t i, const X *x,
                 int32_t at)
{
    if (at >= 0 && at < k->h)
        memcpy(kept + (ptrdiff_t)i * k->xh, x + (ptrdiff_t)at * k->xh,
               (size_t)k->xh * sizeof *x);
}

void FN(const struct conv_dims *k, const struct io *io)
{
    const int32_t last = (k->kh - 1) * k->dh;
    const struct span all = {0, k->g};
    X *kept = io->tmp;

    for (int32_t n = 0; n < k->n; n++) {
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn;

        for (int32_t i = 0; i < last; i++)
            keep(k, kept, i, x, i - k->ph);
        for (int32_t oy = 0; oy < k->oh; oy++, y += k->yh) {
            keep(k, kept, last, x, oy - k->ph + last);
            row(k, io, all, oy - k->ph, kept, oy - k->ph, y);
            memmove(kept, kept + k->xh,
                    (size_t)last * (size_t)k->xh * sizeof *kept);
        }
    }
}
