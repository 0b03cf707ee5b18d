/* x with the elements that indices name replaced by updates.
 *
 * op       scatterelem
 * types    x:f32 i:int u:f32 -> y:f32
 * types    x:int i:int u:int -> y:int
 * isa      any
 * inplace  x
 * stack    224
 * cycles   10 * x.n + 70 * u.n
 *
 * n: axes of i and u; xn, xs: sizes and strides of x and y.
 * mode 0: replaced, 1: added, 2: multiplied, 3: the greater, 4: the lesser.
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

static void copy(const struct elements_dims *k, const X *x, Y *y)
{
    ptrdiff_t n = 1;

    if ((const void *)x == y && sizeof *x == sizeof *y)
        return;
    for (int axis = 0; axis < 8; axis++)
        n *= k->xn[axis];
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] = (Y)x[i];
}

void FN(const struct elements_dims *k, const struct io *io)
{
    const I *index = io->in[1];
    const U *u = io->in[2];
    Y *y = io->out[0];
    int32_t i[8] = {0};

    copy(k, io->in[0], y);
    do {
        Y *at = y + place(k, i, (ptrdiff_t)*index++);

        *at = combined(*at, *u++, k->mode);
    } while (next(k, i));
}
