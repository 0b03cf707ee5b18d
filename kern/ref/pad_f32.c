/* Padding: with a constant, a mirror image, the edge, or the other end.
 *
 * op       pad
 * types    x:f32 -> y:f32
 * isa      any
 * stack    192
 * cycles   60 * y.n
 *
 * n: axes of y, xn: of x.  mode 0: alpha, 1: mirrored without the edge, 2: the
 * edge, 3: wrapped around.  Negative padding crops.
 */
#include "kern/kern.h"

/* Which element of an axis of x stands at `at`; -1: none does. */
static int32_t source(int32_t at, int32_t n, int mode)
{
    int32_t period = n > 1 ? 2 * (n - 1) : 1;

    if (at >= 0 && at < n)
        return at;
    if (mode == 0)
        return -1;
    if (mode == 2)
        return at < 0 ? 0 : n - 1;
    if (mode == 3)
        return (at % n + n) % n;
    at = (at % period + period) % period;
    return at < n ? at : period - at;
}

/* Offset in x of element i of y; -1: padding. */
static ptrdiff_t place(const struct pad_dims *k, const int32_t i[8])
{
    ptrdiff_t at = 0;

    for (int axis = 0; axis < 8; axis++) {
        int32_t from = source(i[axis] - k->before[axis], k->xn[axis], k->mode);

        if (from < 0)
            return -1;
        at = at * k->xn[axis] + from;
    }
    return at;
}

/* Steps i over the axes of y; 0 after the last element. */
static int next(const int32_t n[8], int32_t i[8])
{
    for (int axis = 7; axis >= 0; axis--) {
        if (++i[axis] < n[axis])
            return 1;
        i[axis] = 0;
    }
    return 0;
}

void FN(const struct pad_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[8] = {0};

    do {
        ptrdiff_t from = place(k, i);

        *y++ = from < 0 ? (Y)k->alpha : (Y)x[from];
    } while (next(k->n, i));
}
