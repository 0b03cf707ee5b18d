/* Rotary embedding with integers: elements j and j + half of a head turn by an
 * angle of the token's.
 *
 * op       irotate
 * types    x:int t:int bias:int -> y:int
 * isa      any
 * split    tokens * heads
 * stack    176
 * cycles   ncore * ceil(tokens * heads, ncore) * (30 + 60 * half)
 *
 * t: of each token half cosines, then half sines, times `one`.  Results are
 * clip((sum + bias[head][j]) >> shift, lo, hi); heads from `turned` on are only
 * multiplied by `one`.
 */
#include "kern/finish.h"

static Y result(const struct rotate_dims *k, int64_t sum)
{
    return (Y)bound(sum >> k->shift, k->lo, k->hi);
}

static void turn(const struct rotate_dims *k, const X *x, const T *t,
                 const BIAS *bias, Y *y)
{
    const int32_t half = k->half;

    for (int32_t j = 0; j < half; j++) {
        const int64_t a = (int64_t)x[j], b = (int64_t)x[j + half];
        const int64_t c = (int64_t)t[j], s = (int64_t)t[j + half];

        y[j] = result(k, a * c - b * s + (int64_t)bias[j]);
        y[j + half] = result(k, a * s + b * c + (int64_t)bias[j + half]);
    }
}

static void scale(const struct rotate_dims *k, const X *x, const BIAS *bias,
                  Y *y)
{
    for (int32_t j = 0; j < 2 * k->half; j++)
        y[j] = result(k, (int64_t)x[j] * k->one + (int64_t)bias[j]);
}

void FN(const struct rotate_dims *k, const struct io *io)
{
    const int32_t d = 2 * k->half;
    int32_t i, to;

    span(k->tokens * k->heads, io->core, io->ncore, &i, &to);
    for (; i < to; i++) {
        const int32_t h = i % k->heads;
        const ptrdiff_t at = (ptrdiff_t)i * d;
        const X *x = (const X *)io->in[0] + at;
        const T *t = (const T *)io->in[1] + (ptrdiff_t)(i / k->heads) * d;
        const BIAS *bias = (const BIAS *)io->in[2] + h * d;

        if (h < k->turned)
            turn(k, x, t, bias, (Y *)io->out[0] + at);
        else
            scale(k, x, bias, (Y *)io->out[0] + at);
    }
}
