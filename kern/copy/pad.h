/* Padding, element by element.  The including file defines pad_value(k), the
 * constant of mode 0. */
#ifndef PAD_H
#define PAD_H

#include "kern/kern.h"

/* Which element of an axis of x stands at `at`; -1: none does. */
static inline int32_t pad_source(int32_t at, int32_t n, int mode)
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
static inline ptrdiff_t pad_place(const struct pad_dims *k, const int32_t i[8])
{
    ptrdiff_t at = 0;

    for (int axis = 0; axis < 8; axis++) {
        int32_t from = pad_source(i[axis] - k->before[axis], k->xn[axis],
                                  k->mode);

        if (from < 0)
            return -1;
        at = at * k->xn[axis] + from;
    }
    return at;
}

/* Steps i over the axes of y. */
static inline void pad_next(const int32_t n[8], int32_t i[8])
{
    for (int axis = 7; axis >= 0; axis--) {
        if (++i[axis] < n[axis])
            return;
        i[axis] = 0;
    }
}

/* This core's elements: how many, the first of them also in *from, i. */
static inline int32_t pad_begin(const struct pad_dims *k, const struct io *io,
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

static inline void pad_all(const struct pad_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[8] = {0}, at, left = pad_begin(k, io, i, &at);

    for (y += at; left > 0; left--, pad_next(k->n, i)) {
        ptrdiff_t from = pad_place(k, i);

        *y++ = from < 0 ? pad_value(k) : (Y)x[from];
    }
}

#endif
