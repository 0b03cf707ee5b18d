/* The powers of the integer softmax of bytes, from a table: what is below the
 * greatest of its row has one of 256 powers. */
#ifndef POWERS_H
#define POWERS_H

#include "kern/row/inverse.h"

enum { POWERS_ALL = 256 };

/* Bits of the greatest power. */
static inline int32_t powers_most(const struct row_dims *k)
{
    const int32_t b = k->p1, c = k->p3 - k->p1;
    const int32_t p = b * b > c * c ? b * b : c * c;

    return bits((uint32_t)(p + k->p2) | 1);
}

/* The powers of 255 below the greatest, of 254, to those of the greatest. */
static inline void powers_table(const struct row_dims *k, uint32_t *table)
{
    uint32_t *to = table + POWERS_ALL;

    for (int32_t z = 0; to != table; z += z < 31)
        for (int32_t p = k->p1; p > k->p1 - k->p3 && to != table; p--)
            *--to = (uint32_t)(p * p + k->p2) >> z;
}

/* Where the power of 0 would be, in a row whose greatest is `top`: perhaps not
 * within the table, so it is no pointer. */
static inline uintptr_t powers_zero(const uint32_t *table, int32_t top)
{
    return (uintptr_t)table +
           (uintptr_t)((ptrdiff_t)(POWERS_ALL - 1 - top) * 4);
}

static inline uint32_t power(uintptr_t zero, int32_t x)
{
    return *(const uint32_t *)(zero + (uintptr_t)((ptrdiff_t)x * 4));
}

/* The same of a table of bytes. */
static inline uint8_t power_byte(uintptr_t zero, int32_t x)
{
    return *(const uint8_t *)(zero + (uintptr_t)(ptrdiff_t)x);
}

#endif
