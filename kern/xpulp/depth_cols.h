/* Depthwise convolution, channels last, by dot products of bytes: for XpulpV2,
 * elsewhere the same in plain C.
 *
 * Four channels at a time.  First columns: of each column of x under a row of
 * windows, three rows of a channel become a word, for the four channels side by
 * side, with padding in its place; a kernel of more rows has further planes of
 * such columns.  Then channel by channel a result is kw products of words a
 * plane; the fourth byte of weights is 0.  Where windows of three rows lie a
 * row apart, columns have four rows, for two rows of results: the second with
 * weights a byte further up.  Columns are made for up to DEPTH_SPAN columns at
 * a time: `most` lines of them if they are short.
 *
 * The including file defines scaled(sum, mul, add, shift), and DEPTH_SCALE32 to
 * 1 if nothing leaves 32 bits and no addend is wider. */
#ifndef DEPTH_COLS_H
#define DEPTH_COLS_H

#include "kern/kern.h"

typedef X LEFT;
typedef W RIGHT;
typedef B START;
#include "kern/xpulp/block.h"
#include "kern/xpulp/scale.h"

enum { DEPTH_SPAN = 80 };

/* v << n, of what leaves 32 bits the lower ones. */
static inline int32_t shifted(int32_t v, int32_t n)
{
    return (int32_t)((uint32_t)v << n);
}

/* Where columns and results lie, in bytes: from one to the next (d: from tap to
 * tap), and from the end of a row to the next. */
struct walk {
    int32_t d, s, next, yw, ynext;
};

/* What a call works with.  span: columns under a row of `run` windows, the
 * results of which begin at column ox; n of them from `left + before` on are
 * inside; `lines` such rows, of `each` rows of results, the last so far `back`;
 * `padded` of them have their padding.  cols and weights lie in scratch. */
struct depth {
    const struct conv_dims *k;
    const struct io *io;
    const X *x;
    Y *y;
    int32_t *cols, *weights;
    int32_t planes, run, lines, each, back, padded, most, span, c;
    int32_t ox, left, before, n, behind, twice;
    int32_t pad; /* four times the value of padding */
    struct walk walk;
    /* the epilogue's operands and what stands in for absent ones */
    const START *bias;
    const MUL *mul;
    const ADD *add;
    int32_t biasn, muln, addn, shift;
    START no_bias;
    MUL no_mul;
    ADD no_add;
#ifdef SHIFTS
    const SHIFTS *shifts; /* as mul */
#endif
};

/* The epilogue of a channel; high and low: what depth_ready() makes of add. */
struct channel {
    int32_t bias, mul, shift, lo, hi, high, low;
    ADD add;
};

#ifdef XPULPV2
/* Three words of four channels to four words of three rows. */
static inline int32_t *depth_columns(int32_t *to, const X *const row[3],
                                     const int32_t step[3], int32_t n)
{
    const X *r0 = row[0], *r1 = row[1], *r2 = row[2];
    int32_t a, b, c, t, u, v;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 15\n"
        "xp.lw.postr %[a], %[r0], %[s0]\n"
        "xp.lw.postr %[b], %[r1], %[s1]\n"
        "xp.lw.postr %[c], %[r2], %[s2]\n"
        "xpv.pack %[t], %[b], %[a]\n"
        "xpv.shuffle2.h %[a], %[b], %[high]\n"
        "addi %[u], %[t], 0\n addi %[v], %[a], 0\n"
        "xpv.shuffle2.b %[t], %[c], %[q0]\n"
        "xpv.shuffle2.b %[u], %[c], %[q1]\n"
        "xpv.shuffle2.b %[a], %[c], %[q2]\n"
        "xpv.shuffle2.b %[v], %[c], %[q3]\n"
        "xp.sw.post %[t], %[to], 4\n"
        "xp.sw.post %[u], %[to], 4\n"
        "xp.sw.post %[a], %[to], 4\n"
        "xp.sw.post %[v], %[to], 4\n"
        XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [t] "=&r"(t),
          [u] "=&r"(u), [v] "=&r"(v), [r0] "+r"(r0), [r1] "+r"(r1),
          [r2] "+r"(r2), [to] "+r"(to)
        : [n] "r"(n), [s0] "r"(step[0]), [s1] "r"(step[1]),
          [s2] "r"(step[2]), [high] "r"(0x00030001), [q0] "r"(0x04040200),
          [q1] "r"(0x05050301), [q2] "r"(0x06060200), [q3] "r"(0x07070301)
        : XP_CLOBBERS);
    return to;
}

