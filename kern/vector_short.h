/* A row of 1 to 3 bytes times rows of bytes: a word of each, with what is not of
 * the row masked out of the left side. */
#ifndef VECTOR_SHORT_H
#define VECTOR_SHORT_H

#include "kern/vector.h"

#ifdef __riscv
#define VECTOR_SHORT(DOT)                                                  \
    __asm__ volatile(                                                      \
        XP_BLOCK XP_LOOP(0, "%[n]", 4)                                     \
        ".insn r 0x0b, 7, 0x10, %[b], %[w], %[step]\n"                     \
        "li %[s], 0\n" DOT("%[s]", "%[x]", "%[b]")                         \
        XP_SW_STEP("%[s]", "%[sum]", 4) XP_BLOCK_END                       \
        : [b] "=&r"(b), [s] "=&r"(s), [w] "+&r"(w), [sum] "+&r"(sum)       \
        : [n] "r"(rows), [x] "r"(v), [step] "r"(step),                     \
          [code] "i"(VECTOR_CODE)                                          \
        : XP_CLOBBERS)

/* sum[i] = v times the word at w, for `rows` that are `step` apart. */
static inline void vector_words(int32_t v, const RIGHT *w, int32_t step,
                                int32_t rows, int32_t *sum)
{
    int32_t b, s;

    if (VECTOR_SIGNED(LEFT) && !VECTOR_SIGNED(RIGHT))
        VECTOR_SHORT(VECTOR_WX);
    else
        VECTOR_SHORT(VECTOR_XW);
}
#else
static void vector_words(int32_t v, const RIGHT *w, int32_t step, int32_t rows,
                         int32_t *sum)
{
    for (int32_t i = 0; i < rows; i++, w += step)
        sum[i] = vector_dot(0, v, vector_load(w));
}
#endif

/* sum[0 .. columns - 1] = x times rows of w, `step` apart, of n elements, 1 to
 * 3.  Words begin with their rows; in the last rows, where they would reach
 * beyond all, they end with them. */
static NOINLINE void vector_short(const LEFT *x, const RIGHT *w, int32_t step,
                                  int32_t n, int32_t columns, int32_t *sum)
{
    int32_t end = (columns - 1) * step + n - 4, rows = columns;
    uint32_t v = (uint8_t)x[0];

    if (n > 1)
        v |= (uint32_t)(uint8_t)x[1] << 8;
    if (n > 2)
        v |= (uint32_t)(uint8_t)x[2] << 16;
    for (int32_t at = (columns - 1) * step; at > end && rows; at -= step)
        rows--;
    if (rows)
        vector_words((int32_t)v, w, step, rows, sum);
    for (; rows < columns && rows * step + n < 4; rows++) {
        sum[rows] = 0;
        for (int32_t i = 0; i < n; i++)
            sum[rows] += x[i] * w[rows * step + i];
    }
    if (rows < columns)
        vector_words((int32_t)(v << 8 * (4 - n)), w + rows * step + n - 4,
                     step, columns - rows, sum + rows);
}

#define VECTOR_SUMS(x, w, k, columns, sum)                                 \
    vector_short(x, w, k->bn, k->k, columns, sum)

#endif
