/* The slices of x that tuples of indices name.
 *
 * op       gathernd
 * types    x:f32 i:int -> y:f32
 * types    x:int i:int -> y:int
 * isa      any
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

static Y *slice(const X *x, Y *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        *y++ = (Y)x[i];
    return y;
}

void FN(const struct nd_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *index = io->in[1];
    Y *y = io->out[0];

    for (int32_t batch = 0; batch < k->batch; batch++, x += k->xbatch)
        for (int32_t i = 0; i < k->count; i++, index += k->k)
            y = slice(x + place(k, index), y, k->inner);
}
