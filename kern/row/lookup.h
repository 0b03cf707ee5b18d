/* The loops of softmax.h an element at a time. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "kern/row/softmax.h"

static NOINLINE uint32_t powers_sum(uintptr_t zero, const X *x, int32_t n)
{
    uint32_t sum = 0;

    for (; n >= 4; n -= 4, x += 4)
        sum += power(zero, x[0]) + power(zero, x[1]) + power(zero, x[2]) +
               power(zero, x[3]);
    for (; n > 0; n--)
        sum += power(zero, *x++);
    return sum;
}

static inline Y quotient(uint32_t v, uint32_t q, int32_t shift)
{
    return (Y)((uint32_t)((uint64_t)v * q >> 32) >> shift);
}

static NOINLINE void powers_put(uintptr_t zero, const X *x, int32_t n,
                                uint32_t q, int32_t shift, Y *y)
{
    for (; n >= 4; n -= 4, x += 4, y += 4) {
        y[0] = quotient(power(zero, x[0]), q, shift);
        y[1] = quotient(power(zero, x[1]), q, shift);
        y[2] = quotient(power(zero, x[2]), q, shift);
        y[3] = quotient(power(zero, x[3]), q, shift);
    }
    for (; n > 0; n--)
        *y++ = quotient(power(zero, *x++), q, shift);
}

#endif
