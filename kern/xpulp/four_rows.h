/* A row of bytes times four rows of bytes: 9 instructions for 16 products.  To
 * be included after LEFT and RIGHT, the types of the two sides, are defined. */
#ifndef FOUR_ROWS_H
#define FOUR_ROWS_H

#include "kern/xpulp/vector.h"

#ifdef XPULPV2
#define FOUR_ROWS(DOT)                                                       \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 9\n"                                    \
        "xp.lw.post %[v], %[x], 4\n"                                         \
        "xp.lw.postr %[q0], %[w], %[step]\n"                                 \
        "xp.lw.postr %[q1], %[w], %[step]\n"                                 \
        "xp.lw.postr %[q2], %[w], %[step]\n"                                 \
        "xp.lw.postr %[q3], %[w], %[back]\n"                                 \
        DOT("%[s0]", "%[v]", "%[q0]") DOT("%[s1]", "%[v]", "%[q1]")          \
        DOT("%[s2]", "%[v]", "%[q2]") DOT("%[s3]", "%[v]", "%[q3]")          \
        XP_BLOCK_END                                                         \
        : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3),    \
          [v] "=&r"(v), [q0] "=&r"(q0), [q1] "=&r"(q1), [q2] "=&r"(q2),      \
          [q3] "=&r"(q3), [x] "+&r"(x), [w] "+&r"(w)                         \
        : [n] "r"(words), [step] "r"(step), [back] "r"(back),                \
          [code] "i"(XP_SIGNS(LEFT, RIGHT)) : XP_CLOBBERS)

/* Sums s0 and s1 of two columns times m0 and m1, added to a0 and a1, shifted,
 * clipped and stored. */
#define FOUR_ROWS_STORE                                                      \
    "xp.mac %[a0], %[s0], %[m0]\n"                                           \
    "xp.mac %[a1], %[s1], %[m1]\n"                                           \
    "sra %[a0], %[a0], %[shift]\n"                                           \
    "sra %[a1], %[a1], %[shift]\n"                                           \
    "xp.max %[a0], %[a0], %[lo]\n"                                           \
    "xp.max %[a1], %[a1], %[lo]\n"                                           \
    "xp.min %[a0], %[a0], %[hi]\n"                                           \
    "xp.min %[a1], %[a1], %[hi]\n"                                           \
    "xp.st.post %[a0], %[y], %[size], %[store]\n"                            \
    "xp.st.post %[a1], %[y], %[size], %[store]\n"

/* sum[j] = x times row j of w, each of so many words; rows are `step` apart. */
static inline void four_rows(const LEFT *x, const RIGHT *w, int32_t step,
                             int32_t words, int32_t sum[4])
{
    const int32_t back = 4 - 3 * step;
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, v, q0, q1, q2, q3;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        FOUR_ROWS(VECTOR_WX);
    else
        FOUR_ROWS(VECTOR_XW);
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

#else
static inline void four_rows(const LEFT *x, const RIGHT *w, int32_t step,
                             int32_t words, int32_t sum[4])
{
    for (int32_t j = 0; j < 4; j++, w += step) {
        sum[j] = 0;
        for (int32_t i = 0; i < 4 * words; i++)
            sum[j] += x[i] * w[i];
    }
}
#endif

#endif
