/* Blocks of attention for XpulpV2: four rows by four rows of bytes to words of
 * results, and weights of powers.  Elsewhere the same in plain C.
 *
 * To be included after X, a type of a byte, LEFT and RIGHT, the sides of products
 * of weights by values, and PARTS are defined; after POWERS_WEIGH or
 * QUOTIENTS_WEIGH where there are no parts. */
#ifndef ATTEND_H
#define ATTEND_H

/* Bytes from a word of weights to the next. */
#ifndef ATTEND_STEP
#define ATTEND_STEP 16
#endif

#include "kern/xpulp/fill.h"
#include "kern/xpulp/halves.h"
#include "kern/xpulp/powers.h"

/* Behind four rows whose words lie side by side: what is made of their sums,
 * and a table of bytes, its place for 0. */
struct attend_end {
    int32_t mul, add, shift;
    const int8_t *table;
};

/* The same behind weights that are powers: of each row what results are divided
 * by, (sum * mul >> 32) + add >> shift. */
struct attend_shares {
    int32_t add, shift, mul[4];
};

/* Are results made by upper halves of products? */
#if defined POWERS_WEIGH || defined QUOTIENTS_WEIGH
#define ATTEND_UPPER
#endif

#ifdef QUOTIENTS_WEIGH
/* What sums begin with: of each key, four a block, and of each row of q. */
struct attend_begin {
    const int32_t *key;
    int32_t row[4];
};
#endif

/* The greatest byte of a word. */
static inline int32_t attend_most(int32_t word)
{
#ifdef XPULPV2
    word = xp_max4(word, word >> 16);
    word = xp_max4(word, word >> 8);
    return (int8_t)word;
#else
    int32_t most = (int8_t)word;

    for (int32_t i = 8; i < 32; i += 8)
        most = (int8_t)(word >> i) > most ? (int8_t)(word >> i) : most;
    return most;
#endif
}

#ifdef XPULPV2
#ifdef ATTEND_UPPER
#define ATTEND_MUL "mulh "
#else
#define ATTEND_MUL "mul "
#endif
#ifdef QUOTIENTS_WEIGH
#define ATTEND_SCORE_MUL "mulh"
#else
#define ATTEND_SCORE_MUL "mul"
#endif
#define ATTEND_SCALE_BY(mul, v)                                               \
    mul v ", " v ", t1\n xp.addnr " v ", t2, t3\n xp.clip " v ", " v ", 8\n"
#define ATTEND_SCALE(v) ATTEND_SCALE_BY(ATTEND_MUL, v)
#define ATTEND_ROW_BY(mul, a, b, c, d)                                        \
    ATTEND_SCALE_BY(mul, a) ATTEND_SCALE_BY(mul, b)                           \
    ATTEND_SCALE_BY(mul, c) ATTEND_SCALE_BY(mul, d)                           \
    "xpv.packlo.b " a ", " b ", " a "\n"                                      \
    "xpv.packhi.b " a ", " d ", " c "\n"
#define ATTEND_ROW(a, b, c, d) ATTEND_ROW_BY(ATTEND_MUL, a, b, c, d)

/* Four rows at %16, words side by side, by `count` times four at %17, rows
 * apart by %18 to %20.  What registers have no room for is in memory. */
#define ATTEND_ZEROS                                                          \
    "li %0, 0\n li %1, 0\n li %2, 0\n li %3, 0\n"                             \
    "li %4, 0\n li %5, 0\n li %6, 0\n li %7, 0\n"                             \
    "li %8, 0\n li %9, 0\n li %10, 0\n li %11, 0\n"                           \
    "li %12, 0\n li %13, 0\n li %14, 0\n li %15, 0\n"
#define ATTEND_PRODUCTS(FIRST, DOT)                                           \
    "1:\n" FIRST "lw t3, %[words]\n" XP_BLOCK                                 \
    "xlp.setup 0, t3, 24\n"                                                   \
    "xp.lw.post t4, %16, 4\n"                                                 \
    "xp.lw.post t5, %16, 4\n"                                                 \
    "xp.lw.post t6, %16, 4\n"                                                 \
    "xp.lw.post t1, %16, 4\n"                                                 \
    "xp.lw.at t3, %17, %18\n"                                                 \
    "xp.lw.at t2, %17, %19\n"                                                 \
    DOT("%4", "t4", "t3") DOT("%5", "t5", "t3")                               \
    DOT("%6", "t6", "t3") DOT("%7", "t1", "t3")                               \
    "xp.lw.at t3, %17, %20\n"                                                 \
    DOT("%8", "t4", "t2") DOT("%9", "t5", "t2")                               \
    DOT("%10", "t6", "t2") DOT("%11", "t1", "t2")                             \
    "xp.lw.post t2, %17, 4\n"                                                 \
    DOT("%12", "t4", "t3") DOT("%13", "t5", "t3")                             \
    DOT("%14", "t6", "t3") DOT("%15", "t1", "t3")                             \
    DOT("%0", "t4", "t2") DOT("%1", "t5", "t2")                               \
    DOT("%2", "t6", "t2") DOT("%3", "t1", "t2") XP_BLOCK_END
#define ATTEND_NEXT                                                           \
    "sw t5, %[to]\n"                                                          \
    "lw t1, %[count]\n lw %17, %[w]\n lw %16, %[x]\n slli t2, %18, 2\n"       \
    "addi t1, t1, -1\n add %17, %17, t2\n sw t1, %[count]\n"                  \
    "sw %17, %[w]\n bnez t1, 1b\n"
