/* Weights of rows 2i and 2i + 1 in halves of 16 bits, the lower byte first:
 *
 *     256 w[2i+1] + w[2i]
 *
 * with columns 0, 2, 1 and 3 of four side by side, so that a word has the
 * columns that Arm's SXTB16 takes of four bytes.  Of weights from -127 on each
 * half is within 16 bits. */
#ifndef MATMUL_HALVES_H
#define MATMUL_HALVES_H

#include <stdint.h>

/* Where column i begins in its two rows, in bytes. */
static inline int32_t half_at(int32_t i)
{
    return 2 * ((i & -4) | (i & 1) << 1 | (i >> 1 & 1));
}

/* The weight of a row that bytes `low` and `high` hold: -128 to 128. */
static inline int32_t half_weight(int32_t low, int32_t high, int32_t row)
{
    const int32_t even = (int8_t)low;

    return row & 1 ? (int8_t)high + (even < 0) : even;
}

#endif
