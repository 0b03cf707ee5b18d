/* A row of 1 to 4 bytes times rows of bytes: a word of each, with what is not
 * of the row masked out of the left side.  Where all columns have the same
 * epilogue in 32 bits, their results are made at once: two columns of two rows
 * take 22 to 26 instructions, four of one row 24 to 28.
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

/* The word of a row of 1 to 4 bytes. */
static inline int32_t small_k_word(const LEFT *x, int32_t n)
{
    uint32_t v = (uint8_t)x[0];

    if (n > 3)
        return word_load(x);
    if (n > 1)
        v |= (uint32_t)(uint8_t)x[1] << 8;
    if (n > 2)
        v |= (uint32_t)(uint8_t)x[2] << 16;
    return (int32_t)v;
}

/* Words begin with their rows in columns [0, begin), where they do not reach
 * beyond all; end with them in columns [end, columns); those between have no
 * four bytes around. */
struct small_k {
    int32_t begin, end;
};

static inline struct small_k small_k_of(int32_t step, int32_t n,
                                        int32_t columns)
{
    const int32_t last = (columns - 1) * step + n - 4;
    struct small_k s = {columns, columns};

    for (int32_t at = (columns - 1) * step; at > last && s.begin; at -= step)
        s.begin--;
    s.end = s.begin;
    while (s.end < columns && s.end * step + n < 4)
        s.end++;
    return s;
}

static inline int32_t small_k_dot(const LEFT *x, const RIGHT *w, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * w[i];
    return sum;
}

/* Sums of x times `columns` rows of w, `step` apart, of n elements, 1 to 4. */
static NOINLINE void vector_small_k(const LEFT *x, const RIGHT *w, int32_t step,
                                    int32_t n, int32_t columns, int32_t *sum)
{
    const struct small_k s = small_k_of(step, n, columns);
    const uint32_t v = (uint32_t)small_k_word(x, n);

    if (s.begin)
        vector_words((int32_t)v, w, step, s.begin, sum);
    for (int32_t i = s.begin; i < s.end; i++)
        sum[i] = small_k_dot(x, w + i * step, n);
    if (s.end < columns)
        vector_words((int32_t)(v << 8 * (4 - n)), w + s.end * step + n - 4,
                     step, columns - s.end, sum + s.end);
}

#define VECTOR_ROW(x, w, k, columns, sum, e, y)                              \
    do {                                                                     \
        vector_small_k(x, w, k->bn, k->k, columns, sum);                     \
        epilogue_run(e, sum, columns, y);                                    \
    } while (0)

#if EPILOGUE_IN_32
/* What all columns share: results are clip((sum * mul + add) >> shift). */
struct one_end {
    int32_t mul, add, shift, lo, hi;
};

static inline Y one_result(const struct one_end *e, int32_t sum)
{
    return (Y)scale_clip(scale32(sum, e->mul, e->add, e->shift), e->lo, e->hi);
}

#ifdef XPULPV2
#define ONE_CLIP(s) "xp.clipr " s ", " s ", %[hi]\n"
#define ONE_BOUNDS(s)                                                        \
    "xp.max " s ", " s ", %[lo]\n" "xp.min " s ", " s ", %[hi]\n"
#define ONE_END(s, y, CLIP)                                                  \
    "mul " s ", " s ", %[mul]\n" "xp.addnr " s ", %[add], %[shift]\n"        \
    CLIP(s) "xp.st.post " s ", " y ", %[size], %[store]\n"
#define ONE_XW(d, x, w) "xpv.dott.b " d ", " x ", " w ", %[code]\n"
#define ONE_WX(d, x, w) "xpv.dott.b " d ", " w ", " x ", %[code]\n"
#define ONE_PAIRS(DOT, count, CLIP)                                          \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                           \
        "xp.lw.postr %[b], %[w], %[step]\n"                                  \
        "xp.lw.postr %[d], %[w], %[step]\n"                                  \
        DOT("%[a]", "%[v]", "%[b]") DOT("%[b]", "%[u]", "%[b]")              \
        DOT("%[c]", "%[v]", "%[d]") DOT("%[d]", "%[u]", "%[d]")              \
        ONE_END("%[a]", "%[y]", CLIP) ONE_END("%[b]", "%[z]", CLIP)          \
        ONE_END("%[c]", "%[y]", CLIP) ONE_END("%[d]", "%[z]", CLIP)          \
        XP_BLOCK_END                                                         \
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),            \
          [w] "+&r"(w), [y] "+&r"(y), [z] "+&r"(z)                           \
        : [n] "r"(columns >> 1), [v] "r"(v), [u] "r"(u), [step] "r"(step),   \
          [mul] "r"(e->mul), [add] "r"(e->add), [shift] "r"(e->shift),       \
          [lo] "r"(e->lo), [hi] "r"(e->hi),                                  \
          [code] "i"(XP_SIGNS(LEFT, RIGHT)), [size] "i"(sizeof(Y)),          \
          [store] "i"(XP_TYPE(Y))                                            \
        : XP_CLOBBERS)
