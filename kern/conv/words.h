/* Packed weights: where the bits of a code lie.
 *
 * Channels of the input, or of a depthwise convolution its groups, come in
 * tiles of k->tile.  mode 0: a tile of an output channel is k->bits words, of
 * which each has one bit of every code, tap by tap.  mode 1: of windows of one
 * tap, it is a single word, in which four codes lie side by side bit by bit, in
 * a room for eight. */
#ifndef WORDS_H
#define WORDS_H

#include "kern/kern.h"

enum { WORD_FOUR = 4, WORD_ROOM = 32 };

/* Bit 0 of the code of output channel o, element c of its own group, at tap
 * number `tap`; *by: how far its other bits are. */
static inline int64_t word_bit(const struct pconv_dims *k, int32_t o,
                               int32_t tap, int32_t c, int32_t *by)
{
    const int32_t at = k->g > 1 ? o : c, part = at / k->tile;
    const int32_t lane = at - part * k->tile;
    const int64_t first = k->g > 1 ? (int64_t)part * k->wm
                                   : (int64_t)o * k->wm +
                                     (int64_t)part * k->word *
                                     (k->mode ? 1 : k->bits);

    *by = k->mode ? WORD_FOUR : 8 * k->word;
    if (k->mode)
        return 8 * first + lane / WORD_FOUR * WORD_ROOM + lane % WORD_FOUR;
    return 8 * first + k->tile * tap + lane;
}

#endif