/* Four words of four channels to four words of four rows. */
static inline int32_t *depth_columns4(int32_t *to, const X *const row[4],
                                      const int32_t step[4], int32_t n)
{
    const X *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    int32_t a, b, c, d, p, u;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 18\n"
        "xp.lw.postr %[a], %[r0], %[s0]\n"
        "xp.lw.postr %[b], %[r1], %[s1]\n"
        "xp.lw.postr %[c], %[r2], %[s2]\n"
        "xp.lw.postr %[d], %[r3], %[s3]\n"
        "addi %[p], %[a], 0\n addi %[u], %[c], 0\n"
        "xpv.shuffle2.b %[p], %[b], %[low]\n"
        "xpv.shuffle2.b %[a], %[b], %[high]\n"
        "xpv.shuffle2.b %[u], %[d], %[low]\n"
        "xpv.shuffle2.b %[c], %[d], %[high]\n"
        "xpv.pack %[b], %[u], %[p]\n"
        "xpv.shuffle2.b %[p], %[u], %[tops]\n"
        "xpv.pack %[d], %[c], %[a]\n"
        "xpv.shuffle2.b %[a], %[c], %[tops]\n"
        "xp.sw.post %[b], %[to], 4\n"
        "xp.sw.post %[p], %[to], 4\n"
        "xp.sw.post %[d], %[to], 4\n"
        "xp.sw.post %[a], %[to], 4\n"
        XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),
          [p] "=&r"(p), [u] "=&r"(u), [r0] "+r"(r0), [r1] "+r"(r1),
          [r2] "+r"(r2), [r3] "+r"(r3), [to] "+r"(to)
        : [n] "r"(n), [s0] "r"(step[0]), [s1] "r"(step[1]),
          [s2] "r"(step[2]), [s3] "r"(step[3]), [low] "r"(0x05010400),
          [high] "r"(0x07030602), [tops] "r"(0x07060302)
        : XP_CLOBBERS);
    return to;
}

/* Results of three words each, a column and two more d bytes apart: `words`
 * instructions a result, the last of which FINISH the sum v. */
#define DEPTH_THREE(name, words, FIRST, more, FINISH)                        \
    XP_INLINE void name(const struct depth *q, const int32_t *t,             \
                        const int32_t *w, const struct channel *e, Y *y)     \
    {                                                                        \
        const struct walk *p = &q->walk;                                     \
        int32_t a, b, c, v, r = q->lines;                                    \
                                                                             \
        __asm__ volatile(                                                    \
            ".balign 4\n1:\n"                                                \
            XP_BLOCK "xlp.setup 0, %[n], " #words "\n"                       \
            "xp.lw.at %[a], %[t], %[d]\n"                                    \
            "xp.lw.at %[b], %[t], %[dd]\n"                                   \
            "xp.lw.postr %[c], %[t], %[s]\n"                                 \
            FIRST("%[v]", "%[a]", "%[w1]") more("%[v]", "%[b]", "%[w2]")     \
            more("%[v]", "%[c]", "%[w0]") FINISH("%[v]")                     \
            "xp.max %[v], %[v], %[lo]\n"                                     \
            "xp.min %[v], %[v], %[hi]\n"                                     \
            "xp.st.postr %[v], %[y], %[step], %[type]\n"                     \
            "add %[t], %[t], %[tn]\n add %[y], %[y], %[yn]\n"                \
            "addi %[r], %[r], -1\n bnez %[r], 1b\n"                          \
            XP_BLOCK_END                                                     \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [v] "=&r"(v),        \
              [t] "+r"(t), [y] "+r"(y), [r] "+r"(r)                          \
            : [n] "r"(q->run), [d] "r"(p->d), [dd] "r"(2 * p->d),            \
              [s] "r"(p->s), [w0] "r"(w[0]), [w1] "r"(w[1]), [w2] "r"(w[2]), \
              [m] "r"(e->mul), [bias] "r"(e->bias), [add] "r"(e->high),      \
              [low] "r"(e->low), [shift] "r"(e->shift), [lo] "r"(e->lo),     \
              [hi] "r"(e->hi), [step] "r"(p->yw), [tn] "r"(p->next),         \
              [yn] "r"(p->ynext),                                            \
              [type] "i"(XP_TYPE(Y))                                         \
            : XP_CLOBBERS);                                                  \
    }
