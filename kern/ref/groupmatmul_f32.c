/* Products with int8 weights in groups, each with a float scale.
 *
 * op       groupmatmul
 * types    x:f32 w:s8 scale:f32 -> y:f32
 * isa      any
 * split    m
 * scratch  mode * (4 * k + 4 * (k / g))
 * stack    416
 * cycles   rows * (m * (20 + 6 * k + 12 * (k / g)) + mode * 30 * k)
 *
 * mode 1 is llama2.c's Q8_0: the row of x becomes int8 in the same groups
 * first.
 */
#include "kern/kern.h"

/* A group of x as integers of at most 127 in size; their scale. */
static inline float narrow(const float *x, int32_t n, int32_t *q)
{
    float most = 0, scale;

    for (int32_t i = 0; i < n; i++) {
        const float size = x[i] < 0 ? -x[i] : x[i];

        most = size > most ? size : most;
    }
    scale = most / 127.0f;
    for (int32_t i = 0; i < n; i++) {
        const float v = most > 0 ? x[i] / scale : 0;
        const int32_t near = (int32_t)v;
        const float rest = v - (float)near;

        q[i] = near + (rest >= 0.5f) - (rest <= -0.5f);
    }
    return scale;
}

static inline float sum_floats(const struct group_dims *k, const float *x,
                               const W *w, const float *scale)
{
    float y = 0;

    for (int32_t i = 0; i < k->k; i += k->g) {
        float sum = 0;

        for (int32_t j = i; j < i + k->g; j++)
            sum += (float)w[j] * x[j];
        y += sum * *scale++;
    }
    return y;
}

static inline float sum_integers(const struct group_dims *k, const int32_t *q,
                                 const float *by, const W *w,
                                 const float *scale)
{
    float y = 0;

    for (int32_t i = 0; i < k->k; i += k->g) {
        int32_t sum = 0;

        for (int32_t j = i; j < i + k->g; j++)
            sum += (int32_t)w[j] * q[j];
        y += (float)sum * *scale++ * *by++;
    }
    return y;
}

void FN(const struct group_dims *k, const struct io *io)
{
    const float *x = io->in[0], *scale = io->in[2];
    const W *w = io->in[1];
    int32_t *q = io->tmp, groups = k->k / k->g, from, to;
    float *by = (float *)(void *)(q + k->k), *y = io->out[0];

    span(k->m, io->core, io->ncore, &from, &to);
    for (int32_t r = 0; r < k->rows; r++, x += k->k, y += k->m) {
        for (int32_t i = 0; i < groups && k->mode; i++)
            by[i] = narrow(x + i * k->g, k->g, q + i * k->g);
        for (int32_t m = from; m < to; m++)
            y[m] = k->mode
                ? sum_integers(k, q, by, w + m * k->k, scale + m * groups)
                : sum_floats(k, x, w + m * k->k, scale + m * groups);
    }
}
