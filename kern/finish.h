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

/* clip(floor((sum * mul + add) / 2^shift), lo, hi) */
static inline int32_t rescale(int64_t sum, int64_t mul, int64_t add, int shift,
                              int32_t lo, int32_t hi)
{
    return narrow(requant(sum, mul, add, shift), lo, hi);
}

/* The same where no product and no sum leaves 32 bits. */
static inline int32_t rescale32(int32_t sum, int32_t mul, int32_t add,
                                int shift, int32_t lo, int32_t hi)
{
    return clip((sum * mul + add) >> shift, lo, hi);
}

/* Defines finish() for a family with channels; MUL and ADD are operands number
 * `at` and at + 1. */
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
                       k->shift, k->lo, k->hi);                         \
    }

/* The same for matrix products, whose mul and add may follow rows and columns;
 * they are operands 3 and 4. */
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
                       k->shift, k->lo, k->hi);                         \
    }

#endif
