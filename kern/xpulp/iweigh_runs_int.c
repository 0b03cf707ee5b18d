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
 * scratch  512 + 20 * ROWS + 3 * n * group
 * split    rows
 * stack    512
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + fit.group / group +
 *          n / 4 * (fit.shown + halvings * fit.halved - has.mask *
 *          (fit.shown - fit.made + (fit.made - fit.hidden) *
 *          (reach + hidden < 1)) / 2)))
 * code     1360
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
    CALL = 128 + 20 * ROWS, /* bytes of a call, */
    TABLE = 256,            /* and of a table */
    BANKS = 64,             /* of a word in each bank */
    MASKS = 4, /* rows of the mask that are made together at most, */
    RUN = 2,   /* and words that are worth a loop */
};

/* A call, and what its rows are now: of several rows of the mask as many each.
 * */
struct call {
    struct weigh weigh;
    int32_t n, words;              /* elements and words of a row, */
    int32_t first, last;           /* words shown first, and hidden last, in
                                      all; one is between these at least */
    int32_t rows, masks, each;     /* rows, of so many of the mask as many each */
    int32_t point;                 /* places of all quotients; 0: each row's */
    int32_t least;                 /* LEAST_4, the greatest of no scores */
    int32_t top[ROWS];             /* the greatest score, of each four columns, */
    uintptr_t zero[ROWS];          /* powers of score 0, */
    uint32_t sum[ROWS];            /* sums of powers, */
    int32_t count[ROWS];           /* and words of them that are kept */
};

/* ---- loops: rows, and words of each ---- */

/* Where the power of score 0 is in a row whose greatest score is `top`. */
static inline uintptr_t zero_of(const struct call *c, int32_t top)
{
    return (uintptr_t)c->weigh.powers - 4 * (uintptr_t)(intptr_t)top;
}

#ifdef XPULPV2
XP_MEMBER(struct call, sum, offsetof(struct call, zero) + 4 * ROWS);
XP_MEMBER(struct call, count, offsetof(struct call, sum) + 4 * ROWS);

/* Scores of the four x of w; a is changed, too. */
#define ROW_HALF(w)                                                           \
    "xpv.srl.sci.b %[a], " w ", 7\n"                                          \
    "xpv.avg.b " w ", " w ", %[a]\n"
#define ROW_SAME(w)

/* Of four bytes of the mask, t6: what bounds scores before these are added,
 * from LEAST_4 and MOST_4. */
#define ROW_BOUNDS(least, most)                                               \
    "xpv.max.b t5, t6, zero\n"                                                \
    "xpv.sub.b t4, t6, t5\n"                                                  \
    "xpv.sub.b t5, " most ", t5\n"                                            \
    "xpv.sub.b t4, " least ", t4\n"
#define ROW_MASK(w)                                                           \
    "xpv.max.b " w ", " w ", t4\n"                                            \
    "xpv.min.b " w ", " w ", t5\n"                                            \
    "xpv.add.b " w ", " w ", t6\n"

/* The scores of one word of each row with what its row of the mask adds, into
 * t, and the greatest. */
