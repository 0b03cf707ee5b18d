/* Attention of bytes in 32 bits, a row at a time, weights by tables
 * (kern/ref/iattend_int.c).  To be included after the types of its operands are
 * defined, after POWERS_WEIGH too where powers are weights, QUOTIENTS_WEIGH
 * where rounded quotients are. */
#ifndef ROW_ATTEND_H
#define ROW_ATTEND_H

#include "kern/row/mask.h"
#if defined POWERS_WEIGH || defined QUOTIENTS_WEIGH
#include "kern/row/shares.h"
#endif
#ifdef QUOTIENTS_WEIGH
#include "kern/row/levels.h"
#endif

#ifdef QUOTIENTS_WEIGH
/* A row of q less its zero point; returns the sum. */
static inline int32_t take_row(const struct attend_dims *k, const Q *q,
                               int16_t *less)
{
    int32_t sum = 0;

    for (int32_t j = 0; j < k->d; j++) {
        less[j] = (int16_t)(q[j] - k->qzero);
        sum += less[j];
    }
    return sum;
}

static inline int32_t attend_dot(const int16_t *q, const K *key, int32_t d)
{
    int32_t sum = 0;

    for (; d > 3; d -= 4, q += 4, key += 4)
        sum += q[0] * key[0] + q[1] * key[1] + q[2] * key[2] + q[3] * key[3];
    for (; d > 0; d--)
        sum += *q++ * *key++;
    return sum;
}

/* The table's value for each row of k, behind which is room for a row of q;
 * returns the greatest. */
static NOINLINE int32_t make_scores(const struct attend_dims *k,
                                    const struct io *io, const Q *q,
                                    const K *key, const MASK *mask, int32_t *x)
{
    const SCALE *scale = io->in[3];
    const SCORES *table = (const SCORES *)io->in[4] + 128;
    int16_t *less = (int16_t *)(void *)(x + k->n);
    const int32_t zero = -k->kzero * take_row(k, q, less);
    struct attend_high of;
    const int high = attend_high(scale[0], scale[1], k->p0, &of);
    int32_t most = -128;

    for (int32_t i = 0; i < k->n; i++, key += k->krow) {
        const int32_t sum = attend_dot(less, key, k->d) + zero;

        x[i] = table[high ? attend_upper(sum, of.mul, of.add, of.rest)
                          : attend_rounded(sum, scale[0], scale[1], k->p0,
                                           -128, 127)];
        if (mask)
            x[i] = attend_masked(k, x[i], mask[i]);
        most = x[i] > most ? x[i] : most;
    }
    return most;
}
#else
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
            t = attend_masked(k, t, mask[i]);
        x[i] = t;
        most = t > most ? t : most;
    }
    return most;
}
#endif

#ifdef QUOTIENTS_WEIGH
/* All of a row are hidden; returns the sum of weights. */
static NOINLINE uint32_t even_parts(const struct attend_dims *k, int32_t *x)
{
    for (int32_t i = 0; i < k->n; i++)
        x[i] = k->none;
    return (uint32_t)(k->n * k->none);
}

/* Powers become weights; returns the sum of these. */
static NOINLINE uint32_t make_parts(const struct attend_dims *k,
                                    const struct io *io, int32_t most,
                                    const MASK *mask, int32_t *x)
{
    const POWERS *power = (const POWERS *)io->in[5] + 255 - most;
    struct levels levels;
    uint64_t sum = 0;
    uint32_t weights = 0;

    for (int32_t i = 0; i < k->n; i++) {
        x[i] = power[x[i]];
        if (k->hides && mask[i] == -128)
            x[i] = 0;
        sum += (uint32_t)x[i];
    }
    if (!sum)
        return even_parts(k, x);
    levels = levels_of(levels_sum(sum, (uint32_t)k->p4), (uint32_t)k->p1);
    for (int32_t i = 0; i < k->n; i++) {
        x[i] = level_byte(&levels, (uint32_t)x[i]);
        weights += (uint32_t)x[i];
    }
    return weights;
}
#else
/* Powers become weights; returns their sum. */
static inline uint32_t make_parts(const struct attend_dims *k,
                                  const struct io *io, int32_t most,
                                  const MASK *mask, int32_t *x)
{
    const POWERS *power = (const POWERS *)io->in[5] + 255 - most;
    uint32_t sum = 0;

    (void)mask;
    for (int32_t i = 0; i < k->n; i++) {
        x[i] = power[x[i]];
        sum += (uint32_t)x[i];
    }
#ifndef POWERS_WEIGH
    sum += !sum;
    for (int32_t i = 0; i < k->n; i++)
        x[i] = ((const PARTS *)io->in[6])[(uint32_t)x[i] * (uint32_t)k->p1 /
                                          sum];
#endif
    return sum;
}
#endif

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

/* Has an epilogue the form of conv/panel.h? */
static inline int attend_narrow(int32_t mul, int32_t shift)
{
    const int64_t one = (int64_t)1 << shift;

    return shift > 31 || (2 * (int64_t)mul < one && 2 * (int64_t)mul >= -one);
}

/* What becomes of a sum of weighted rows of v, of powers with that sum, or
 * quotients. */
static inline Y make_result(const struct attend_dims *k, const SCALE *scale,
                            uint32_t powers, int32_t sum)
{
#ifdef POWERS_WEIGH
    return (Y)attend_result(k, scale, attend_share(scale, powers), sum);
#elif defined QUOTIENTS_WEIGH
    return (Y)attend_rounded(sum - (int32_t)powers * k->vzero, scale[2],
                             scale[3], k->shift, k->lo, k->hi);
#else
    (void)powers;
    return (Y)rescale(sum, scale[2], scale[3], k->shift, k->lo, k->hi);
#endif
}

#ifdef POWERS_WEIGH
/* Without parts: have results that form, whatever the sum of powers is, which
 * is that of the greatest score at least? */
static inline int attend_divided(const POWERS *powers, const SCALE *scale,
                                 int32_t shift)
{
    const int32_t least = powers[255] > 0 ? powers[255] : 1;

    return shift < 48 && scale[3] >= -0x8000 && scale[3] < 0x8000 &&
           attend_narrow(scale[2] / least, shift);
}
#endif

/* Scratch of a core: n words, and d halves where q has a zero point. */
static inline void attend_rows(const struct attend_dims *k,
                               const struct io *io)
{
    const SCALE *scale = io->in[3];
    int32_t *x = io->tmp, from, to, sum[4];

    span(k->heads * k->m, io->core, io->ncore, &from, &to);
    for (int32_t r = from; r < to; r++) {
        const ptrdiff_t head = r / k->m, row = r % k->m;
        const Q *q = (const Q *)io->in[0] + row * k->qrow + head * k->qhead;
        const K *key = (const K *)io->in[1] + head * k->khead;
        const V *v = (const V *)io->in[2] + head * k->vhead;
        Y *y = (Y *)io->out[0] + row * k->yrow + head * k->yhead;
        const MASK *mask = attend_mask(k, io, head, row);
        const uint32_t powers = make_parts(k, io, make_scores(
            k, io, q, key, mask, x), mask, x);

        for (int32_t j = 0; j < k->e; j += 4) {
            const int32_t n = k->e - j < 4 ? k->e - j : 4;

            make_sums(k, x, v + j, n, sum);
            for (int32_t i = 0; i < n; i++)
                y[j + i] = make_result(k, scale, powers, sum[i]);
        }
    }
}

#endif
