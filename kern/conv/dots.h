/* The sums of conv.h, which see, by products of runs: to be included after
 * dot22() and dot12() (matmul/dot.h) of X and W. */
#ifndef CONV_DOTS_H
#define CONV_DOTS_H

#include "kern/conv/conv.h"

static void sums22(const struct patch *p, const X *x, ptrdiff_t more,
                   const W *w, ptrdiff_t other, ACC s[2], ACC t[2])
{
    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++) {
            const X *a = x + j * p->xcol;
            const W *u = w + j * p->wcol;

            dot22(a, a + more, u, u + other, p->run, s, t);
        }
}

static void sums12(const struct patch *p, const X *x, const W *w,
                   ptrdiff_t other, ACC s[2])
{
    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++) {
            const W *u = w + j * p->wcol;

            dot12(x + j * p->xcol, u, u + other, p->run, s);
        }
}

#endif
