/* The epilogue of sums of 32 bits whose scaled value fits in 32 bits too, with
 * the instructions of XpulpV2 where there are any; and words of four bytes. */
#ifndef SCALE_H
#define SCALE_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

/* clip(v, lo, hi) without branches. */
static inline int32_t scale_clip(int32_t v, int32_t lo, int32_t hi)
{
#ifdef XPULPV2
    return xp_min(xp_max(v, lo), hi);
#else
    return clip(v, lo, hi);
#endif
}

/* (v * mul + add) >> shift where nothing leaves 32 bits. */
static inline int32_t scale32(int32_t v, int32_t mul, int32_t add,
                                  int32_t shift)
{
#ifdef XPULPV2
    return xp_add_shift(v * mul, add, shift);
#else
    return (v * mul + add) >> shift;
#endif
}

/* Where UPPER_HALF is 1: of v * mul, add and shift 30 bits are left away. */
static inline int32_t scale_high(int32_t v, int32_t mul, int32_t add,
                                 int32_t shift)
{
    int32_t high = (int32_t)(((int64_t)(4 * v) * mul) >> 32);

    if (ROUND)
        high += 2 * (v >> 31);
#ifdef XPULPV2
    return xp_add_shift(high, add, shift);
#else
    return (high + add) >> shift;
#endif
}

/* The same where only the result is known to fit: shifts of 64 bits by parts,
 * for the compiler would do them with branches. */
static inline int32_t scale64(int32_t v, int32_t mul, int64_t add,
                                 int32_t shift)
{
    const int64_t less = ROUND && shift > ROUND_SHIFT && v < 0 ? ROUND_LESS : 0;
    const int64_t sum = (int64_t)v * mul + add - less;
    const uint32_t low = (uint32_t)sum;
    const int32_t high = (int32_t)(sum >> 32);

    if (UPPER_HALF)
        return scale_high(v, mul, (int32_t)(add >> 30), shift - 30);
    if (shift >= 32)
        return high >> (shift - 32);
    return (int32_t)(low >> shift | (uint32_t)high << 1 << (31 - shift));
}

#endif