#define ROW_MASKED(name, SCORES, more)                                        \
    static inline void name(struct call *c, const int8_t *x, const MASK *mask,\
                            int32_t mrow, int8_t *t)                          \
    {                                                                         \
        int32_t *tops = c->top, a, w, top;                                    \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 1, %[masks], 15 + " #more "\n"                \
            "xp.lw.postr t6, %[mask], %[mrow]\n"                              \
            ROW_BOUNDS("%[least]", "%[most]")                                 \
            "xlp.setup 0, %[each], 8 + " #more "\n"                           \
            "xp.lw.postr %[w], %[x], %[n]\n"                                  \
            "lw %[top], 0(%[tops])\n" SCORES("%[w]") ROW_MASK("%[w]")         \
            "xpv.max.b %[top], %[top], %[w]\n"                                \
            "xp.sw.postr %[w], %[t], %[n]\n"                                  \
            "xp.sw.post %[top], %[tops], 4\n"                                 \
            "nop\n" XP_BLOCK_END                                              \
            : [a] "=&r"(a), [w] "=&r"(w), [top] "=&r"(top), [x] "+&r"(x),     \
              [t] "+&r"(t), [tops] "+&r"(tops), [mask] "+&r"(mask)            \
            : [masks] "r"(c->masks), [each] "r"(c->each), [n] "r"(c->n),      \
              [mrow] "r"(mrow), [least] "r"(LEAST_4), [most] "r"(MOST_4)      \
            : XP_CLOBBERS, "t4", "t5", "t6");                                 \
    }
ROW_MASKED(masked_same, ROW_SAME, 0)
ROW_MASKED(masked_half, ROW_HALF, 2)

/* Powers of score 0 of each row, by its greatest score: of words shown, of the
 * word at `at`, which goes to t, with what its row of the mask adds, and of
 * words between them, `tops`, `step` bytes apart.  Returns the last of these
 * places. */
#define ROW_TOPS(name, SCORES, more)                                          \
    static inline uintptr_t name(struct call *c, const int8_t *x,             \
                                 const int8_t *at, const MASK *mask,          \
                                 int32_t mrow, int8_t *t,                     \
                                 const int32_t *tops, int32_t step)           \
    {                                                                         \
        const int32_t words = c->first;                                       \
        const int32_t odd = 4 * (words & 1), skip = c->n - 4 * words;         \
        uintptr_t *zero = c->zero, most = 0;                                  \
        int32_t a, b, w, top, masks = c->masks;                               \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "1: xp.lw.postr t6, %[mask], %[mrow]\n"                  \
            "li %[top], 0x7f7f7f7f\n"                                         \
            "li %[b], -0x7f7f7f80\n"                                          \
            ROW_BOUNDS("%[b]", "%[top]")                                      \
            "xlp.setup 1, %[each], 25 + 2 * " #more "\n"                      \
            "beq %[pairs], zero, 2f\n"                                        \
            "lw %[b], 0(%[x])\n"                                              \
            "add %[x], %[x], %[odd]\n"                                        \
            "xlp.setup 0, %[pairs], 4\n"                                      \
            "xp.lw.post %[a], %[x], 4\n"                                      \
            "xp.lw.post %[w], %[x], 4\n"                                      \
            "xpv.max.b %[b], %[b], %[a]\n"                                    \
            "xpv.max.b %[b], %[b], %[w]\n" SCORES("%[b]")                     \
            "add %[x], %[x], %[skip]\n"                                       \
            "2: xp.lw.postr %[w], %[at], %[n]\n"                              \
            "xp.lw.postr %[top], %[tops], %[step]\n"                          \
            SCORES("%[w]") ROW_MASK("%[w]")                                   \
            "xpv.max.b %[top], %[top], %[b]\n"                                \
            "xpv.max.b %[top], %[top], %[w]\n"                                \
            "xp.sw.postr %[w], %[t], %[n]\n"                                  \
            "srli %[a], %[top], 16\n xpv.max.b %[top], %[top], %[a]\n"        \
            "srli %[a], %[top], 8\n xpv.max.b %[top], %[top], %[a]\n"         \
            "xpv.dotsp.b %[a], %[top], %[by]\n"                               \
            "add %[a], %[powers], %[a]\n"                                     \
            "xp.sw.post %[a], %[zero], 4\n"                                   \
            "xp.max %[most], %[most], %[a]\n"                                 \
            "addi %[masks], %[masks], -1\n"                                   \
            "bne %[masks], zero, 1b\n" XP_BLOCK_END                           \
            : [a] "=&r"(a), [b] "=&r"(b), [w] "=&r"(w), [top] "=&r"(top),     \
              [x] "+&r"(x), [at] "+&r"(at), [t] "+&r"(t), [tops] "+&r"(tops), \
              [mask] "+&r"(mask), [zero] "+&r"(zero), [most] "+&r"(most),     \
              [masks] "+&r"(masks)                                            \
            : [each] "r"(c->each), [pairs] "r"(words >> 1), [odd] "r"(odd),   \
              [skip] "r"(skip), [n] "r"(c->n), [mrow] "r"(mrow),              \
              [step] "r"(step), [powers] "r"(c->weigh.powers), [by] "r"(0xfc) \
            : XP_CLOBBERS, "t4", "t5", "t6");                                 \
        return most;                                                          \
    }
ROW_TOPS(tops_same, ROW_SAME, 0)
ROW_TOPS(tops_half, ROW_HALF, 2)

