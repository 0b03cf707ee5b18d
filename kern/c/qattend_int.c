/* Attention of bytes, weights by a table of powers (kern/ref/qattend_int.c).
 *
 * op       qattend
 * types    q:s8 k:s8 v:s8 powers:u8 -> y:s8
 * isa      any
 * when     e % 4 == 0 && shift > 7 && shift < 32 && shiftn < 32 &&
 *          max(-acc.lo, acc.hi) < 2147483648 &&
 *          scaled.hi < 2147483648
 * split    tokens * heads
 * scratch  5 * n
 * stack    160
 * cycles   ncore * (150 + ceil(tokens * heads, ncore) * (120 + n * (22 + 4 * d
 *          + 4 * e)))
 * code     620
 */
#include "kern/kern.h"

static inline int32_t scores(const Q *q, const K *key, int32_t n, int32_t d,
                             int32_t *s)
{
    int32_t most = INT32_MIN;

    for (int32_t i = 0; i < n; i++, key += d) {
        int32_t sum = 0;

        for (int32_t j = 0; j < d; j++)
            sum += q[j] * key[j];
        s[i] = sum;
        most = sum > most ? sum : most;
    }
    return most;
}

static inline int32_t weights(const struct qattend_dims *k,
                              const POWERS *power, int32_t most, int32_t n,
                              const int32_t *s, POWERS *x)
{
    const int32_t last = k->len - 1;
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const int32_t at = (most - s[i]) * k->mul >> k->shiftn;

        x[i] = power[at < last ? at : last];
        sum += x[i];
    }
    return sum;
}

static inline int32_t sums(const POWERS *x, const V *v, int32_t n, int32_t e,
                           int32_t *sum)
{
    int32_t a = 0, b = 0, c = 0, d = 0;

    for (int32_t i = 0; i < n; i++, v += e) {
        a += x[i] * v[0];
        b += x[i] * v[1];
        c += x[i] * v[2];
        d += x[i] * v[3];
    }
    sum[0] = a, sum[1] = b, sum[2] = c, sum[3] = d;
    return 4;
}

#include "kern/row/qattend.h"

void FN(const struct qattend_dims *k, const struct io *io)
{
    all_rows(k, io);
}
