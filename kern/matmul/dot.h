/* Products of a few rows with a few rows, so that each element that is loaded
 * is used more than once.  To be included after LEFT and RIGHT, the types of
 * the two sides, and ACC are defined. */
#ifndef DOT_H
#define DOT_H

#include "kern/kern.h"

/* s += a0.b0 a0.b1, t += a1.b0 a1.b1, over n elements.  Functions of their own,
 * so that the loops have the registers to themselves; s and t are apart, lest a
 * compiler makes them a vector and spends its time filling it. */
static NOINLINE void dot22(const LEFT *a0, const LEFT *a1, const RIGHT *b0,
                           const RIGHT *b1, int32_t n, ACC s[2], ACC t[2])
{
    ACC s0 = s[0], s1 = s[1], t0 = t[0], t1 = t[1];

#pragma GCC unroll 4
    for (; n > 0; n--) {
        const ACC p = (ACC)*a0++, q = (ACC)*a1++;
        const ACC u = (ACC)*b0++, v = (ACC)*b1++;

        s0 += p * u;
        s1 += p * v;
        t0 += q * u;
        t1 += q * v;
    }
    s[0] = s0, s[1] = s1;
    t[0] = t0, t[1] = t1;
}

/* s += a.b0 a.b1, over n elements. */
static NOINLINE void dot12(const LEFT *a, const RIGHT *b0, const RIGHT *b1,
                           int32_t n, ACC s[2])
{
    ACC s0 = s[0], s1 = s[1];

#pragma GCC unroll 4
    for (; n > 0; n--) {
        const ACC p = (ACC)*a++;

        s0 += p * (ACC)*b0++;
        s1 += p * (ACC)*b1++;
    }
    s[0] = s0, s[1] = s1;
}

#endif