/* Powers of 16 bits of the scores of w, and into sum but for c's. */
#define POWERS_WORD                                                           \
    FOUR_PLACES FOUR_LOOK_UP("xp.lw.at", "%[zero]")                           \
    "xpv.pack %[a], %[b], %[a]\n"                                             \
    "xpv.pack %[c], %[d], %[c]\n"                                             \
    "xpv.sdotup.h %[sum], %[a], %[ones]\n"                                    \
    "xp.sw.post %[a], %[v], 4\n"                                              \
    "xp.sw.post %[c], %[v], 4\n"

/* Powers of rows, one behind the other, and the sum of each: of words of x
 * shown, of words of t, and where that of score 0 lies behind `bound`, of words
 * of x hidden, which are kept if the greatest of them has a weight other than
 * that of no power.  While a load is waited for, the last powers of the word
 * before are added. */
#define ROW_POWERS(name, SCORES, scores, HIDE, hides)                         \
    static inline void name(struct call *c, const int8_t *x, uint32_t p1,     \
                            uintptr_t bound)                                  \
    {                                                                         \
        const int32_t shown = c->first, hidden = c->last;                     \
        const int32_t some = c->words - hidden;                               \
        uint16_t *v = c->weigh.v;                                             \
        uintptr_t *at = c->zero;                                              \
        int32_t a, b, d, e, w, sum, zero, most;                               \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK                                                          \
            "xlp.setup 1, %[rows], 75 + " #scores " + " #hides "\n"           \
            "lw %[zero], 0(%[at])\n"                                          \
            "mv %[c], zero\n"                                                 \
            "mv %[sum], zero\n"                                               \
            "beq %[shown], zero, 1f\n"                                        \
            "xlp.setup 0, %[shown], 15 + " #scores "\n"                       \
            "xp.lw.post %[w], %[x], 4\n"                                      \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            SCORES("%[w]") POWERS_WORD                                        \
            "1: xlp.setup 0, %[mixed], 16\n"                                  \
            "xp.lw.at %[w], %[x], %[to_t]\n"                                  \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            "addi %[x], %[x], 4\n" POWERS_WORD                                \
            "mv %[d], %[some]\n"                                              \
            "bgeu %[bound], %[zero], 3f\n"                                    \
            "addi %[zero], %[zero], -128 * 4\n"                               \
            "mv %[most], zero\n"                                              \
            "xlp.setup 0, %[hidden], 17 + " #hides "\n"                       \
            "xp.lw.post %[w], %[x], 4\n"                                      \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            HIDE("%[w]") POWERS_WORD                                          \
            "xpv.maxu.h %[most], %[most], %[a]\n"                             \
            "xpv.maxu.h %[most], %[most], %[c]\n"                             \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            "mv %[c], zero\n"                                                 \
            "srli %[a], %[most], 16\n"                                        \
            "xpv.maxu.h %[most], %[most], %[a]\n"                             \
            "xp.mulun %[most], %[most], %[p1], 0\n"                           \
            "sub %[x], %[x], %[skip]\n"                                       \
            "add %[d], %[some], %[hidden]\n"                                  \
            "bgeu %[most], %[sum], 3f\n"                                      \
            "mv %[d], %[some]\n"                                              \
            "sub %[v], %[v], %[skip]\n"                                       \
            "sub %[v], %[v], %[skip]\n"                                       \
            "3: add %[x], %[x], %[skip]\n"                                    \
            "xpv.sdotup.h %[sum], %[c], %[ones]\n"                            \
            "sw %[d], 2 * %[to_sum](%[at])\n"                                 \
            "sw %[sum], %[to_sum](%[at])\n"                                   \
            "addi %[at], %[at], 4\n" XP_BLOCK_END                             \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(e), [d] "=&r"(d),         \
              [w] "=&r"(w), [sum] "=&r"(sum), [zero] "=&r"(zero),             \
              [most] "=&r"(most), [x] "+&r"(x), [v] "+&r"(v), [at] "+&r"(at)  \
            : [rows] "r"(c->rows), [shown] "r"(shown),                        \
              [mixed] "r"(some - shown), [hidden] "r"(hidden),                \
              [to_t] "r"(c->weigh.t - x), [skip] "r"(4 * hidden),             \
              [some] "r"(some), [bound] "r"(bound), [p1] "r"(p1),             \
              [i0] "r"(4), [i1] "r"(4 << 8), [i2] "r"(4 << 16),               \
              [i3] "r"(4 << 24), [ones] "r"(0x10001), [to_sum] "i"(4 * ROWS), \
              [signs] "i"(XP_SIGNS(int8_t, int8_t))                           \
            : XP_CLOBBERS);                                                   \
    }
