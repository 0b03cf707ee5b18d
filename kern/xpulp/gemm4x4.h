/* Four rows of bytes by four rows of bytes, to the very result, for XpulpV2:
 * sums stay in registers from the bias to the store, four results to a word.
 * Elsewhere the same in plain C, so that the kernels can be tested anywhere.
 *
 * To be included after LEFT, RIGHT, START (type of the bias), MUL, ADD and Y
 * are defined, scaled(sum, mul, add, shift), GEMM_PIXELS (rows at a time, 2
 * where memory for 4 is too much) and GEMM_SCALE32 (1: nothing leaves 32 bits).
 * 24 instructions for 64 products; the rows of both sides must be the same
 * distance apart, because there are no registers for two distances. */
#ifndef GEMM4X4_H
#define GEMM4X4_H

/* Rows at a time: two where memory for four is too much. */
#ifndef GEMM_PIXELS
#define GEMM_PIXELS 4
#endif
/* May the words of four rows of x lie side by side? */
#ifndef GEMM_SIDES
#define GEMM_SIDES 0
#endif

#include "kern/xpulp/block.h"
#include "kern/xpulp/scale.h"

/* y[row][channel], rows of `words` words that lie `step` bytes apart.  bias,
 * mul and add point at the elements of four channels, and go `..next` bytes
 * from there to the next four: 0 where the four are for all. */
struct gemm {
    const RIGHT *w;
    const START *bias;
    const MUL *mul;
    const ADD *add;
    int32_t words, step, biasnext, mulnext, addnext, shift, lo, hi;
    int32_t even;  /* the lower 32 bits of what add has are 0 */
    int32_t small; /* 0 < shift < 32, and mul shifted by what lacks fits */
    /* windows in rows of taps: from pixel to pixel, rows, from the end of one
     * to the next in x, where `words` are those of a row, `step` all bytes;
     * lines of fours of pixels: from one to the next in x and, in bytes, y */
    int32_t xstep, rows, jump, xnext, ynext;
    /* words of x are side by side; `jump` is then the way in w from the end of
     * the first of four rows to the next four */
    int32_t side;
#ifdef SHIFTS
    const SHIFTS *shifts; /* of four channels, next to mul */
    int32_t shiftsnext;
#endif
};

/* What stands in for an absent operand, for one that is the same for all
 * channels, and for fewer than four. */
struct fours {
    START bias[4];
    MUL mul[4];
    ADD add[4];
#ifdef SHIFTS
    SHIFTS shifts[4];
#endif
};

/* Shift j of four channels at s. */
#ifdef SHIFTS
#define GEMM_SHIFTS(t, at)                                                   \
    const SHIFTS *const shifts = (t)->shifts + ((t)->shiftsnext ? (at) : 0)
#define GEMM_SHIFT(j) ((int32_t)shifts[j])
#define GEMM_BYTE_SHIFTS (sizeof(SHIFTS) == 1)
#else
#define GEMM_SHIFTS(t, at) const int32_t shifts = (t)->shift
#define GEMM_SHIFT(j) shifts
#define GEMM_BYTE_SHIFTS 1
#endif

/* The loops by hand find the shifts, if they are bytes, where the one shift is
 * else. */
static inline void gemm_own_shifts(struct gemm *t)
{
#if defined SHIFTS && defined XPULPV2
    t->shift = (int32_t)(intptr_t)t->shifts;
#else
    (void)t;
#endif
}

