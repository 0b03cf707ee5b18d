/* Levels of a softmax: powers by their sum, times the greatest level, rounded
 * half to even; in 32 bits but for what is too near to a half.
 *
 * With S, 24 bits of the sum, in place of it, and T = 2^46 greatest / S + 1,
 * the upper half of w T is w greatest / sum with 22 places or more behind the
 * point, but for 256 of the last place above and 2 below. */
#ifndef ROW_LEVELS_H
#define ROW_LEVELS_H

#include "kern/row/inverse.h"

enum { LEVEL_ABOVE = 256, LEVEL_BELOW = 2, LEVEL_PLACES = 46 };

/* safe: of so many parts none is near to a half; 0: all may be. */
struct levels {
    uint64_t sum;
    uint32_t greatest, inverse, half, mask, safe;
    int32_t places;
};

/* That of which powers are so many 256ths, times by / 2^26; by: 0, or 28 bits. */
static inline uint64_t levels_sum(uint64_t sum, uint32_t by)
{
    if (!by)
        return sum;
    return ((sum >> 32) * by << 6) + ((uint64_t)(uint32_t)sum * by >> 26);
}

/* w greatest / sum, rounded half to even. */
static NOINLINE int32_t level_exact(const struct levels *l, uint32_t w)
{
    const uint64_t twice = 2 * (uint64_t)w * l->greatest + l->sum;
    const uint64_t r = twice / (2 * l->sum);

    return (int32_t)(r - (r & (r * 2 * l->sum == twice)));
}

static inline struct levels levels_of(uint64_t sum, uint32_t greatest)
{
    struct levels l = {.sum = sum + !sum, .greatest = greatest};
    const uint32_t top = (uint32_t)(sum >> 32);
    const int32_t shift = top ? 8 + bits(top) : 8;
    const uint32_t high = (uint32_t)(sum >> shift);
    const int32_t places = LEVEL_PLACES - 32 + shift, less = places - 31;

    if (high >> 23) {
        l.inverse = inverse(greatest, high, LEVEL_PLACES) >>
                    (less > 0 ? less : 0);
        l.places = less > 0 ? 31 : places;
        l.mask = ((uint32_t)1 << l.places) - 1;
        l.half = ((uint32_t)1 << (l.places - 1)) - LEVEL_ABOVE;
        l.safe = l.mask - LEVEL_ABOVE - LEVEL_BELOW;
    }
    return l;
}

static inline int32_t level_of(const struct levels *l, uint32_t w)
{
    const uint32_t v = (uint32_t)((uint64_t)w * l->inverse >> 32) + l->half;

    if ((v & l->mask) < l->safe)
        return (int32_t)(v >> l->places);
    return level_exact(l, w);
}

/* At most 255. */
static inline int32_t level_byte(const struct levels *l, uint32_t w)
{
    const int32_t level = level_of(l, w);

    return level < 255 ? level : 255;
}

#endif
