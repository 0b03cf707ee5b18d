/* Quotients without divisions: v hi / sum is v q >> s, if v < 2^a, sum < 2^b, s
 * is a + b or more, and q = 2^s hi / sum + 1: q sum exceeds 2^s hi by at most
 * sum, and v sum is less than 2^s.  If hi < sum, s is 32 or more and a is 23 at
 * most, q is less than 2^32; so is v q, v <= sum, if hi < 2^8 and s is 24,
 * or if s is a + b and a is 11 at most: sum is 2^(b - 1) or more. */
#ifndef ROW_INVERSE_H
#define ROW_INVERSE_H

#include "kern/kern.h"

/* Bits of v, which is not 0.  HIGHEST: an instruction for it, if there is
 * one. */
static inline int32_t bits(uint32_t v)
{
#ifdef HIGHEST
    return HIGHEST(v) + 1;
#elif defined DSP
    return 32 - __builtin_clz(v);
#else
    int32_t n = 0;

    for (; v; v >>= 1)
        n++;
    return n;
#endif
}

/* Of what a compiler may make a second division. */
#ifndef REST
#define REST(v, digit, sum) ((v) - (digit) * (sum))
#endif

/* 2^s hi / sum + 1, hi > 0: digits of as many bits as fit, from where hi has as
 * many bits as sum, which has `more`. */
static inline uint32_t inverse(uint32_t hi, uint32_t sum, int32_t s)
{
    const int32_t most = 32 - bits(sum), more = 32 - most - bits(hi);
    const int32_t first = more < 0 ? 0 : more < s ? more : s;
    uint32_t rest = hi << first, q = 0;

    s -= first;
    for (int32_t n; s > 0; s -= n) {
        uint32_t digit;

        n = s < most ? s : most;
        digit = (rest << n) / sum;
        q = (q << n) + digit;
        rest = REST(rest << n, digit, sum);
    }
    return q + 1;
}

#endif
