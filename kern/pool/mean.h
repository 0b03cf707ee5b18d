/* Windows whose result is the mean to the nearest. */
#ifndef POOL_MEAN_H
#define POOL_MEAN_H

#include "kern/pool/add.h"

static inline int32_t finish_pool(const struct pool_dims *k,
                                  const struct io *io, ACC a,
                                  int32_t taps, int32_t channel)
{
    const ACC up = 2 * a + taps, by = 2 * taps;
    const ACC down = up / by;

    return finish(k, io, down - (up - down * by < 0), channel);
}

#endif