#define ATTEND_LOOP(name, FIRST, DOT, FINISH)                                 \
    static inline void name(const void *x, const void *w, int32_t words,      \
                            int32_t step, int32_t count, void *to,            \
                            int32_t row)                                      \
    {                                                                         \
        const void *at = x, *from = w;                                        \
        int32_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;               \
                                                                              \
        __asm__ volatile(                                                     \
            ATTEND_PRODUCTS(FIRST, DOT) "lw t5, %[to]\n" FINISH               \
            ATTEND_NEXT                                                       \
            : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f),     \
              "=&r"(g), "=&r"(h), "=&r"(i), "=&r"(j), "=&r"(k), "=&r"(l),     \
              "=&r"(m), "=&r"(n), "=&r"(o), "=&r"(p), "+r"(at), "+r"(from)    \
            : "r"(step), "r"(2 * step), "r"(3 * step), [words] "m"(words),    \
              [to] "m"(to), [count] "m"(count), [w] "m"(w), [x] "m"(x),       \
              [row] "m"(row)                                                  \
            : XP_CLOBBERS, "t1", "t2", "t3", "t4", "t5", "t6");               \
    }
#define ATTEND_SW(v, at) "sw " v ", " #at "(t5)\n"

/* The sums, row by row of x, 16 words for each four rows of w. */
#ifdef QUOTIENTS_WEIGH
/* Of four keys to t2..t5, then each row of q; `row` is where they are. */
#define ATTEND_FIRST_ROW(at, a, b, c, d)                                      \
    "lw t6, " #at "(t1)\n add " a ", t2, t6\n add " b ", t3, t6\n"            \
    "add " c ", t4, t6\n add " d ", t5, t6\n"
#define ATTEND_FIRST                                                          \
    "lw t1, %[row]\n lw t6, 0(t1)\n xp.lw.post t2, t6, 4\n"                   \
    "xp.lw.post t3, t6, 4\n xp.lw.post t4, t6, 4\n xp.lw.post t5, t6, 4\n"    \
    "sw t6, 0(t1)\n"                                                          \
    ATTEND_FIRST_ROW(4, "%0", "%4", "%8", "%12")                              \
    ATTEND_FIRST_ROW(8, "%1", "%5", "%9", "%13")                              \
    ATTEND_FIRST_ROW(12, "%2", "%6", "%10", "%14")                            \
    ATTEND_FIRST_ROW(16, "%3", "%7", "%11", "%15")
#else
#define ATTEND_FIRST ATTEND_ZEROS
#endif
ATTEND_LOOP(attend_sums_to, ATTEND_FIRST, BLOCK_SP,
            ATTEND_SW("%0", 0) ATTEND_SW("%4", 4) ATTEND_SW("%8", 8)
            ATTEND_SW("%12", 12) ATTEND_SW("%1", 16) ATTEND_SW("%5", 20)
            ATTEND_SW("%9", 24) ATTEND_SW("%13", 28) ATTEND_SW("%2", 32)
            ATTEND_SW("%6", 36) ATTEND_SW("%10", 40) ATTEND_SW("%14", 44)
            ATTEND_SW("%3", 48) ATTEND_SW("%7", 52) ATTEND_SW("%11", 56)
            ATTEND_SW("%15", 60) "addi t5, t5, 64\n")

#ifdef QUOTIENTS_WEIGH
static inline void attend_sums_from(const void *x, const void *w,
                                    int32_t words, int32_t step, int32_t count,
                                    const struct attend_begin *from,
                                    int32_t *to)
{
    struct attend_begin at = *from;

    attend_sums_to(x, w, words, step, count, to, (int32_t)&at);
}
#else
static inline void attend_sums(const void *x, const void *w, int32_t words,
                               int32_t step, int32_t count, int32_t *to)
{
    attend_sums_to(x, w, words, step, count, to, 0);
}
#endif

/* Sums scaled, of eight bits: a word for each row of x, `row` bytes from one to
 * the next, and each four rows of w. */
#ifdef POWERS_WEIGH
#define ATTEND_SHARE(p, at) "lw t1, " #at "(" p ")\n"
#define ATTEND_BEGIN(p) "lw t2, 0(" p ")\n lw t3, 4(" p ")\n"
#else
#define ATTEND_SHARE(p, at)
#define ATTEND_BEGIN(p)                                                       \
    "lw t1, 0(" p ")\n lw t2, 4(" p ")\n lw t3, 8(" p ")\n"
#endif
#define ATTEND_PUT                                                            \
    "lw t4, %[row]\n"                                                         \
    ATTEND_SW("%0", 0) "add t6, t5, t4\n sw %1, 0(t6)\n"                      \
    "add t6, t6, t4\n sw %2, 0(t6)\n addi t5, t5, 4\n"                       \
    "add t6, t6, t4\n sw %3, 0(t6)\n"
#define ATTEND_VALUES                                                         \
    ATTEND_BEGIN("%16") ATTEND_SHARE("%16", 8)                                \
    ATTEND_ROW("%0", "%4", "%8", "%12") ATTEND_SHARE("%16", 12)               \
    ATTEND_ROW("%1", "%5", "%9", "%13") ATTEND_SHARE("%16", 16)               \
    ATTEND_ROW("%2", "%6", "%10", "%14") ATTEND_SHARE("%16", 20)              \
    ATTEND_ROW("%3", "%7", "%11", "%15") ATTEND_PUT

