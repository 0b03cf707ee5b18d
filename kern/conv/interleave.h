/* Convolutions of packed weights, one output element at a time, in blocks of
 * channels, each beside one of another image. */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include "kern/conv/packed.h"

enum { INTERLEAVE = 32 }; /* channels of a block */

/* The including file defines finish(k, io, sum, channel) of a pconv, with whose
 * dims k begins. */
static inline void interleave_all(const struct pinterleave_dims *k,
                                  const struct io *io)
{
    struct pconv_dims d = *(const struct pconv_dims *)(const void *)k;
    struct io part = *io;
    const int32_t own = k->first ? INTERLEAVE : 0, other = INTERLEAVE - own;
    int32_t i, end;

    d.m = INTERLEAVE;
    for (int32_t o = 0; o < k->m; o += INTERLEAVE) {
        part.in[1] = (const W *)io->in[1] + (ptrdiff_t)o * k->wm;
        part.in[3] = (const MUL *)io->in[3] + (ptrdiff_t)o * k->mulc;
        part.in[4] = (const ADD *)io->in[4] + (ptrdiff_t)o * k->addc;
        part.out[0] = (Y *)io->out[0] + 2 * o + own;
        packed_all(&d, &part);
    }
    span(k->blocks * INTERLEAVE, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        ((Y *)io->out[0])[2 * i - i % INTERLEAVE + other] =
            ((const R *)io->in[5])[i];
}

#endif
