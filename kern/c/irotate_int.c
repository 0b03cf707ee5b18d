/* Rotary embedding in 32 bits (kern/ref/irotate_int.c).
 *
 * op       irotate
 * types    x:s8|s16 t:s8|s16 bias:s8|u8|s16|u16|s32 -> y:s8|u8|s16
 * isa      any
 * when     max(-acc.lo, acc.hi) < 2147483648 && shift < 32
 * split    tokens * heads
 * stack    96
 * cycles   ncore * (100 + ceil(tokens * heads, ncore) * (40 + 26 * half))
 * code     420
 */
#include "kern/kern.h"

static inline void turn(const struct rotate_dims *k, const X *x, const T *t,
                        const BIAS *bias, Y *y)
{
    const int32_t half = k->half, shift = k->shift, lo = k->lo, hi = k->hi;

    for (int32_t j = 0; j < half; j++) {
        const int32_t a = x[j], b = x[j + half], c = t[j], s = t[j + half];

        y[j] = (Y)clip((a * c - b * s + bias[j]) >> shift, lo, hi);
        y[j + half] = (Y)clip((a * s + b * c + bias[j + half]) >> shift, lo,
                              hi);
    }
}

static inline void scale(const struct rotate_dims *k, const X *x,
                         const BIAS *bias, Y *y)
{
    for (int32_t j = 0; j < 2 * k->half; j++)
        y[j] = (Y)clip((x[j] * k->one + bias[j]) >> k->shift, k->lo, k->hi);
}

void FN(const struct rotate_dims *k, const struct io *io)
{
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
            turn(k, x, t, bias, y);
        else
            scale(k, x, bias, y);
        if (++h == k->heads)
            h = 0, t += d;
    }
}
