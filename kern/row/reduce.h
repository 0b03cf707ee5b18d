/* Reductions: the loops around one expression.
 *
 * A file says REDUCE(T, first, next, last): a sum `a` of type T begins as
 * `first`, becomes `next` with each element x, and ends as the result `last`.
 * Within them k is the dims struct, and n the number of elements before x. */
#ifndef REDUCE_H
#define REDUCE_H

#include <math.h>
#include "kern/kern.h"

/* Steps a nest of loops, the outer `axes` of six of sizes n; moves `at` by
 * strides s.  0: done. */
static inline int reduce_next(const int32_t n[6], const int32_t s[6],
                              int32_t i[6], int axes, ptrdiff_t *at)
{
    for (int axis = axes - 1; axis >= 0; axis--) {
        *at += s[axis];
        if (++i[axis] < n[axis])
            return 1;
        *at -= (ptrdiff_t)n[axis] * s[axis];
        i[axis] = 0;
    }
    return 0;
}

/* This core's elements of the result: how many (of one core: as many as there
 * are), the first in *from, and where its loops begin. */
static inline int32_t reduce_begin(const struct reduce_dims *k,
                                   const struct io *io, int32_t i[6],
                                   ptrdiff_t *at, int32_t *from)
{
    int32_t total = 1, to, left;

    *from = 0;
    if (io->ncore <= 1)
        return INT32_MAX;
    for (int axis = 0; axis < 6; axis++)
        total *= k->n[axis];
    span(total, io->core, io->ncore, from, &to);
    left = *from;
    for (int axis = 5; axis >= 0; axis--) {
        i[axis] = left % k->n[axis];
        left /= k->n[axis];
        *at += (ptrdiff_t)i[axis] * k->xs[axis];
    }
    return to - *from;
}

#define REDUCE(T, first, next, last)                                    \
    static Y reduced(const struct reduce_dims *k, const X *x0)          \
    {                                                                   \
        int32_t i[6] = {0}, n = 0;                                      \
        ptrdiff_t at = 0;                                               \
        X x = x0[0];                                                    \
        T a = first;                                                    \
                                                                        \
        do {                                                            \
            const X *from = x0 + at;                                    \
                                                                        \
            for (int32_t j = k->m[5]; j > 0; j--, from += k->ms[5]) {   \
                x = *from;                                              \
                a = next;                                               \
                n++;                                                    \
            }                                                           \
        } while (reduce_next(k->m, k->ms, i, 5, &at));                  \
        (void)x, (void)n;                                               \
        return (Y)(last);                                                  \
    }                                                                   \
                                                                        \
    void FN(const struct reduce_dims *k, const struct io *io)           \
    {                                                                   \
        const X *x = io->in[0];                                         \
        Y *y = io->out[0];                                              \
        int32_t i[6] = {0}, from;                                       \
        ptrdiff_t at = 0;                                               \
        int32_t left = reduce_begin(k, io, i, &at, &from);              \
                                                                        \
        if (!left)                                                      \
            return;                                                     \
        y += from;                                                      \
        do                                                              \
            *y++ = reduced(k, x + at);                                  \
        while (--left && reduce_next(k->n, k->xs, i, 6, &at));          \
    }

#endif
