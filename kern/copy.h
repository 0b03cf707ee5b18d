/* What strided copies share: which part of the box is this core's. */
#ifndef COPY_H
#define COPY_H

#include "kern/kern.h"

/* Sizes of the box to copy and where it begins; 0: there is none.  The first
 * axis that has a part for every core is cut, else the longest. */
static inline int copy_begin(const struct copy_dims *k, const struct io *io,
                             int32_t n[8], ptrdiff_t *from, ptrdiff_t *to)
{
    int32_t lo, hi;
    int cut = 0;

    for (int i = 7; i >= 0; i--) {
        n[i] = k->n[i];
        if (n[i] >= io->ncore || n[i] > n[cut] || i == 7)
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

#endif
