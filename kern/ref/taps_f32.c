/* Each element along an axis is a weighted sum of a few: linear resizing.
 *
 * op       taps
 * types    x:f32 i:int w:f32 -> y:f32
 * isa      any
 * split    outer n
 * stack    224
 * cycles   20 * y.n * taps
 */
#include "kern/kern.h"

/* Place i of y along the axis. */
static void place(const struct taps_dims *k, const struct io *io, const X *x,
                  int32_t i, Y *y)
{
    const I *index = (const I *)io->in[1] + (ptrdiff_t)i * k->taps;
    const W *w = (const W *)io->in[2] + (ptrdiff_t)i * k->taps;

    for (int32_t j = 0; j < k->inner; j++, x++) {
        float sum = 0;

        for (int32_t t = 0; t < k->taps; t++)
            sum += x[(ptrdiff_t)index[t] * k->inner] * w[t];
        *y++ = (Y)sum;
    }
}

void FN(const struct taps_dims *k, const struct io *io)
{
    int32_t from, to;

    span(k->outer * k->n, io->core, io->ncore, &from, &to);
    for (; from < to; from++) {
        const int32_t outer = from / k->n;

        place(k, io,
              (const X *)io->in[0] + (ptrdiff_t)outer * k->len * k->inner,
              from - outer * k->n,
              (Y *)io->out[0] + (ptrdiff_t)from * k->inner);
    }
}
