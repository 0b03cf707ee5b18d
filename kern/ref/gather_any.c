/* Slices along an axis, chosen by index.
 *
 * op       gather
 * types    x:f32 i:int -> y:f32
 * types    x:int i:int -> y:int
 * isa      any
 * stack    64
 * cycles   10 * y.n
 *
 * A negative index counts from the end of the axis.
 */
#include "kern/kern.h"

static Y *slice(const X *x, Y *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        *y++ = (Y)x[i];
    return y;
}

void FN(const struct gather_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *index = io->in[1];
    Y *y = io->out[0];

    for (int32_t outer = 0; outer < k->outer; outer++)
        for (int32_t i = 0; i < k->n; i++) {
            ptrdiff_t at = (ptrdiff_t)index[i];

            at += at < 0 ? k->len : 0;
            at += (ptrdiff_t)outer * k->len;
            y = slice(x + at * k->inner, y, k->inner);
        }
}
