/* Slices along an axis, chosen by index.
 *
 * op       gather
 * types    x:f32 i:int -> y:f32
 * types    x:int i:int -> y:int
 * isa      any
 * when     mode == 0
 * split    outer n inner
 * stack    96
 * cycles   10 * y.n
 *
 * A negative index counts from the end of the axis.
 */
#include "kern/kern.h"

/* Elements [from, to) of slices [first, last), each of all there are. */
static void slices(const struct gather_dims *k, const struct io *io,
                   int32_t first, int32_t last, int32_t from, int32_t to)
{
    const I *index = io->in[1];

    for (int32_t i = first; i < last; i++) {
        const int32_t outer = i / k->n;
        const ptrdiff_t at = (ptrdiff_t)index[i - outer * k->n];
        const X *x = (const X *)io->in[0] +
                     (at + (at < 0 ? k->len : 0) + (ptrdiff_t)outer * k->len) *
                         k->inner;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)i * k->inner;

        for (int32_t j = from; j < to; j++)
            y[j] = (Y)x[j];
    }
}

/* Slices are dealt out if there are enough, else the elements of each. */
void FN(const struct gather_dims *k, const struct io *io)
{
    const int32_t n = k->outer * k->n;
    int32_t from, to;

    span(n < io->ncore ? k->inner : n, io->core, io->ncore, &from, &to);
    if (n < io->ncore)
        slices(k, io, 0, n, from, to);
    else
        slices(k, io, from, to, 0, k->inner);
}
