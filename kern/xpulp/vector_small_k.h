/* A row of 1 to 4 bytes times rows of bytes: a word of each, with what is not
 * of the row masked out of the left side.  Where all columns have the same
 * epilogue in 32 bits, their results are made at once: two columns take 14
 * instructions.
 *
 * To be included after what epilogue.h asks for. */
#ifndef VECTOR_SMALL_K_H
#define VECTOR_SMALL_K_H

#include "kern/xpulp/epilogue.h"
#include "kern/xpulp/vector.h"

#ifdef XPULPV2
#define VECTOR_SMALL_K(DOT)                                                  \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 4\n"                                    \
        "xp.lw.postr %[b], %[w], %[step]\n"                                  \
        "li %[s], 0\n" DOT("%[s]", "%[x]", "%[b]")                           \
        "xp.sw.post %[s], %[sum], 4\n" XP_BLOCK_END                          \
        : [b] "=&r"(b), [s] "=&r"(s), [w] "+&r"(w), [sum] "+&r"(sum)         \
        : [n] "r"(rows), [x] "r"(v), [step] "r"(step),                       \
          [code] "i"(XP_SIGNS(LEFT, RIGHT))                                  \
        : XP_CLOBBERS)

/* sum[i] = v times the word at w, for `rows` that are `step` apart. */
static inline void vector_words(int32_t v, const RIGHT *w, int32_t step,
                                int32_t rows, int32_t *sum)
{
    int32_t b, s;

    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        VECTOR_SMALL_K(VECTOR_WX);
    else
        VECTOR_SMALL_K(VECTOR_XW);
}
#else
static void vector_words(int32_t v, const RIGHT *w, int32_t step, int32_t rows,
                         int32_t *sum)
{
    for (int32_t i = 0; i < rows; i++, w += step)
        sum[i] = word_dot(0, v, word_load(w));
}
#endif

/* What all columns share: results are clip((sum * mul + add) >> shift). */
struct one_end {
    int32_t mul, add, shift, lo, hi;
};

static inline int32_t one_result(const struct one_end *e, int32_t sum)
{
    return scale_clip(scale32(sum, e->mul, e->add, e->shift), e->lo, e->hi);
}

#ifdef XPULPV2
#define ONE_LOAD(b) "xp.lw.postr " b ", %[w], %[step]\n"
#define ONE_END(s)                                                           \
    "mul " s ", " s ", %[mul]\n"                                             \
    "xp.addnr " s ", %[add], %[shift]\n"                                     \
    "xp.max " s ", " s ", %[lo]\n"                                           \
    "xp.min " s ", " s ", %[hi]\n"                                           \
    "xp.st.post " s ", %[y], %[size], %[store]\n"
#define ONE_XW(d, w) "xpv.dott.b " d ", %[x], " w ", %[code]\n"
#define ONE_WX(d, w) "xpv.dott.b " d ", " w ", %[x], %[code]\n"
#define ONE_PAIRS(DOT)                                                       \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], 14\n" ONE_LOAD("%[b]") ONE_LOAD("%[c]") \
        DOT("%[b]", "%[b]") DOT("%[c]", "%[c]")                              \
        ONE_END("%[b]") ONE_END("%[c]") XP_BLOCK_END                         \
        : [b] "=&r"(b), [c] "=&r"(c), [w] "+&r"(w), [y] "+&r"(y)             \
        : [n] "r"(rows >> 1), [x] "r"(v), [step] "r"(step),                  \
          [mul] "r"(e->mul), [add] "r"(e->add), [shift] "r"(e->shift),       \
          [lo] "r"(e->lo), [hi] "r"(e->hi),                                  \
          [code] "i"(XP_SIGNS(LEFT, RIGHT)), [size] "i"(sizeof(Y)),          \
          [store] "i"(XP_TYPE(Y))                                            \
        : XP_CLOBBERS)