/* The same of two rows of w: two bytes for each row of x. */
#define ATTEND_HALF(at, a, b)                                                 \
    ATTEND_SHARE("%[x]", at) ATTEND_SCALE(a) ATTEND_SCALE(b)                  \
    "xpv.packlo.b " a ", " b ", " a "\n xp.sh.postr " a ", %[to], %[row]\n"
static inline void attend_two(const void *x, const void *w, int32_t words,
                              int32_t step, void *to, int32_t row)
{
    int32_t a, b, c, d, e, f, g, h;

    __asm__ volatile(
        "li %0, 0\n li %1, 0\n li %2, 0\n li %3, 0\n"
        "li %4, 0\n li %5, 0\n li %6, 0\n li %7, 0\n"
        XP_BLOCK "xlp.setup 0, %[n], 14\n"
        "xp.lw.post t4, %[x], 4\n xp.lw.at t2, %[w], %[step]\n"
        "xp.lw.post t3, %[w], 4\n xp.lw.post t5, %[x], 4\n"
        "xpv.sdott.b %4, t4, t2, %[signs]\n xp.lw.post t6, %[x], 4\n"
        "xpv.sdott.b %0, t4, t3, %[signs]\n xp.lw.post t1, %[x], 4\n"
        "xpv.sdott.b %1, t5, t3, %[signs]\n xpv.sdott.b %5, t5, t2, %[signs]\n"
        "xpv.sdott.b %2, t6, t3, %[signs]\n xpv.sdott.b %6, t6, t2, %[signs]\n"
        "xpv.sdott.b %3, t1, t3, %[signs]\n xpv.sdott.b %7, t1, t2, %[signs]\n"
        XP_BLOCK_END ATTEND_BEGIN("%[x]") ATTEND_HALF(8, "%0", "%4")
        ATTEND_HALF(12, "%1", "%5") ATTEND_HALF(16, "%2", "%6")
        ATTEND_HALF(20, "%3", "%7")
        : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f),
          "=&r"(g), "=&r"(h), [x] "+&r"(x), [w] "+&r"(w), [to] "+&r"(to)
        : [n] "r"(words), [step] "r"(step), [row] "r"(row),
          [signs] "i"(XP_SIGNS(LEFT, RIGHT))
        : XP_CLOBBERS, "t1", "t2", "t3", "t4", "t5", "t6");
}
ATTEND_LOOP(attend_values_u, ATTEND_ZEROS, BLOCK_USP, ATTEND_VALUES)
#ifdef ATTEND_UPPER
#define attend_values attend_values_u
#else
ATTEND_LOOP(attend_values_s, ATTEND_ZEROS, BLOCK_SP, ATTEND_VALUES)

static inline void attend_values(const void *x, const void *w, int32_t words,
                                 int32_t step, int32_t count, void *to,
                                 int32_t row)
{
    if (WORD_SIGNED(PARTS))
        attend_values_s(x, w, words, step, count, to, row);
    else
        attend_values_u(x, w, words, step, count, to, row);
}
#endif

/* Scores where their table changes nothing, to rows `row` bytes apart. */
#ifdef POWERS_WEIGH
ATTEND_LOOP(attend_linear, ATTEND_ZEROS, BLOCK_SP,
            "lw t1, 0(%16)\n lw t2, 4(%16)\n lw t3, 8(%16)\n"
            ATTEND_ROW_BY("mul ", "%0", "%4", "%8", "%12")
            ATTEND_ROW_BY("mul ", "%1", "%5", "%9", "%13")
            ATTEND_ROW_BY("mul ", "%2", "%6", "%10", "%14")
            ATTEND_ROW_BY("mul ", "%3", "%7", "%11", "%15") ATTEND_PUT)
#elif !defined QUOTIENTS_WEIGH
#define attend_linear attend_values_s
#endif

/* The greatest of so many words of bytes, one at least. */
static inline int32_t attend_top(const int8_t *x, int32_t words)
{
    int32_t most = word_load(x), a, b;

    x += words & 1 ? 4 : 0;
    if (words > 1)
        __asm__ volatile(XP_BLOCK "xlp.setup 0, %[n], 4\n"
                         "xp.lw.post %[a], %[x], 4\n"
                         "xp.lw.post %[b], %[x], 4\n"
                         "xpv.max.b %[most], %[most], %[a]\n"
                         "xpv.max.b %[most], %[most], %[b]\n" XP_BLOCK_END
                         : [most] "+&r"(most), [a] "=&r"(a), [b] "=&r"(b),
                           [x] "+&r"(x)
                         : [n] "r"(words >> 1)
                         : XP_CLOBBERS);
    return attend_most(most);
}

#define ATTEND_LOOK_UP FOUR_LOOK_UP("xp.lb.at", "%[table]")
#define ATTEND_PACK FOUR_PACK "xp.sw.post %[a], %[y], %[step]\n"

#define ATTEND_SUMS                                                           \
    "xp.lw.post %[a], %[p], 4\n xp.lw.post %[b], %[p], 4\n"                   \
    "xp.lw.post %[c], %[p], 4\n xp.lw.post %[d], %[p], 52\n"
