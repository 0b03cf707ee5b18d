/* Convolutions of weights of four bits by any kernel of bytes: as many channels
 * at a time as scratch memory has room for when they are unpacked. */
#ifndef UNPACK_H
#define UNPACK_H

#include "kern/conv/nibbles.h"

enum { UNPACK_BYTES = 2048, UNPACK_LEAST = 2 };

/* Channels at a time, of so many weights each. */
static inline int32_t unpack_channels(const struct pconv_dims *k, int32_t taps)
{
    const int32_t some = UNPACK_BYTES / taps & -UNPACK_LEAST;
    const int32_t most = some < UNPACK_LEAST ? UNPACK_LEAST : some;

    return most < k->m ? most : k->m;
}

/* A row of n weights. */
static NOINLINE void unpack_row(const uint8_t *codes, int32_t tile, int32_t n,
                                int8_t *to)
{
    const int32_t half = tile / 2;

    for (; n > 0; n -= tile, to += tile, codes += half) {
        const int32_t low = n < half ? n : half;
        const int32_t high = n < tile ? n - half : half;

        for (int32_t i = 0; i < low; i++)
            to[i] = (int8_t)((codes[i] & 15) - NIBBLE_LESS);
        for (int32_t i = 0; i < high; i++)
            to[half + i] = (int8_t)((codes[i] >> 4) - NIBBLE_LESS);
    }
}

/* Operands of the channels from `first` on, of which the weights are at tmp. */
static inline struct io unpack_io(const struct pconv_dims *k,
                                  const struct io *io, int32_t first)
{
    struct io of = *io;
    const int32_t mul = first * k->mulc;

    of.in[1] = io->tmp;
    of.in[2] = io->in[2] ? (const B *)io->in[2] + first : NULL;
    of.in[3] = io->in[3] ? (const MUL *)io->in[3] + mul : NULL;
    of.in[4] = io->in[4] ? (const ADD *)io->in[4] + first * k->addc : NULL;
#ifdef SHIFTS
    of.in[5] = io->in[5] ? (const SHIFTS *)io->in[5] + mul : NULL;
#endif
    of.out[0] = (Y *)io->out[0] + first;
    return of;
}

/* conv: the kernel of bytes. */
static inline void unpack_all(const struct pconv_dims *k, const struct io *io,
                              void (*conv)(const struct conv_dims *,
                                           const struct io *))
{
    const int32_t taps = k->kh * k->kw * k->c, some = unpack_channels(k, taps);
    const uint8_t *codes = io->in[1];
    struct conv_dims d = conv_of(k);

    d.wm = taps;
    d.wh = k->kw * k->c;
    d.ww = k->c;
    d.wc = 1;
    for (int32_t first = 0; first < k->m; first += some) {
        const struct io of = unpack_io(k, io, first);

        d.m = k->m - first < some ? k->m - first : some;
        for (int32_t i = 0; i < d.m; i++, codes += k->wm)
            unpack_row(codes, k->tile, taps, (int8_t *)io->tmp + i * taps);
        conv(&d, &of);
    }
}

#endif