/* Two rows of results of three words each, columns side by side: `words`
 * instructions for both, the last of which FINISH a sum and CLIP it. */
#define DEPTH_PAIR(name, words, FIRST, more, FINISH, CLIP)                   \
    XP_INLINE void name(const struct depth *q, const int32_t *t,             \
                        const int32_t *w, const struct channel *e, Y *y)     \
    {                                                                        \
        const int32_t next = q->walk.next, far = q->k->yh, run = q->run;     \
        const int32_t yw = q->walk.yw, s = q->walk.s, back = q->back;        \
        const int32_t w0 = w[0], w1 = w[1], w2 = w[2];                       \
        const int32_t u0 = shifted(w0, 8), u1 = shifted(w1, 8);              \
        const int32_t u2 = shifted(w2, 8);                                   \
                                                                             \
        for (int32_t r = q->lines; r > 0; r--, y += 2 * far) {               \
            Y *y0 = r > 1 ? y : y - back, *y1 = y0 + far;                    \
            int32_t a, b, c, u, v;                                           \
                                                                             \
            __asm__ volatile(                                                \
                XP_BLOCK "xlp.setup 0, %[n], " #words "\n"                   \
                "lw %[a], 16(%[t])\n lw %[b], 32(%[t])\n"                    \
                "xp.lw.postr %[c], %[t], %[s]\n"                             \
                FIRST("%[v]", "%[a]", "%[w1]") FIRST("%[u]", "%[a]", "%[u1]")\
                more("%[v]", "%[b]", "%[w2]") more("%[u]", "%[b]", "%[u2]")  \
                more("%[v]", "%[c]", "%[w0]") more("%[u]", "%[c]", "%[u0]")  \
                FINISH("%[v]") FINISH("%[u]") CLIP("%[v]") CLIP("%[u]")      \
                "xp.st.postr %[v], %[y0], %[step], %[type]\n"                \
                "xp.st.postr %[u], %[y1], %[step], %[type]\n"                \
                XP_BLOCK_END                                                 \
                : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [u] "=&r"(u),    \
                  [v] "=&r"(v), [t] "+r"(t), [y0] "+r"(y0), [y1] "+r"(y1)    \
                : [n] "r"(run), [s] "r"(s), [w0] "r"(w0),                    \
                  [w1] "r"(w1), [w2] "r"(w2), [u0] "r"(u0), [u1] "r"(u1),    \
                  [u2] "r"(u2), [m] "r"(e->mul), [bias] "r"(e->bias),        \
                  [add] "r"(e->high), [low] "r"(e->low),                     \
                  [shift] "r"(e->shift), [hi] "r"(e->hi),                    \
                  [step] "r"(yw),                                            \
                  [type] "i"(XP_TYPE(Y))                                     \
                : XP_CLOBBERS);                                              \
            t = (const int32_t *)(const void *)((const char *)t + next);     \
        }                                                                    \
    }