#define ATTEND_WORDS                                                          \
    "xp.lw.postr %[a], %[p], %[step]\n xp.lw.postr %[b], %[p], %[step]\n"     \
    "xp.lw.postr %[c], %[p], %[step]\n xp.lw.postr %[d], %[p], %[step]\n"     \
    FOUR_EACH("xpv.dotsp.b", "%[q]")
#define ATTEND_MASK_LOAD "xp.lw.post %[b], %[mask], 4\n"
#define ATTEND_MASK_ADD                                                       \
    "xpv.min.b %[c], %[b], zero\n xpv.sub.b %[c], %[lo], %[c]\n"              \
    "xpv.max.b %[a], %[a], %[c]\n xpv.max.b %[c], %[b], zero\n"               \
    "xpv.sub.b %[c], %[hi], %[c]\n xpv.min.b %[a], %[a], %[c]\n"              \
    "xpv.add.b %[a], %[a], %[b]\n"
#define ATTEND_MASK_BOTH                                                      \
    ATTEND_MASK_ADD "xpv.cmpeq.b %[c], %[b], %[lo]\n"                         \
    "xor %[c], %[c], %[hi]\n xpv.min.b %[a], %[a], %[c]\n"
#define ATTEND_MASK_BOUND "xpv.min.b %[a], %[a], %[b]\n"

#ifdef QUOTIENTS_WEIGH
/* The lower half of a power to one sum, the upper to the other. */
#define ATTEND_HALVES(v)                                                      \
    "xpv.sdotup.h %[low], " v ", %[one]\n"                                    \
    "xpv.sdotup.h %[high], " v ", %[other]\n"                                 \
    "xp.sw.post " v ", %[y], 4\n"
#endif

/* Scores of one row, a word at a time, from sums at p or products of q there;
 * with what a mask makes of them.  Returns the greatest, each of four
 * columns. */
#define ATTEND_SCORES(name, SUMS, LOOK_UP, LOAD, ADD, count)                  \
    static inline int32_t name(const void *p, int32_t q, int32_t step,        \
                               int32_t words, int32_t most, int8_t *x,        \
                               const void *mask, const struct attend_end *e)  \
    {                                                                         \
        int32_t a, b, c, d;                                                   \
                                                                              \
        (void)q, (void)step, (void)mask;                                      \
        if (words)                                                            \
            __asm__ volatile(                                                 \
                XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                     \
                SUMS FOUR_EACH(ATTEND_SCORE_MUL, "%[mul]")                    \
                "xp.addnr %[a], %[add], %[shift]\n"                           \
                "xp.addnr %[b], %[add], %[shift]\n"                           \
                "xp.addnr %[c], %[add], %[shift]\n"                           \
                "xp.addnr %[d], %[add], %[shift]\n"                           \
                FOUR_EACH("xp.clip", "8") LOOK_UP                           \
                "xpv.packlo.b %[a], %[b], %[a]\n"                             \
                LOAD                                                          \
                "xpv.packhi.b %[a], %[d], %[c]\n" ADD                         \
                "xpv.max.b %[most], %[most], %[a]\n"                          \
                "xp.sw.post %[a], %[x], 4\n" XP_BLOCK_END                     \
                : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),     \
                  [p] "+&r"(p), [most] "+&r"(most), [x] "+&r"(x),             \
                  [mask] "+&r"(mask)                                          \
                : [n] "r"(words), [q] "r"(q), [step] "r"(step),               \
                  [mul] "r"(e->mul), [add] "r"(e->add),                       \
                  [shift] "r"(e->shift), [table] "r"(e->table),               \
                  [lo] "r"(0x80808080u), [hi] "r"(0x7f7f7f7f)                 \
                : XP_CLOBBERS);                                               \
        return most;                                                          \
    }

/* _same: the table changes nothing; _masked: with a mask that adds, _bound: one
 * that bounds, _both: that adds, but -128 is what a score becomes. */
ATTEND_SCORES(attend_summed, ATTEND_SUMS, ATTEND_LOOK_UP, "", "", 24)
ATTEND_SCORES(attend_scores, ATTEND_WORDS, ATTEND_LOOK_UP, "", "", 28)
ATTEND_SCORES(attend_summed_same, ATTEND_SUMS, "", "", "", 20)
ATTEND_SCORES(attend_scores_same, ATTEND_WORDS, "", "", "", 24)
ATTEND_SCORES(attend_summed_masked, ATTEND_SUMS, ATTEND_LOOK_UP,
              ATTEND_MASK_LOAD, ATTEND_MASK_ADD, 32)
ATTEND_SCORES(attend_scores_masked, ATTEND_WORDS, ATTEND_LOOK_UP,
              ATTEND_MASK_LOAD, ATTEND_MASK_ADD, 36)

#if defined POWERS_WEIGH || defined QUOTIENTS_WEIGH
ATTEND_SCORES(attend_summed_bound, ATTEND_SUMS, ATTEND_LOOK_UP,
              ATTEND_MASK_LOAD, ATTEND_MASK_BOUND, 26)
#endif
#ifdef POWERS_WEIGH
ATTEND_SCORES(attend_scores_bound, ATTEND_WORDS, ATTEND_LOOK_UP,
              ATTEND_MASK_LOAD, ATTEND_MASK_BOUND, 30)
ATTEND_SCORES(attend_summed_both, ATTEND_SUMS, ATTEND_LOOK_UP,
              ATTEND_MASK_LOAD, ATTEND_MASK_BOTH, 35)
