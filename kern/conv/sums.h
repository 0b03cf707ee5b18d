/* The sums of conv.h, which see, in plain C.  Functions of their own, so that
 * their loops have the registers to themselves; s and t are apart, lest a
 * compiler makes them a vector and spends its time filling it. */
#ifndef SUMS_H
#define SUMS_H

#include "kern/conv/conv.h"

static NOINLINE void sums22(const struct patch *p, const X *x, ptrdiff_t more,
                            const W *w, ptrdiff_t other, ACC s[2], ACC t[2])
{
    ACC s0 = s[0], s1 = s[1], t0 = t[0], t1 = t[1];

    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++) {
            const X *a = x + j * p->xcol, *b = a + more;
            const W *u = w + j * p->wcol, *v = u + other;

#pragma GCC unroll 4
            for (int32_t n = p->run; n > 0; n--) {
                const ACC a0 = (ACC)*a++, b0 = (ACC)*b++;
                const ACC u0 = (ACC)*u++, v0 = (ACC)*v++;

                s0 += a0 * u0;
                s1 += a0 * v0;
                t0 += b0 * u0;
                t1 += b0 * v0;
            }
        }
    s[0] = s0, s[1] = s1;
    t[0] = t0, t[1] = t1;
}

static NOINLINE void sums12(const struct patch *p, const X *x, const W *w,
                            ptrdiff_t other, ACC s[2])
{
    ACC s0 = s[0], s1 = s[1];

    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow)
        for (int32_t j = 0; j < p->cols; j++) {
            const X *a = x + j * p->xcol;
            const W *u = w + j * p->wcol, *v = u + other;

            for (int32_t n = p->run; n > 0; n--) {
                const ACC a0 = (ACC)*a++;

                s0 += a0 * (ACC)*u++;
                s1 += a0 * (ACC)*v++;
            }
        }
    s[0] = s0, s[1] = s1;
}

#endif
