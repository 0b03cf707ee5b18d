/* Products of four or two rows with four rows of bytes, for XpulpV2; elsewhere
 * the same in plain C, so that the kernels can be tested anywhere.
 *
 * To be included after LEFT and RIGHT, the types of the two sides, are defined.
 * Four by four: 24 instructions for 64 products; the rows of both sides must be
 * the same distance apart, because there are no registers for two distances.
 * Two by four: 14 for 32, any distances.  sum[4 * i + j]: row i by row j. */
#ifndef BLOCK_H
#define BLOCK_H

#include "kern/kern.h"

#include "kern/xpulp/word.h"

#ifdef XPULPV2
/* One word each of x (%16 .. %19 or %8, %9) by one of w, in the order that the
 * signs ask for: of sdotusp the first is the unsigned one. */
#define BLOCK_DOT(dot, d, x, w)                                              \
    "xpv." dot ".b " d ", " x ", " w "\n"
#define BLOCK_SP(d, x, w) BLOCK_DOT("sdotsp", d, x, w)
#define BLOCK_UP(d, x, w) BLOCK_DOT("sdotup", d, x, w)
#define BLOCK_USP(d, x, w) BLOCK_DOT("sdotusp", d, x, w)
#define BLOCK_SUP(d, x, w) BLOCK_DOT("sdotusp", d, w, x)
/* The first of a sum. */
#define BLOCK_FIRST_SP(d, x, w) BLOCK_DOT("dotsp", d, x, w)
#define BLOCK_FIRST_UP(d, x, w) BLOCK_DOT("dotup", d, x, w)
#define BLOCK_FIRST_USP(d, x, w) BLOCK_DOT("dotusp", d, x, w)
#define BLOCK_FIRST_SUP(d, x, w) BLOCK_DOT("dotusp", d, w, x)

#define BLOCK44(name, DOT)                                                   \
    static NOINLINE void name(const LEFT *x, const RIGHT *w, int32_t words,  \
                              int32_t step, int32_t *sum)                    \
    {                                                                        \
        int32_t a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2,  \
            d3, p, q, r, s, u, v;                                            \
                                                                             \
        __asm__ volatile(                                                    \
            "li %0, 0\n li %1, 0\n li %2, 0\n li %3, 0\n"                    \
            "li %4, 0\n li %5, 0\n li %6, 0\n li %7, 0\n"                    \
            "li %8, 0\n li %9, 0\n li %10, 0\n li %11, 0\n"                  \
            "li %12, 0\n li %13, 0\n li %14, 0\n li %15, 0\n"                \
            XP_BLOCK "xlp.setup 0, %20, 24\n"                                \
            "xp.lw.at %17, %22, %24\n"                                       \
            "xp.lw.at %18, %22, %25\n"                                       \
            "xp.lw.at %19, %22, %26\n"                                       \
            "xp.lw.post %16, %22, 4\n"                                       \
            "xp.lw.at %20, %23, %24\n"                                       \
            "xp.lw.at %21, %23, %25\n"                                       \
            DOT("%1", "%16", "%20") DOT("%5", "%17", "%20")                  \
            DOT("%9", "%18", "%20") DOT("%13", "%19", "%20")                 \
            "xp.lw.at %20, %23, %26\n"                                       \
            DOT("%2", "%16", "%21") DOT("%6", "%17", "%21")                  \
            DOT("%10", "%18", "%21") DOT("%14", "%19", "%21")                \
            "xp.lw.post %21, %23, 4\n"                                       \
            DOT("%3", "%16", "%20") DOT("%7", "%17", "%20")                  \
            DOT("%11", "%18", "%20") DOT("%15", "%19", "%20")                \
            DOT("%0", "%16", "%21") DOT("%4", "%17", "%21")                  \
            DOT("%8", "%18", "%21") DOT("%12", "%19", "%21")                 \
            XP_BLOCK_END                                                     \
            : "=&r"(a0), "=&r"(a1), "=&r"(a2), "=&r"(a3), "=&r"(b0),         \
              "=&r"(b1), "=&r"(b2), "=&r"(b3), "=&r"(c0), "=&r"(c1),         \
              "=&r"(c2), "=&r"(c3), "=&r"(d0), "=&r"(d1), "=&r"(d2),         \
              "=&r"(d3), "=&r"(p), "=&r"(q), "=&r"(r), "=&r"(s), "=&r"(u),   \
              "=&r"(v), "+r"(x), "+r"(w)                                     \
            : "r"(step), "r"(2 * step), "r"(3 * step), "20"(words)           \
            : XP_CLOBBERS);                                                  \
        sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;                  \
        sum[4] = b0, sum[5] = b1, sum[6] = b2, sum[7] = b3;                  \
        sum[8] = c0, sum[9] = c1, sum[10] = c2, sum[11] = c3;                \
        sum[12] = d0, sum[13] = d1, sum[14] = d2, sum[15] = d3;              \
    }