ATTEND_SCORES(attend_scores_both, ATTEND_WORDS, ATTEND_LOOK_UP,
              ATTEND_MASK_LOAD, ATTEND_MASK_BOTH, 39)

/* Four times as many powers as words, at least one word: they are weights,
 * words 16 bytes apart.  zero: where the power of 0 would be.  Returns their
 * sum. */
static inline uint32_t attend_bytes(uintptr_t zero, const int8_t *x,
                                    int32_t words, char *y)
{
    int32_t sum = 0, a = 0, b, c, d, w;

    /* while a load is waited for, the word of the turn before is added */
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 13\n"
        "xp.lw.post %[w], %[x], 4\n"
        "xpv.sdotup.b %[sum], %[a], %[ones]\n"
        FOUR_PLACES FOUR_LOOK_UP("xp.lbu.at", "%[zero]") ATTEND_PACK
        XP_BLOCK_END
        : [sum] "+&r"(sum), [a] "+&r"(a), [b] "=&r"(b), [c] "=&r"(c),
          [d] "=&r"(d), [w] "=&r"(w), [x] "+&r"(x), [y] "+&r"(y)
        : [n] "r"(words), [zero] "r"(zero), [i0] "r"(1), [i1] "r"(1 << 8),
          [i2] "r"(1 << 16), [i3] "r"(1 << 24), [ones] "r"(0x01010101),
          [signs] "i"(XP_SIGNS(int8_t, int8_t)), [step] "i"(ATTEND_STEP)
        : XP_CLOBBERS);
    return (uint32_t)xp_sdot4u(sum, a, 0x01010101);
}
#elif defined QUOTIENTS_WEIGH
/* The powers of four scores a word, at least one word, of 31 bits; zero: where
 * the power of 0 would be.  Returns their sum: lower halves and upper ones are
 * added apart. */
static inline uint64_t attend_powers(uintptr_t zero, const int8_t *x,
                                     int32_t words, uint32_t *y)
{
    int32_t low = 0, high = 0, a, b, c, d, w;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 21\n"
        "xp.lw.post %[w], %[x], 4\n"
        FOUR_PLACES FOUR_LOOK_UP("xp.lw.at", "%[zero]")
        ATTEND_HALVES("%[a]") ATTEND_HALVES("%[b]")
        ATTEND_HALVES("%[c]") ATTEND_HALVES("%[d]") XP_BLOCK_END
        : [low] "+&r"(low), [high] "+&r"(high), [a] "=&r"(a), [b] "=&r"(b),
          [c] "=&r"(c), [d] "=&r"(d), [w] "=&r"(w), [x] "+&r"(x), [y] "+&r"(y)
        : [n] "r"(words), [zero] "r"(zero), [i0] "r"(4), [i1] "r"(4 << 8),
          [i2] "r"(4 << 16), [i3] "r"(4 << 24), [one] "r"(1),
          [other] "r"(1 << 16), [signs] "i"(XP_SIGNS(int8_t, int8_t))
        : XP_CLOBBERS);
    return ((uint64_t)(uint32_t)high << 16) + (uint32_t)low;
}

/* Levels of four powers a word, at least one word, words 16 bytes apart, and
 * their sum.  Returns the greatest of what is compared with l->safe. */
static inline uint32_t attend_levels(const uint32_t *v, int32_t words,
                                     const struct levels *l, char *y,
                                     int32_t *all)
{
    int32_t a, b, c, d, e, f, most = 0, sum = 0;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 28\n"
        FOUR_WORDS FOUR_EACH("mulhu", "%[inverse]") FOUR_EACH("add", "%[half]")
        "and %[e], %[a], %[mask]\n and %[f], %[b], %[mask]\n"
        "xp.max %[most], %[most], %[e]\n xp.max %[most], %[most], %[f]\n"
        "and %[e], %[c], %[mask]\n and %[f], %[d], %[mask]\n"
        "xp.max %[most], %[most], %[e]\n xp.max %[most], %[most], %[f]\n"
        FOUR_EACH("srl", "%[places]") FOUR_PACK
        "xpv.sdotup.b %[sum], %[a], %[ones]\n"
        "xp.sw.post %[a], %[y], %[step]\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),
          [e] "=&r"(e), [f] "=&r"(f), [v] "+&r"(v), [y] "+&r"(y),
          [most] "+&r"(most), [sum] "+&r"(sum)
        : [n] "r"(words), [inverse] "r"(l->inverse), [half] "r"(l->half),
          [mask] "r"(l->mask), [places] "r"(l->places), [ones] "r"(0x01010101),
          [step] "i"(ATTEND_STEP)
        : XP_CLOBBERS);
    *all = sum;
    return (uint32_t)most;
}
#else
/* `inverse`, a byte, halved as often as the scores of a row say, whose greatest
 * is `top`; words 16 bytes apart, one at least.  The word behind the last is
 * read, too. */
static inline void attend_halves(const int8_t *x, int32_t words, int32_t top,
                                 int32_t inverse, char *y)
{
    int32_t a = word_load(x), e, t, w;

    x += 4;
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 8\n"
        "xpv.sub.b %[t], %[top], %[a]\n"
        "xp.lw.post %[a], %[x], 4\n"
        HALVES_SHIFT("%[e]", "%[inverse]", "%[t]", "%[w]")
        "xp.sw.post %[e], %[y], %[step]\n" XP_BLOCK_END
        : [a] "+&r"(a), [e] "=&r"(e), [t] "=&r"(t), [w] "=&r"(w),
          [x] "+&r"(x), [y] "+&r"(y)
        : [n] "r"(words), [top] "r"(xp_each4(top)),
          [inverse] "r"(xp_each4(inverse)), [step] "i"(ATTEND_STEP)
        : XP_CLOBBERS);
}

