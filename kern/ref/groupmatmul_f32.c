/* Products with weights of 8 or 4 bits in groups, each with a scale.
 *
 * op       groupmatmul
 * types    x:f32 w:s8|u8 scale:f32|u16 -> y:f32
 * isa      any
 * split    m
 * scratch  (mode & 1) * 4 * (k + (k + g - 1) / g)
 * stack    416
 * cycles   rows * (m * (20 + (mode > 1 ? 9 : 6) * k +
 *          12 * ((k + g - 1) / g)) + (mode & 1) * 30 * k)
 *
 * Mode 1 is llama2.c's Q8_0: the row of x becomes int8 in the same groups
 * first.  Mode 2: a byte holds two weights, the first in its lower half.
 * Mode 4: four rows lie side by side, in halves of 16 bits, of which each has
 * a column: bytes in two halves, one row's and 256 times the next one's,
 * weights of four bits in one; 128 or 8 more than they are but for the highest
 * row's.
 * And so do the scales of a group.
 * Scales of 16 bits are the upper half of a float.
 */
#include "kern/kern.h"

static inline float scale_of(const SCALE *s, int32_t i)
{
    const union {
        uint32_t bits;
        float v;
    } whole = {(uint32_t)s[i] << 16};

    return (SCALE)0.5f > 0 ? (float)s[i] : whole.v;
}

/* Half number i of w. */
static inline int32_t half_of(const W *w, int32_t i)
{
    return (uint8_t)w[2 * i] | (int32_t)(int8_t)w[2 * i + 1] * 256;
}

/* Column i of row m, where four rows lie side by side. */
static inline int32_t weight_of_four(const struct group_dims *k, const W *w,
                                     int32_t m, int32_t i)
{
    const int32_t row = m & 3, first = (m >> 2) * k->k;
    int32_t v;

    if (k->mode & 2) {
        v = half_of(w, first + i) >> 4 * row & 15;
        return row < 3 ? v - 8 : (v ^ 8) - 8;
    }
    v = half_of(w, 2 * first + (i >> 1) * 4 + (row >> 1) * 2 + (i & 1));
    return row & 1 ? v >> 8 : (v & 255) - 128;
}

static inline int32_t weight(const struct group_dims *k, const W *w, int32_t m,
                             int32_t i)
{
    if (k->mode & 4)
        return weight_of_four(k, w, m, i);
    i += m * k->k;
    if (k->mode < 2)
        return (int32_t)w[i];
    return (((int32_t)w[i >> 1] >> (i & 1) * 4 & 15) ^ 8) - 8;
}

static inline int32_t group_end(const struct group_dims *k, int32_t from)
{
    return k->k - from < k->g ? k->k : from + k->g;
}

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

/* The first scale of row m, and how far away those of its next groups are. */
static inline const SCALE *scales_of(const struct group_dims *k,
                                     const SCALE *scale, int32_t m,
                                     int32_t *step)
{
    const int32_t groups = (k->k + k->g - 1) / k->g;

    *step = k->mode & 4 ? 4 : 1;
    return scale + (k->mode & 4 ? (m & -4) * groups + (m & 3) : m * groups);
}

static inline float sum_floats(const struct group_dims *k, const float *x,
                               const W *w, int32_t m, const SCALE *scale)
{
    float y = 0;
    int32_t step;

    scale = scales_of(k, scale, m, &step);
    for (int32_t i = 0; i < k->k; i += k->g, scale += step) {
        const int32_t end = group_end(k, i);
        float sum = 0;

        for (int32_t j = i; j < end; j++)
            sum += (float)weight(k, w, m, j) * x[j];
        y += sum * scale_of(scale, 0);
    }
    return y;
}

static inline float sum_integers(const struct group_dims *k, const int32_t *q,
                                 const float *by, const W *w, int32_t m,
                                 const SCALE *scale)
{
    float y = 0;
    int32_t step;

    scale = scales_of(k, scale, m, &step);
    for (int32_t i = 0; i < k->k; i += k->g, scale += step) {
        const int32_t end = group_end(k, i);
        int32_t sum = 0;

        for (int32_t j = i; j < end; j++)
            sum += weight(k, w, m, j) * q[j];
        y += (float)sum * scale_of(scale, 0) * *by++;
    }
    return y;
}

void FN(const struct group_dims *k, const struct io *io)
{
    const float *x = io->in[0];
    const SCALE *scale = io->in[2];
    const W *w = io->in[1];
    const int32_t groups = (k->k + k->g - 1) / k->g;
    int32_t *q = io->tmp, from, to;
    float *by = (float *)(void *)(q + k->k), *y = io->out[0];

    span(k->m, io->core, io->ncore, &from, &to);
    for (int32_t r = 0; r < k->rows; r++, x += k->k, y += k->m) {
        for (int32_t i = 0; i < groups && (k->mode & 1); i++)
            by[i] = narrow(x + i * k->g, group_end(k, i * k->g) - i * k->g,
                           q + i * k->g);
        for (int32_t m = from; m < to; m++)
            y[m] = k->mode & 1
                ? sum_integers(k, q, by, w, m, scale)
                : sum_floats(k, x, w, m, scale);
    }
}
