/* Weighted sums of a few elements along an axis.  The including file defines
 * TAPS_SUM, the type of a sum. */
#ifndef TAPS_H
#define TAPS_H

#include "kern/kern.h"

/* Place i of y along the axis. */
static inline void taps_place(const struct taps_dims *k, const struct io *io,
                              const X *x, int32_t i, Y *y)
{
    const I *index = (const I *)io->in[1] + (ptrdiff_t)i * k->taps;
    const W *w = (const W *)io->in[2] + (ptrdiff_t)i * k->taps;

    for (int32_t j = 0; j < k->inner; j++, x++) {
        TAPS_SUM sum = 0;

        for (int32_t t = 0; t < k->taps; t++)
            sum += (TAPS_SUM)x[(ptrdiff_t)index[t] * k->inner] * w[t];
        *y++ = (Y)sum;
    }
}

static inline void taps_all(const struct taps_dims *k, const struct io *io)
{
    int32_t from, to;

    span(k->outer * k->n, io->core, io->ncore, &from, &to);
    for (; from < to; from++) {
        const int32_t outer = from / k->n;

        taps_place(k, io,
                   (const X *)io->in[0] + (ptrdiff_t)outer * k->len * k->inner,
                   from - outer * k->n,
                   (Y *)io->out[0] + (ptrdiff_t)from * k->inner);
    }
}

#endif
