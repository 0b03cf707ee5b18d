/* The root of the mean of a row's squares, in 32 bits. */
#ifndef ROW_ROOT_H
#define ROW_ROOT_H

#include "kern/kern.h"

static inline int32_t row_root(const X *x, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return (int32_t)isqrt32((uint32_t)(sum / n) + 1);
}

#endif