#define ROW_HIDDEN(w) "xpv.max.b " w ", " w ", zero\n"
#define ROW_HALF_HIDDEN(w) ROW_HIDDEN(w) "xpv.srl.sci.b " w ", " w ", 1\n"
ROW_POWERS(powers_same, ROW_SAME, 0, ROW_HIDDEN, 1)
ROW_POWERS(powers_half, ROW_HALF, 2, ROW_HALF_HIDDEN, 2)

/* Inverses q by the sum of a row, q before: of 24 places the quotient and 1;
 * all is 2^24 p1. */
#define INVERSE_24                                                            \
    "divu %[q], %[all], %[q]\n addi %[q], %[q], 1\n"
/* Of 32: with a = (2^32 - 1) / sum, rounded down, 2^32 p1 / sum is a p1 + b /
 * sum, b being (2^32 - a sum) p1; and (a + 1) / 2^32 exceeds 1 / sum by 2^-32
 * at most. */
#define INVERSE_32                                                            \
    "divu %[a], %[all], %[q]\n"                                               \
    "mul %[b], %[a], %[q]\n"                                                  \
    "sub %[b], zero, %[b]\n"                                                  \
    "mul %[b], %[b], %[p1]\n"                                                 \
    "addi %[q], %[a], 1\n"                                                    \
    "mulhu %[q], %[q], %[b]\n"                                                \
    "xp.mac %[q], %[a], %[p1]\n"                                              \
    "addi %[q], %[q], 1\n"

/* Weights of powers that are kept (ATTEND_WEIGHTS_WORD of kern/xpulp/attend.h).
 * */
#define ROW_WEIGHTS(name, INVERSE, inverse, all_of, places, LOOK_UP, steps)   \
    static inline void name(const struct call *c, uint32_t p1, Y *y)          \
    {                                                                         \
        const uint32_t *sum = c->sum;                                         \
        const uint16_t *v = c->weigh.v;                                       \
        uint32_t a, b, d, e, f, g, q, r;                                      \
        int32_t count;                                                        \
        Y *to;                                                                \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK                                                          \
            "xlp.setup 1, %[rows], 7 + " #inverse " + " #steps "\n"           \
            "xp.lw.post %[q], %[sum], 4\n"                                    \
            "lw %[count], %[to_count] - 4(%[sum])\n" INVERSE                  \
            "mv %[to], %[y]\n"                                                \
            "srli %[r], %[q], 16\n xpv.pack %[r], %[q], %[r]\n"               \
            "xlp.setup 0, %[count], " #steps "\n"                             \
            ATTEND_WEIGHTS_WORD(places, LOOK_UP)                              \
            "xp.sw.post %[a], %[to], 4\n"                                     \
            "add %[y], %[y], %[n]\n" XP_BLOCK_END                             \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(g), [d] "=&r"(d),         \
              [e] "=&r"(e), [f] "=&r"(f), [q] "=&r"(q), [r] "=&r"(r),         \
              [count] "=&r"(count), [to] "=&r"(to), [v] "+&r"(v),             \
              [y] "+&r"(y), [sum] "+&r"(sum)                                  \
            : [rows] "r"(c->rows), [n] "r"(c->n), [all] "r"(all_of),          \
              [p1] "r"(p1), [table] "r"(c->weigh.parts),                      \
              [to_count] "i"(4 * ROWS)                                        \
            : XP_CLOBBERS);                                                   \
    }
ROW_WEIGHTS(weights_24, INVERSE_24, 2, p1 << 24, 8, ATTEND_LOOK_UP, 17)
ROW_WEIGHTS(weights_32, INVERSE_32, 8, UINT32_MAX, 16, ATTEND_LOOK_UP, 17)
ROW_WEIGHTS(weights_24_same, INVERSE_24, 2, p1 << 24, 8, "", 13)
ROW_WEIGHTS(weights_32_same, INVERSE_32, 8, UINT32_MAX, 16, "", 13)

/* `words` words of each of some rows, four at least, become one; the last three
 * perhaps twice. */
