/* Weights of attention of its scores where a mask, if there is one, shows the
 * first columns of a row by 0 and hides the last ones by -128 (causal masks,
 * and those of lengths).
 *
 * op       iweigh
 * types    x:s8 scores:s8 powers:s32 parts:s8|u8 mask:s8 -> y:=parts
 * isa      xpulpv2
 * when     halvings >= 0 && halvings < 2 && rising && n > 3 && n % 4 == 0 &&
 *          n < 4096 && most < 65536 && p1 < 256 && most * n < 2147483648 &&
 *          most * most * n < 68719476736
 * param    ROWS 32 8
 * inplace  x
 * let      group = has.mask ? min(ROWS, 4 * each) : ROWS
 * scratch  512 + 32 * ROWS + 3 * n * group
 * split    rows
 * stack    512
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + fit.group / group +
 *          n / 4 * (fit.shown + halvings * fit.halved - has.mask *
 *          (fit.shown - fit.hidden) / 2 * (reach + hidden < 1))))
 * code     4850
 *
 * Scores are x, or half of it, so the greatest is that of the greatest x.  What
 * a mask hides has powers of scores of at most -1; they are made where these can
 * have any, and have the weight of none where they are too small for one.
 * Scores of words between shown and hidden ones are made with the mask and kept.
 */
#include "kern/xpulp/weigh.h"

#ifndef ROWS
#define ROWS 32 /* made together at most */
#endif

enum {
    CALL = 128 + 32 * ROWS, /* bytes of a call, */
    TABLE = 256,            /* and of a table */
    BANKS = 64,             /* of a word in each bank */
    MASKS = 4, /* rows of the mask that are made together at most, */
    RUN = 2,   /* and words that are worth a loop */
    HIDDEN = 64, /* rows with weights behind a mask, beside their places */
};

/* A call, and what its rows are now: of several rows of the mask as many each. */
struct call {
    struct weigh weigh;
    int32_t n, words;              /* elements and words of a row, */
    int32_t first, last;           /* words shown first, and hidden last, in all */
    int32_t rows, masks, each;     /* rows, of so many of the mask as many each */
    int32_t top[ROWS];             /* the greatest x, of each four columns, then
                                      the greatest score, */
    uintptr_t zero[ROWS];          /* powers of score 0, */
    uint32_t sum[ROWS];            /* sums of powers, */
    uint32_t most[ROWS];           /* the greatest of hidden ones, in halves, */
    uint32_t q[ROWS], r[ROWS];     /* and p1 by these, behind a point, and with
                                      its halves exchanged */
};

/* ---- loops: rows, and words of each ---- */

#ifdef XPULPV2
XP_CHECK(offsetof(struct call, sum) == offsetof(struct call, zero) + 4 * ROWS &&
             offsetof(struct call, most) == offsetof(struct call, sum) + 4 * ROWS,
         "sums and greatest powers do not follow the powers of score 0");

/* Scores of the four x of w; a is changed, too. */
#define ROW_HALF(w)                                                           \
    "xpv.srl.sci.b %[a], " w ", 7\n"                                          \
    "xpv.avg.b " w ", " w ", %[a]\n"
#define ROW_SAME(w)

