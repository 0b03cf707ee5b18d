/* The epilogue of plain pools of integers. */
#ifndef POOL_PLAIN_FINISH_H
#define POOL_PLAIN_FINISH_H

#include "kern/pool/plain.h"

/* The epilogue of integers of a channel. */
static inline int64_t pool_finish(const struct pool_dims *k,
                                  const struct io *io, int64_t sum,
                                  int32_t channel)
{
    const MUL *mul = io->in[1];
    const ADD *add = io->in[2];

    if (mul)
        sum = requant(sum, mul[(ptrdiff_t)channel * k->mulc],
                      add ? add[(ptrdiff_t)channel * k->addc] : 0,
                      SHIFT_OF(k, io, 3, (ptrdiff_t)channel * k->mulc));
    return bound(sum, k->lo, k->hi);
}

#endif
