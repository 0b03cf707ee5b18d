/* Depthwise convolution, channels last, by dot products of bytes: for XpulpV2,
 * elsewhere the same in plain C.
 *
 * Four channels at a time.  First columns: of each column of x under a row of
 * windows, three rows of a channel become a word, for the four channels side by
 * side, with padding in its place; a kernel of more rows has further planes of
 * such columns.  Then channel by channel a result is kw products of words a
 * plane; the fourth byte of weights is 0.  Columns are made for up to
 * DEPTH_SPAN columns at a time: `most` rows if they are short.
 *
 * The including file defines scaled(sum, mul, add, shift), and DEPTH_SHORT to 1
 * if nothing leaves 32 bits and no addend is wider. */
#ifndef DEPTH_COLS_H
#define DEPTH_COLS_H

#include "kern/kern.h"

typedef X LEFT;
typedef W RIGHT;
typedef B START;
#include "kern/block.h"
#include "kern/scale.h"

enum { DEPTH_SPAN = 80 };

/* Where columns and results lie, in bytes: from one to the next (d: from tap to
 * tap), and from the end of a row to the next. */
struct walk {
    int32_t d, s, next, yw, ynext;
};

/* What a call works with.  span: columns under a row of `run` windows, of which
 * n from `left + before` on are inside; `rows` such rows.  cols and weights
 * lie in scratch. */
struct depth {
    const struct conv_dims *k;
    const struct io *io;
    const X *x;
    Y *y;
    int32_t *cols, *weights;
    int32_t planes, run, rows, most, span, c;
    int32_t left, before, n, behind;
    int32_t pad; /* four times the value of padding */
    struct walk walk;
};

/* The epilogue of a channel; high and low: what depth_ready() makes of add. */
struct channel {
    int32_t bias, mul, shift, lo, hi, high, low;
    ADD add;
};

#ifdef __riscv
/* Three words of four channels to four words of three rows. */
static inline int32_t *depth_columns(int32_t *to, const X *const row[3],
                                     const int32_t step[3], int32_t n)
{
    const X *r0 = row[0], *r1 = row[1], *r2 = row[2];
    int32_t a, b, c, t, u, v;

    __asm__ volatile(
        XP_BLOCK XP_LOOP(0, "%[n]", 15)
        ".insn r 0x0b, 7, 0x10, %[a], %[r0], %[s0]\n"
        ".insn r 0x0b, 7, 0x10, %[b], %[r1], %[s1]\n"
        ".insn r 0x0b, 7, 0x10, %[c], %[r2], %[s2]\n"
        ".insn r 0x57, 0, 0x68, %[t], %[b], %[a]\n"
        ".insn r 0x57, 0, 0x64, %[a], %[b], %[high]\n"
        "addi %[u], %[t], 0\n addi %[v], %[a], 0\n"
        ".insn r 0x57, 1, 0x64, %[t], %[c], %[q0]\n"
        ".insn r 0x57, 1, 0x64, %[u], %[c], %[q1]\n"
        ".insn r 0x57, 1, 0x64, %[a], %[c], %[q2]\n"
        ".insn r 0x57, 1, 0x64, %[v], %[c], %[q3]\n"
        XP_SW_STEP("%[t]", "%[to]", 4) XP_SW_STEP("%[u]", "%[to]", 4)
        XP_SW_STEP("%[a]", "%[to]", 4) XP_SW_STEP("%[v]", "%[to]", 4)
        XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [t] "=&r"(t),
          [u] "=&r"(u), [v] "=&r"(v), [r0] "+r"(r0), [r1] "+r"(r1),
          [r2] "+r"(r2), [to] "+r"(to)
        : [n] "r"(n), [s0] "r"(step[0]), [s1] "r"(step[1]),
          [s2] "r"(step[2]), [high] "r"(0x00030001), [q0] "r"(0x04040200),
          [q1] "r"(0x05050301), [q2] "r"(0x06060200), [q3] "r"(0x07070301)
        : "memory");
    return to;
}

/* Results of three words each, a column and two more d bytes apart: `words`
 * instructions a result, the last of which FINISH the sum v. */
#define DEPTH_THREE(name, words, FIRST, more, FINISH) \
    XP_INLINE void name(const struct depth *q, const int32_t *t,             \
                        const int32_t *w, const struct channel *e, Y *y)     \
    {                                                                        \
        const struct walk *p = &q->walk;                                     \
        int32_t a, b, c, v, r = q->rows;                                     \
                                                                             \
        __asm__ volatile(                                                    \
            ".balign 4\n1:\n"                                                \
            XP_BLOCK XP_LOOP(0, "%[n]", words)                               \
            BLOCK_LW_FAR("%[a]", "%[d]", "%[t]")                             \
            BLOCK_LW_FAR("%[b]", "%[dd]", "%[t]")                            \
            ".insn r 0x0b, 7, 0x10, %[c], %[t], %[s]\n"                      \
            FIRST("%[v]", "%[a]", "%[w1]") more("%[v]", "%[b]", "%[w2]")     \
            more("%[v]", "%[c]", "%[w0]") FINISH                             \
            ".insn r 0x33, 6, 0x02, %[v], %[v], %[lo]\n"                     \
            ".insn r 0x33, 4, 0x02, %[v], %[v], %[hi]\n"                     \
            ".insn r 0x2b, %[size], 0, %[step], %[y], %[v]\n"                \
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
              [size] "i"(sizeof(Y) == 4 ? 6 : sizeof(Y) == 2 ? 5 : 4)        \
            : "memory");                                                     \
    }