static inline void fill_long(const struct call *c, Y *y, int32_t words,
                             int32_t word)
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
        : [rows] "r"(c->rows), [fours] "r"(words >> 2), [word] "r"(word),
          [rest] "r"(4 * (words & 3)), [skip] "r"(c->n - 4 * words)
        : XP_CLOBBERS);
}

/* The greatest of each four columns. */
#define columns_most xp_max4

/* The word of the mask so many bytes behind m. */
static inline int32_t mask_word(const MASK *m, int32_t at)
{
    int32_t v;

    __asm__ volatile("xp.lw.at %0, %1, %2"
                     : "=r"(v) : "r"(m), "r"(at) : "memory");
    return v;
}

/* Places that the inverses of all rows may have, whose sums are `least` at
 * least; 0: there is no such number.  An inverse of s places that exceeds 2^s
 * p1 / sum by e gives the quotients of powers where most sum e < 2^s
 * (kern/row/inverse.h): that of 24 by 1, that of 32 by 1 + p1 sum / 2^32, below
 * 17 / 16 of such sums. */
static inline int32_t point_of(const struct weigh_dims *k, uint32_t least)
{
    const uint32_t most = (uint32_t)k->most, sum = (uint32_t)k->n * most;
    const uint64_t all = (uint64_t)sum * most;

    if (all < 1 << 24)
        return 24;
    return least > (uint32_t)k->p1 && sum < 1 << 20 && all < 0xf0000000 ? 32
                                                                        : 0;
}
#else
static int32_t columns_most(int32_t a, int32_t b)
{
    int8_t x[4], y[4];

    word_store(x, a);
    word_store(y, b);
    for (int32_t j = 0; j < 4; j++)
        x[j] = y[j] > x[j] ? y[j] : x[j];
    return word_load(x);
}

static int32_t mask_word(const MASK *m, int32_t at)
{
    return word_load(m + at);
}

#define ROW_MASKED(name, by)                                                  \
    static inline void name(struct call *c, const int8_t *x, const MASK *mask,\
                            int32_t mrow, int8_t *t)                          \
    {                                                                         \
        for (int32_t i = 0; i < c->rows; i++, x += c->n, t += c->n) {         \
            const MASK *m = mask + i / c->each * mrow;                        \
                                                                              \
            for (int32_t j = 0; j < 4; j++)                                   \
                t[j] = (int8_t)clip(x[j] / (by) + m[j], -128, 127);           \
            c->top[i] = columns_most(c->top[i], word_load(t));                \
        }                                                                     \
    }
ROW_MASKED(masked_same, 1)
ROW_MASKED(masked_half, 2)

#define ROW_TOPS(name, by, masked)                                            \
    static inline uintptr_t name(struct call *c, const int8_t *x,             \
                                 const int8_t *at, const MASK *mask,          \
                                 int32_t mrow, int8_t *t,                     \
                                 const int32_t *tops, int32_t step)           \
    {                                                                         \
        uintptr_t most = 0;                                                   \
                                                                              \
        for (int32_t i = 0; i < c->rows; i++, x += c->n) {                    \
            int8_t top[4];                                                    \
                                                                              \
            word_store(top, tops[i * step / 4]);                              \
            for (int32_t j = 0; j < 4 * c->first; j++)                        \
                if (x[j] / (by) > top[j & 3])                                 \
                    top[j & 3] = (int8_t)(x[j] / (by));                       \
            c->top[i] = word_load(top);                                       \
        }                                                                     \
        masked(c, at, mask, mrow, t);                                         \
        for (int32_t i = 0; i < c->rows; i++) {                               \
            c->zero[i] = zero_of(c, attend_most(c->top[i]));                  \
            most = c->zero[i] > most ? c->zero[i] : most;                     \
        }                                                                     \
        return most;                                                          \
    }
ROW_TOPS(tops_same, 1, masked_same)
ROW_TOPS(tops_half, 2, masked_half)

