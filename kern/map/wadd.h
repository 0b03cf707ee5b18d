/* Weighted sums along dense rows.  The including file defines WADD_SUM, the
 * type of a sum, and WADD_CLIP(v, lo, hi), which brings one within bounds. */
#ifndef WADD_H
#define WADD_H

#include "kern/finish.h"
#include "kern/map/map.h"

static NOINLINE void run(const struct map_dims *k, const X *x, const Y *y,
                         WADD_SUM c, Z *z, int32_t n)
{
    const WADD_SUM p0 = k->p0, p1 = k->p1;
    const int32_t shift = k->shift, lo = k->lo, hi = k->hi;

    for (int32_t i = 0; i < n; i++) {
        const WADD_SUM sum = x[i] * p0 + y[i] * p1 + c;

        z[i] = (Z)WADD_CLIP(sum >> shift, lo, hi);
    }
}

void FN(const struct map_dims *k, const struct io *io)
{
    const WADD_SUM c = (WADD_SUM)*(const C *)io->in[2];
    struct nest p;
    const int some = nest_begin(k, io, &p);
    Z *z = (Z *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        run(k, (const X *)io->in[0] + p.at0, (const Y *)io->in[1] + p.at1, c,
            z, p.n);
        z += p.step;
    } while (nest_next(k, &p));
}

#endif