/* The powers of four scores a word, without a sign, of 16 bits; at least one
 * word.  zero: where the power of 0 would be.  Returns their sum. */
static inline uint32_t attend_powers(uintptr_t zero, const int8_t *x,
                                     int32_t words, uint16_t *y)
{
    int32_t sum = 0, a, b, c = 0, d, w;

    /* while a load is waited for, the last of the turn before are added */
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 15\n"
        "xp.lw.post %[w], %[x], 4\n"
        "xpv.sdotup.h %[sum], %[c], %[ones]\n"
        FOUR_PLACES FOUR_LOOK_UP("xp.lw.at", "%[zero]")
        "xpv.pack %[a], %[b], %[a]\n"
        "xpv.pack %[c], %[d], %[c]\n"
        "xpv.sdotup.h %[sum], %[a], %[ones]\n"
        "xp.sw.post %[a], %[y], 4\n"
        "xp.sw.post %[c], %[y], 4\n" XP_BLOCK_END
        : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [c] "+&r"(c),
          [d] "=&r"(d), [w] "=&r"(w), [x] "+&r"(x), [y] "+&r"(y)
        : [n] "r"(words), [zero] "r"(zero), [i0] "r"(4), [i1] "r"(4 << 8),
          [i2] "r"(4 << 16), [i3] "r"(4 << 24), [ones] "r"(0x10001),
          [signs] "i"(XP_SIGNS(int8_t, int8_t))
        : XP_CLOBBERS);
    return (uint32_t)sum + (uint16_t)c + ((uint32_t)c >> 16);
}

/* Weights of powers: v q >> 16 + places by two products of one cycle each, and
 * what a table makes of it; words 16 bytes apart, one at least.  r is the inverse
 * q with its halves exchanged. */
#define ATTEND_WEIGHTS_WORD(places, LOOK_UP)                                  \
    "xp.lw.post %[e], %[v], 4\n xp.lw.post %[f], %[v], 4\n"                   \
    "xp.mulun %[a], %[e], %[q], 16\n"                                         \
    "xp.mulhhun %[b], %[e], %[r], 16\n"                                       \
    "xp.mulun %[c], %[f], %[q], 16\n"                                         \
    "xp.mulhhun %[d], %[f], %[r], 16\n"                                       \
    "xp.macun %[a], %[e], %[r], " #places "\n"                                \
    "xp.machhun %[b], %[e], %[q], " #places "\n"                              \
    "xp.macun %[c], %[f], %[r], " #places "\n"                                \
    "xp.machhun %[d], %[f], %[q], " #places "\n" LOOK_UP FOUR_PACK
#define ATTEND_WEIGHTS(name, places, LOOK_UP, count)                          \
    static inline void name(const uint16_t *v, int32_t words, uint32_t q,     \
                            const PARTS *table, char *y)                      \
    {                                                                         \
        const uint32_t r = q >> 16 | q << 16;                                 \
        uint32_t a, b, c, d, e, f;                                            \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                        \
            ATTEND_WEIGHTS_WORD(places, LOOK_UP)                              \
            "xp.sw.post %[a], %[y], %[step]\n" XP_BLOCK_END                   \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),         \
              [e] "=&r"(e), [f] "=&r"(f), [v] "+&r"(v), [y] "+&r"(y)          \
            : [n] "r"(words), [q] "r"(q), [r] "r"(r), [table] "r"(table),     \
              [step] "i"(ATTEND_STEP)                                         \
            : XP_CLOBBERS);                                                   \
    }
#endif
#else
static inline void attend_block(const void *x, const void *w, int32_t words,
                                int32_t step, int is_signed, int32_t v[16])
{
    for (int n = 0; n < 16; n++) {
        const int8_t *b = (const int8_t *)w + n % 4 * step;

        v[n] = 0;
        for (int32_t i = 0; i < 4 * words; i++) {
            const int8_t *a = (const int8_t *)x + i / 4 * 16 + n / 4 * 4 +
                              i % 4;

            v[n] += (is_signed ? *a : (int32_t)(uint8_t)*a) * b[i];
        }
    }
}

#ifdef QUOTIENTS_WEIGH
static inline void attend_sums_from(const void *x, const void *w,
                                    int32_t words, int32_t step, int32_t count,
                                    const struct attend_begin *from,
                                    int32_t *to)
{
    for (int32_t j = 0; j < count; j++, to += 16) {
        attend_block(x, (const int8_t *)w + 4 * j * step, words, step, 1, to);
        for (int32_t i = 0; i < 16; i++)
            to[i] += from->key[4 * j + i % 4] + from->row[i / 4];
    }
}
#else
static inline void attend_sums(const void *x, const void *w, int32_t words,
                               int32_t step, int32_t count, int32_t *to)
{
    for (int32_t j = 0; j < count; j++)
        attend_block(x, (const int8_t *)w + 4 * j * step, words, step, 1,
                     to + 16 * j);
}
#endif

