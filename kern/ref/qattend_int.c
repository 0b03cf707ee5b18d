/* Attention with integers: weights by a table of powers, of what scores are less
 * than the greatest.
 *
 * op       qattend
 * types    q:int k:int v:int powers:int -> y:int
 * isa      any
 * split    tokens * heads
 * scratch  8 * n
 * stack    272
 * cycles   ncore * ceil(tokens * heads, ncore) * n * (120 + 12 * d + 12 * e)
 *
 * Token t sees the rows i < n - tokens + 1 + t of the cache of its head.  Of
 * s[i] = q k[i], w[i] = powers[min((greatest s - s[i]) mul >> shiftn, len - 1)],
 * r = over / sum of w, 0 if that sum is 0: the result is
 * clip((sum of w[i] v[i] * r + 2^(shift - 1)) >> shift, lo, hi); of no rows 0.
 */
#include "kern/finish.h"

static int64_t score(const struct qattend_dims *k, const Q *q, const K *key,
                     int32_t n, int64_t *s)
{
    int64_t most = INT64_MIN;

    for (int32_t i = 0; i < n; i++, key += k->d) {
        s[i] = 0;
        for (int32_t j = 0; j < k->d; j++)
            s[i] += (int64_t)q[j] * (int64_t)key[j];
        most = s[i] > most ? s[i] : most;
    }
    return most;
}

/* Scores become weights; returns their sum. */
static int64_t weigh(const struct qattend_dims *k, const POWERS *power,
                     int64_t most, int32_t n, int64_t *s)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const int64_t at = (most - s[i]) * k->mul >> k->shiftn;

        s[i] = (int64_t)power[at < k->len ? at : k->len - 1];
        sum += s[i];
    }
    return sum;
}

static void row(const struct qattend_dims *k, const struct io *io, int32_t t,
                int32_t h)
{
    const ptrdiff_t cache = h / (k->heads / k->caches) * (ptrdiff_t)k->rows;
    const ptrdiff_t at = (ptrdiff_t)t * k->heads + h;
    const Q *q = (const Q *)io->in[0] + ((ptrdiff_t)t * k->step + h) * k->d;
    const int32_t n = k->n - k->tokens + 1 + t;
    const V *v = (const V *)io->in[2] + cache * k->e;
    Y *y = (Y *)io->out[0] + at * k->e;
    int64_t *s = io->tmp, all, r;

    all = score(k, q, (const K *)io->in[1] + cache * k->d, n, s);
    all = weigh(k, io->in[3], all, n, s);
    r = all ? k->over / all : 0;
    for (int32_t j = 0; j < k->e; j++) {
        int64_t sum = 0;

        for (int32_t i = 0; i < n; i++)
            sum += s[i] * (int64_t)v[(ptrdiff_t)i * k->e + j];
        y[j] = (Y)bound((sum * r + (INT64_C(1) << (k->shift - 1))) >> k->shift,
                        k->lo, k->hi);
    }
}

void FN(const struct qattend_dims *k, const struct io *io)
{
    int32_t i, to;

    span(k->tokens * k->heads, io->core, io->ncore, &i, &to);
    for (; i < to; i++)
        row(k, io, i / k->heads, i % k->heads);
}
