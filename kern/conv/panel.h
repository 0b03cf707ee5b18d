/* What convolutions of bytes by panels of pixels have in common, whatever
 * instructions they are made of: a channel's epilogue in a form that takes few
 * instructions, and where things are in scratch memory. */
#ifndef PANEL_H
#define PANEL_H

#include "kern/kern.h"

#define PANEL_SIGNED(T) ((T)-1 < (T)1)

/* The least number of a type of 8 or 16 bits, and the greatest less that. */
#define PANEL_SPAN(T) ((INT32_C(1) << 8 * sizeof(T)) - 1)
#define PANEL_LEAST(T) (PANEL_SIGNED(T) ? -(PANEL_SPAN(T) / 2) - 1 : 0)

/* What a channel's sum becomes: (sum * mul + add) >> 32 >> post.  With ROUND
 * shifts are above 31. */
struct scale32 {
    uint32_t lo; /* of add */
    int32_t hi, mul, post;
#if ROUND
    int32_t bias; /* added to the sum, whose sign matters; else it is in add */
#endif
};

/* The same as ((sum + bias) * mul + add) >> shift.  Of shifts below 32 mul is less
 * than 2^(shift-1), and what is shifted has no more than shift + 32 bits. */
static inline struct scale32 scale32(int32_t bias, int32_t mul, int64_t add,
                                     int32_t shift)
{
    struct scale32 s = {.mul = mul, .post = shift - 32};

#if ROUND
    s.bias = bias;
#else
    add += (int64_t)bias * mul;
#endif
    if (s.post < 0) {
        s.mul = (int32_t)((uint64_t)mul << -s.post);
        add = (int64_t)((uint64_t)add << -s.post);
        s.post = 0;
    }
    s.lo = (uint32_t)add;
    s.hi = (int32_t)(add >> 32);
    return s;
}

/* A panel of pixels, rows of bytes in an order that suits the inner loop, filled
 * up to so many columns; room for rows as they are; room for what else the inner
 * loop wants. */
struct panel {
    void *x, *spare, *own;
    int32_t taps, columns;
};

/* Brings n results, which are within Y, between bounds. */
static NOINLINE void panel_clip(Y *y, int32_t n, int32_t lo, int32_t hi)
{
    for (; n > 0; n--, y++)
        *y = (Y)clip(*y, lo, hi);
}

/* May clipping change what is within Y? */
static inline int panel_clips(int32_t lo, int32_t hi)
{
    const int32_t least = PANEL_LEAST(Y);

    return lo > least || hi < least + PANEL_SPAN(Y);
}

#endif