#define ONE_FOURS(DOT, count, CLIP)                                          \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                           \
        "xp.lw.postr %[a], %[w], %[step]\n"                                  \
        "xp.lw.postr %[b], %[w], %[step]\n"                                  \
        "xp.lw.postr %[c], %[w], %[step]\n"                                  \
        "xp.lw.postr %[d], %[w], %[step]\n"                                  \
        DOT("%[a]", "%[v]", "%[a]") DOT("%[b]", "%[v]", "%[b]")              \
        DOT("%[c]", "%[v]", "%[c]") DOT("%[d]", "%[v]", "%[d]")              \
        ONE_END("%[a]", "%[y]", CLIP) ONE_END("%[b]", "%[y]", CLIP)          \
        ONE_END("%[c]", "%[y]", CLIP) ONE_END("%[d]", "%[y]", CLIP)          \
        XP_BLOCK_END                                                         \
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),            \
          [w] "+&r"(w), [y] "+&r"(y)                                         \
        : [n] "r"(columns >> 2), [v] "r"(v), [step] "r"(step),               \
          [mul] "r"(e->mul), [add] "r"(e->add), [shift] "r"(e->shift),       \
          [lo] "r"(e->lo), [hi] "r"(e->hi),                                  \
          [code] "i"(XP_SIGNS(LEFT, RIGHT)), [size] "i"(sizeof(Y)),          \
          [store] "i"(XP_TYPE(Y))                                            \
        : XP_CLOBBERS)
#define ONE_LOOP(LOOP, DOT, short, wide)                                     \
    do {                                                                     \
        if (e->lo + e->hi == -1)                                             \
            LOOP(DOT, short, ONE_CLIP);                                      \
        else                                                                 \
            LOOP(DOT, wide, ONE_BOUNDS);                                     \
    } while (0)

/* Results y and z of words v and u by the words at w, `step` apart. */
static inline void one_words(int32_t v, int32_t u, const RIGHT *w,
                             int32_t step, int32_t columns,
                             const struct one_end *e, Y *y, Y *z)
{
    int32_t a, b, c, d;

    if (columns & 1) {
        b = word_load(w);
        *y++ = one_result(e, word_dot(0, v, b));
        *z++ = one_result(e, word_dot(0, u, b));
        w += step;
    }
    if (columns < 2)
        return;
    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        ONE_LOOP(ONE_PAIRS, ONE_WX, 22, 26);
    else
        ONE_LOOP(ONE_PAIRS, ONE_XW, 22, 26);
}

/* The same of one word. */
static inline void one_word(int32_t v, const RIGHT *w, int32_t step,
                            int32_t columns, const struct one_end *e, Y *y)
{
    int32_t a, b, c, d;

    for (; columns & 3; columns--, w += step)
        *y++ = one_result(e, word_dot(0, v, word_load(w)));
    if (!columns)
        return;
    if (WORD_SIGNED(LEFT) && !WORD_SIGNED(RIGHT))
        ONE_LOOP(ONE_FOURS, ONE_WX, 24, 28);
    else
        ONE_LOOP(ONE_FOURS, ONE_XW, 24, 28);
}
#else
static void one_word(int32_t v, const RIGHT *w, int32_t step, int32_t columns,
                     const struct one_end *e, Y *y)
{
    for (int32_t i = 0; i < columns; i++, w += step)
        y[i] = one_result(e, word_dot(0, v, word_load(w)));
}

static void one_words(int32_t v, int32_t u, const RIGHT *w, int32_t step,
                      int32_t columns, const struct one_end *e, Y *y, Y *z)
{
    one_word(v, w, step, columns, e, y);
    one_word(u, w, step, columns, e, z);
}
#endif

/* Results y of the row x, and if there are two, z of the next. */
static inline void one_rows(const struct matmul_dims *k,
                            const struct small_k *s, const LEFT *x, int two,
                            const RIGHT *w, int32_t columns,
                            const struct one_end *e, Y *y)
{
    const int32_t n = k->k, step = k->bn, up = 8 * (4 - n), end = s->end;
    const uint32_t a = (uint32_t)small_k_word(x, n);
    const uint32_t b = two ? (uint32_t)small_k_word(x + k->am, n) : 0;
    const RIGHT *rest = w + end * step + n - 4;
    Y *z = y + k->n;

    if (s->begin && two)
        one_words((int32_t)a, (int32_t)b, w, step, s->begin, e, y, z);
    else if (s->begin)
        one_word((int32_t)a, w, step, s->begin, e, y);
    for (int32_t i = s->begin; i < end; i++) {
        y[i] = one_result(e, small_k_dot(x, w + i * step, n));
        if (two)
            z[i] = one_result(e, small_k_dot(x + k->am, w + i * step, n));
    }
    if (end < columns && two)
        one_words((int32_t)(a << up), (int32_t)(b << up), rest, step,
                  columns - end, e, y + end, z + end);
    else if (end < columns)
        one_word((int32_t)(a << up), rest, step, columns - end, e, y + end);
}

/* All rows by `columns` rows of w, two at a time. */
static NOINLINE void one_scale32(const struct matmul_dims *k, const LEFT *x,
                                 const RIGHT *w, int32_t columns,
                                 const struct epilogue *q, Y *y)
{
    const int32_t mul = (int32_t)*q->mul;
    const struct one_end e = {
        mul, (int32_t)((uint32_t)*q->bias * (uint32_t)mul + (uint32_t)*q->add),
        q->shift, q->lo, q->hi};
    const struct small_k s = small_k_of(k->bn, k->k, columns);

    for (int32_t m = k->m; m > 0; m -= 2, x += 2 * k->am, y += 2 * k->n)
        one_rows(k, &s, x, m > 1, w, columns, &e, y);
}

/* Have all columns the same epilogue? */
#define VECTOR_ALL(k, x, w, columns, e, y)                                   \
    (!((e)->biasn | (e)->muln | (e)->addn) &&                                \
     (one_scale32(k, x, w, columns, e, y), 1))
#endif

#endif
