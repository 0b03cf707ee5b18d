/* The mask of an attention: a row's, and what it makes of a score.  To be
 * included after MASK is defined, after POWERS_WEIGH too where there are no
 * parts: only then may it be a bound; after QUOTIENTS_WEIGH where it is one. */
#ifndef ROW_MASK_H
#define ROW_MASK_H

#include "kern/finish.h"

/* NULL: there is none. */
static inline const MASK *attend_mask(const struct attend_dims *k,
                                      const struct io *io, ptrdiff_t head,
                                      ptrdiff_t row)
{
    const MASK *mask = io->in[7];

    return mask ? mask + head * k->mhead + row * k->mrow : NULL;
}

static inline int attend_bound(const struct attend_dims *k)
{
#ifdef POWERS_WEIGH
    return k->bound;
#elif defined QUOTIENTS_WEIGH
    (void)k;
    return 1;
#else
    (void)k;
    return 0;
#endif
}

static inline int32_t attend_masked(const struct attend_dims *k, int32_t x,
                                    int32_t mask)
{
    if (attend_bound(k))
        return x < mask ? x : mask;
    if (k->both && mask == -128)
        return mask;
    return clip(x + mask, -128, 127);
}

#endif
