/* Bits of two words that change places, as matrices of bits are turned. */
#ifndef XPULP_DELTA_SWAP_H
#define XPULP_DELTA_SWAP_H

#include <stdint.h>

/* Those of *a that the mask selects after a shift to the right, and those of *b
 * that it selects. */
static inline void delta_swap(uint32_t *a, uint32_t *b, int shift, uint32_t mask)
{
    const uint32_t t = (*a >> shift ^ *b) & mask;

    *b ^= t;
    *a ^= t << shift;
}

#endif
