/* Attention of bytes, weights by a table of powers (kern/ref/qattend_int.c).
 *
 * op       qattend
 * types    q:s8 k:s8 v:s8 powers:u8 -> y:s8
 * isa      xpulpv2
 * when     d % 4 == 0 && e % 4 == 0 && n > 0 && shift > 7 && shift < 32 &&
 *          shiftn < 32 && max(-acc.lo, acc.hi) < 2147483648 &&
 *          scaled.hi < 2147483648
 * scratch  5 * n + 12
 * split    tokens * heads
 * stack    192
 * let      r = ceil(tokens * heads, ncore)
 * cycles   ncore * (fit.call + r * (fit.row + n * (fit.position + (d > 8) *
 *          (fit.dot + 3 * d / 4) + 5 * e / 4)))
 * code     1000
 *
 * What is in scratch begins with a place for what comes before the first
 * element: loops store what the turn before has made.
 */
#include "kern/kern.h"
#define WEIGHT POWERS
#include "kern/xpulp/weighted.h"

#ifdef XPULPV2
#define SCORES_END                                                            \
    "xp.sw.post %[sum], %[s], 4\n"                                            \
    "xp.max %[most], %[most], %[sum]\n" XP_BLOCK_END                          \
    : [most] "+&r"(most), [sum] "=&r"(sum), [t] "=&r"(t), [s] "+&r"(s),       \
      [key] "+&r"(key)

/* Of rows of 4 and of 8 elements. */
static inline int32_t scores_word(int32_t q, const K *key, int32_t n,
                                  int32_t *s)
{
    int32_t most = INT32_MIN, sum, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "xp.lw.post %[t], %[key], 4\n"
        "li %[sum], 0\n"
        "xpv.sdotsp.b %[sum], %[t], %[q]\n" SCORES_END
        : [n] "r"(n), [q] "r"(q)
        : XP_CLOBBERS);
    return most;
}

static inline int32_t scores_two(int32_t q, int32_t p, const K *key, int32_t n,
                                 int32_t *s)
{
    int32_t most = INT32_MIN, sum, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 6\n"
        "xp.lw.post %[sum], %[key], 4\n"
        "xp.lw.post %[t], %[key], 4\n"
        "xpv.dotsp.b %[sum], %[sum], %[q]\n"
        "xpv.sdotsp.b %[sum], %[t], %[p]\n" SCORES_END
        : [n] "r"(n), [q] "r"(q), [p] "r"(p)
        : XP_CLOBBERS);
    return most;
}

/* Products of n words, three at least. */
static inline int32_t dot(const Q *q, const K *key, int32_t n)
{
    int32_t sum = 0, s, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 3\n"
        "xp.lw.post %[s], %[q], 4\n"
        "xp.lw.post %[t], %[key], 4\n"
        "xpv.sdotsp.b %[sum], %[s], %[t]\n" XP_BLOCK_END
        : [sum] "+&r"(sum), [s] "=&r"(s), [t] "=&r"(t), [q] "+&r"(q),
          [key] "+&r"(key)
        : [n] "r"(n)
        : XP_CLOBBERS);
    return sum;
}

static inline int32_t scores(const Q *q, const K *key, int32_t n, int32_t d,
                             int32_t *s)
{
    int32_t most = INT32_MIN;

    if (d == 4)
        return scores_word(xp_load(q), key, n, s);
    if (d == 8)
        return scores_two(xp_load(q), xp_load(q + 4), key, n, s);
    for (int32_t i = 0; i < n; i++, key += d) {
        s[i] = dot(q, key, d >> 2);
        most = xp_max(most, s[i]);
    }
    return most;
}

static inline int32_t weights(const struct qattend_dims *k,
                              const POWERS *power, int32_t most, int32_t n,
                              const int32_t *s, POWERS *x)
{
    int32_t t, w = 0, sum = 0;

    x--;
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 8\n"
        "xp.lw.post %[t], %[s], 4\n"
        "xp.sb.post %[w], %[x], 1\n"
        "sub %[t], %[most], %[t]\n"
        "mul %[t], %[t], %[mul]\n"
        "add %[sum], %[sum], %[w]\n"
        "srl %[t], %[t], %[shift]\n"
        "xp.min %[t], %[t], %[last]\n"
        "xp.lbu.at %[w], %[power], %[t]\n" XP_BLOCK_END
        : [t] "=&r"(t), [w] "+&r"(w), [sum] "+&r"(sum), [s] "+&r"(s),
          [x] "+&r"(x)
        : [n] "r"(n), [most] "r"(most), [mul] "r"(k->mul),
          [shift] "r"(k->shiftn), [last] "r"(k->len - 1), [power] "r"(power)
        : XP_CLOBBERS);
    *x = (POWERS)w;
    return sum + w;
}
#else
static inline int32_t scores(const Q *q, const K *key, int32_t n, int32_t d,
                             int32_t *s)
{
    int32_t most = INT32_MIN;

    for (int32_t i = 0; i < n; i++, key += d) {
        s[i] = 0;
        for (int32_t j = 0; j < d; j++)
            s[i] += q[j] * key[j];
        most = s[i] > most ? s[i] : most;
    }
    return most;
}

static inline int32_t weights(const struct qattend_dims *k,
                              const POWERS *power, int32_t most, int32_t n,
                              const int32_t *s, POWERS *x)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const int32_t at = (most - s[i]) * k->mul >> k->shiftn;

        x[i] = power[at < k->len ? at : k->len - 1];
        sum += x[i];
    }
    return sum;
}
#endif

static inline int32_t sums(const POWERS *x, const V *v, int32_t n, int32_t e,
                           int32_t *sum)
{
    sum[0] = sum[1] = sum[2] = sum[3] = 0;
    if (n > 3)
        sum_columns(x, v, e, n >> 2, sum);
    for (int32_t r = n & ~3; r < n; r++)
        for (int32_t i = 0; i < 4; i++)
            sum[i] += x[r] * v[r * e + i];
    return 4;
}

#define BEFORE 4
#include "kern/row/qattend.h"

void FN(const struct qattend_dims *k, const struct io *io)
{
    all_rows(k, io);
}