/* The greatest scores of each four columns, of two words or more. */
#define ROW_TOPS(name, SCORES, more)                                          \
    static inline void name(struct call *c, const int8_t *x, int32_t words)   \
    {                                                                         \
        const int32_t odd = 4 * (words & 1), skip = c->n - 4 * words;         \
        int32_t *top = c->top, a, b, most;                                    \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 1, %[rows], 9 + " #more "\n"                  \
            "lw %[most], 0(%[x])\n"                                           \
            "add %[x], %[x], %[odd]\n"                                        \
            "xlp.setup 0, %[pairs], 4\n"                                      \
            "xp.lw.post %[a], %[x], 4\n"                                      \
            "xp.lw.post %[b], %[x], 4\n"                                      \
            "xpv.max.b %[most], %[most], %[a]\n"                              \
            "xpv.max.b %[most], %[most], %[b]\n" SCORES("%[most]")            \
            "xp.sw.post %[most], %[top], 4\n"                                 \
            "add %[x], %[x], %[skip]\n" XP_BLOCK_END                          \
            : [a] "=&r"(a), [b] "=&r"(b), [most] "=&r"(most), [x] "+&r"(x),   \
              [top] "+&r"(top)                                                \
            : [rows] "r"(c->rows), [pairs] "r"(words >> 1), [odd] "r"(odd),   \
              [skip] "r"(skip)                                                \
            : XP_CLOBBERS);                                                   \
    }
ROW_TOPS(tops_same, ROW_SAME, 0)
ROW_TOPS(tops_half, ROW_HALF, 2)

/* The scores of one word of each row with what its row of the mask adds, into t,
 * and the greatest. */
#define ROW_MASKED(name, SCORES, more)                                        \
    static inline void name(struct call *c, const int8_t *x, const MASK *mask,\
                            int32_t mrow, int8_t *t)                          \
    {                                                                         \
        int32_t *tops = c->top, a, w, top, m, lo, hi;                         \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 1, %[masks], 17 + " #more "\n"                \
            "xp.lw.postr %[m], %[mask], %[mrow]\n"                            \
            "nop\n"                                                           \
            "xpv.max.b %[hi], %[m], zero\n"                                   \
            "xpv.sub.b %[lo], %[m], %[hi]\n"                                  \
            "xpv.sub.b %[hi], %[most], %[hi]\n"                               \
            "xpv.sub.b %[lo], %[least], %[lo]\n"                              \
            "xlp.setup 0, %[each], 8 + " #more "\n"                           \
            "xp.lw.postr %[w], %[x], %[n]\n"                                  \
            "lw %[top], 0(%[tops])\n" SCORES("%[w]")                          \
            "xpv.max.b %[w], %[w], %[lo]\n"                                   \
            "xpv.min.b %[w], %[w], %[hi]\n"                                   \
            "xpv.add.b %[w], %[w], %[m]\n"                                    \
            "xpv.max.b %[top], %[top], %[w]\n"                                \
            "xp.sw.postr %[w], %[t], %[n]\n"                                  \
            "xp.sw.post %[top], %[tops], 4\n"                                 \
            "nop\n nop\n" XP_BLOCK_END                                        \
            : [a] "=&r"(a), [w] "=&r"(w), [top] "=&r"(top), [m] "=&r"(m),     \
              [lo] "=&r"(lo), [hi] "=&r"(hi),                                 \
              [x] "+&r"(x), [t] "+&r"(t), [tops] "+&r"(tops),                 \
              [mask] "+&r"(mask)                                              \
            : [masks] "r"(c->masks), [each] "r"(c->each), [n] "r"(c->n),      \
              [mrow] "r"(mrow), [least] "r"(LEAST_4), [most] "r"(MOST_4)      \
            : XP_CLOBBERS);                                                   \
    }
ROW_MASKED(masked_same, ROW_SAME, 0)
ROW_MASKED(masked_half, ROW_HALF, 2)

/* Powers of 16 bits of the scores of w, and into sum but for c's. */
#define POWERS_WORD                                                           \
    FOUR_PLACES FOUR_LOOK_UP("xp.lw.at", "%[zero]")                           \
    "xpv.pack %[a], %[b], %[a]\n"                                             \
    "xpv.pack %[c], %[d], %[c]\n"                                             \
    "xpv.sdotup.h %[sum], %[a], %[ones]\n"                                    \
    "xp.sw.post %[a], %[v], 4\n"                                              \
    "xp.sw.post %[c], %[v], 4\n"

/* Powers of rows, the sum of each, and the greatest one of what is hidden: of
 * words of x shown, of words of t, and of words of x hidden.  While a load is
 * waited for, the last powers of the word before are added. */
#define ROW_POWERS(name, SCORES, scores, HIDE, hides)                         \
    static inline void name(struct call *c, const int8_t *x, int32_t shown,   \
                            int32_t mixed, int32_t hidden)                    \
    {                                                                         \
        const int32_t skip = c->n - 4 * (shown + mixed + hidden);             \
        uint16_t *v = c->weigh.v;                                             \
        uintptr_t *at = c->zero;                                              \
        int32_t a, b, d, e, w, sum, zero, most;                               \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 1, %[rows], 65 + " #scores " + " #hides "\n"  \
            "lw %[zero], 0(%[at])\n"                                          \
            "mv %[c], zero\n"                                                 \
            "mv %[sum], zero\n"                                               \
            "mv %[most], zero\n"                                              \
            "beq %[shown], zero, 1f\n"                                        \
            "xlp.setup 0, %[shown], 15 + " #scores "\n"                       \
            "xp.lw.post %[w], %[x], 4\n"                                      \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            SCORES("%[w]") POWERS_WORD                                        \
            "1: beq %[mixed], zero, 2f\n"                                     \
            "xlp.setup 0, %[mixed], 16\n"                                     \
            "xp.lw.at %[w], %[x], %[to_t]\n"                                  \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            "addi %[x], %[x], 4\n" POWERS_WORD                                \
            "2: beq %[hidden], zero, 3f\n"                                    \
            "addi %[zero], %[zero], -128 * 4\n"                               \
            "xlp.setup 0, %[hidden], 17 + " #hides "\n"                       \
            "xp.lw.post %[w], %[x], 4\n"                                      \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            HIDE("%[w]") POWERS_WORD                                          \
            "xpv.maxu.h %[most], %[most], %[a]\n"                             \
            "xpv.maxu.h %[most], %[most], %[c]\n"                             \
            "3: add %[x], %[x], %[skip]\n"                                    \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            "sw %[most], %[to_most](%[at])\n"                                 \
            "add %[v], %[v], %[next]\n"                                       \
            "sw %[sum], %[to_sum](%[at])\n"                                   \
            "addi %[at], %[at], 4\n" XP_BLOCK_END                             \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(e), [d] "=&r"(d),         \
              [w] "=&r"(w), [sum] "=&r"(sum), [zero] "=&r"(zero),             \
              [most] "=&r"(most), [x] "+&r"(x), [v] "+&r"(v), [at] "+&r"(at)  \
            : [rows] "r"(c->rows), [shown] "r"(shown), [mixed] "r"(mixed),    \
              [hidden] "r"(hidden), [to_t] "r"(c->weigh.t - x),               \
              [skip] "r"(skip), [next] "r"(2 * skip), [i0] "r"(4),            \
              [i1] "r"(4 << 8), [i2] "r"(4 << 16), [i3] "r"(4 << 24),         \
              [ones] "r"(0x10001), [to_sum] "i"(4 * ROWS),                    \
              [to_most] "i"(8 * ROWS),                                        \
              [signs] "i"(XP_SIGNS(int8_t, int8_t))                           \
            : XP_CLOBBERS);                                                   \
    }
#define ROW_HIDDEN(w) "xpv.max.b " w ", " w ", zero\n"
#define ROW_HALF_HIDDEN(w) ROW_HIDDEN(w) "xpv.srl.sci.b " w ", " w ", 1\n"
ROW_POWERS(powers_same, ROW_SAME, 0, ROW_HIDDEN, 1)
ROW_POWERS(powers_half, ROW_HALF, 2, ROW_HALF_HIDDEN, 2)

/* Weights of powers of rows from i on (attend_weights_* of
 * kern/xpulp/attend.h). */
#define ROW_WEIGHTS(name, places, LOOK_UP, steps)                             \
    static inline void name(const struct call *c, int32_t i, int32_t rows,    \
                            int32_t words, Y *y)                              \
    {                                                                         \
        const int32_t skip = c->n - 4 * words;                                \
        const uint32_t *qs = c->q + i, *rs = c->r + i;                        \
        const uint16_t *v = c->weigh.v + i * c->n;                            \
        uint32_t a, b, d, e, f, g, q, r;                                      \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 1, %[rows], 5 + " #steps "\n"                 \
            "xp.lw.post %[q], %[qs], 4\n"                                     \
            "xp.lw.post %[r], %[rs], 4\n"                                     \
            "xlp.setup 0, %[words], " #steps "\n"                             \
            ATTEND_WEIGHTS_WORD(places, LOOK_UP)                              \
            "xp.sw.post %[a], %[y], 4\n"                                      \
            "add %[v], %[v], %[next]\n"                                       \
            "add %[y], %[y], %[skip]\n" XP_BLOCK_END                          \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(g), [d] "=&r"(d),         \
              [e] "=&r"(e), [f] "=&r"(f), [q] "=&r"(q), [r] "=&r"(r),         \
              [v] "+&r"(v), [y] "+&r"(y), [qs] "+&r"(qs), [rs] "+&r"(rs)      \
            : [rows] "r"(rows), [words] "r"(words), [skip] "r"(skip),         \
              [next] "r"(2 * skip), [table] "r"(c->weigh.parts)               \
            : XP_CLOBBERS);                                                   \
    }
ROW_WEIGHTS(weights_24, 8, ATTEND_LOOK_UP, 17)
ROW_WEIGHTS(weights_32, 16, ATTEND_LOOK_UP, 17)
ROW_WEIGHTS(weights_36, 20, ATTEND_LOOK_UP, 17)
ROW_WEIGHTS(weights_24_same, 8, "", 13)
ROW_WEIGHTS(weights_32_same, 16, "", 13)

/* Greatest scores of rows of those of each four columns, and powers of score 0 of
 * them; returns the least. */
static inline int32_t top_rows(struct call *c)
{
    const int32_t *from = c->top;
    int32_t *to = c->top, least = 127, w, a;
    uintptr_t *zero = c->zero;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[rows], 11\n"
        "xp.lw.post %[w], %[from], 4\n"
        "srli %[a], %[w], 16\n xpv.max.b %[w], %[w], %[a]\n"
        "srli %[a], %[w], 8\n xpv.max.b %[w], %[w], %[a]\n"
        "xpv.extractt.b %[w], %[w], 0, 0\n"
        "slli %[a], %[w], 2\n sub %[a], %[powers], %[a]\n"
        "xp.sw.post %[a], %[zero], 4\n xp.sw.post %[w], %[to], 4\n"
        "xp.min %[least], %[least], %[w]\n" XP_BLOCK_END
        : [w] "=&r"(w), [a] "=&r"(a), [from] "+&r"(from), [to] "+&r"(to),
          [zero] "+&r"(zero), [least] "+&r"(least)
        : [rows] "r"(c->rows), [powers] "r"(c->weigh.powers)
        : XP_CLOBBERS);
    return least;
}

/* `words` words of each of some rows, four at least, become one; the last three
 * perhaps twice. */
static inline void fill_long(const struct call *c, Y *y, int32_t rows,
                             int32_t words, int32_t word)
{
    __asm__ volatile(
        XP_BLOCK "xlp.setup 1, %[rows], 10\n"
        "xlp.setup 0, %[fours], 4\n"
        "xp.sw.post %[word], %[y], 4\n xp.sw.post %[word], %[y], 4\n"
        "xp.sw.post %[word], %[y], 4\n xp.sw.post %[word], %[y], 4\n"
        "add %[y], %[y], %[rest]\n"
        "sw %[word], -4(%[y])\n sw %[word], -8(%[y])\n sw %[word], -12(%[y])\n"
        "add %[y], %[y], %[skip]\n" XP_BLOCK_END
        : [y] "+&r"(y)
        : [rows] "r"(rows), [fours] "r"(words >> 2), [word] "r"(word),
          [rest] "r"(4 * (words & 3)), [skip] "r"(c->n - 4 * words)
        : XP_CLOBBERS);
}

/* Is any word another one? */
static inline int differs(const MASK *mask, int32_t words, int32_t word)
{
    int32_t any = 0, w = word;

    if (words)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[words], 3\n"
            "xor %[w], %[w], %[word]\n"
            "or %[any], %[any], %[w]\n"
            "xp.lw.post %[w], %[mask], 4\n" XP_BLOCK_END
            : [any] "+&r"(any), [w] "+&r"(w), [mask] "+&r"(mask)
            : [words] "r"(words), [word] "r"(word)
            : XP_CLOBBERS);
    return any || w != word;
}
#else
#define ROW_TOPS(name, by)                                                    \
    static inline void name(struct call *c, const int8_t *x, int32_t words)   \
    {                                                                         \
        for (int32_t i = 0; i < c->rows; i++, x += c->n) {                    \
            int8_t top[4];                                                    \
                                                                              \
            word_store(top, LEAST_4);                                         \
            for (int32_t j = 0; j < 4 * words; j++)                           \
                if (x[j] / (by) > top[j & 3])                                 \
                    top[j & 3] = (int8_t)(x[j] / (by));                       \
            c->top[i] = word_load(top);                                       \
        }                                                                     \
    }
ROW_TOPS(tops_same, 1)
ROW_TOPS(tops_half, 2)

#define ROW_MASKED(name, by)                                                  \
    static inline void name(struct call *c, const int8_t *x, const MASK *mask,\
                            int32_t mrow, int8_t *t)                          \
    {                                                                         \
        for (int32_t i = 0; i < c->rows; i++, x += c->n, t += c->n) {         \
            const MASK *m = mask + i / c->each * mrow;                        \
            int8_t top[4];                                                    \
                                                                              \
            word_store(top, c->top[i]);                                       \
            for (int32_t j = 0; j < 4; j++) {                                 \
                t[j] = (int8_t)clip(x[j] / (by) + m[j], -128, 127);           \
                top[j] = t[j] > top[j] ? t[j] : top[j];                       \
            }                                                                 \
            c->top[i] = word_load(top);                                       \
        }                                                                     \
    }
ROW_MASKED(masked_same, 1)
ROW_MASKED(masked_half, 2)

#define ROW_POWERS(name, by)                                                  \
    static inline void name(struct call *c, const int8_t *x, int32_t shown,   \
                            int32_t mixed, int32_t hidden)                    \
    {                                                                         \
        const int32_t first = 4 * shown, last = first + 4 * mixed;            \
                                                                              \
        for (int32_t i = 0; i < c->rows; i++, x += c->n) {                    \
            uint16_t *v = c->weigh.v + i * c->n;                              \
                                                                              \
            c->sum[i] = c->most[i] = 0;                                       \
            for (int32_t j = 0; j < last + 4 * hidden; j++) {                 \
                const int32_t s =                                             \
                    j < first  ? x[j] / (by)                                  \
                    : j < last ? c->weigh.t[i * c->n + j]                     \
                               : (x[j] > 0 ? x[j] / (by) : 0) - 128;          \
                                                                              \
                v[j] = (uint16_t)power(c->zero[i], s);                        \
                c->sum[i] += v[j];                                            \
                if (j >= last && v[j] > c->most[i])                           \
                    c->most[i] = v[j];                                        \
            }                                                                 \
        }                                                                     \
    }
ROW_POWERS(powers_same, 1)
ROW_POWERS(powers_half, 2)

#define ROW_WEIGHTS(name, of_row)                                             \
    static inline void name(const struct call *c, int32_t i, int32_t rows,    \
                            int32_t words, Y *y)                              \
    {                                                                         \
        for (const int32_t end = i + rows; i < end; i++, y += c->n)           \
            of_row(c->weigh.v + i * c->n, words, c->q[i], c->weigh.parts,     \
                   (char *)y);                                                \
    }
ROW_WEIGHTS(weights_24, attend_weights_24)
ROW_WEIGHTS(weights_32, attend_weights_32)
ROW_WEIGHTS(weights_36, attend_weights_36)
#define weights_24_same weights_24
#define weights_32_same weights_32
#define fill_long fill_short

static int differs(const MASK *mask, int32_t words, int32_t word)
{
    int32_t any = 0;

    for (int32_t i = 0; i < words; i++)
        any |= word_load(mask + 4 * i) ^ word;
    return any != 0;
}

static int32_t top_rows(struct call *c)
{
    int32_t least = 127;

    for (int32_t i = 0; i < c->rows; i++) {
        c->top[i] = attend_most(c->top[i]);
        c->zero[i] = (uintptr_t)(c->weigh.powers - c->top[i]);
        least = c->top[i] < least ? c->top[i] : least;
    }
    return least;
}
#endif

static void fill_short(const struct call *c, Y *y, int32_t rows, int32_t words,
                       int32_t word)
{
    for (; rows > 0; rows--, y += c->n)
        words_fill(y, words, word);
}

/* ---- of rows of the mask ---- */

/* Words that a row of the mask shows first and hides last; `first` and `last`
 * become these where they are more. */
static void take_mask(const MASK *mask, int32_t words, int32_t *first,
                      int32_t *last)
{
    int32_t i = 0;

    while (i < words && !word_load(mask + 4 * i))
        i++;
    *first = i < *first ? i : *first;
    for (i = words; i > 0 && word_load(mask + 4 * i - 4) == LEAST_4; i--)
        ;
    *last = words - i < *last ? words - i : *last;
}

/* The same of the rows of a group.  Later rows are looked at as far as the first
 * one tells what they have. */
static NOINLINE void take_masks(struct call *c, const struct weigh_dims *k,
                                const MASK *mask)
{
    c->first = c->last = c->words;
    for (int32_t i = 0; i < c->rows; i += c->each, mask += k->mrow)
        if (!i || differs(mask, c->first, 0) ||
            differs(mask + 4 * (c->words - c->last), c->last, LEAST_4))
            take_mask(mask, c->words, &c->first, &c->last);
    c->first = c->first < RUN ? 0 : c->first;
}

/* ---- of some rows ---- */

/* The greatest score of each row, but for hidden ones; returns the least of
 * these. */
static NOINLINE int32_t take_tops(struct call *c, const struct weigh_dims *k,
                                  const int8_t *x, const MASK *mask)
{
    static const MASK none[4] = {0};

    if (c->first)
        (k->halvings ? tops_half : tops_same)(c, x, c->first);
    else
        words_fill(c->top, c->rows, LEAST_4);
    for (int32_t i = 4 * c->first; i < 4 * (c->words - c->last); i += 4)
        (k->halvings ? masked_half : masked_same)(
            c, x + i, mask ? mask + i : none, mask ? k->mrow : 0,
            c->weigh.t + i);
    return top_rows(c);
}

static NOINLINE void make_powers(struct call *c, const struct weigh_dims *k,
                                 const int8_t *x, int hidden)
{
    const int32_t mixed = c->words - c->last - c->first;

    (k->halvings ? powers_half : powers_same)(c, x, c->first, mixed,
                                              hidden ? c->last : 0);
}

/* Has what is hidden in row i a weight other than that of no power? */
static inline int weighs_hidden(const struct call *c, uint32_t p1, int32_t i)
{
    const uint32_t low = c->most[i] & 0xffff, high = c->most[i] >> 16;

    return (low > high ? low : high) * p1 >= c->sum[i];
}

/* Of row i, of powers of so many bits: p1 by its sum; returns places behind the
 * point. */
static inline int32_t take_inverse(struct call *c, uint32_t p1, int32_t most,
                                   int32_t i)
{
    const uint32_t sum = c->sum[i] | !c->sum[i];
    const int32_t point = attend_point(sum, most);
    const uint32_t by = attend_inverse(p1, sum, point);

    c->q[i] = by;
    c->r[i] = by >> 16 | by << 16;
    return point;
}

/* Rows [i, end), all with as many places, and with the weight of no power where
 * nothing shown or HIDDEN is. */
static inline void weigh_rows(const struct call *c, int32_t i, int32_t end,
                              int32_t kind, Y *y)
{
    const int32_t none = (int32_t)((uint8_t)c->weigh.parts[0] * 0x01010101u);
    const int32_t rest = kind & HIDDEN ? 0 : c->last, words = c->words - rest;
    const int32_t point = kind & ~HIDDEN;
    const int same = c->weigh.same;

    y += i * c->n;
    if (words)
        (point == 36   ? weights_36
         : point == 32 ? same ? weights_32_same : weights_32
         : same        ? weights_24_same : weights_24)(c, i, end - i, words, y);
    if (rest)
        (rest > 3 ? fill_long : fill_short)(c, y + 4 * words, end - i, rest,
                                            none);
}

/* Rows of a kind are made together. */
static NOINLINE void put_weights(struct call *c, const struct weigh_dims *k,
                                 int hidden, Y *y)
{
    const uint32_t p1 = (uint32_t)k->p1;
    const int32_t rows = c->rows, most = c->weigh.bits;
    int32_t from = 0, last = 0;

    for (int32_t i = 0; i < rows; i++) {
        int32_t kind = take_inverse(c, p1, most, i);

        if (hidden && weighs_hidden(c, p1, i))
            kind |= HIDDEN;
        if (__builtin_expect(kind != last, 0)) {
            if (i)
                weigh_rows(c, from, i, last, y);
            from = i;
            last = kind;
        }
    }
    weigh_rows(c, from, rows, last, y);
}

/* Where a hidden score may be the greatest, all are made the usual way. */
static void put_group(struct call *c, const struct weigh_dims *k,
                      const int8_t *x, const MASK *mask, Y *y)
{
    const int32_t last = c->last;
    int32_t least = take_tops(c, k, x, mask);
    int hidden;

    if (last && least < k->hidden) {
        c->last = 0;
        least = take_tops(c, k, x, mask);
    }
    hidden = c->last && least - k->hidden < k->reach;
    make_powers(c, k, x, hidden);
    put_weights(c, k, hidden, y);
    c->last = last;
}

/* ---- of a call ---- */

static struct call *begin(const struct weigh_dims *k, const struct io *io)
{
    const int32_t few = io->in[4] ? MASKS * k->each : ROWS;
    struct call *c = io->tmp;
    char *own = (char *)io->tmp + CALL;

    c->weigh = weigh_begin(k, io);
    c->weigh.parts = attend_own_parts(c->weigh.parts, own, io->core);
    c->weigh.v = (uint16_t *)(void *)(own + TABLE + 2 * BANKS);
    c->weigh.t = (int8_t *)(c->weigh.v + (few < ROWS ? few : ROWS) * k->n);
    c->n = k->n;
    c->words = k->n >> 2;
    c->first = c->words < RUN ? 0 : c->words;
    c->last = 0;
    return c;
}

/* `rows` rows from row i on, under rows of the mask for c->each, or none. */
static void put_rows(struct call *c, const struct weigh_dims *k,
                     const struct io *io, int32_t i, int32_t rows,
                     const MASK *mask)
{
    const int8_t *x = (const int8_t *)io->in[0] + (ptrdiff_t)i * k->n;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)i * k->n;

    c->rows = rows;
    c->masks = rows / c->each;
    if (mask)
        take_masks(c, k, mask);
    put_group(c, k, x, mask, y);
}

/* Rows [i, end), under no mask or one row of it. */
static void put_span(struct call *c, const struct weigh_dims *k,
                     const struct io *io, int32_t i, int32_t end,
                     const MASK *mask)
{
    for (; i < end; i += c->each) {
        c->each = end - i < ROWS ? end - i : ROWS;
        put_rows(c, k, io, i, c->each, mask);
    }
}

/* Rows [i, end), under their rows of the mask. */
static void put_masked(struct call *c, const struct weigh_dims *k,
                       const struct io *io, int32_t i, int32_t end)
{
    int32_t of = i / k->each, next;
    const MASK *mask = (const MASK *)io->in[4] + (ptrdiff_t)of * k->mrow;

    for (; i < end; i = next, mask += k->mrow) {
        of++;
        next = of * k->each < end ? of * k->each : end;
        put_span(c, k, io, i, next, mask);
    }
}

/* Rows of the mask that are made together, where each core gets as many, forth
 * and back; 0: they are not. */
static int32_t together(const struct weigh_dims *k, int32_t ncore)
{
    const int32_t masks = k->rows / k->each;
    int32_t some = k->each > ROWS ? 0 : MASKS;

    while (some && (masks % (2 * some * ncore) || some * k->each > ROWS))
        some >>= 1;
    return some;
}

/* Later rows of a mask often show more, so groups of them go to cores forth and
 * back. */
void FN(const struct weigh_dims *k, const struct io *io)
{
    const MASK *mask = io->in[4];
    const int32_t some = mask ? together(k, io->ncore) : 0;
    struct call *c = begin(k, io);
    int32_t i, end, at = io->core;

    if (!some) {
        span(k->rows, io->core, io->ncore, &i, &end);
        if (mask)
            put_masked(c, k, io, i, end);
        else
            put_span(c, k, io, i, end, mask);
        return;
    }
    c->each = k->each;
    for (i = 0; i < k->rows; i += some * k->each * io->ncore) {
        const int32_t first = i + at * some * k->each;

        put_rows(c, k, io, first, some * k->each,
                 mask + (ptrdiff_t)(first / k->each) * k->mrow);
        at = io->ncore - 1 - at;
    }
}
