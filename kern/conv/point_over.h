/* Convolution of one tap whose result may lie on its operand: the pixel at hand
 * is kept.  The including file defines finish(k, io, sum, channel). */
#ifndef POINT_OVER_H
#define POINT_OVER_H

#include <string.h>
#include "kern/conv/conv.h"
#include "kern/conv/sums.h"

void FN(const struct conv_dims *k, const struct io *io)
{
    const struct patch p = {1, 1, k->c, 0, 0, 0, 0};
    const struct span all = {0, k->m};
    const int32_t pixels = k->h * k->w;
    const size_t bytes = (size_t)k->c * sizeof(X);
    X *kept = io->tmp;

    for (int32_t n = 0; n < k->n; n++) {
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn;
        int32_t i = 0;

        for (; i + 1 < pixels; i += 2, x += 2 * k->xw, y += 2 * k->yw) {
            memcpy(kept, x, 2 * bytes);
            conv_two(k, io, &p, kept, k->c, io->in[1], 0, all, y, y + k->yw);
        }
        if (i < pixels) {
            memcpy(kept, x, bytes);
            conv_one(k, io, &p, NULL, kept, io->in[1], 0, all, y);
        }
    }
}

#endif