#define ROW_POWERS(name, by)                                                  \
    static inline void name(struct call *c, const int8_t *x, uint32_t p1,     \
                            uintptr_t bound)                                  \
    {                                                                         \
        const int32_t first = 4 * c->first, n = c->n, last = n - 4 * c->last; \
        uint16_t *v = c->weigh.v;                                             \
                                                                              \
        for (int32_t i = 0; i < c->rows; i++, x += n) {                       \
            int32_t end = c->zero[i] > bound ? n : last;                      \
            uint32_t most = 0;                                                \
                                                                              \
            c->sum[i] = 0;                                                    \
            for (int32_t j = 0; j < end; j++) {                               \
                const int32_t s =                                             \
                    j < first  ? x[j] / (by)                                  \
                    : j < last ? c->weigh.t[i * n + j]                        \
                               : (x[j] > 0 ? x[j] / (by) : 0) - 128;          \
                                                                              \
                v[j] = (uint16_t)power(c->zero[i], s);                        \
                c->sum[i] += v[j];                                            \
                if (j >= last && v[j] > most)                                 \
                    most = v[j];                                              \
            }                                                                 \
            if (end > last && most * p1 < c->sum[i])                          \
                end = last;                                                   \
            c->count[i] = end / 4;                                            \
            v += end;                                                         \
        }                                                                     \
    }
ROW_POWERS(powers_same, 1)
ROW_POWERS(powers_half, 2)
#define fill_long fill_short

static int32_t point_of(const struct weigh_dims *k, uint32_t least)
{
    (void)k, (void)least;
    return 0;
}
#endif

static void fill_short(const struct call *c, Y *y, int32_t words, int32_t word)
{
    for (int32_t i = 0; i < c->rows; i++, y += c->n)
        words_fill(y, words, word);
}

/* ---- of rows of the mask ---- */

/* Words that the rows of the mask show first and hide last; one is left.  Of
 * less than four rows some are looked at again. */
static inline void take_masks(struct call *c, const struct weigh_dims *k,
                              const MASK *mask)
{
    const int32_t b = c->masks > 1 ? k->mrow : 0;
    const int32_t d = c->masks > 2 ? 2 * k->mrow : 0, e = b + d;
    const MASK *m = mask, *end = mask + c->n - 4;

    while (m < end && !(mask_word(m, 0) | mask_word(m, b) | mask_word(m, d) |
                        mask_word(m, e)))
        m += 4;
    c->first = m - mask < 4 * RUN ? 0 : (int32_t)(m - mask) >> 2;
    mask += 4 * c->first;
    m = end;
    while (m > mask &&
           columns_most(columns_most(mask_word(m, 0), mask_word(m, b)),
                        columns_most(mask_word(m, d), mask_word(m, e))) ==
               LEAST_4)
        m -= 4;
    c->last = (int32_t)(end - m) >> 2;
}

/* ---- of some rows ---- */

/* Powers of score 0 of rows; returns the last of these places, that of the
 * least top. */
static inline uintptr_t take_tops(struct call *c, const struct weigh_dims *k,
                                const int8_t *x, const MASK *mask)
{
    static const MASK none[4] = {0};
    const int32_t last = 4 * (c->words - c->last - 1);
    const int32_t mrow = mask ? k->mrow : 0;
    int32_t i = 4 * c->first, *tops = &c->least, step = 0;
    const MASK *m = mask ? mask + last : none;
    int8_t *t = c->weigh.t;

    if (i < last) {
        tops = c->top;
        step = 4;
        words_fill(tops, c->rows, LEAST_4);
    }
    for (; i < last; i += 4)
        if (k->halvings)
            masked_half(c, x + i, mask ? mask + i : none, mrow, t + i);
        else
            masked_same(c, x + i, mask ? mask + i : none, mrow, t + i);
    if (k->halvings)
        return tops_half(c, x, x + last, m, mrow, t + last, tops, step);
    return tops_same(c, x, x + last, m, mrow, t + last, tops, step);
}

/* Weights of rows: by powers, and behind what is kept of them that of none. */
static inline void put_weights(struct call *c, const struct weigh_dims *k, Y *y)
{
    const int32_t none = (int32_t)((uint8_t)c->weigh.parts[0] * 0x01010101u);
    const uint32_t p1 = (uint32_t)k->p1;
    const uint16_t *v = c->weigh.v;

    if (c->last > 3)
        fill_long(c, y + 4 * (c->words - c->last), c->last, none);
    else if (c->last)
        fill_short(c, y + 4 * (c->words - c->last), c->last, none);
#ifdef XPULPV2
    if (c->point) {
        if (c->point == 24 && !c->weigh.same)
            weights_24(c, p1, y);
        else if (!c->weigh.same)
            weights_32(c, p1, y);
        else if (c->point == 24)
            weights_24_same(c, p1, y);
        else
            weights_32_same(c, p1, y);
        return;
    }
#endif
    for (int32_t i = 0; i < c->rows; i++, y += c->n) {
        attend_parts(v, c->count[i], c->sum[i], c->weigh.bits, p1,
                     c->weigh.same, c->weigh.parts, (char *)y);
        v += 4 * c->count[i];
    }
}

