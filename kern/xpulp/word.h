/* Words of four bytes and their dot products for XpulpV2; elsewhere the same in
 * plain C.
 *
 * To be included after LEFT and RIGHT, the types of the two sides, are
 * defined. */
#ifndef WORD_H
#define WORD_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#define WORD_SIGNED(T) ((T)-1 < (T)1)

#ifdef XPULPV2
static inline int32_t word_dot(int32_t sum, int32_t x, int32_t w)
{
    if (WORD_SIGNED(LEFT) && WORD_SIGNED(RIGHT))
        return xp_sdot4(sum, x, w);
    if (WORD_SIGNED(RIGHT))
        return xp_sdot4us(sum, x, w);
    if (WORD_SIGNED(LEFT))
        return xp_sdot4us(sum, w, x);
    return xp_sdot4u(sum, x, w);
}

/* A word at any address. */
static inline int32_t word_load(const void *p)
{
    int32_t v;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(v) : "r"(p) : "memory");
    return v;
}

static inline void word_store(void *p, int32_t v)
{
    __asm__ volatile("sw %0, 0(%1)" : : "r"(v), "r"(p) : "memory");
}
#else
#include <string.h>

static inline int32_t word_load(const void *p)
{
    int32_t v;

    memcpy(&v, p, 4);
    return v;
}

static inline void word_store(void *p, int32_t v)
{
    memcpy(p, &v, 4);
}

static inline int32_t word_dot(int32_t sum, int32_t x, int32_t w)
{
    LEFT a[4];
    RIGHT b[4];

    memcpy(a, &x, 4);
    memcpy(b, &w, 4);
    for (int i = 0; i < 4; i++)
        sum += a[i] * b[i];
    return sum;
}
#endif

#endif
