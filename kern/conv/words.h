/* Packed weights: where the bits of a code lie.
 *
 * Channels of the input, or of a depthwise convolution its groups, come in
 * tiles of k->tile.  mode 0: a tile of an output channel is k->bits words, of
 * which each has one bit of every code, tap by tap.  mode 1: of windows of one
 * tap, it is a single word, in which four codes lie side by side bit by bit, in
 * a room for eight.  mode 2: codes of four bits, of all taps one after the
 * other, two a byte: byte i of a word has codes i and i + tile / 2 of its
 * tile. */
#ifndef WORDS_H
#define WORDS_H

#include "kern/kern.h"

enum { WORDS_OF_BITS, WORDS_OF_LANES, WORDS_OF_NIBBLES }; /* modes */
enum { WORD_FOUR = 4, WORD_ROOM = 32 };
enum { INTERLEAVE = 32 }; /* channels of a block of pinterleave, and of its jobs */

/* Bit 0 of the code of output channel o, element c of its own group, at tap
 * number `tap`; *by: how far its other bits are. */
static inline int64_t word_bit(const struct pconv_dims *k, int32_t o,
                               int32_t tap, int32_t c, int32_t *by)
{
    const int nibbles = k->mode == WORDS_OF_NIBBLES;
    const int32_t at = nibbles ? tap * k->c + c : k->g > 1 ? o : c;
    const int32_t part = at / k->tile, half = k->tile / 2;
    const int32_t lane = at - part * k->tile;
    const int64_t first = k->g > 1 ? (int64_t)part * k->wm
                                   : (int64_t)o * k->wm +
                                     (int64_t)part * k->word *
                                     (k->mode ? 1 : k->bits);

    *by = nibbles ? 1 : k->mode ? WORD_FOUR : 8 * k->word;
    if (nibbles)
        return 8 * (first + lane % half) + (lane < half ? 0 : WORD_FOUR);
    if (k->mode)
        return 8 * first + lane / WORD_FOUR * WORD_ROOM + lane % WORD_FOUR;
    return 8 * first + k->tile * tap + lane;
}

/* That weight; w: bytes. */
static inline int32_t word_weight(const struct pconv_dims *k, const uint8_t *w,
                                  int32_t o, int32_t tap, int32_t c)
{
    int32_t by, code = 0;
    int64_t bit = word_bit(k, o, tap, c, &by);

    for (int32_t b = 0; b < k->bits; b++, bit += by)
        code |= ((int32_t)w[bit >> 3] >> (bit & 7) & 1) << b;
    return code - k->less;
}

#endif
