/* Attention of bytes, weights by a table of powers (kern/ref/qattend_int.c), two
 * products of a score at once.
 *
 * op       qattend
 * types    q:s8 k:s8 v:s8 powers:u8 -> y:s8
 * isa      dsp
 * when     d % 4 == 0 && d < 129 && e % 4 == 0 && shift > 7 && shift < 32 &&
 *          shiftn < 32 && max(-acc.lo, acc.hi) < 2147483648 &&
 *          scaled.hi < 2147483648
 * split    tokens * heads
 * scratch  5 * n + 4
 * stack    448
 * cycles   ncore * (150 + ceil(tokens * heads, ncore) * (330 + n * (11 + (d == 8 ?
 *          16 : 8 + 13 * d / 4) + (e % 8 ? 13 * e / 4 : 21 * e / 8))))
 * code     1000
 */
#include "kern/dsp/dsp.h"

enum { WORDS = 64 }; /* of a row of q, spread */

static inline int32_t dot_word(const K *key, const uint32_t *x, int32_t sum)
{
    const uint32_t v = dsp_load(key);

    return dsp_mac(dsp_odd(v, 1), x[1], dsp_mac(dsp_even(v, 1), x[0], sum));
}

/* Of rows of 8 elements. */
static NOINLINE int32_t scores_two(const uint32_t *x, const K *key, int32_t n,
                                   int32_t *s)
{
    const uint32_t two[2] = {x[0], x[1]}, last[2] = {x[2], x[3]};
    const int32_t *end = s + n;
    int32_t most = INT32_MIN;

    for (; s != end; key += 8) {
        const int32_t sum = dot_word(key + 4, last, dot_word(key, two, 0));

        *s++ = sum;
        most = sum > most ? sum : most;
    }
    return most;
}

static inline int32_t scores(const Q *q, const K *key, int32_t n, int32_t d,
                             int32_t *s)
{
    uint32_t x[WORDS];
    int32_t most = INT32_MIN;

    for (int32_t j = 0; j < d; j += 4) {
        x[j / 2] = dsp_even(dsp_load(q + j), 1);
        x[j / 2 + 1] = dsp_odd(dsp_load(q + j), 1);
    }
    if (d == 8)
        return scores_two(x, key, n, s);
    for (int32_t i = 0; i < n; i++, key += d) {
        int32_t sum = 0;

        for (int32_t j = 0; j < d; j += 4)
            sum = dot_word(key + j, x + j / 2, sum);
        s[i] = sum;
        most = sum > most ? sum : most;
    }
    return most;
}

static NOINLINE int32_t weights(const struct qattend_dims *k,
                                const POWERS *power, int32_t most, int32_t n,
                                const int32_t *s, POWERS *x)
{
    const uint32_t last = (uint32_t)k->len - 1, mul = (uint32_t)k->mul;
    const int32_t shift = k->shiftn, *end = s + n;
    int32_t sum = 0;

    while (s != end) {
        const uint32_t at = (uint32_t)(most - *s++) * mul >> shift;
        const POWERS w = power[at < last ? at : last];

        *x++ = w;
        sum += w;
    }
    return sum;
}

/* sum[0] to sum[3] + x times four columns of v. */
static inline void add_word(int32_t x, const V *v, int32_t *sum)
{
    const uint32_t w = dsp_load(v);
    const uint32_t even = dsp_even(w, 1), odd = dsp_odd(w, 1);

    sum[0] = dsp_mac_low(even, x, sum[0]);
    sum[1] = dsp_mac_low(odd, x, sum[1]);
    sum[2] = dsp_mac_high(even, x, sum[2]);
    sum[3] = dsp_mac_high(odd, x, sum[3]);
}

static NOINLINE void sums_of_4(const POWERS *x, const V *v, int32_t n,
                               int32_t e, int32_t *sum)
{
    int32_t s[4] = {0, 0, 0, 0};

    for (const POWERS *end = x + n; x != end; v += e)
        add_word(*x++, v, s);
    memcpy(sum, s, sizeof s);
}

static NOINLINE void sums_of_8(const POWERS *x, const V *v, int32_t n,
                               int32_t e, int32_t *sum)
{
    int32_t s[8] = {0, 0, 0, 0, 0, 0, 0, 0};

    for (const POWERS *end = x + n; x != end; v += e, x++) {
        add_word(*x, v, s);
        add_word(*x, v + 4, s + 4);
    }
    memcpy(sum, s, sizeof s);
}

static inline int32_t sums(const POWERS *x, const V *v, int32_t n, int32_t e,
                           int32_t *sum)
{
    if (e & 4) {
        sums_of_4(x, v, n, e, sum);
        return 4;
    }
    sums_of_8(x, v, n, e, sum);
    return 8;
}

#include "kern/row/qattend.h"

void FN(const struct qattend_dims *k, const struct io *io)
{
    all_rows(k, io);
}