/* Bounds that are as far from 0, or 0 the lower. */
#define DEPTH_CLIP_R(v) "xp.clipr " v ", " v ", %[hi]\n"
#define DEPTH_CLIP_UR(v) "xp.clipur " v ", " v ", %[hi]\n"
#define DEPTH_PAIRS(name, words, FIRST, more, FINISH)                        \
    DEPTH_PAIR(name##_r, words, FIRST, more, FINISH, DEPTH_CLIP_R)           \
    DEPTH_PAIR(name##_ur, words, FIRST, more, FINISH, DEPTH_CLIP_UR)         \
    static inline void name(const struct depth *q, const int32_t *t,         \
                            const int32_t *w, const struct channel *e, Y *y) \
    {                                                                        \
        if (e->lo)                                                           \
            name##_r(q, t, w, e, y);                                         \
        else                                                                 \
            name##_ur(q, t, w, e, y);                                        \
    }

/* In 32 bits, the bias being in add already; or the upper half of 64, where
 * `low` is the complement of the lower half of add. */
#define DEPTH_SCALE32_END(v)                                                 \
    "mul " v ", " v ", %[m]\n xp.addnr " v ", %[add], %[shift]\n"
#define DEPTH_SCALE64_END(v)                                                 \
    "mul %[a], " v ", %[m]\n mulh " v ", " v ", %[m]\n"                      \
    "sltu %[a], %[low], %[a]\n add " v ", " v ", %[add]\n"                   \
    "add " v ", " v ", %[a]\n sra " v ", " v ", %[shift]\n"
/* The same with UPPER_HALF; `low` is 2. */
#if ROUND
#define DEPTH_UPPER_END(v)                                                   \
    "srli %[a], " v ", 31\n slli " v ", " v ", 2\n"                          \
    "mulh " v ", " v ", %[m]\n xp.msu " v ", %[a], %[low]\n"                \
    "xp.addnr " v ", %[add], %[shift]\n"
#else
#define DEPTH_UPPER_END(v)                                                   \
    "slli " v ", " v ", 2\n mulh " v ", " v ", %[m]\n"                       \
    "xp.addnr " v ", %[add], %[shift]\n"
#endif

#define DEPTH_BIAS(more, d, x, w)                                            \
    "addi " d ", %[bias], 0\n" more(d, x, w)
#define DEPTH_BIAS_SP(d, x, w) DEPTH_BIAS(BLOCK_SP, d, x, w)
#define DEPTH_BIAS_UP(d, x, w) DEPTH_BIAS(BLOCK_UP, d, x, w)
#define DEPTH_BIAS_USP(d, x, w) DEPTH_BIAS(BLOCK_USP, d, x, w)
#define DEPTH_BIAS_SUP(d, x, w) DEPTH_BIAS(BLOCK_SUP, d, x, w)

#define DEPTH_KIND(name, one, two, S, U, US, SU, END)                        \
    DEPTH_THREE(name##_ss, one, S, BLOCK_SP, END)                            \
    DEPTH_THREE(name##_uu, one, U, BLOCK_UP, END)                            \
    DEPTH_THREE(name##_us, one, US, BLOCK_USP, END)                          \
    DEPTH_THREE(name##_su, one, SU, BLOCK_SUP, END)                          \
    DEPTH_PAIRS(name##_two_ss, two, S, BLOCK_SP, END)                        \
    DEPTH_PAIRS(name##_two_uu, two, U, BLOCK_UP, END)                        \
    DEPTH_PAIRS(name##_two_us, two, US, BLOCK_USP, END)                      \
    DEPTH_PAIRS(name##_two_su, two, SU, BLOCK_SUP, END)

DEPTH_KIND(depth_scale32, 11, 17, BLOCK_FIRST_SP, BLOCK_FIRST_UP,
           BLOCK_FIRST_USP, BLOCK_FIRST_SUP, DEPTH_SCALE32_END)
DEPTH_KIND(depth_scale64, 16, 27, DEPTH_BIAS_SP, DEPTH_BIAS_UP, DEPTH_BIAS_USP,
           DEPTH_BIAS_SUP, DEPTH_SCALE64_END)
#if ROUND
DEPTH_KIND(depth_upper, 15, 25, DEPTH_BIAS_SP, DEPTH_BIAS_UP, DEPTH_BIAS_USP,
           DEPTH_BIAS_SUP, DEPTH_UPPER_END)
#else
DEPTH_KIND(depth_upper, 13, 21, DEPTH_BIAS_SP, DEPTH_BIAS_UP, DEPTH_BIAS_USP,
           DEPTH_BIAS_SUP, DEPTH_UPPER_END)
#endif

/* The epilogue in the form that the loop wants; 0 if it has none. */
static inline int depth_ready(struct channel *e)
{
    const int32_t more = e->shift < 32 ? 32 - e->shift : 0;
    int64_t add = e->add;

    if (DEPTH_SCALE32) {
        e->high = (int32_t)add + e->bias * e->mul;
        return 1;
    }
    if (UPPER_HALF) {
        e->high = (int32_t)(add >> 30);
        e->low = 2;
        e->shift -= 30;
        return 1;
    }
    if (ROUND ||
        (more && (more == 32 || shifted(e->mul, more) >> more != e->mul)))
        return 0;
    e->mul = shifted(e->mul, more);
    add = (int64_t)((uint64_t)add << more);
    e->shift = e->shift + more - 32;
    e->high = (int32_t)(add >> 32);
    e->low = ~(int32_t)add;
    return 1;
}

static inline void depth_three(const struct depth *q, const int32_t *t,
                               const int32_t *w, const struct channel *e,
                               Y *y)
{
    if (DEPTH_SCALE32)
        BLOCK_BY_SIGN(depth_scale32, q, t, w, e, y);
    else if (UPPER_HALF)
        BLOCK_BY_SIGN(depth_upper, q, t, w, e, y);
    else
        BLOCK_BY_SIGN(depth_scale64, q, t, w, e, y);
}

static inline void depth_two(const struct depth *q, const int32_t *t,
                             const int32_t *w, const struct channel *e, Y *y)
{
    if (DEPTH_SCALE32)
        BLOCK_BY_SIGN(depth_scale32_two, q, t, w, e, y);
    else if (UPPER_HALF)
        BLOCK_BY_SIGN(depth_upper_two, q, t, w, e, y);
    else
        BLOCK_BY_SIGN(depth_scale64_two, q, t, w, e, y);
}
#else
#define depth_ready(e) 0
#define depth_three depth_rest

static int32_t *depth_transpose(int32_t *to, const X *const row[],
                           const int32_t step[], int32_t rows, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < 4; j++) {
            X v[4];

            for (int32_t r = 0; r < 4; r++)
                v[r] = r < rows ? row[r][i * step[r] + j] : 0;
            *to++ = word_load(v);
        }
    return to;
}

static int32_t *depth_columns(int32_t *to, const X *const row[3],
                              const int32_t step[3], int32_t n)
{
    return depth_transpose(to, row, step, 3, n);
}

static int32_t *depth_columns4(int32_t *to, const X *const row[4],
                               const int32_t step[4], int32_t n)
{
    return depth_transpose(to, row, step, 4, n);
}
#endif

/* The sum of a window of one plane or several, `plane` words apart. */
static inline int32_t depth_sum(const int32_t *t, const int32_t *w, int32_t d,
                                int32_t kw, int32_t planes, int32_t plane)
{
    int32_t sum = 0;

    for (; planes > 0; planes--, t += plane) {
        const int32_t *p = t;

        for (int32_t i = kw; i > 0; i--, p += d)
            sum = word_dot(sum, *p, *w++);
    }
    return sum;
}

/* n results of any window. */
static inline void depth_any(const struct depth *q, const int32_t *t,
                             const int32_t *w, const struct channel *e, Y *y)
{
    const struct conv_dims *k = q->k;
    const int32_t plane = 4 * q->lines * q->span;

    for (int32_t i = q->run; i > 0; i--, t += 4 * k->sw, y += k->yw) {
        const int32_t sum =
            depth_sum(t, w, 4 * k->dw, k->kw, q->planes, plane) + e->bias;

        *y = (Y)block_clip(scaled(sum, e->mul, e->add, e->shift), e->lo,
                           e->hi);
    }
}

static int32_t *depth_pad(int32_t *to, int32_t v, int32_t n)
{
    for (n *= 4; n > 0; n--)
        *to++ = v;
    return to;
}

/* Padding on both sides of all lines. */
static NOINLINE void depth_pads(const struct depth *q)
{
    int32_t *to = q->cols;

    for (int32_t i = q->planes * q->lines; i > 0; i--) {
        to = depth_pad(to, q->pad, q->before) + 4 * q->n;
        to = depth_pad(to, q->pad, q->behind);
    }
}

/* Row `at` of x, or padding. */
#define DEPTH_LINE(i, at)                                                    \
    do {                                                                     \
        const int32_t line = at;                                             \
        const int in = (uint32_t)line < (uint32_t)h;                         \
                                                                             \
        row[i] = in ? x + line * xh : pad;                                   \
        step[i] = in ? xw : 0;                                               \
    } while (0)

/* Columns of the plane of `taps` rows of taps and more, whose first is at row
 * `top` of x. */
static NOINLINE int32_t *depth_plane(const struct depth *q, int32_t top,
                                     int32_t taps, int32_t *to)
{
    const struct conv_dims *k = q->k;
    const int32_t dh = k->dh, h = k->h, xw = k->xw, xh = k->xh, n = q->n;
    const int32_t rest = 4 * (q->span - n);
    const X *const pad = (const X *)(const void *)&q->pad;
    const X *const x = q->x + (q->left + q->before) * xw;

    to += 4 * q->before;
    for (int32_t r = n ? q->lines : 0; r > 0; r--, top += k->sh) {
        const X *row[3];
        int32_t step[3];

        DEPTH_LINE(0, top);
        DEPTH_LINE(1, taps > 1 ? top + dh : -1);
        DEPTH_LINE(2, taps > 2 ? top + 2 * dh : -1);
        to = depth_columns(to, row, step, n) + rest;
    }
    return to - 4 * q->before;
}

/* The same of four rows, for two rows of results each. */
static NOINLINE void depth_plane4(const struct depth *q, int32_t top,
                                  int32_t *to)
{
    const struct conv_dims *k = q->k;
    const int32_t h = k->h, xw = k->xw, xh = k->xh, n = q->n;
    const int32_t rest = 4 * (q->span - n);
    const X *const pad = (const X *)(const void *)&q->pad;
    const X *const x = q->x + (q->left + q->before) * xw;

    to += 4 * q->before;
    for (int32_t r = n ? q->lines : 0; r > 0; r--, top += 2) {
        const X *row[4];
        int32_t step[4];

        if (r == 1 && q->back)
            top--;
        DEPTH_LINE(0, top);
        DEPTH_LINE(1, top + 1);
        DEPTH_LINE(2, top + 2);
        DEPTH_LINE(3, top + 3);
        to = depth_columns4(to, row, step, n) + rest;
    }
}

/* A plane of weights of a channel: words of up to three taps of a column. */
static inline int32_t *depth_words(int32_t *to, const RIGHT *w, int32_t wh,
                                   int32_t ww, int32_t kw, int32_t taps)
{
    const int32_t second = taps > 1 ? wh : 0, third = taps > 2 ? 2 * wh : 0;
    const uint32_t mask = taps > 2 ? 0xffffff : taps > 1 ? 0xffff : 0xff;

    for (; kw > 0; kw--, w += ww)
        *to++ = (int32_t)(((uint32_t)(uint8_t)w[third] << 16 |
                           (uint32_t)(uint8_t)w[second] << 8 |
                           (uint32_t)(uint8_t)w[0]) & mask);
    return to;
}

#ifdef XPULPV2
/* Nine weights, which are neighbours. */
static inline void depth_nine(int32_t *to, const RIGHT *w)
{
    const int32_t a = word_load(w), b = word_load(w + 4);
    const int32_t c = word_load(w + 5);

    to[0] = xp_shuffle4(a, b, 0x00060300) & 0xffffff;
    to[1] = xp_shuffle4(a, b, 0x00070401) & 0xffffff;
    to[2] = xp_shuffle4(a, c, 0x00070402) & 0xffffff;
}
#endif

/* The weights of four channels. */
static NOINLINE void depth_weights(const struct depth *q, const RIGHT *w)
{
    const struct conv_dims *k = q->k;
    const int32_t kh = k->kh, wh = k->wh, ww = k->ww, wm = k->wm, kw = k->kw;
    int32_t *to = q->weights;

#ifdef XPULPV2
    if (kh == 3 && kw == 3 && wh == 3 && ww == 1) {
        for (int32_t c = 0; c < 4; c++, w += wm, to += 3)
            depth_nine(to, w);
        return;
    }
#endif
    for (int32_t c = 0; c < 4; c++, w += wm)
        for (int32_t i = 0; i < kh; i += 3)
            to = depth_words(to, w + i * wh, wh, ww, kw, kh - i);
}

#ifdef SHIFTS
#define DEPTH_SHIFT(q, i) ((int32_t)(q)->shifts[i])
#else
#define DEPTH_SHIFT(q, i) ((q)->shift)
#endif

static inline struct channel depth_channel(const struct depth *q, int32_t c)
{
    const struct channel e = {
        .bias = (int32_t)q->bias[c * q->biasn],
        .mul = (int32_t)q->mul[c * q->muln], .add = q->add[c * q->addn],
        .shift = DEPTH_SHIFT(q, c * q->muln), .lo = q->k->lo, .hi = q->k->hi,
    };

    return e;
}

static inline void depth_operands(struct depth *q)
{
    const struct io *io = q->io;
    const int has_mul = io->in[3] != NULL, has_add = has_mul && io->in[4];

    q->no_bias = 0, q->no_mul = 1, q->no_add = 0;
    q->bias = io->in[2] ? io->in[2] : &q->no_bias;
    q->mul = has_mul ? io->in[3] : &q->no_mul;
    q->add = has_add ? io->in[4] : &q->no_add;
    q->biasn = io->in[2] != NULL;
    q->muln = has_mul ? q->k->mulc : 0;
    q->addn = has_add ? q->k->addc : 0;
    q->shift = has_mul ? q->k->shift : 0;
#ifdef SHIFTS
    q->shifts = io->in[5];
#endif
}

/* Any windows: a row of results, or two, of each line. */
static NOINLINE void depth_rest(const struct depth *q, const int32_t *t,
                                const int32_t *w, const struct channel *e,
                                Y *y)
{
    const int32_t yh = q->k->yh;

    for (int32_t r = q->lines; r > 0; r--, t += 4 * q->span, y += yh) {
        if (r == 1)
            y -= q->back;
        depth_any(q, t, w, e, y);
        if (q->each == 2) {
            const int32_t u[3] = {shifted(w[0], 8), shifted(w[1], 8),
                                  shifted(w[2], 8)};

            y += yh;
            depth_any(q, t, u, e, y);
        }
    }
}

/* Results of four channels, from the columns; `hand` does those of three words
 * each. */
#define DEPTH_RESULTS(name, hand)                                            \
    static NOINLINE void name(const struct depth *q, Y *y)                   \
    {                                                                        \
        const int32_t *w = q->weights, *t = q->cols;                         \
        const int32_t words = q->planes * q->k->kw;                          \
                                                                             \
        for (int32_t i = 0; i < 4; i++, y++, t++, w += words) {              \
            struct channel e = depth_channel(q, q->c + i);                   \
                                                                             \
            if (words == 3 && q->k->kw == 3 && depth_ready(&e))              \
                hand(q, t, w, &e, y);                                        \
            else                                                             \
                depth_rest(q, t, w, &e, y);                                  \
        }                                                                    \
    }

DEPTH_RESULTS(depth_results, depth_three)
#ifdef XPULPV2
DEPTH_RESULTS(depth_results2, depth_two)
#else
#define depth_results2 depth_results
#endif

/* Do bounds have the form that two rows at a time want, and windows three rows,
 * a row apart? */
static inline int depth_twice(const struct conv_dims *k)
{
    return k->kh == 3 && k->kw == 3 && k->sh == 1 && k->dh == 1 &&
           k->dw == 1 && (k->lo == 0 || k->lo + k->hi == -1);
}

/* Columns and results of `rows` rows of results from row lo on.  If they are
 * two to a line, and odd, the last two end with the last. */
static void depth_lines(struct depth *q, int32_t rows, int32_t lo, Y *y)
{
    const struct conv_dims *k = q->k;
    int32_t *to = q->cols, top = lo * k->sh - k->ph;

    q->lines = q->each == 2 ? (rows + 1) >> 1 : rows;
    q->back = q->each == 2 && rows & 1 ? k->yh : 0;
    if (q->lines > q->padded || q->planes > 1) {
        depth_pads(q);
        q->padded = q->lines;
    }
    if (q->each == 2)
        depth_plane4(q, top, to);
    else
        for (int32_t p = k->kh; p > 0; p -= 3, top += 3 * k->dh)
            to = depth_plane(q, top, p, to);
    if (q->each == 2)
        depth_results2(q, y);
    else
        depth_results(q, y);
}

/* What lies under `run` results from column ox on. */
static NOINLINE void depth_under(struct depth *q, int32_t ox, int32_t run)
{
    const struct conv_dims *k = q->k;
    const int32_t size = (int32_t)sizeof(Y), left = ox * k->sw - k->pw;
    const int32_t span = (run - 1) * k->sw + (k->kw - 1) * k->dw + 1;
    const int32_t end = left + span, last = end < k->w ? end : k->w;

    q->ox = ox;
    q->run = run;
    q->padded = 0;
    q->span = span;
    q->left = left;
    q->before = left >= 0 ? 0 : end < 0 ? span : -left;
    q->n = last > left + q->before ? last - left - q->before : 0;
    q->behind = span - q->before - q->n;
    q->walk.d = 16 * k->dw;
    q->walk.s = 16 * k->sw;
    q->walk.next = 16 * (span - run * k->sw);
    q->walk.yw = size * k->yw;
    q->walk.ynext = size * (k->yh - run * k->yw);
}

/* Rows [lo, hi) of `run` results. */
static void depth_stripe(struct depth *q, int32_t lo, int32_t hi)
{
    const struct conv_dims *k = q->k;

    while (lo < hi) {
        int32_t rows = hi - lo;

        q->each = q->twice && rows != 1 && rows != 3 ? 2 : 1;
        if (rows > q->each * q->most)
            rows = q->each * q->most;
        depth_lines(q, rows, lo, q->y + lo * k->yh + q->ox * k->yw);
        lo += rows;
    }
}

/* Rows [lo, hi) of four channels of an image. */
static void depth_rows(struct depth *q, int32_t run, int32_t lo, int32_t hi)
{
    const int32_t width = q->k->ow;

    for (int32_t ox = 0; ox < width; ox += run) {
        if (ox != q->ox)
            depth_under(q, ox, width - ox < run ? width - ox : run);
        depth_stripe(q, lo, hi);
    }
}

/* Rows [lo, hi) of all images one after the other, of four channels from c
 * on. */
static void depth_four(struct depth *q, int32_t c, int32_t run, int32_t lo,
                       int32_t hi)
{
    const struct conv_dims *k = q->k;

    q->c = c;
    q->x = (const X *)q->io->in[0] + c;
    q->y = (Y *)q->io->out[0] + c;
    depth_weights(q, (const RIGHT *)q->io->in[1] + (ptrdiff_t)c * k->wm);
    for (int32_t n = k->n; n > 0 && hi > 0; n--) {
        if (lo < k->oh)
            depth_rows(q, run, lo, hi < k->oh ? hi : k->oh);
        lo = lo < k->oh ? 0 : lo - k->oh;
        hi -= k->oh;
        q->x += k->xn;
        q->y += k->yn;
    }
}

/* This core's share: rows of four channels, those of the same channels
 * together.  The last four are taken again where they are not a multiple. */
static inline void depth_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t rows = k->n * k->oh;
    const int32_t reach = (k->kw - 1) * k->dw + 1;
    int32_t run = reach < DEPTH_SPAN ? (DEPTH_SPAN - reach) / k->sw + 1 : 1;
    int32_t lo, hi, c;
    struct depth q;

    q.k = k;
    q.io = io;
    depth_operands(&q);
    q.ox = -1;
    q.twice = depth_twice(k);
    q.planes = (k->kh + 2) / 3;
    run = run < k->ow ? run : k->ow;
    q.most = DEPTH_SPAN / ((run - 1) * k->sw + reach);
    q.most += q.most == 0;
    q.weights = io->tmp;
    q.cols = q.weights + 4 * q.planes * k->kw;
    q.pad = (int32_t)((uint32_t)(k->padv & 255) * 0x01010101u);
    span(rows * ((k->g + 3) / 4), io->core, io->ncore, &lo, &hi);
    c = lo / rows;
    lo -= c * rows;
    hi -= c * rows;
    for (c *= 4; hi > 0; c += 4, lo = 0, hi -= rows)
        if (lo < hi)
            depth_four(&q, c < k->g - 4 ? c : k->g - 4, run, lo,
                       hi < rows ? hi : rows);
}

#endif