/* As vector_words, with their results. */
static inline void one_words(int32_t v, const RIGHT *w, int32_t step,
                             int32_t rows, const struct one_end *e, Y *y)
{
    int32_t b, c;

    if (rows & 1) {
        *y++ = (Y)one_result(e, word_dot(0, v, word_load(w)));
        w += step;
    }
    if (rows < 2)
        return;
    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        ONE_PAIRS(ONE_WX);
    else
        ONE_PAIRS(ONE_XW);
}
#else
static void one_words(int32_t v, const RIGHT *w, int32_t step, int32_t rows,
                      const struct one_end *e, Y *y)
{
    for (int32_t i = 0; i < rows; i++, w += step)
        y[i] = (Y)one_result(e, word_dot(0, v, word_load(w)));
}
#endif

/* x times `columns` rows of w, `step` apart, of n elements, 1 to 4: sums, or if
 * e is given results.  Words begin with their rows; in the last rows, where
 * they would reach beyond all, they end with them. */
static inline void small_k_rows(const LEFT *x, const RIGHT *w, int32_t step,
                              int32_t n, int32_t columns, int32_t *sum,
                              const struct one_end *e, Y *y)
{
    int32_t end = (columns - 1) * step + n - 4, rows = columns;
    uint32_t v = (uint8_t)x[0];

    if (n > 1)
        v |= (uint32_t)(uint8_t)x[1] << 8;
    if (n > 2)
        v |= (uint32_t)(uint8_t)x[2] << 16;
    if (n > 3)
        v |= (uint32_t)(uint8_t)x[3] << 24;
    for (int32_t at = (columns - 1) * step; at > end && rows; at -= step)
        rows--;
    if (rows && e)
        one_words((int32_t)v, w, step, rows, e, y);
    else if (rows)
        vector_words((int32_t)v, w, step, rows, sum);
    for (; rows < columns && rows * step + n < 4; rows++) {
        int32_t s = 0;

        for (int32_t i = 0; i < n; i++)
            s += x[i] * w[rows * step + i];
        if (e)
            y[rows] = (Y)one_result(e, s);
        else
            sum[rows] = s;
    }
    if (rows == columns)
        return;
    v <<= 8 * (4 - n);
    w += rows * step + n - 4;
    if (e)
        one_words((int32_t)v, w, step, columns - rows, e, y + rows);
    else
        vector_words((int32_t)v, w, step, columns - rows, sum + rows);
}

static NOINLINE void vector_small_k(const LEFT *x, const RIGHT *w, int32_t step,
                                  int32_t n, int32_t columns, int32_t *sum)
{
    small_k_rows(x, w, step, n, columns, sum, 0, 0);
}

static NOINLINE void one_scale32(const LEFT *x, const RIGHT *w, int32_t step,
                               int32_t n, int32_t columns,
                               const struct epilogue *e, Y *y)
{
    const int32_t mul = (int32_t)*e->mul;
    const struct one_end one = {
        mul, (int32_t)((uint32_t)*e->bias * (uint32_t)mul + (uint32_t)*e->add),
        e->shift, e->lo, e->hi};

    small_k_rows(x, w, step, n, columns, 0, &one, y);
}

/* Have all columns the same epilogue? */
static inline int small_k_one(const struct epilogue *e)
{
    return EPILOGUE_IN_32 && !(e->biasn | e->muln | e->addn);
}

static inline void small_k_row(const LEFT *x, const RIGHT *w, int32_t step,
                             int32_t n, int32_t columns, int32_t *sum,
                             const struct epilogue *e, Y *y)
{
    if (small_k_one(e)) {
        one_scale32(x, w, step, n, columns, e, y);
        return;
    }
    vector_small_k(x, w, step, n, columns, sum);
    epilogue_run(e, sum, columns, y);
}

#define VECTOR_RUN(e, columns) (small_k_one(e) ? columns : RUN)
#define VECTOR_ROW(x, w, k, columns, sum, e, y)                              \
    small_k_row(x, w, k->bn, k->k, columns, sum, e, y)

#endif
