/* Depthwise convolution whose result may lie on its operand: rows that windows
 * still want are kept.  The including file defines finish(k, io, sum,
 * channel). */
#ifndef DEPTH_OVER_H
#define DEPTH_OVER_H

#include <string.h>
#include "kern/conv/depth.h"

/* Row `at` of x becomes row i of those kept, if there is one. */
static void keep(const struct conv_dims *k, X *kept, int32_t i, const X *x,
                 int32_t at)
{
    if (at >= 0 && at < k->h)
        memcpy(kept + (ptrdiff_t)i * k->xh, x + (ptrdiff_t)at * k->xh,
               (size_t)k->xh * sizeof *x);
}

void FN(const struct conv_dims *k, const struct io *io)
{
    const int32_t last = (k->kh - 1) * k->dh;
    const struct span all = {0, k->g};
    X *kept = io->tmp;

    for (int32_t n = 0; n < k->n; n++) {
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn;

        for (int32_t i = 0; i < last; i++)
            keep(k, kept, i, x, i - k->ph);
        for (int32_t oy = 0; oy < k->oh; oy++, y += k->yh) {
            keep(k, kept, last, x, oy - k->ph + last);
            row(k, io, all, oy - k->ph, kept, oy - k->ph, y);
            memmove(kept, kept + k->xh,
                    (size_t)last * (size_t)k->xh * sizeof *kept);
        }
    }
}

#endif
