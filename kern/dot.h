/* Products of a few rows with a few rows, so that each element that is loaded
 * is used more than once.  To be included after LEFT and RIGHT, the types of
 * the two sides, and ACC are defined. */
#ifndef DOT_H
#define DOT_H

#include "kern/kern.h"

/* s[0 1 2 3] += a0.b0 a0.b1 a1.b0 a1.b1, over n elements. */
static inline void dot22(const LEFT *a0, const LEFT *a1, const RIGHT *b0,
                         const RIGHT *b1, int32_t n, ACC s[4])
{
    ACC s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];

    for (int32_t i = 0; i < n; i++) {
        const ACC p = (ACC)a0[i], q = (ACC)a1[i];
        const ACC u = (ACC)b0[i], v = (ACC)b1[i];

        s0 += p * u;
        s1 += p * v;
        s2 += q * u;
        s3 += q * v;
    }
    s[0] = s0;
    s[1] = s1;
    s[2] = s2;
    s[3] = s3;
}

/* s[0 1] += a.b0 a.b1, over n elements. */
static inline void dot12(const LEFT *a, const RIGHT *b0, const RIGHT *b1,
                         int32_t n, ACC s[2])
{
    ACC s0 = s[0], s1 = s[1];

    for (int32_t i = 0; i < n; i++) {
        const ACC p = (ACC)a[i];

        s0 += p * (ACC)b0[i];
        s1 += p * (ACC)b1[i];
    }
    s[0] = s0;
    s[1] = s1;
}

#endif
