/* The sums of conv.h, which see, with packed products. */
#ifndef SUMS_DSP_H
#define SUMS_DSP_H

#include "kern/conv/conv.h"

typedef X LEFT;
typedef W RIGHT;
#include "kern/dsp/products.h"

static NOINLINE void sums22(const struct patch *p, const X *x, ptrdiff_t more,
                            const W *w, ptrdiff_t other, ACC s[2], ACC t[2])
{
    int32_t st[2] = {0, 0}, tt[2] = {0, 0};

    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++) {
            const X *a = x + j * p->xcol;
            const W *u = w + j * p->wcol;

            dsp22(a, a + more, u, u + other, p->run, st, tt);
        }
    s[0] += st[0], s[1] += st[1];
    t[0] += tt[0], t[1] += tt[1];
}

static NOINLINE void sums12(const struct patch *p, const X *x, const W *w,
                            ptrdiff_t other, ACC s[2])
{
    int32_t st[2] = {0, 0};

    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++) {
            const W *u = w + j * p->wcol;

            dsp12(x + j * p->xcol, u, u + other, p->run, st);
        }
    s[0] += st[0], s[1] += st[1];
}

#endif
