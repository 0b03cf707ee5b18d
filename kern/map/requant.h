/* Scaling along dense rows.  The including file defines
 * RESCALED(v, mul, add, shift, lo, hi), the epilogue of one element. */
#ifndef REQUANT_H
#define REQUANT_H

#include "kern/finish.h"
#include "kern/map/map.h"

static NOINLINE void same(const X *x, Y *y, int32_t n,
                          const struct map_dims *k, MUL mul, ADD add)
{
    const int32_t lo = k->lo, hi = k->hi, shift = k->shift;

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)RESCALED((ACC)x[i], mul, add, shift, lo, hi);
}

static NOINLINE void each(const X *x, Y *y, int32_t n,
                          const struct map_dims *k, const MUL *mul,
                          const ADD *add)
{
    const int32_t lo = k->lo, hi = k->hi, shift = k->shift;
    const int32_t sm = k->sm[5], sa = k->sa[5];

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)RESCALED((ACC)x[i], mul[i * sm], add[i * sa], shift, lo, hi);
}

void FN(const struct map_dims *k, const struct io *io)
{
    struct nest p;
    const int some = nest_begin(k, io, &p);
    const int32_t n = p.n;
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        const X *x = (const X *)io->in[0] + p.at0;
        const MUL *mul = (const MUL *)io->in[1] + p.atm;
        const ADD *add = (const ADD *)io->in[2] + p.ata;

        if (k->sm[5] == 0 && k->sa[5] == 0)
            same(x, y, n, k, *mul, *add);
        else
            each(x, y, n, k, mul, add);
        y += p.step;
    } while (nest_next(k, &p));
}

#endif
