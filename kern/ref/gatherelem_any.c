/* For every position, the element of x that the index there names.
 *
 * op       gatherelem
 * types    x:f32 i:int -> y:f32
 * types    x:int i:int -> y:int
 * isa      any
 * stack    192
 * cycles   60 * y.n
 *
 * n: axes of i and y; xn, xs: sizes and strides of x.
 */
#include "kern/kern.h"

/* Steps i over the axes of the indices; 0 after the last. */
static int next(const struct elements_dims *k, int32_t i[8])
{
    for (int axis = 7; axis >= 0; axis--) {
        if (++i[axis] < k->n[axis])
            return 1;
        i[axis] = 0;
    }
    return 0;
}

/* Offset in x of position i, but `index` along the axis. */
static ptrdiff_t place(const struct elements_dims *k, const int32_t i[8],
                       ptrdiff_t index)
{
    ptrdiff_t at = 0;

    if (index < 0)
        index += k->xn[k->axis];
    for (int axis = 0; axis < 8; axis++)
        at += (axis == k->axis ? index : i[axis]) * k->xs[axis];
    return at;
}

void FN(const struct elements_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *index = io->in[1];
    Y *y = io->out[0];
    int32_t i[8] = {0};

    do
        *y++ = (Y)x[place(k, i, (ptrdiff_t)*index++)];
    while (next(k, i));
}