#ifdef XPULPV2
/* v[4 * i + j] = bias j + row i of x by row j of w. */
#define GEMM_DOTS(name, DOT, LOAD_X)                                         \
    XP_INLINE void name(const LEFT *x, const RIGHT *w, int32_t words,        \
                        int32_t step, const START *bias, int32_t v[16])      \
    {                                                                        \
        register int32_t n __asm__("t3") = words;                            \
                                                                             \
        __asm__ volatile(                                                    \
            "mv %4, %0\n mv %5, %1\n mv %6, %2\n mv %7, %3\n"                \
            "mv %8, %0\n mv %9, %1\n mv %10, %2\n mv %11, %3\n"              \
            "mv %12, %0\n mv %13, %1\n mv %14, %2\n mv %15, %3\n"            \
            XP_BLOCK "xlp.setup 0, t3, 24\n"                                 \
            LOAD_X                                                           \
            "xp.lw.at t3, %17, %19\n"                                        \
            "xp.lw.at t2, %17, %20\n"                                        \
            DOT("%1", "t4", "t3") DOT("%5", "t5", "t3")                      \
            DOT("%9", "t6", "t3") DOT("%13", "t1", "t3")                     \
            "xp.lw.at t3, %17, %21\n"                                        \
            DOT("%2", "t4", "t2") DOT("%6", "t5", "t2")                      \
            DOT("%10", "t6", "t2") DOT("%14", "t1", "t2")                    \
            "xp.lw.post t2, %17, 4\n"                                        \
            DOT("%3", "t4", "t3") DOT("%7", "t5", "t3")                      \
            DOT("%11", "t6", "t3") DOT("%15", "t1", "t3")                    \
            DOT("%0", "t4", "t2") DOT("%4", "t5", "t2")                      \
            DOT("%8", "t6", "t2") DOT("%12", "t1", "t2")                     \
            XP_BLOCK_END                                                     \
            : "=&r"(v[0]), "=&r"(v[1]), "=&r"(v[2]), "=&r"(v[3]),            \
              "=&r"(v[4]), "=&r"(v[5]), "=&r"(v[6]), "=&r"(v[7]),            \
              "=&r"(v[8]), "=&r"(v[9]), "=&r"(v[10]), "=&r"(v[11]),          \
              "=&r"(v[12]), "=&r"(v[13]), "=&r"(v[14]), "=&r"(v[15]),        \
              "+r"(x), "+r"(w), "+r"(n)                                      \
            : "r"(step), "r"(2 * step), "r"(3 * step), "0"((int32_t)bias[0]),\
              "1"((int32_t)bias[1]), "2"((int32_t)bias[2]),                  \
              "3"((int32_t)bias[3])                                          \
            : XP_CLOBBERS, "t1", "t2", "t4", "t5", "t6");                    \
    }

#define GEMM_APART                                                           \
    "xp.lw.at t5, %16, %19\n"                                                \
    "xp.lw.at t6, %16, %20\n"                                                \
    "xp.lw.at t1, %16, %21\n"                                                \
    "xp.lw.post t4, %16, 4\n"
#define GEMM_BESIDE                                                          \
    "xp.lw.post t4, %16, 4\n"                                                \
    "xp.lw.post t5, %16, 4\n"                                                \
    "xp.lw.post t6, %16, 4\n"                                                \
    "xp.lw.post t1, %16, 4\n"

GEMM_DOTS(gemm_dots_ss, BLOCK_SP, GEMM_APART)
GEMM_DOTS(gemm_dots_uu, BLOCK_UP, GEMM_APART)
GEMM_DOTS(gemm_dots_us, BLOCK_USP, GEMM_APART)
GEMM_DOTS(gemm_dots_su, BLOCK_SUP, GEMM_APART)
GEMM_DOTS(gemm_side_ss, BLOCK_SP, GEMM_BESIDE)
GEMM_DOTS(gemm_side_uu, BLOCK_UP, GEMM_BESIDE)
GEMM_DOTS(gemm_side_us, BLOCK_USP, GEMM_BESIDE)
GEMM_DOTS(gemm_side_su, BLOCK_SUP, GEMM_BESIDE)

/* n bytes, eight at a time and then the last word or two, which may overlap. */
static inline char *gemm_copy(char *to, const void *from, int32_t n)
{
    const char *x = from;
    char *end = to + n;
    int32_t a, b;

    if (n < 4) {
        while (to < end)
            *to++ = *x++;
        return end;
    }
    if (n >= 8)
        __asm__ volatile(XP_BLOCK "xlp.setup 0, %4, 4\n"
                         "xp.lw.post %2, %1, 4\n"
                         "xp.lw.post %3, %1, 4\n"
                         "xp.sw.post %2, %0, 4\n"
                         "xp.sw.post %3, %0, 4\n"
                         XP_BLOCK_END
                         : "+r"(to), "+r"(x), "=&r"(a), "=&r"(b)
                         : "r"(n >> 3) : XP_CLOBBERS);
    if (n & 4)
        word_store(to, word_load(x));
    if (n & 3)
        word_store(end - 4, word_load(x + (end - to) - 4));
    return end;
}

