/* Attention of bytes in 32 bits: a row at a time, weights by tables.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:s8 -> y:s8
 * isa      any
 * when     n > 0 && p0 < 32 && max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          most * p1 < 2147483648 && most * n < 2147483648 &&
 *          max(-acc.lo, acc.hi) < 2147483648
 * scratch  4 * n
 * split    heads * m
 * stack    160
 * cycles   ncore * ceil(heads * m, ncore) * (150 + n * (60 + 4 * d + 4 * e))
 */
#include "kern/finish.h"

/* The table's value for each row of k; returns the greatest. */
static inline int32_t make_scores(const struct attend_dims *k,
                                  const struct io *io, const Q *q, const K *key,
                                  const MASK *mask, int32_t *x)
{
    const SCALE *scale = io->in[3];
    const SCORES *table = (const SCORES *)io->in[4] + 128;
    const int32_t mul = scale[0], add = scale[1], shift = k->p0, d = k->d;
    int32_t most = -128;

    for (int32_t i = 0; i < k->n; i++, key += k->krow) {
        int32_t sum = 0, t;

        for (int32_t j = 0; j < d; j++)
            sum += q[j] * key[j];
        t = table[rescale32(sum, mul, add, shift, -128, 127)];
        if (mask)
            t = clip(t + mask[i], -128, 127);
        x[i] = t;
        most = t > most ? t : most;
    }
    return most;
}

static inline void make_parts(const struct attend_dims *k, const struct io *io,
                              int32_t most, int32_t *x)
{
    const POWERS *power = (const POWERS *)io->in[5] + 255 - most;
    const PARTS *table = io->in[6];
    const uint32_t hi = (uint32_t)k->p1;
    uint32_t sum = 0;

    for (int32_t i = 0; i < k->n; i++) {
        x[i] = power[x[i]];
        sum += (uint32_t)x[i];
    }
    sum += !sum;
    for (int32_t i = 0; i < k->n; i++)
        x[i] = table[(uint32_t)x[i] * hi / sum];
}

/* Sums of columns, up to four. */
static inline void make_sums(const struct attend_dims *k, const int32_t *x,
                             const V *v, int32_t columns, int32_t sum[4])
{
    const int32_t e = k->vrow;

    sum[0] = sum[1] = sum[2] = sum[3] = 0;
    if (columns < 4) {
        for (int32_t i = 0; i < k->n; i++, v += e)
            for (int32_t j = 0; j < columns; j++)
                sum[j] += x[i] * v[j];
        return;
    }
    for (int32_t i = 0; i < k->n; i++, v += e) {
        sum[0] += x[i] * v[0];
        sum[1] += x[i] * v[1];
        sum[2] += x[i] * v[2];
        sum[3] += x[i] * v[3];
    }
}

void FN(const struct attend_dims *k, const struct io *io)
{
    const SCALE *scale = io->in[3];
    int32_t *x = io->tmp, from, to, sum[4];

    span(k->heads * k->m, io->core, io->ncore, &from, &to);
    for (int32_t r = from; r < to; r++) {
        const ptrdiff_t head = r / k->m, row = r % k->m;
        const Q *q = (const Q *)io->in[0] + row * k->qrow + head * k->qhead;
        const K *key = (const K *)io->in[1] + head * k->khead;
        const V *v = (const V *)io->in[2] + head * k->vhead;
        const MASK *mask = io->in[7];
        Y *y = (Y *)io->out[0] + row * k->yrow + head * k->yhead;

        make_parts(k, io, make_scores(k, io, q, key,
                                      mask ? mask + row * k->n : NULL, x), x);
        for (int32_t j = 0; j < k->e; j += 4) {
            const int32_t n = k->e - j < 4 ? k->e - j : 4;

            make_sums(k, x, v + j, n, sum);
            for (int32_t i = 0; i < n; i++)
                y[j + i] = (Y)rescale(sum[i], scale[2], scale[3], k->shift,
                                      k->lo, k->hi);
        }
    }
}
