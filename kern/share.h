/* A core's share of work that has rows and channels: a stretch of one of them,
 * whichever can be cut more evenly. */
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

/* Is work of a pieces as even among n cores as work of b pieces? */
static inline int cuts_well(int32_t a, int32_t b, int32_t n)
{
    return (int64_t)a * ((b - 1) / n + 1) >= (int64_t)b * ((a - 1) / n + 1);
}

/* Rows one by one, channels `step` at a time. */
static inline struct share share_of(const struct io *io, int32_t rows,
                                    int32_t channels, int32_t step)
{
    const int32_t steps = (channels - 1) / step + 1;
    struct share s = {{0, rows}, {0, channels}};

    if (io->ncore <= 1)
        return s;
    if (cuts_well(rows, steps, io->ncore)) {
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