static inline void gemm_dots(const struct gemm *t, const LEFT *x,
                             const RIGHT *w, const START *bias, int32_t v[16])
{
    if (GEMM_SIDES && t->side)
        BLOCK_BY_SIGN(gemm_side, x, w, t->words, t->step, bias, v);
    else
        BLOCK_BY_SIGN(gemm_dots, x, w, t->words, t->step, bias, v);
}

/* Four results as bytes: limited to what a byte holds, then within bounds that
 * are words of four equal bytes. */
static inline int32_t gemm_word(int32_t a, int32_t b, int32_t c, int32_t d,
                                int32_t lo, int32_t hi)
{
    if (!WORD_SIGNED(Y)) {
        a = xp_clipu(a, 9), b = xp_clipu(b, 9);
        c = xp_clipu(c, 9), d = xp_clipu(d, 9);
        a = xp_packhi4(xp_packlo4(a, b, a), d, c);
        return xp_min4u(xp_max4u(a, lo), hi);
    }
    a = xp_clip(a, 8), b = xp_clip(b, 8), c = xp_clip(c, 8), d = xp_clip(d, 8);
    a = xp_packhi4(xp_packlo4(a, b, a), d, c);
    return xp_min4(xp_max4(a, lo), hi);
}
#else
static inline char *gemm_copy(char *to, const void *from, int32_t n)
{
    memcpy(to, from, (size_t)n);
    return to + n;
}

/* Where words are side by side, the last of a row of w may reach beyond it, and
 * that of x has zeros there. */
static inline void gemm_dots(const struct gemm *t, const LEFT *x,
                             const RIGHT *w, const START *bias, int32_t v[16])
{
    const int side = GEMM_SIDES && t->side;
    const int32_t next = side ? 16 : 4, row = side ? 4 : t->step;

    for (int i = 0; i < 16; i++) {
        v[i] = (int32_t)bias[i & 3];
        for (int32_t n = 0; n < t->words; n++)
            v[i] = word_dot(v[i], word_load(x + (i >> 2) * row + n * next),
                            word_load(w + (i & 3) * t->step + 4 * n));
    }
}

static inline int32_t gemm_word(int32_t a, int32_t b, int32_t c, int32_t d,
                                int32_t lo, int32_t hi)
{
    const int32_t l = (Y)lo, h = (Y)hi;
    const Y y[4] = {(Y)clip(a, l, h), (Y)clip(b, l, h), (Y)clip(c, l, h),
                    (Y)clip(d, l, h)};

    return word_load(y);
}
#endif

/* Four results, which are neighbours. */
static inline void gemm_put(Y *y, int32_t a, int32_t b, int32_t c, int32_t d,
                            int32_t lo, int32_t hi)
{
    if (sizeof(Y) == 1) {
        word_store(y, gemm_word(a, b, c, d, lo, hi));
    } else {
        y[0] = (Y)block_clip(a, lo, hi);
        y[1] = (Y)block_clip(b, lo, hi);
        y[2] = (Y)block_clip(c, lo, hi);
        y[3] = (Y)block_clip(d, lo, hi);
    }
}

/* A bound as gemm_put() wants it. */
static inline int32_t gemm_bound(int32_t v)
{
    return sizeof(Y) == 1 ? (int32_t)((uint32_t)(v & 255) * 0x01010101u) : v;
}

#define GEMM_SCALE(j)                                                        \
    do {                                                                     \
        const int32_t m = (int32_t)mul[j];                                   \
        const ADD a = add[j];                                                \
        const int32_t shift = GEMM_SHIFT(j);                                 \
                                                                             \
        v[j] = scaled(v[j], m, a, shift);                                    \
        v[4 + j] = scaled(v[4 + j], m, a, shift);                            \
        v[8 + j] = scaled(v[8 + j], m, a, shift);                            \
        v[12 + j] = scaled(v[12 + j], m, a, shift);                          \
    } while (0)

