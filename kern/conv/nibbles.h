/* Convolutions of weights of four bits, two a byte (words.h, mode 2), as
 * convolutions of bytes: kernels of these are included after this header, and
 * know by NIBBLES that rows of weights are packed.
 *
 * A row has its codes, 8 more than the weights, in tiles: byte i of one has
 * those of columns i and i + tile / 2. */
#ifndef NIBBLES_H
#define NIBBLES_H

#include <string.h>

#include "kern/kern.h"

#define NIBBLES
#define W int8_t /* what weights are once they are unpacked */

enum { NIBBLE_LESS = 8 };

/* What a pconv's numbers begin with is a conv's, but for the strides of w. */
static inline struct conv_dims conv_of(const struct pconv_dims *k)
{
    struct conv_dims d;

    memcpy(&d, k, sizeof d);
    return d;
}

#endif
