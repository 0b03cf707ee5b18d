/* Padding: with a constant, a mirror image, the edge, or the other end.
 *
 * op       pad
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
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

/* Steps i over the axes of y. */
static void next(const int32_t n[8], int32_t i[8])
{
    for (int axis = 7; axis >= 0; axis--) {
        if (++i[axis] < n[axis])
            return;
        i[axis] = 0;
    }
}

/* This core's elements: how many, the first of them also in *from, i. */
static int32_t begin(const struct pad_dims *k, const struct io *io,
                     int32_t i[8], int32_t *from)
{
    int32_t total = 1, to, left;

    for (int axis = 0; axis < 8; axis++)
        total *= k->n[axis];
    span(total, io->core, io->ncore, from, &to);
    left = *from;
    for (int axis = 7; axis >= 0 && left; axis--) {
        i[axis] = left % k->n[axis];
        left /= k->n[axis];
    }
    return to - *from;
}

void FN(const struct pad_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[8] = {0}, at, left = begin(k, io, i, &at);

    for (y += at; left > 0; left--, next(k->n, i)) {
        ptrdiff_t from = place(k, i);

        *y++ = from < 0 ? (Y)k->alpha : (Y)x[from];
    }
}