/* In 32 bits, the bias being in add already; or the upper half of 64, where
 * `low` is the complement of the lower half of add. */
#define DEPTH_SHORT_END                                                      \
    "mul %[v], %[v], %[m]\n .insn r 0x5b, 2, 0x20, %[v], %[add], %[shift]\n"
#define DEPTH_LONG_END                                                       \
    "mul %[a], %[v], %[m]\n mulh %[v], %[v], %[m]\n"                         \
    "sltu %[a], %[low], %[a]\n add %[v], %[v], %[add]\n"                     \
    "add %[v], %[v], %[a]\n sra %[v], %[v], %[shift]\n"
#define DEPTH_FIRST_SP(d, x, w) BLOCK_DOT("0x4c", d, x, w)
#define DEPTH_FIRST_UP(d, x, w) BLOCK_DOT("0x40", d, x, w)
#define DEPTH_FIRST_USP(d, x, w) BLOCK_DOT("0x44", d, x, w)
#define DEPTH_FIRST_SUP(d, x, w) BLOCK_DOT("0x44", d, w, x)

#define DEPTH_BIAS(more, d, x, w)                                            \
    "addi " d ", %[bias], 0\n" more(d, x, w)
#define DEPTH_BIAS_SP(d, x, w) DEPTH_BIAS(BLOCK_SP, d, x, w)
#define DEPTH_BIAS_UP(d, x, w) DEPTH_BIAS(BLOCK_UP, d, x, w)
#define DEPTH_BIAS_USP(d, x, w) DEPTH_BIAS(BLOCK_USP, d, x, w)
#define DEPTH_BIAS_SUP(d, x, w) DEPTH_BIAS(BLOCK_SUP, d, x, w)

DEPTH_THREE(depth_short_ss, 11, DEPTH_FIRST_SP, BLOCK_SP, DEPTH_SHORT_END)
DEPTH_THREE(depth_short_uu, 11, DEPTH_FIRST_UP, BLOCK_UP, DEPTH_SHORT_END)
DEPTH_THREE(depth_short_us, 11, DEPTH_FIRST_USP, BLOCK_USP, DEPTH_SHORT_END)
DEPTH_THREE(depth_short_su, 11, DEPTH_FIRST_SUP, BLOCK_SUP, DEPTH_SHORT_END)
DEPTH_THREE(depth_long_ss, 16, DEPTH_BIAS_SP, BLOCK_SP, DEPTH_LONG_END)
DEPTH_THREE(depth_long_uu, 16, DEPTH_BIAS_UP, BLOCK_UP, DEPTH_LONG_END)
DEPTH_THREE(depth_long_us, 16, DEPTH_BIAS_USP, BLOCK_USP, DEPTH_LONG_END)
DEPTH_THREE(depth_long_su, 16, DEPTH_BIAS_SUP, BLOCK_SUP, DEPTH_LONG_END)

/* The epilogue in the form that the loop wants; 0 if it has none. */
static inline int depth_ready(struct channel *e)
{
    const int32_t more = e->shift < 32 ? 32 - e->shift : 0;
    int64_t add = e->add;

    if (DEPTH_SHORT) {
        e->high = (int32_t)add + e->bias * e->mul;
        return 1;
    }
    if (more && (more == 32 || e->mul << more >> more != e->mul))
        return 0;
    e->mul = (int32_t)((uint32_t)e->mul << more);
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
    if (DEPTH_SHORT)
        BLOCK_BY_SIGN(depth_short, q, t, w, e, y);
    else
        BLOCK_BY_SIGN(depth_long, q, t, w, e, y);
}
#else
static inline int32_t *depth_columns(int32_t *to, const X *const row[3],
                                     const int32_t step[3], int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < 4; j++) {
            const X v[4] = {row[0][i * step[0] + j], row[1][i * step[1] + j],
                            row[2][i * step[2] + j], row[2][i * step[2] + j]};

            *to++ = block_load(v);
        }
    return to;
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
            sum = block_dot(sum, *p, *w++);
    }
    return sum;
}

/* n results of any window. */
static inline void depth_any(const struct depth *q, const int32_t *t,
                             const int32_t *w, const struct channel *e, Y *y)
{
    const struct conv_dims *k = q->k;
    const int32_t plane = 4 * q->rows * q->span;

    for (int32_t i = q->run; i > 0; i--, t += 4 * k->sw, y += k->yw) {
        const int32_t sum =
            depth_sum(t, w, 4 * k->dw, k->kw, q->planes, plane) + e->bias;

        *y = (Y)block_clip(scaled(sum, e->mul, e->add, e->shift), e->lo,
                           e->hi);
    }
}