#ifndef QUOTIENTS_WEIGH
static inline void attend_linear(const void *x, const void *w, int32_t words,
                                 int32_t step, int32_t count, void *to,
                                 int32_t row)
{
    const int32_t *e = (const void *)((const char *)x + 16 * words);
    int32_t sum[16];

    for (int32_t j = 0; j < count; j++) {
        attend_block(x, (const int8_t *)w + 4 * j * step, words, step, 1, sum);
        for (int32_t i = 0; i < 16; i++)
            ((int8_t *)to)[i / 4 * row + 4 * j + i % 4] =
                (int8_t)rescale32(sum[i], e[0], e[1], e[2], -128, 127);
    }
}
#endif

static inline int32_t attend_top(const int8_t *x, int32_t words)
{
    int32_t top = x[0];

    for (int32_t i = 1; i < 4 * words; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}

/* bound: 1, or 2, where what a mask of -128 makes of a score is that. */
static inline int8_t attend_score(int32_t sum, const int8_t *mask, int32_t i,
                                  int bound, const struct attend_end *e)
{
#ifdef QUOTIENTS_WEIGH
    const int32_t s = e->table[attend_upper(sum, e->mul, e->add, e->shift)];
#else
    const int32_t s = e->table[rescale32(sum, e->mul, e->add, e->shift, -128,
                                         127)];
#endif

    if (mask && bound == 1)
        return (int8_t)(s < mask[i] ? s : mask[i]);
    if (mask && bound && mask[i] == -128)
        return mask[i];
    return (int8_t)(mask ? clip(s + mask[i], -128, 127) : s);
}

static inline int32_t summed(const void *p, int32_t words, int32_t most,
                             int8_t *x, const void *mask, int bound,
                             const struct attend_end *e)
{
    const int32_t *sum = p;
    int8_t top[4];

    word_store(top, most);
    for (int32_t i = 0; i < 4 * words; i++) {
        x[i] = attend_score(sum[i / 4 * 16 + i % 4], mask, i, bound, e);
        top[i & 3] = x[i] > top[i & 3] ? x[i] : top[i & 3];
    }
    return word_load(top);
}

static inline int32_t multiplied(const void *p, int32_t q, int32_t step,
                                 int32_t words, int32_t most, int8_t *x,
                                 const void *mask, int bound,
                                 const struct attend_end *e)
{
    int8_t top[4], a[4];

    word_store(a, q);
    word_store(top, most);
    for (int32_t i = 0; i < 4 * words; i++) {
        const int8_t *b = (const int8_t *)p + i * step;

        x[i] = attend_score(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] +
                            a[3] * b[3], mask, i, bound, e);
        top[i & 3] = x[i] > top[i & 3] ? x[i] : top[i & 3];
    }
    return word_load(top);
}

#define ATTEND_SCORES(name, made)                                             \
    static inline int32_t name(const void *p, int32_t q, int32_t step,        \
                               int32_t words, int32_t most, int8_t *x,        \
                               const void *mask, const struct attend_end *e)  \
    {                                                                         \
        (void)q, (void)step;                                                  \
        return made;                                                          \
    }
ATTEND_SCORES(attend_summed, summed(p, words, most, x, mask, 0, e))
ATTEND_SCORES(attend_scores,
              multiplied(p, q, step, words, most, x, mask, 0, e))
#if defined POWERS_WEIGH || defined QUOTIENTS_WEIGH
ATTEND_SCORES(attend_summed_bound, summed(p, words, most, x, mask, 1, e))
#endif
#ifdef POWERS_WEIGH
ATTEND_SCORES(attend_scores_bound,
              multiplied(p, q, step, words, most, x, mask, 1, e))
ATTEND_SCORES(attend_summed_both, summed(p, words, most, x, mask, 2, e))
ATTEND_SCORES(attend_scores_both,
              multiplied(p, q, step, words, most, x, mask, 2, e))
#endif
#define attend_scores_same attend_scores
#define attend_summed_same attend_summed
#define attend_scores_masked attend_scores
#define attend_summed_masked attend_summed

/* Of row r: behind the weights lies what is made of their sums. */
static inline int32_t attend_value(const void *end, int r, int32_t sum)
{
#ifdef POWERS_WEIGH
    const struct attend_shares *e = end;

    return attend_upper(sum, e->mul[r], e->add, e->shift);
#elif defined QUOTIENTS_WEIGH
    const struct attend_end *e = end;

    (void)r;
    return attend_upper(sum, e->mul, e->add, e->shift);
#else
    const struct attend_end *e = end;

    (void)r;
    return rescale32(sum, e->mul, e->add, e->shift, -128, 127);
#endif
}

static inline void attend_values(const void *x, const void *w, int32_t words,
                                 int32_t step, int32_t count, void *to,
                                 int32_t row)
{
    const void *e = (const char *)x + 16 * words;
    int32_t sum[16];

    for (int32_t j = 0; j < count; j++) {
        attend_block(x, (const int8_t *)w + 4 * j * step, words, step,
                     WORD_SIGNED(LEFT), sum);
        for (int r = 0; r < 4; r++)
            for (int i = 0; i < 4; i++)
                ((int8_t *)to)[r * row + 4 * j + i] =
                    (int8_t)attend_value(e, r, sum[4 * r + i]);
    }
}

static inline void attend_two(const void *x, const void *w, int32_t words,
                              int32_t step, void *to, int32_t row)
{
    const void *e = (const char *)x + 16 * words;
    int32_t sum[16];

    attend_block(x, w, words, step, WORD_SIGNED(LEFT), sum);
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 2; i++)
            ((int8_t *)to)[r * row + i] =
                (int8_t)attend_value(e, r, sum[4 * r + i]);
}

