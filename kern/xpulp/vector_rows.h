/* A row of bytes times a matrix of bytes in rows: four rows by four columns are
 * transposed in registers, 19 instructions for 16 products. */
#ifndef VECTOR_ROWS_H
#define VECTOR_ROWS_H

#include "kern/xpulp/vector.h"

#ifdef XPULPV2
#define VECTOR_ROWS(DOT)                                                     \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 19\n"                                   \
        "xp.lw.postr %[p], %[w], %[step]\n"                                  \
        "xp.lw.postr %[q], %[w], %[step]\n"                                  \
        "xp.lw.postr %[r], %[w], %[step]\n"                                  \
        "xp.lw.postr %[t], %[w], %[step]\n"                                  \
        "xp.lw.post %[a], %[x], 4\n"                                         \
        "mv %[u], %[p]\n mv %[v], %[r]\n"                                    \
        "xpv.shuffle2.b %[p], %[q], %[low]\n"                                \
        "xpv.shuffle2.b %[r], %[t], %[low]\n"                                \
        "xpv.shuffle2.b %[u], %[q], %[high]\n"                               \
        "xpv.shuffle2.b %[v], %[t], %[high]\n"                               \
        "xpv.pack %[q], %[r], %[p]\n" DOT("%[s0]", "%[a]", "%[q]")           \
        "xpv.shuffle2.h %[p], %[r], %[upper]\n"                              \
        DOT("%[s1]", "%[a]", "%[p]")                                         \
        "xpv.pack %[q], %[v], %[u]\n" DOT("%[s2]", "%[a]", "%[q]")           \
        "xpv.shuffle2.h %[u], %[v], %[upper]\n"                              \
        DOT("%[s3]", "%[a]", "%[u]") XP_BLOCK_END                            \
        : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3),    \
          [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r), [t] "=&r"(t),            \
          [u] "=&r"(u), [v] "=&r"(v), [a] "=&r"(a), [x] "+&r"(x),            \
          [w] "+&r"(w)                                                       \
        : [n] "r"(fours), [step] "r"(step), [low] "r"(0x05010400),           \
          [high] "r"(0x07030602), [upper] "r"(0x00030001),                   \
          [code] "i"(XP_SIGNS(LEFT, RIGHT))                                  \
        : XP_CLOBBERS)

/* sum[0..3] += x times four columns of w, of 4 * fours rows. */
static inline void vector_transpose(const LEFT *x, const RIGHT *w, int32_t step,
                               int32_t fours, int32_t sum[4])
{
    int32_t s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    int32_t p, q, r, t, u, v, a;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        VECTOR_ROWS(VECTOR_WX);
    else
        VECTOR_ROWS(VECTOR_XW);
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

#define VECTOR_PAIRS(DOT)                                                    \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 8\n"                                    \
        "xp.lw.post %[a], %[x], 4\n"                                         \
        "xp.lw.post %[p], %[w], 4\n"                                         \
        "xp.lw.post %[q], %[w], 4\n" "mv %[u], %[p]\n"                       \
        "xpv.shuffle2.b %[p], %[q], %[even]\n"                               \
        "xpv.shuffle2.b %[u], %[q], %[odd]\n"                                \
        DOT("%[s0]", "%[a]", "%[p]") DOT("%[s1]", "%[a]", "%[u]")            \
        XP_BLOCK_END                                                         \
        : [s0] "+&r"(s0), [s1] "+&r"(s1), [p] "=&r"(p), [q] "=&r"(q),        \
          [u] "=&r"(u), [a] "=&r"(a), [x] "+&r"(x), [w] "+&r"(w)             \
        : [n] "r"(fours), [even] "r"(0x06040200), [odd] "r"(0x07050301),     \
          [code] "i"(XP_SIGNS(LEFT, RIGHT))                                  \
        : XP_CLOBBERS)

/* sum[0..1] = x times both columns of w, of 4 * fours rows of two. */
static inline void vector_pairs(const LEFT *x, const RIGHT *w, int32_t fours,
                                int32_t sum[2])
{
    int32_t s0 = 0, s1 = 0, p, q, u, a;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        VECTOR_PAIRS(VECTOR_WX);
    else
        VECTOR_PAIRS(VECTOR_XW);
    sum[0] = s0, sum[1] = s1;
}

/* x times one column. */
static inline int32_t vector_column(const LEFT *x, const RIGHT *w,
                                    int32_t step, int32_t n)
{
    int32_t s = 0, a, b;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 3\n"
        "xp.lt.post %[a], %[x], 1, %[xt]\n"
        "xp.lt.postr %[b], %[w], %[step], %[wt]\n"
        "xp.mac %[s], %[a], %[b]\n" XP_BLOCK_END
        : [s] "+&r"(s), [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x),
          [w] "+&r"(w)
        : [n] "r"(n), [step] "r"(step), [xt] "i"(XP_TYPE(LEFT)),
          [wt] "i"(XP_TYPE(RIGHT))
        : XP_CLOBBERS);
    return s;
}
#else
static int32_t vector_column(const LEFT *x, const RIGHT *w, int32_t step,
                             int32_t n)
{
    int32_t s = 0;

    for (int32_t i = 0; i < n; i++)
        s += x[i] * w[i * step];
    return s;
}

static void vector_transpose(const LEFT *x, const RIGHT *w, int32_t step,
                        int32_t fours, int32_t sum[4])
{
    for (int32_t j = 0; j < 4; j++)
        sum[j] += vector_column(x, w + j, step, 4 * fours);
}

static void vector_pairs(const LEFT *x, const RIGHT *w, int32_t fours,
                         int32_t sum[2])
{
    for (int32_t j = 0; j < 2; j++)
        sum[j] = vector_column(x, w + j, 2, 4 * fours);
}
#endif

/* x times both columns of w, of n rows of two, 4 or more. */
static inline void vector_two(const LEFT *x, const RIGHT *w, int32_t n,
                              int32_t sum[2])
{
    vector_pairs(x, w, n >> 2, sum);
    for (int32_t i = n & ~3; i < n; i++) {
        sum[0] += x[i] * w[2 * i];
        sum[1] += x[i] * w[2 * i + 1];
    }
}

/* sum[0 .. columns - 1] = x times columns of w, whose n rows are `step` apart.
 * What does not fill a four is taken with others again: rows with the elements
 * of x before masked out, columns as they are. */
static NOINLINE void vector_rows(const LEFT *x, const RIGHT *w, int32_t step,
                                 int32_t n, int32_t columns, int32_t *sum)
{
    const int32_t mask = (int32_t)(UINT32_MAX << 8 * (-n & 3));
    int32_t last;

    if (n > 3 && columns == 2 && step == 2) {
        vector_two(x, w, n, sum);
        return;
    }
    if (n < 4 || columns < 4) {
        for (int32_t j = 0; j < columns; j++)
            sum[j] = vector_column(x, w + j, step, n);
        return;
    }
    last = word_load(x + n - 4) & mask;
    for (int32_t j = 0; j < columns; j += 4) {
        const int32_t at = j > columns - 4 ? columns - 4 : j;

        for (int32_t i = at; i < at + 4; i++)
            sum[i] = 0;
        vector_transpose(x, w + at, step, n >> 2, sum + at);
        if (n & 3)
            vector_transpose((const LEFT *)&last, w + (n - 4) * step + at,
                             step, 1, sum + at);
    }
}

#define VECTOR_SUMS(x, w, k, columns, sum)                                   \
    vector_rows(x, w, k->bk, k->k, columns, sum)

#endif
