/* The operator qattend of bytes, in 32 bits but for results.  To be included
 * after Q, K, V, POWERS and Y are defined, and
 *
 *     int32_t scores(q, key, n, d, s)       q key[i] into s[i]; the greatest
 *     int32_t weights(k, power, most, n, s, x)   of s[i] into x[i]; their sum
 *     int32_t sums(x, v, n, e, sum)         columns of x v; how many: 4 or 8
 *
 * Scratch of a core: n words, then BEFORE bytes, then n. */
#ifndef ROW_QATTEND_H
#define ROW_QATTEND_H

#include "kern/kern.h"

#ifndef BEFORE
#define BEFORE 0
#endif

/* (sum r + half) >> shift, clipped, of a shift of 8 to 31: sum r is less than
 * 2^39, for r is at most 2^31 / sum of weights, so what is left has 32 bits. */
static inline Y scaled_sum(const struct qattend_dims *k, int32_t sum, int32_t r)
{
    const int64_t v = (int64_t)sum * r + (INT64_C(1) << (k->shift - 1));
    const uint32_t high = (uint32_t)(v >> 32), low = (uint32_t)v;

    return (Y)clip((int32_t)(high << (32 - k->shift) | low >> k->shift), k->lo,
                   k->hi);
}

static inline void one_row(const struct qattend_dims *k, const struct io *io,
                           const Q *q, int32_t h, int32_t n, Y *y)
{
    const int32_t cache = h / (k->heads / k->caches) * k->rows;
    const K *key = (const K *)io->in[1] + (ptrdiff_t)cache * k->d;
    const V *v = (const V *)io->in[2] + (ptrdiff_t)cache * k->e;
    int32_t *s = io->tmp, sum[8], all, r, some;
    POWERS *x = (POWERS *)(s + k->n) + BEFORE;

    if (n < 1) {
        n = all = 0;
    } else {
        all = scores(q, key, n, k->d, s);
        all = weights(k, io->in[3], all, n, s, x);
    }
    r = all ? k->over / all : 0;
    for (int32_t j = 0; j < k->e; j += some) {
        some = sums(x, v + j, n, k->e, sum);
        for (int32_t i = 0; i < some; i++)
            *y++ = scaled_sum(k, sum[i], r);
    }
}

static inline void all_rows(const struct qattend_dims *k, const struct io *io)
{
    int32_t i, to, h, t;

    span(k->tokens * k->heads, io->core, io->ncore, &i, &to);
    t = i / k->heads;
    h = i - t * k->heads;
    for (; i < to; i++) {
        one_row(k, io, (const Q *)io->in[0] + (t * k->step + h) * k->d, h,
                k->n - k->tokens + 1 + t,
                (Y *)io->out[0] + (ptrdiff_t)i * k->e);
        if (++h == k->heads)
            h = 0, t++;
    }
}

#endif