#ifdef POWERS_WEIGH
static inline uint32_t attend_bytes(uintptr_t zero, const int8_t *x,
                                    int32_t words, char *y)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < 4 * words; i++) {
        const uint8_t v = power_byte(zero, x[i]);

        y[i / 4 * ATTEND_STEP + i % 4] = (char)v;
        sum += v;
    }
    return sum;
}
#elif defined QUOTIENTS_WEIGH
static inline uint64_t attend_powers(uintptr_t zero, const int8_t *x,
                                     int32_t words, uint32_t *y)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i < 4 * words; i++)
        sum += y[i] = power(zero, x[i]);
    return sum;
}

static inline uint32_t attend_levels(const uint32_t *v, int32_t words,
                                     const struct levels *l, char *y,
                                     int32_t *all)
{
    uint32_t most = 0;

    *all = 0;
    for (int32_t i = 0; i < 4 * words; i++) {
        const uint32_t e =
            (uint32_t)((uint64_t)v[i] * l->inverse >> 32) + l->half;

        most = (e & l->mask) > most ? e & l->mask : most;
        y[i / 4 * ATTEND_STEP + i % 4] = (char)(e >> l->places);
        *all += (uint8_t)(e >> l->places);
    }
    return most;
}
#else
static inline uint32_t attend_powers(uintptr_t zero, const int8_t *x,
                                     int32_t words, uint16_t *y)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < 4 * words; i++) {
        y[i] = (uint16_t)power(zero, x[i]);
        sum += y[i];
    }
    return sum;
}

static inline void attend_halves(const int8_t *x, int32_t words, int32_t top,
                                 int32_t inverse, char *y)
{
    for (int32_t i = 0; i < 4 * words; i++)
        y[i / 4 * ATTEND_STEP + i % 4] =
            (char)halved(inverse, top - x[i]);
}

#define ATTEND_WEIGHTS(name, places, LOOK_UP, count)                          \
    static inline void name(const uint16_t *v, int32_t words, uint32_t q,     \
                            const PARTS *table, char *y)                      \
    {                                                                         \
        for (int32_t i = 0; i < 4 * words; i++)                               \
            y[i / 4 * ATTEND_STEP + i % 4] =                                  \
                (char)table[(uint64_t)v[i] * q >> (16 + (places))];           \
    }
#endif
#endif

#ifndef ATTEND_UPPER
/* _same: the table changes nothing. */
ATTEND_WEIGHTS(attend_weights_24, 8, ATTEND_LOOK_UP, 17)
ATTEND_WEIGHTS(attend_weights_32, 16, ATTEND_LOOK_UP, 17)
ATTEND_WEIGHTS(attend_weights_36, 20, ATTEND_LOOK_UP, 17)
ATTEND_WEIGHTS(attend_weights_24_same, 8, "", 13)
ATTEND_WEIGHTS(attend_weights_32_same, 16, "", 13)

/* inverse(hi, sum, point) of a hi of 8 bits and a point of 24 or more. */
static inline uint32_t attend_inverse(uint32_t hi, uint32_t sum, int32_t point)
{
    const uint32_t first = (hi << 24) / sum;
    const int32_t more = point - 24;
    uint32_t rest = first * sum;

#ifdef XPULPV2
    __asm__("" : "+r"(rest)); /* lest it be another division */
#endif
    rest = (hi << 24) - rest;
    if (!more)
        return first + 1;
    if (sum >> (32 - more))
        return inverse(hi, sum, point);
    return (first << more) + (rest << more) / sum + 1;
}

static inline int32_t lesser(int32_t a, int32_t b)
{
#ifdef XPULPV2
    return xp_min(a, b);
#else
    return a < b ? a : b;
#endif
}

/* Places of an inverse, of powers of at most so many bits with that sum: 24, 32
 * or 36 (kern/row/inverse.h). */
static inline int32_t attend_point(uint32_t sum, int32_t most)
{
    const int32_t all = bits(sum), s = lesser(most, all) + all;

    return s <= 24 ? 24 : s <= 32 ? 32 : 36;
}

/* A copy of the table at `to` or up to 128 bytes on, each core's from another bank
 * on: so many weights are alike that all cores would want the same one. */
static inline const PARTS *attend_own_parts(const PARTS *parts, char *to,
                                            int32_t core)
{
    enum { TABLE = 256, BANKS = 64 }; /* bytes; of a word in each bank */
    char *at = to + (-(uintptr_t)to & (BANKS - 1)) + 8 * (core & 7);

    words_copy(at, parts, TABLE / 4);
    return (const PARTS *)at;
}

/* Weights of powers with that sum, of at most so many bits; hi: the greatest
 * weight. */
static inline void attend_parts(const uint16_t *v, int32_t words, uint32_t sum,
                                int32_t most, uint32_t hi, int same,
                                const PARTS *parts, char *y)
{
    const int32_t point = attend_point(sum | !sum, most);
    const uint32_t by = attend_inverse(hi, sum | !sum, point);

    (point == 36   ? attend_weights_36
     : point == 32 ? same ? attend_weights_32_same : attend_weights_32
     : same        ? attend_weights_24_same : attend_weights_24)(
        v, words, by, parts, y);
}
#endif

#endif
