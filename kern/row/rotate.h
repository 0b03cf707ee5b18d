/* The rotary embedding of integers in 32 bits (kern/ref/irotate_int.c).  To be
 * included after X, T, BIAS and Y are defined; and TURN and SCALE, functions,
 * where there are better ones. */
#ifndef ROW_ROTATE_H
#define ROW_ROTATE_H

#include "kern/kern.h"

/* A head that turns, and one that is only scaled. */
#ifndef TURN
#define TURN turn
static inline void turn(const struct rotate_dims *k, const X *x, const T *t,
                        const BIAS *bias, Y *y)
{
    const int32_t half = k->half, shift = k->shift, lo = k->lo, hi = k->hi;

    for (int32_t j = 0; j < half; j++) {
        const int32_t a = x[j], b = x[j + half], c = t[j], s = t[j + half];
        const int32_t u = (int32_t)bias[j], v = (int32_t)bias[j + half];

        y[j] = (Y)clip((u + a * c - b * s) >> shift, lo, hi);
        y[j + half] = (Y)clip((v + a * s + b * c) >> shift, lo, hi);
    }
}

#define SCALE scale
static inline void scale(const struct rotate_dims *k, const X *x,
                         const BIAS *bias, Y *y)
{
    for (int32_t j = 0; j < 2 * k->half; j++)
        y[j] = (Y)clip((x[j] * k->one + bias[j]) >> k->shift, k->lo, k->hi);
}
#endif

static inline void rotate(const struct rotate_dims *dims, const struct io *io)
{
    const struct rotate_dims own = *dims, *k = &own; /* stores keep it */
    const int32_t d = 2 * k->half;
    const X *x = io->in[0];
    const T *t = io->in[1];
    Y *y = io->out[0];
    int32_t i, to, h;

    span(k->tokens * k->heads, io->core, io->ncore, &i, &to);
    h = i;
    if (h >= k->heads) { /* rarely: divisions take longer than a head */
        h = i % k->heads;
        t += (ptrdiff_t)(i / k->heads) * d;
    }
    x += (ptrdiff_t)i * d;
    y += (ptrdiff_t)i * d;
    for (; i < to; i++, x += d, y += d) {
        const BIAS *bias = (const BIAS *)io->in[2] + h * d;

        if (h < k->turned)
            TURN(k, x, t, bias, y);
        else
            SCALE(k, x, bias, y);
        if (++h == k->heads)
            h = 0, t += d;
    }
}

#endif
