/* A core's share of work that has rows and channels: a stretch of one of them,
 * whichever leaves less to the core that has most. */
#ifndef SHARE_H
#define SHARE_H

#include "kern/kern.h"

/* Elements [lo, hi). */
struct span {
    int32_t lo, hi;
};

struct share {
    struct span rows, channels;
};

/* total / n, n mostly being 8: 25 cycles less. */
static inline int32_t share_each(int32_t total, int32_t n)
{
    return n == 8 ? total >> 3 : total / n;
}

/* Rows one by one, channels `step` at a time; `find`: what a row takes of its
 * own, in steps. */
static inline struct share share_of(const struct io *io, int32_t rows,
                                    int32_t channels, int32_t step,
                                    int32_t find)
{
    const int32_t steps = (channels - 1) / step + 1, n = io->ncore;
    struct share s = {{0, rows}, {0, channels}};

    if (n <= 1)
        return s;
    /* the core with most: of channels, all rows; of rows, all channels */
    if ((int64_t)rows * (share_each(steps - 1, n) + 1 + find) >=
        (int64_t)(share_each(rows - 1, n) + 1) * (steps + find)) {
        span(rows, io->core, io->ncore, &s.rows.lo, &s.rows.hi);
        return s;
    }
    span(steps, io->core, io->ncore, &s.channels.lo, &s.channels.hi);
    s.channels.lo *= step;
    s.channels.hi *= step;
    if (s.channels.hi > channels)
        s.channels.hi = channels;
    return s;
}

#endif
