/* Reductions: the loops around one expression.
 *
 * A file says REDUCE(T, first, next, last): a sum `a` of type T begins as
 * `first`, becomes `next` with each element x, and ends as the result `last`.
 * Within them k is the dims struct, and n the number of elements before x. */
#ifndef REDUCE_H
#define REDUCE_H

#include <math.h>
#include "kern/kern.h"

/* Steps a nest of six loops of sizes n; moves `at` by strides s.  0: done. */
static inline int reduce_next(const int32_t n[6], const int32_t s[6],
                              int32_t i[6], ptrdiff_t *at)
{
    for (int axis = 5; axis >= 0; axis--) {
        *at += s[axis];
        if (++i[axis] < n[axis])
            return 1;
        *at -= (ptrdiff_t)n[axis] * s[axis];
        i[axis] = 0;
    }
    return 0;
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
            x = x0[at];                                                 \
            a = next;                                                   \
            n++;                                                        \
        } while (reduce_next(k->m, k->ms, i, &at));                     \
        (void)x, (void)n;                                               \
        return (Y)(last);                                                  \
    }                                                                   \
                                                                        \
    void FN(const struct reduce_dims *k, const struct io *io)           \
    {                                                                   \
        const X *x = io->in[0];                                         \
        Y *y = io->out[0];                                              \
        int32_t i[6] = {0};                                             \
        ptrdiff_t at = 0;                                               \
                                                                        \
        do                                                              \
            *y++ = reduced(k, x + at);                                  \
        while (reduce_next(k->n, k->xs, i, &at));                       \
    }

#endif
