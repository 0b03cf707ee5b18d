/* Bytes transposed and moved a word at a time with XpulpV2; elsewhere the same
 * in plain C, so that the kernels can be tested anywhere.  To be included after
 * X is defined, a type of one byte. */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <string.h>
#include "kern/kern.h"

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
static inline int32_t transpose_load(const X *p)
{
    int32_t v;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(v) : "r"(p) : "memory");
    return v;
}

static inline void transpose_store(X *p, int32_t v)
{
    __asm__ volatile("sw %0, 0(%1)" : : "r"(v), "r"(p) : "memory");
}

/* Lanes of a (0 to 3) and of b (4 to 7), the first in the lowest digit. */
#define SHUFFLE(a, b, lanes) xp_shuffle4(a, b, lanes)
#else
static inline int32_t transpose_load(const X *p)
{
    int32_t v;

    memcpy(&v, p, 4);
    return v;
}

static inline void transpose_store(X *p, int32_t v)
{
    memcpy(p, &v, 4);
}

static inline int32_t transpose_mix(int32_t a, int32_t b, uint32_t lanes)
{
    uint8_t in[8], out[4];
    int32_t v;

    memcpy(in, &a, 4);
    memcpy(in + 4, &b, 4);
    for (int i = 0; i < 4; i++)
        out[i] = in[lanes >> 8 * i & 7];
    memcpy(&v, out, 4);
    return v;
}
#define SHUFFLE(a, b, lanes) transpose_mix(a, b, lanes)
#endif

/* n bytes. */
static inline void transpose_copy(const void *from, void *to, int32_t n)
{
#ifdef XPULPV2
    const uint8_t *x = from;
    uint8_t *y = to;
    int32_t a, b;

    if (n > 7)
        __asm__ volatile(XP_BLOCK "xlp.setup 0, %4, 4\n"
                         "xp.lw.post %2, %0, 4\n"
                         "xp.lw.post %3, %0, 4\n"
                         "xp.sw.post %2, %1, 4\n"
                         "xp.sw.post %3, %1, 4\n"
                         XP_BLOCK_END
                         : "+&r"(x), "+&r"(y), "=&r"(a), "=&r"(b)
                         : "r"(n >> 3) : XP_CLOBBERS);
    n &= 7;
    if (n > 3) {
        __asm__ volatile("lw %0, 0(%1)" : "=r"(a) : "r"(x) : "memory");
        __asm__ volatile("sw %0, 0(%1)" : : "r"(a), "r"(y) : "memory");
        x += 4, y += 4, n -= 4;
    }
    while (n-- > 0)
        *y++ = *x++;
#else
    memcpy(to, from, (size_t)n);
#endif
}

/* Four words of four bytes: byte i of to[j] is byte j of x[i]. */
static inline void transpose_words(const int32_t x[4], int32_t to[4])
{
    const int32_t p = SHUFFLE(x[0], x[1], 0x05010400);
    const int32_t q = SHUFFLE(x[0], x[1], 0x07030602);
    const int32_t r = SHUFFLE(x[2], x[3], 0x05010400);
    const int32_t s = SHUFFLE(x[2], x[3], 0x07030602);

    to[0] = SHUFFLE(p, r, 0x05040100);
    to[1] = SHUFFLE(p, r, 0x07060302);
    to[2] = SHUFFLE(q, s, 0x05040100);
    to[3] = SHUFFLE(q, s, 0x07060302);
}

/* Four by four: y[i * ys + j] = x[i + j * xs]. */
static inline void transpose4x4(const X *x, ptrdiff_t xs, X *y, ptrdiff_t ys)
{
    const int32_t in[4] = {transpose_load(x), transpose_load(x + xs),
                           transpose_load(x + 2 * xs),
                           transpose_load(x + 3 * xs)};
    int32_t out[4];

    transpose_words(in, out);
    transpose_store(y, out[0]);
    transpose_store(y + ys, out[1]);
    transpose_store(y + 2 * ys, out[2]);
    transpose_store(y + 3 * ys, out[3]);
}

/* Two rows of four, which x has as pairs. */
static inline void transpose2x4(const X *x, X *y, ptrdiff_t ys)
{
    const int32_t a = transpose_load(x), b = transpose_load(x + 4);

    transpose_store(y, SHUFFLE(a, b, 0x06040200));
    transpose_store(y + ys, SHUFFLE(a, b, 0x07050301));
}

/* Four rows of two, which fill two words at y. */
static inline void transpose4x2(const X *x, ptrdiff_t xs, X *y)
{
    const int32_t a = transpose_load(x), b = transpose_load(x + xs);

    transpose_store(y, SHUFFLE(a, b, 0x05010400));
    transpose_store(y + 4, SHUFFLE(a, b, 0x07030602));
}

/* Four rows of three, which fill three words at y. */
static inline void transpose4x3(const X *x, ptrdiff_t xs, X *y)
{
    const int32_t a = transpose_load(x), b = transpose_load(x + xs);
    const int32_t c = transpose_load(x + 2 * xs);

    transpose_store(y, SHUFFLE(SHUFFLE(a, b, 0x01010400), c, 0x02040100));
    transpose_store(y + 4, SHUFFLE(SHUFFLE(a, b, 0x06060205), c, 0x02010500));
    transpose_store(y + 8, SHUFFLE(SHUFFLE(a, b, 0x07070703), c, 0x07010006));
}

#endif