#define BLOCK24(name, DOT)                                                   \
    static NOINLINE void name(const LEFT *x, const LEFT *y,                  \
                              const RIGHT *const w[4], int32_t words,        \
                              int32_t *sum)                                  \
    {                                                                        \
        const RIGHT *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];          \
        int32_t a0, a1, a2, a3, b0, b1, b2, b3, p, q, r, s, u, v;            \
                                                                             \
        __asm__ volatile(                                                    \
            "li %0, 0\n li %1, 0\n li %2, 0\n li %3, 0\n"                    \
            "li %4, 0\n li %5, 0\n li %6, 0\n li %7, 0\n"                    \
            XP_BLOCK "xlp.setup 0, %20, 14\n"                                \
            "xp.lw.post %8, %14, 4\n"                                        \
            "xp.lw.post %9, %15, 4\n"                                        \
            "xp.lw.post %10, %16, 4\n"                                       \
            "xp.lw.post %11, %17, 4\n"                                       \
            "xp.lw.post %12, %18, 4\n"                                       \
            "xp.lw.post %13, %19, 4\n"                                       \
            DOT("%0", "%8", "%10") DOT("%1", "%8", "%11")                    \
            DOT("%2", "%8", "%12") DOT("%4", "%9", "%10")                    \
            DOT("%5", "%9", "%11") DOT("%6", "%9", "%12")                    \
            DOT("%3", "%8", "%13") DOT("%7", "%9", "%13")                    \
            XP_BLOCK_END                                                     \
            : "=&r"(a0), "=&r"(a1), "=&r"(a2), "=&r"(a3), "=&r"(b0),         \
              "=&r"(b1), "=&r"(b2), "=&r"(b3), "=&r"(p), "=&r"(q),           \
              "=&r"(r), "=&r"(s), "=&r"(u), "=&r"(v), "+r"(x), "+r"(y),      \
              "+r"(w0), "+r"(w1), "+r"(w2), "+r"(w3)                         \
            : "r"(words) : XP_CLOBBERS);                                     \
        sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;                  \
        sum[4] = b0, sum[5] = b1, sum[6] = b2, sum[7] = b3;                  \
    }

BLOCK44(block44_ss, BLOCK_SP)
BLOCK44(block44_uu, BLOCK_UP)
BLOCK44(block44_us, BLOCK_USP)
BLOCK44(block44_su, BLOCK_SUP)
BLOCK24(block24_ss, BLOCK_SP)
BLOCK24(block24_uu, BLOCK_UP)
BLOCK24(block24_us, BLOCK_USP)
BLOCK24(block24_su, BLOCK_SUP)

/* f_ss, f_us, f_su or f_uu, by the signs of the two types. */
#define BLOCK_BY_SIGN(f, ...)                                                \
    do {                                                                     \
        if (WORD_SIGNED(LEFT) && WORD_SIGNED(RIGHT))                         \
            f##_ss(__VA_ARGS__);                                             \
        else if (WORD_SIGNED(RIGHT))                                         \
            f##_us(__VA_ARGS__);                                             \
        else if (WORD_SIGNED(LEFT))                                          \
            f##_su(__VA_ARGS__);                                             \
        else                                                                 \
            f##_uu(__VA_ARGS__);                                             \
    } while (0)

static inline void block44(const LEFT *x, const RIGHT *w, int32_t words,
                           int32_t step, int32_t *sum)
{
    BLOCK_BY_SIGN(block44, x, w, words, step, sum);
}

static inline void block24(const LEFT *x, const LEFT *y,
                           const RIGHT *const w[4], int32_t words,
                           int32_t *sum)
{
    BLOCK_BY_SIGN(block24, x, y, w, words, sum);
}

static inline int32_t block_clip(int32_t v, int32_t lo, int32_t hi)
{
    return xp_min(xp_max(v, lo), hi);
}
#else
static void block24(const LEFT *x, const LEFT *y, const RIGHT *const w[4],
                    int32_t words, int32_t *sum)
{
    for (int i = 0; i < 8; i++) {
        const LEFT *at = i < 4 ? x : y;

        sum[i] = 0;
        for (int32_t n = 0; n < words; n++)
            sum[i] = word_dot(sum[i], word_load(at + 4 * n),
                              word_load(w[i & 3] + 4 * n));
    }
}

static inline void block44(const LEFT *x, const RIGHT *w, int32_t words,
                           int32_t step, int32_t *sum)
{
    const RIGHT *const rows[4] = {w, w + step, w + 2 * step, w + 3 * step};

    block24(x, x + step, rows, words, sum);
    block24(x + 2 * step, x + 3 * step, rows, words, sum + 8);
}

static inline int32_t block_clip(int32_t v, int32_t lo, int32_t hi)
{
    return clip(v, lo, hi);
}
#endif

#endif
