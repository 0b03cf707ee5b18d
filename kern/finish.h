/* The epilogue of integer results of at most 32 bits. */
#ifndef FINISH_H
#define FINISH_H

#include "kern/kern.h"

/* Clips v; what does not fit in 32 bits is beyond any bound. */
static inline int32_t narrow(int64_t wide, int32_t lo, int32_t hi)
{
    const int32_t v = (int32_t)wide;

    if (v != wide)
        return wide < 0 ? lo : hi;
    return clip(v, lo, hi);
}

/* (a * b + 2^31) / 2^32, rounded down; kernels for a kind of processor may
 * define HIGH_HALF before they include this. */
#ifndef HIGH_HALF
#define HIGH_HALF high_half
static inline int32_t high_half(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + 0x80000000u) >> 32);
}
#endif

/* requant() where UPPER_HALF is 1: what is below 2^31 of the product is only
 * rounded. */
static inline int32_t requant_high(int32_t sum, int32_t mul, int64_t add,
                                   int shift)
{
    const int32_t less = ROUND ? sum >> 31 : 0;

    return (HIGH_HALF(2 * sum, mul) + (int32_t)(add >> 31) + less) >>
           (shift - 31);
}

/* clip(floor((sum * mul + add) / 2^shift), lo, hi).  Where shifts differ, or
 * round, they are wide: the upper half of the product is what is left, and is
 * within 32 bits. */
static inline int32_t rescale(int64_t sum, int64_t mul, int64_t add, int shift,
                              int32_t lo, int32_t hi)
{
    if (UPPER_HALF)
        return clip(requant_high((int32_t)sum, (int32_t)mul, add, shift), lo,
                    hi);
    if (WIDE_SHIFTS && shift >= 32)
        return clip((int32_t)(requant(sum, mul, add, 32) >> (shift - 32)), lo,
                    hi);
    return narrow(requant(sum, mul, add, shift), lo, hi);
}

/* The same where no product and no sum leaves 32 bits. */
static inline int32_t rescale32(int32_t sum, int32_t mul, int32_t add,
                                int shift, int32_t lo, int32_t hi)
{
    return clip((sum * mul + add) >> shift, lo, hi);
}

/* Defines finish() for a family with channels; MUL, ADD and SHIFTS are operands
 * number `at` and on. */
#define FINISH(family, at)                                              \
    static inline int32_t finish(const struct family##_dims *k,         \
                                 const struct io *io, ACC sum,          \
                                 int32_t channel)                       \
    {                                                                   \
        const MUL *mul = io->in[at];                                    \
        const ADD *add = io->in[at + 1];                                \
                                                                        \
        if (!mul)                                                       \
            return narrow(sum, k->lo, k->hi);                           \
        return rescale(sum, mul[(ptrdiff_t)channel * k->mulc],          \
                       add ? add[(ptrdiff_t)channel * k->addc] : 0,     \
                       SHIFT_OF(k, io, at + 2,                          \
                                (ptrdiff_t)channel * k->mulc),          \
                       k->lo, k->hi);                                   \
    }

/* The same for matrix products, whose mul and add may follow rows and columns;
 * they are operands 3 and on. */
#define FINISH_MATMUL                                                   \
    static inline int32_t finish(const struct matmul_dims *k,           \
                                 const struct io *io, ACC sum,          \
                                 int32_t m, int32_t n)                  \
    {                                                                   \
        const MUL *mul = io->in[3];                                     \
        const ADD *add = io->in[4];                                     \
        const ptrdiff_t at_mul =                                        \
            (ptrdiff_t)m * k->mulm + (ptrdiff_t)n * k->muln;            \
        const ptrdiff_t at_add =                                        \
            (ptrdiff_t)m * k->addm + (ptrdiff_t)n * k->addn;            \
                                                                        \
        if (!mul)                                                       \
            return narrow(sum, k->lo, k->hi);                           \
        return rescale(sum, mul[at_mul], add ? add[at_add] : 0,         \
                       SHIFT_OF(k, io, 5, at_mul), k->lo, k->hi);       \
    }

#endif
