/* What strided copies share: which part of the box is this core's, and the way
 * from run to run of the last axis. */
#ifndef COPY_H
#define COPY_H

#include "kern/kern.h"

/* Sizes of the box to copy and where it begins; 0: there is none.  The first
 * axis that has a part for every core is cut, else the longest; of those up to
 * `last`, 7, or 6 where a run's parts would take as long as the run. */
static inline int copy_begin(const struct copy_dims *k, const struct io *io,
                             const int last, int32_t n[8], ptrdiff_t *from,
                             ptrdiff_t *to)
{
    int32_t lo, hi;
    int cut = 0;

    n[7] = k->n[7];
    for (int i = last; i >= 0; i--) {
        n[i] = k->n[i];
        if (n[i] >= io->ncore || n[i] > n[cut] || i == last)
            cut = i;
    }
    *from = k->xo;
    *to = k->yo;
    span(n[cut], io->core, io->ncore, &lo, &hi);
    *from += (ptrdiff_t)lo * k->xs[cut];
    *to += (ptrdiff_t)lo * k->ys[cut];
    n[cut] = hi - lo;
    return io->ncore <= 1 || n[cut] > 0;
}

/* On to the next place along the first `axes`; 0 after the last. */
static inline int copy_next(const struct copy_dims *k, const int32_t n[8],
                            int32_t *i, int axes, ptrdiff_t *from,
                            ptrdiff_t *to)
{
    for (int axis = axes - 1; axis >= 0; axis--) {
        *from += k->xs[axis];
        *to += k->ys[axis];
        if (++i[axis] < n[axis])
            return 1;
        *from -= (ptrdiff_t)n[axis] * k->xs[axis];
        *to -= (ptrdiff_t)n[axis] * k->ys[axis];
        i[axis] = 0;
        while (axis > 0 && n[axis - 1] == 1)
            axis--;
    }
    return 0;
}

/* The function: run(k, x, y, n) for each run, n elements from x on to y. */
#define COPY_RUNS(run)                                                 \
    void FN(const struct copy_dims *k, const struct io *io)            \
    {                                                                  \
        const X *x = io->in[0];                                        \
        Y *y = io->out[0];                                             \
        int32_t i[6] = {0}, n[8];                                      \
        ptrdiff_t from, to;                                            \
                                                                       \
        if (!copy_begin(k, io, 7, n, &from, &to))                      \
            return;                                                    \
        do                                                             \
            for (int32_t j = 0; j < n[6]; j++)                         \
                run(k, x + from + (ptrdiff_t)j * k->xs[6],             \
                    y + to + (ptrdiff_t)j * k->ys[6], n[7]);           \
        while (copy_next(k, n, i, 6, &from, &to));                     \
    }

#endif
