/* Products of a matrix of bytes with one or a few vectors for XpulpV2: words of
 * four and their dot products; elsewhere the same in plain C.
 *
 * To be included after LEFT and RIGHT, the types of the two sides, are
 * defined. */
#ifndef VECTOR_H
#define VECTOR_H

#include "kern/xpulp/scale.h"

#define VECTOR_SIGNED(T) ((T)-1 < (T)1)

#ifdef XPULPV2
/* Of sdotusp the first operand is the unsigned one, so that of signed by
 * unsigned the sides change places. */
#define VECTOR_XW(d, x, w) "xpv.sdott.b " d ", " x ", " w ", %[code]\n"
#define VECTOR_WX(d, x, w) "xpv.sdott.b " d ", " w ", " x ", %[code]\n"

/* A word at any address. */
static inline int32_t vector_load(const void *p)
{
    int32_t v;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(v) : "r"(p) : "memory");
    return v;
}

static inline int32_t vector_dot(int32_t sum, int32_t x, int32_t w)
{
    if (VECTOR_SIGNED(LEFT) && VECTOR_SIGNED(RIGHT))
        return xp_sdot4(sum, x, w);
    if (VECTOR_SIGNED(RIGHT))
        return xp_sdot4us(sum, x, w);
    if (VECTOR_SIGNED(LEFT))
        return xp_sdot4us(sum, w, x);
    return xp_sdot4u(sum, x, w);
}
#else
#include <string.h>

static int32_t vector_load(const void *p)
{
    int32_t v;

    memcpy(&v, p, 4);
    return v;
}

static int32_t vector_dot(int32_t sum, int32_t x, int32_t w)
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
