/* A row of 1 to 4 bytes times rows of bytes: a word of each, with what is not
 * of the row masked out of the left side.  Where all columns have the same
 * epilogue in 32 bits, their results are made at once: two columns of two rows
 * take 22 to 26 instructions.
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

    if (n > 1)
        v |= (uint32_t)(uint8_t)x[1] << 8;
    if (n > 2)
        v |= (uint32_t)(uint8_t)x[2] << 16;
    if (n > 3)
        v |= (uint32_t)(uint8_t)x[3] << 24;
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
#define ONE_LOOP(DOT)                                                        \
    do {                                                                     \
        if (e->lo + e->hi == -1)                                             \
            ONE_PAIRS(DOT, 22, ONE_CLIP);                                    \
        else                                                                 \
            ONE_PAIRS(DOT, 26, ONE_BOUNDS);                                  \
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
        ONE_LOOP(ONE_WX);
    else
        ONE_LOOP(ONE_XW);
}
#else
static void one_words(int32_t v, int32_t u, const RIGHT *w, int32_t step,
                      int32_t columns, const struct one_end *e, Y *y, Y *z)
{
    for (int32_t i = 0; i < columns; i++, w += step) {
        y[i] = one_result(e, word_dot(0, v, word_load(w)));
        z[i] = one_result(e, word_dot(0, u, word_load(w)));
    }
}
#endif

/* Results y and z of the rows v and x. */
static inline void one_rows(const struct matmul_dims *k,
                            const struct small_k *s, const LEFT *v,
                            const LEFT *x, const RIGHT *w, int32_t columns,
                            const struct one_end *e, Y *y, Y *z)
{
    const int32_t n = k->k, step = k->bn, up = 8 * (4 - n);
    const uint32_t a = (uint32_t)small_k_word(v, n);
    const uint32_t b = (uint32_t)small_k_word(x, n);

    if (s->begin)
        one_words((int32_t)a, (int32_t)b, w, step, s->begin, e, y, z);
    for (int32_t i = s->begin; i < s->end; i++) {
        y[i] = one_result(e, small_k_dot(v, w + i * step, n));
        z[i] = one_result(e, small_k_dot(x, w + i * step, n));
    }
    if (s->end < columns)
        one_words((int32_t)(a << up), (int32_t)(b << up),
                  w + s->end * step + n - 4, step, columns - s->end, e,
                  y + s->end, z + s->end);
}

/* All rows by `columns` rows of w, two at a time; a last one twice. */
static NOINLINE void one_scale32(const struct matmul_dims *k, const LEFT *x,
                                 const RIGHT *w, int32_t columns,
                                 const struct epilogue *q, Y *y)
{
    const int32_t mul = (int32_t)*q->mul;
    const struct one_end e = {
        mul, (int32_t)((uint32_t)*q->bias * (uint32_t)mul + (uint32_t)*q->add),
        q->shift, q->lo, q->hi};
    const struct small_k s = small_k_of(k->bn, k->k, columns);

    for (int32_t m = k->m; m > 0; m -= 2, x += 2 * k->am, y += 2 * k->n) {
        const int32_t more = m > 1;

        one_rows(k, &s, x, x + more * k->am, w, columns, &e, y,
                 y + more * k->n);
    }
}

/* Have all columns the same epilogue? */
#define VECTOR_ALL(k, x, w, columns, e, y)                                   \
    (!((e)->biasn | (e)->muln | (e)->addn) &&                                \
     (one_scale32(k, x, w, columns, e, y), 1))
#endif

#endif
