/* Rotary embedding: elements j and j + half of a head turn by an angle of the
 * token's.
 *
 * op       rotate
 * types    x:f32 t:f32|s16 -> y:f32
 * isa      any
 * split    tokens * heads
 * inplace  x
 * stack    288
 * cycles   ncore * ceil(tokens * heads, ncore) * (20 + 22 * half)
 *
 * t: of each token half cosines, then half sines; of 16 bits, 32767 is 1.
 */
#include "kern/kern.h"

static inline float value(T t)
{
    const int fractions = (T)0.5f > 0;

    return fractions ? (float)t : (float)t * (1.0f / 32767.0f);
}

static void turn(const X *x, const T *t, int32_t half, Y *y)
{
    for (int32_t j = 0; j < half; j++) {
        const X a = x[j], b = x[j + half];
        const float c = value(t[j]), s = value(t[j + half]);

        y[j] = a * c - b * s;
        y[j + half] = a * s + b * c;
    }
}

void FN(const struct rotate_dims *k, const struct io *io)
{
    const int32_t d = 2 * k->half;
    int32_t i, to;

    span(k->tokens * k->heads, io->core, io->ncore, &i, &to);
    for (; i < to; i++)
        turn((const X *)io->in[0] + (ptrdiff_t)i * d,
             (const T *)io->in[1] + (ptrdiff_t)(i / k->heads) * d, k->half,
             (Y *)io->out[0] + (ptrdiff_t)i * d);
}