/* Rows x by `count` times four channels, the first of which is `at`. */
static NOINLINE void gemm_plain(const struct gemm *t, const LEFT *x,
                                int32_t at, int32_t count, Y *const y[4])
{
    const RIGHT *w = t->w + (ptrdiff_t)at * t->step;
    const char *bias = (const char *)t->bias + (at * t->biasnext >> 2);
    const char *muls = (const char *)t->mul + (at * t->mulnext >> 2);
    const char *adds = (const char *)t->add + (at * t->addnext >> 2);

    for (; count > 0; count--, at += 4) {
        const MUL *mul = (const void *)muls;
        const ADD *add = (const void *)adds;
        int32_t v[16], lo, hi;

        gemm_dots(t, x, w, (const void *)bias, v);
        GEMM_SHIFTS(t, at);
        GEMM_SCALE(0);
        GEMM_SCALE(1);
        GEMM_SCALE(2);
        GEMM_SCALE(3);
        lo = t->lo;
        hi = t->hi;
        gemm_put(y[0] + at, v[0], v[1], v[2], v[3], lo, hi);
        gemm_put(y[1] + at, v[4], v[5], v[6], v[7], lo, hi);
        gemm_put(y[2] + at, v[8], v[9], v[10], v[11], lo, hi);
        gemm_put(y[3] + at, v[12], v[13], v[14], v[15], lo, hi);
        w += 4 * (ptrdiff_t)t->step;
        bias += t->biasnext;
        muls += t->mulnext;
        adds += t->addnext;
    }
}

/* Two rows, which lie anywhere that four may. */
static NOINLINE void gemm_pair(const struct gemm *t, const LEFT *x,
                               int32_t at, int32_t count, Y *const y[2])
{
    const int32_t step = t->step, lo = t->lo, hi = t->hi;

    for (; count > 0; count--, at += 4) {
        GEMM_SHIFTS(t, at);
        const RIGHT *w = t->w + (ptrdiff_t)at * step;
        const RIGHT *const rows[4] = {w, w + step, w + 2 * step, w + 3 * step};
        const START *bias = t->bias + (t->biasnext ? at : 0);
        const MUL *mul = t->mul + (t->mulnext ? at : 0);
        const ADD *add = t->add + (t->addnext ? at : 0);
        int32_t v[8];

        block24(x, x + t->xstep, rows, t->words, v);
        for (int32_t j = 0; j < 4; j++) {
            const int32_t b = (int32_t)bias[j], m = (int32_t)mul[j];
            const int32_t shift = GEMM_SHIFT(j);
            const ADD a = add[j];

            v[j] = scaled(v[j] + b, m, a, shift);
            v[4 + j] = scaled(v[4 + j] + b, m, a, shift);
        }
        gemm_put(y[0] + at, v[0], v[1], v[2], v[3], lo, hi);
        gemm_put(y[1] + at, v[4], v[5], v[6], v[7], lo, hi);
    }
}

#ifdef XPULPV2
#include "kern/xpulp/gemm4x4_asm.h"
#endif

/* The same, by the way that suits types and shift; count is not 0. */
static inline void gemm_row(const struct gemm *t, const LEFT *x, int32_t at,
                            int32_t count, Y *const y[4])
{
#ifdef XPULPV2
    const int plain =
        sizeof(Y) != 1 || sizeof(START) != 4 || sizeof(MUL) != 4;

    if (GEMM_PIXELS == 2)
        gemm_pair(t, x, at, count, y);
#if UPPER_HALF
    else if (!plain && sizeof(ADD) == 8 && GEMM_BYTE_SHIFTS)
        gemm_upper(t, x, at, count, y);
#elif !WIDE_SHIFTS
    else if (!plain && GEMM_SCALE32 && sizeof(ADD) == 4)
        gemm_scale32(t, x, at, count, y);
    else if (!plain && !GEMM_SCALE32 && sizeof(ADD) == 4 && t->shift >= 32)
        gemm_long32(t, x, at, count, y);
    else if (!plain && !GEMM_SCALE32 && sizeof(ADD) == 4 && t->small)
        gemm_up32(t, x, at, count, y);
    else if (!plain && sizeof(ADD) == 8 && t->even && t->shift >= 32)
        gemm_even64(t, x, at, count, y);
    else if (!plain && sizeof(ADD) == 8 && t->shift >= 32)
        gemm_long64(t, x, at, count, y);
#endif
    else
        gemm_plain(t, x, at, count, y);
#else
    if (GEMM_PIXELS == 2)
        gemm_pair(t, x, at, count, y);
    else
        gemm_plain(t, x, at, count, y);
#endif
}

#endif
