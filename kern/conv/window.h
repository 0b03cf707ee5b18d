/* Which part of a window lies inside. */
#ifndef WINDOW_H
#define WINDOW_H

#include "kern/share.h"

/* The taps of a window that begins at `at` which fall on one of n elements. */
static inline struct span window_span(int32_t at, int32_t taps,
                                      int32_t dilation, int32_t n)
{
    struct span s = {0, taps};

    if (at < 0)
        s.lo = (dilation - 1 - at) / dilation;
    if (at + (taps - 1) * dilation >= n)
        s.hi = at >= n ? 0 : (n - 1 - at) / dilation + 1;
    if (s.hi < s.lo)
        s.hi = s.lo;
    return s;
}

static inline int window_whole(struct span s, int32_t taps)
{
    return s.lo == 0 && s.hi == taps;
}

#endif
