/* A row of bytes times rows of bytes, four at a time: one by four takes 9
 * instructions for 16 products. */
#ifndef VECTOR_SUMS_H
#define VECTOR_SUMS_H

#include "kern/xpulp/vector.h"

#ifdef XPULPV2
#define VECTOR4(DOT)                                                         \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 9\n"                                    \
        "xp.lw.post %4, %[x], 4\n"                                           \
        "xp.lw.post %5, %[w0], 4\n"                                          \
        "xp.lw.post %6, %[w1], 4\n"                                          \
        "xp.lw.post %7, %[w2], 4\n"                                          \
        "xp.lw.post %8, %[w3], 4\n"                                          \
        DOT("%0", "%4", "%5") DOT("%1", "%4", "%6")                          \
        DOT("%2", "%4", "%7") DOT("%3", "%4", "%8")                          \
        XP_BLOCK_END                                                         \
        : "+r"(s0), "+r"(s1), "+r"(s2), "+r"(s3), "=&r"(p), "=&r"(q0),       \
          "=&r"(q1), "=&r"(q2), "=&r"(q3), [x] "+r"(x), [w0] "+r"(w0),       \
          [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3)                        \
        : [n] "r"(words), [code] "i"(XP_SIGNS(LEFT, RIGHT)) : XP_CLOBBERS)

/* sum[0..3] = x times four rows that begin at w[0] and `at` elements on. */
static inline void vector4(const LEFT *x, const RIGHT *w0, const int32_t at[3],
                           int32_t words, int32_t sum[4])
{
    const RIGHT *w1 = w0 + at[0], *w2 = w0 + at[1], *w3 = w0 + at[2];
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, p, q0, q1, q2, q3;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        VECTOR4(VECTOR_WX);
    else
        VECTOR4(VECTOR_XW);
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

#define VECTOR2(DOT)                                                         \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 5\n"                                    \
        "xp.lw.post %2, %[x], 4\n"                                           \
        "xp.lw.post %3, %[w0], 4\n"                                          \
        "xp.lw.post %4, %[w1], 4\n"                                          \
        DOT("%0", "%2", "%3") DOT("%1", "%2", "%4")                          \
        XP_BLOCK_END                                                         \
        : "+r"(s0), "+r"(s1), "=&r"(p), "=&r"(q0), "=&r"(q1), [x] "+r"(x),   \
          [w0] "+r"(w0), [w1] "+r"(w1)                                       \
        : [n] "r"(words), [code] "i"(XP_SIGNS(LEFT, RIGHT)) : XP_CLOBBERS)

static inline void vector2(const LEFT *x, const RIGHT *w0, const RIGHT *w1,
                           int32_t words, int32_t sum[2])
{
    int32_t s0 = 0, s1 = 0, p, q0, q1;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        VECTOR2(VECTOR_WX);
    else
        VECTOR2(VECTOR_XW);
    sum[0] = s0, sum[1] = s1;
}

#define VECTOR1(DOT)                                                         \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 3\n"                                    \
        "xp.lw.post %1, %[x], 4\n"                                           \
        "xp.lw.post %2, %[w], 4\n"                                           \
        DOT("%0", "%1", "%2")                                                \
        XP_BLOCK_END                                                         \
        : "+r"(s), "=&r"(p), "=&r"(q), [x] "+r"(x), [w] "+r"(w)              \
        : [n] "r"(words), [code] "i"(XP_SIGNS(LEFT, RIGHT)) : XP_CLOBBERS)

static inline int32_t vector1(const LEFT *x, const RIGHT *w, int32_t words)
{
    int32_t s = 0, p, q;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        VECTOR1(VECTOR_WX);
    else
        VECTOR1(VECTOR_XW);
    return s;
}

#else
static int32_t vector1(const LEFT *x, const RIGHT *w, int32_t words)
{
    int32_t s = 0;

    for (int32_t i = 0; i < 4 * words; i++)
        s += x[i] * w[i];
    return s;
}

static void vector4(const LEFT *x, const RIGHT *w, const int32_t at[3],
                    int32_t words, int32_t sum[4])
{
    sum[0] = vector1(x, w, words);
    for (int32_t j = 0; j < 3; j++)
        sum[j + 1] = vector1(x, w + at[j], words);
}

static void vector2(const LEFT *x, const RIGHT *w0, const RIGHT *w1,
                    int32_t words, int32_t sum[2])
{
    sum[0] = vector1(x, w0, words);
    sum[1] = vector1(x, w1, words);
}
#endif

/* The elements after the last whole word, with those before it masked out. */
static inline void vector_tail(const LEFT *x, const RIGHT *w, int32_t step,
                               int32_t columns, int32_t n, int32_t *sum)
{
    const int32_t mask = (int32_t)(UINT32_MAX << 8 * (4 - (n & 3)));
    const int32_t v = word_load(x + n - 4) & mask;

    w += n - 4;
    for (int32_t j = 0; j < columns; j++, w += step)
        sum[j] = word_dot(sum[j], v, word_load(w));
}

/* sum[0 .. columns - 1] = x times rows of w, `step` apart, of n elements, 4 or
 * more.  There is room for sums up to the next multiple of four; where rows
 * are one fewer than that, the last one stands in. */
static NOINLINE void vector_sums(const LEFT *x, const RIGHT *w, int32_t step,
                                 int32_t n, int32_t columns, int32_t *sum)
{
    int32_t at[3] = {step, 2 * step, 3 * step};

    for (; columns > 0; columns -= 4, sum += 4, w += 4 * step) {
        if (columns == 3)
            at[2] = at[1];
        if (columns > 2)
            vector4(x, w, at, n >> 2, sum);
        else if (columns > 1)
            vector2(x, w, w + step, n >> 2, sum);
        else
            sum[0] = vector1(x, w, n >> 2);
        if (n & 3)
            vector_tail(x, w, step, columns < 4 ? columns : 4, n, sum);
    }
}

#define VECTOR_SUMS(x, w, k, columns, sum)                                   \
    vector_sums(x, w, k->bn, k->k, columns, sum)

#endif