/* Some rows.  Where a hidden score may be the greatest, all are made the usual
 * way; powers of hidden ones where that may not be 0. */
static NOINLINE void put_rows(struct call *c, const struct weigh_dims *k,
                              const struct io *io, int32_t i, const MASK *mask)
{
    const int8_t *x = (const int8_t *)io->in[0] + (ptrdiff_t)i * k->n;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)i * k->n;
    uintptr_t bound = UINTPTR_MAX;

    if (mask)
        take_masks(c, k, mask);
    while (take_tops(c, k, x, mask) > zero_of(c, k->hidden) && c->last)
        c->last = 0;
    if (c->last)
        bound = zero_of(c, k->reach + k->hidden);
    if (k->halvings)
        powers_half(c, x, (uint32_t)k->p1, bound);
    else
        powers_same(c, x, (uint32_t)k->p1, bound);
    put_weights(c, k, y);
}

/* ---- of a call ---- */

static inline struct call *begin(const struct weigh_dims *k,
                                 const struct io *io)
{
    const int32_t few = io->in[4] ? MASKS * k->each : ROWS;
    struct call *c = io->tmp;
    char *own = (char *)io->tmp + CALL;

    c->weigh.powers = (const POWERS *)io->in[2] + 255;
    c->weigh.parts = attend_own_parts(io->in[3], own, io->core);
    c->weigh.same = k->same_parts;
    c->weigh.bits = bits((uint32_t)k->most | 1);
    c->weigh.v = (uint16_t *)(void *)(own + TABLE + 2 * BANKS);
    c->weigh.t = (int8_t *)(c->weigh.v + (few < ROWS ? few : ROWS) * k->n);
    c->n = k->n;
    c->words = k->n >> 2;
    c->first = c->words - 1 < RUN ? 0 : c->words - 1;
    c->last = 0;
    c->least = LEAST_4;
    c->point = point_of(k, (uint32_t)c->weigh.powers[0]);
    return c;
}

/* Rows [i, end), under no mask or one row of it. */
static void put_span(struct call *c, const struct weigh_dims *k,
                     const struct io *io, int32_t i, int32_t end,
                     const MASK *mask)
{
    c->masks = 1;
    for (; i < end; i += c->rows) {
        c->each = c->rows = end - i < ROWS ? end - i : ROWS;
        put_rows(c, k, io, i, mask);
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
static inline int32_t together(const struct weigh_dims *k, int32_t ncore)
{
    int32_t some = MASKS;

    while (some && (some * k->each > ROWS ||
                    k->rows % (2 * ncore * some * k->each)))
        some >>= 1;
    return some;
}

/* Groups of rows of the mask: later ones often show more, so cores take them
 * forth and back. */
static inline void put_groups(struct call *c, const struct weigh_dims *k,
                              const struct io *io, int32_t some)
{
    const MASK *mask = io->in[4];
    int32_t at = io->core;

    c->masks = some;
    c->each = k->each;
    c->rows = some * k->each;
    for (int32_t i = 0; i < k->rows; i += c->rows * io->ncore) {
        put_rows(c, k, io, i + at * c->rows,
                 mask + (ptrdiff_t)(at * some) * k->mrow);
        mask += (ptrdiff_t)(some * io->ncore) * k->mrow;
        at = io->ncore - 1 - at;
    }
}

void FN(const struct weigh_dims *k, const struct io *io)
{
    const MASK *mask = io->in[4];
    struct call *c = begin(k, io);
    const int32_t some = mask ? together(k, io->ncore) : 0;
    int32_t i, end;

    if (some) {
        put_groups(c, k, io, some);
        return;
    }
    span(k->rows, io->core, io->ncore, &i, &end);
    if (mask)
        put_masked(c, k, io, i, end);
    else
        put_span(c, k, io, i, end, mask);
}
