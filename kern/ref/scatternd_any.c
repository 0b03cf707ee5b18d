/* x with the slices that tuples of indices name replaced by updates.
 *
 * op       scatternd
 * types    x:f32 i:int u:f32 -> y:f32
 * types    x:int i:int u:int -> y:int
 * isa      any
 * inplace  x
 * stack    224
 * cycles   10 * x.n + 20 * u.n
 *
 * mode 0: replaced, 1: added, 2: multiplied, 3: the greater, 4: the lesser.
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

static Y combined(ACC old, ACC u, int mode)
{
    switch (mode) {
    case 1: return (Y)(old + u);
    case 2: return (Y)(old * u);
    case 3: return (Y)(old > u ? old : u);
    case 4: return (Y)(old < u ? old : u);
    }
    return (Y)u;
}

void FN(const struct nd_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *index = io->in[1];
    const U *u = io->in[2];
    Y *y = io->out[0];

    if ((const void *)x != y || sizeof *x != sizeof *y)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)k->batch * k->xbatch; i++)
            y[i] = (Y)x[i];
    for (int32_t i = 0; i < k->batch * k->count; i++, index += k->k) {
        Y *at = y + place(k, index);

        for (int32_t j = 0; j < k->inner; j++)
            at[j] = combined(at[j], *u++, k->mode);
    }
}
