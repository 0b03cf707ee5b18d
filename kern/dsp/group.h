/* What products with weights in groups share: groups of a row of x, which
 * become int8 with a scale each, and what a group adds to a result. */
#ifndef GROUP_H
#define GROUP_H

#include "kern/dsp/dsp.h"

/* A group of x: halves, their number, sum and scale. */
struct part {
    const uint32_t *x;
    int32_t n, sum;
    float by;
};

static inline float scale_of(const SCALE *s)
{
    const union {
        uint32_t bits;
        float v;
    } whole = {(uint32_t)*s << 16};

    return (SCALE)0.5f > 0 ? (float)*s : whole.v;
}

/* The greatest size in x: that of sizes as integers, for they rise alike. */
static NOINLINE float most_of(const float *x, int32_t n)
{
    union {
        uint32_t bits;
        float v;
    } most = {0};

#pragma GCC unroll 4
    for (; n > 0; n--) {
        const union {
            float v;
            uint32_t bits;
        } u = {*x++};
        const uint32_t size = u.bits & 0x7fffffff;

        most.bits = size > most.bits ? size : most.bits;
    }
    return most.v;
}

/* v, at most 127 in size, as an integer, halves rounded away from 0. */
static inline int32_t near(float v)
{
    const int32_t twice = (int32_t)(2 * v);

    return (twice + 1 + (twice >> 31)) >> 1;
}

/* What a group adds to a result. */
static inline float scaled(int32_t sum, const SCALE *s, float by, float y)
{
    return y + (float)sum * scale_of(s) * by;
}

#endif
