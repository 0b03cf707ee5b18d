/* A heap of places: none is above the one at its root, h[0].  The including
 * file defines PLACE, the type of a place, and above(x, a, b, mode): does
 * place a of x belong above place b? */
#ifndef HEAP_H
#define HEAP_H

#include "kern/kern.h"

/* Brings place i down to where it belongs, the rest being in order. */
static inline void heap_sift(const X *x, PLACE *h, int32_t n, int32_t i,
                             int mode)
{
    const PLACE moved = h[i];

    for (;;) {
        int32_t below = 2 * i + 1;

        if (below >= n)
            break;
        if (below + 1 < n && above(x, h[below + 1], h[below], mode))
            below++;
        if (!above(x, h[below], moved, mode))
            break;
        h[i] = h[below];
        i = below;
    }
    h[i] = moved;
}

static inline void heap_make(const X *x, PLACE *h, int32_t n, int mode)
{
    for (int32_t i = n / 2 - 1; i >= 0; i--)
        heap_sift(x, h, n, i, mode);
}

#endif