static inline int32_t *depth_pad(int32_t *to, int32_t v, int32_t n)
{
    for (; n > 0; n--, to += 4)
        to[0] = to[1] = to[2] = to[3] = v;
    return to;
}

/* Columns of the plane of `taps` rows of taps and more, whose first is at row
 * `top` of x. */
static NOINLINE int32_t *depth_plane(const struct depth *q, int32_t top,
                                     int32_t taps, int32_t *to)
{
    const struct conv_dims *k = q->k;
    const int32_t dh = k->dh, h = k->h, xw = k->xw, sh = k->sh;
    const int32_t xh = k->xh, xd = dh * xh, n = q->n;
    const X *const pad = (const X *)(const void *)&q->pad;
    const X *x = q->x + (q->left + q->before) * xw + top * xh;

    for (int32_t r = q->rows; r > 0; r--, top += sh, x += sh * xh) {
        const X *row[3] = {pad, pad, pad};
        int32_t step[3] = {0, 0, 0};

        if (top >= 0 && top < h)
            row[0] = x, step[0] = xw;
        if (taps > 1 && top + dh >= 0 && top + dh < h)
            row[1] = x + xd, step[1] = xw;
        if (taps > 2 && top + 2 * dh >= 0 && top + 2 * dh < h)
            row[2] = x + 2 * xd, step[2] = xw;
        to = depth_pad(to, q->pad, q->before);
        if (n)
            to = depth_columns(to, row, step, n);
        to = depth_pad(to, q->pad, q->behind);
    }
    return to;
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

/* The weights of four channels. */
static NOINLINE void depth_weights(const struct depth *q, const RIGHT *w)
{
    const struct conv_dims *k = q->k;
    const int32_t kh = k->kh, wh = k->wh, ww = k->ww, wm = k->wm, kw = k->kw;
    int32_t *to = q->weights;

    for (int32_t c = 0; c < 4; c++, w += wm)
        for (int32_t i = 0; i < kh; i += 3)
            to = depth_words(to, w + i * wh, wh, ww, kw, kh - i);
}

static inline struct channel depth_channel(const struct depth *q, int32_t c)
{
    const START *bias = q->io->in[2];
    const MUL *mul = q->io->in[3];
    const ADD *add = mul ? q->io->in[4] : NULL;
    struct channel e;

    e.bias = bias ? (int32_t)bias[c] : 0;
    e.mul = mul ? (int32_t)mul[c * q->k->mulc] : 1;
    e.add = add ? add[c * q->k->addc] : 0;
    e.shift = mul ? q->k->shift : 0;
    e.lo = q->k->lo, e.hi = q->k->hi;
    return e;
}

/* Results of four channels, from the columns. */
static NOINLINE void depth_results(const struct depth *q, Y *y)
{
    const struct conv_dims *k = q->k;
    const int32_t *w = q->weights, *t = q->cols;
    const int32_t words = q->planes * k->kw;

    for (int32_t i = 0; i < 4; i++, y++, t++, w += words) {
        struct channel e = depth_channel(q, q->c + i);

#ifdef __riscv
        if (words == 3 && k->kw == 3 && depth_ready(&e)) {
            depth_three(q, t, w, &e, y);
            continue;
        }
#endif
        for (int32_t r = 0; r < q->rows; r++)
            depth_any(q, t + 4 * r * q->span, w, &e, y + r * k->yh);
    }
}

/* `run` results from column ox on of rows [lo, hi). */
static void depth_stripe(struct depth *q, int32_t ox, int32_t lo, int32_t hi)
{
    const struct conv_dims *k = q->k;
    const int32_t size = (int32_t)sizeof(Y), left = ox * k->sw - k->pw;
    const int32_t span = (q->run - 1) * k->sw + (k->kw - 1) * k->dw + 1;
    const int32_t end = left + span, last = end < k->w ? end : k->w;

    q->span = span;
    q->left = left;
    q->before = left >= 0 ? 0 : end < 0 ? span : -left;
    q->n = last > left + q->before ? last - left - q->before : 0;
    q->behind = span - q->before - q->n;
    q->walk.d = 16 * k->dw;
    q->walk.s = 16 * k->sw;
    q->walk.next = 16 * (span - q->run * k->sw);
    q->walk.yw = size * k->yw;
    q->walk.ynext = size * (k->yh - q->run * k->yw);
    for (; lo < hi; lo += q->rows) {
        int32_t *to = q->cols, top = lo * k->sh - k->ph;

        q->rows = hi - lo < q->most ? hi - lo : q->most;
        for (int32_t p = k->kh; p > 0; p -= 3, top += 3 * k->dh)
            to = depth_plane(q, top, p, to);
        depth_results(q, q->y + lo * k->yh + ox * k->yw);
    }
}

/* Rows [lo, hi) of four channels of an image. */
static void depth_rows(struct depth *q, int32_t run, int32_t lo, int32_t hi)
{
    const int32_t width = q->k->ow;

    for (int32_t ox = 0; ox < width; ox += run) {
        q->run = width - ox < run ? width - ox : run;
        depth_stripe(q, ox, lo, hi);
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
