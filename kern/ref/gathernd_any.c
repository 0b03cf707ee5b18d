/* The slices of x that tuples of indices name.
 *
 * op       gathernd
 * types    x:f32 i:int -> y:f32
 * types    x:int i:int -> y:int
 * isa      any
 * split    batch count
 * stack    96
 * cycles   12 * y.n + 20 * i.n
 */
#include "kern/kern.h"

/* Offset of the slice that k->k indices name. */
static ptrdiff_t place(const struct nd_dims *k, const I *index)
{
    ptrdiff_t at = 0;

    for (int32_t j = 0; j < k->k; j++) {
        ptrdiff_t i = (ptrdiff_t)index[j];

        at += (i < 0 ? i + k->len[j] : i) * k->stride[j];
    }
    return at;
}

void FN(const struct nd_dims *k, const struct io *io)
{
    int32_t from, to;

    span(k->batch * k->count, io->core, io->ncore, &from, &to);
    for (; from < to; from++) {
        const X *x = (const X *)io->in[0] +
                     (ptrdiff_t)(from / k->count) * k->xbatch +
                     place(k, (const I *)io->in[1] + (ptrdiff_t)from * k->k);
        Y *y = (Y *)io->out[0] + (ptrdiff_t)from * k->inner;

        for (int32_t i = 0; i < k->inner; i++)
            y[i] = (Y)x[i];
    }
}
