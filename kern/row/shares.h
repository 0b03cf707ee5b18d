/* Scores and results of attention that are rounded, and those that are divided
 * once a row, for powers are weights.  To be included after SCALE and POWERS
 * are defined. */
#ifndef ROW_SHARES_H
#define ROW_SHARES_H

#include "kern/finish.h"

/* What a row's results are multiplied by: scale[2] by the sum of powers. */
static inline int32_t attend_share(const SCALE *scale, uint32_t powers)
{
    return (int32_t)((uint32_t)scale[2] / (powers | !powers));
}

/* sum * mul / 2^shift, rounded half up, and add more. */
static inline int32_t attend_rounded(int32_t sum, int32_t mul, int32_t add,
                                     int32_t shift, int32_t lo, int32_t hi)
{
    const int64_t half = INT64_C(1) << (shift - 1);

    return narrow(requant(sum, mul, half, shift) + add, lo, hi);
}

/* A result, of any size. */
static inline int32_t attend_result(const struct attend_dims *k,
                                    const SCALE *scale, int32_t share,
                                    int32_t sum)
{
    return attend_rounded(sum, share, scale[3], k->shift, k->lo, k->hi);
}

/* An epilogue by upper halves: (sum * (mul << up) >> 32) + add >> rest is the
 * same as (sum * mul + 2^(shift-1) >> shift) + zero. */
struct attend_high {
    int32_t mul, add, up, rest; /* mul is shifted already */
};

/* (the upper half of sum * mul) + add >> shift, of eight bits. */
static inline int32_t attend_upper(int32_t sum, int32_t mul, int32_t add,
                                   int32_t shift)
{
    return clip(((int32_t)((int64_t)sum * mul >> 32) + add) >> shift, -128,
                127);
}

/* mul: the greatest. */
static inline int attend_high(int32_t mul, int32_t zero, int32_t shift,
                              struct attend_high *to)
{
    const int32_t up = shift < 33 ? 33 - shift : 0, rest = shift + up - 32;

    if (shift < 2 || shift > 47 || mul < 0 || zero < -0x4000 ||
        zero >= 0x4000 || (int64_t)mul << up > INT32_MAX)
        return 0;
    *to = (struct attend_high){(int32_t)((uint32_t)mul << up),
                               zero * (1 << rest) + (1 << (rest - 1)), up,
                               rest};
    return 1;
}

/* That of scores, if their addend is half and a multiple of one. */
static inline int attend_high_of_score(const SCALE *scale, int32_t shift,
                                       struct attend_high *to)
{
    const int32_t one = shift > 0 && shift < 31 ? 1 << shift : 0;

    return one && (scale[1] & (one - 1)) == one >> 1 &&
           attend_high(scale[0], scale[1] >> shift, shift, to);
}

/* That of results; the sum of powers is that of the greatest score at least. */
static inline int attend_high_of_result(const POWERS *powers,
                                        const SCALE *scale, int32_t shift,
                                        struct attend_high *to)
{
    const int32_t least = powers[255] + !powers[255];

    return attend_high(scale[2] / least, scale[3], shift, to);
}

#endif
