/* Depthwise convolution of windows of three by three, a step of one or two,
 * channels last, by dot products of bytes in 32 bits: for XpulpV2, elsewhere
 * the same in plain C.
 *
 * Four channels at a time.  First planes: four neighbours across become a word,
 * for each channel by itself, with padding in its place.  Then, channel by
 * channel, results are made down the plane, four side by side.  With a step of
 * one they are of two words two pixels apart, each for two, the second with
 * weights a byte further up; with a step of two, of a word each.  A result is
 * three products, of three rows.  What is across and what is down is as wastes
 * the fewest results.  Planes of DEPTH3_BYTES are made at a time.
 *
 * The last four of a row may be too many: those are stored first, where the
 * last right one then is. */
#ifndef DEPTH3_H
#define DEPTH3_H

#include "kern/kern.h"

typedef X LEFT;
typedef W RIGHT;
#include "kern/xpulp/block.h"
#include "kern/xpulp/scale.h"

/* Words across and bytes of planes at a time, and rows of results that a loop
 * makes without moving planes from register to register. */
#ifndef ACROSS
#define ACROSS 4
#endif
#ifndef PLANES
#define PLANES 1520
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

/* An axis: pixels of x, padding before them; elements from one to the next, of
 * x and of results. */
struct axis {
    int32_t size, pad, x, y;
};

/* The weights of a channel, a row in a word, and its epilogue. */
struct nine {
    int32_t w[3], mul, add;
};

/* What a call works with.  First, by place, what depth3_asm.h knows: from row
 * to row of the planes of four channels; from result to result; the epilogue;
 * how many results are made at a time; four channels' weights. */
struct depth3 {
    int8_t *planes;
    int32_t row, across, down, shift, range, high, wide;
    struct nine nine[4];
    int32_t threes, back, yback; /* high / 3, and how far back the last three
                                    begin then: in planes, and in y */
    const struct conv_dims *k;
    const struct io *io;
    const X *x; /* four channels of an image */
    Y *y;
    struct axis columns, rows; /* what is across and down */
    int32_t pad;               /* four times the value of padding */
    int32_t words, most;       /* across, in fours, and down at a time */
    int32_t d, a;              /* the place of results */
    int32_t left, blocks, n;    /* its words, from pixel `left` on; n rows of */
    ptrdiff_t from;            /* x, the first at x + from, which becomes */
    int8_t *inside;            /* `inside` */
    int swapped;               /* columns are down */
    const B *bias;
    const MUL *mul;
    const ADD *add;
    int32_t biasn, muln, addn;
};

#ifdef XPULPV2
/* Four words of four channels to a word of each channel, n times. */
static inline void depth3_transpose(int8_t *to, const X *const p[4],
                               const int32_t step[4], int32_t row, int32_t n)
{
    const X *p0 = p[0], *p1 = p[1], *p2 = p[2], *p3 = p[3];
    int32_t a, b, c, d, t, u;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 18\n"
        "xp.lw.postr %[a], %[p0], %[s0]\n"
        "xp.lw.postr %[b], %[p1], %[s1]\n"
        "xp.lw.postr %[c], %[p2], %[s2]\n"
        "xp.lw.postr %[d], %[p3], %[s3]\n"
        "addi %[t], %[a], 0\n addi %[u], %[c], 0\n"
        "xpv.shuffle2.b %[t], %[b], %[low]\n"
        "xpv.shuffle2.b %[a], %[b], %[high]\n"
        "xpv.shuffle2.b %[u], %[d], %[low]\n"
        "xpv.shuffle2.b %[c], %[d], %[high]\n"
        "xpv.pack %[b], %[u], %[t]\n"
        "xpv.shuffle2.b %[t], %[u], %[tops]\n"
        "xpv.pack %[d], %[c], %[a]\n"
        "xpv.shuffle2.b %[a], %[c], %[tops]\n"
        "xp.sw.at %[t], %[to], %[c1]\n"
        "xp.sw.at %[d], %[to], %[c2]\n"
        "xp.sw.at %[a], %[to], %[c3]\n"
        "xp.sw.postr %[b], %[to], %[row]\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),
          [t] "=&r"(t), [u] "=&r"(u), [p0] "+r"(p0), [p1] "+r"(p1),
          [p2] "+r"(p2), [p3] "+r"(p3), [to] "+r"(to)
        : [n] "r"(n), [s0] "r"(step[0]), [s1] "r"(step[1]),
          [s2] "r"(step[2]), [s3] "r"(step[3]), [low] "r"(0x05010400),
          [high] "r"(0x07030602), [tops] "r"(0x07060302),
          [c1] "r"(row >> 2), [c2] "r"(row >> 1), [c3] "r"(3 * (row >> 2)),
          [row] "r"(row)
        : XP_CLOBBERS);
}

#include "kern/xpulp/depth3_asm.h"

#define DEPTH3_WAY(s, r)                                                     \
    do {                                                                     \
        if (q->k->sh != 1)                                                   \
            s##2##r(q, y);                                                   \
        else if (UNROLL == 3 && q->threes)                                   \
            s##3##r(q, y);                                                   \
        else                                                                 \
            s##1##r(q, y);                                                   \
    } while (0)

/* All results of four channels that there are planes for. */
static inline void depth3_results(const struct depth3 *q, Y *y)
{
    if (WORD_SIGNED(Y) && q->k->lo && WORD_SIGNED(X))
        DEPTH3_WAY(depth3_s, _r);
    else if (WORD_SIGNED(Y) && q->k->lo)
        DEPTH3_WAY(depth3_u, _r);
    else if (WORD_SIGNED(X))
        DEPTH3_WAY(depth3_s, _ur);
    else
        DEPTH3_WAY(depth3_u, _ur);
}
#else
static void depth3_transpose(int8_t *to, const X *const p[4],
                        const int32_t step[4], int32_t row, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t c = 0; c < 4; c++)
            for (int32_t j = 0; j < 4; j++)
                to[i * row + c * (row >> 2) + j] =
                    (int8_t)p[j][i * step[j] + c];
}

static int32_t depth3_result(const struct depth3 *q, const struct nine *e,
                             const int8_t *t)
{
    int32_t v = 0;

    for (int32_t j = 0; j < 3; j++, t += q->row)
        v = word_dot(v, word_load(t), e->w[j]);
    v = scale32(v, e->mul, e->add, q->shift);
    return clip(v, q->k->lo, q->k->hi);
}

static void depth3_results(const struct depth3 *q, Y *y)
{
    const int8_t *t = q->planes;
    const int32_t step = q->k->sh;

    for (int32_t c = 0; c < 4; c++, t += q->row >> 2, y++)
        for (int32_t r = 0; r < q->high; r++)
            for (int32_t i = 0; i < q->wide; i++)
                y[r * q->down + i * q->across] = (Y)depth3_result(
                    q, &q->nine[c], t + r * step * q->row + i * step);
}
#endif

/* Rows of padding, whose length is a multiple of 16 bytes. */
static int8_t *depth3_pad(int8_t *to, int32_t v, int32_t bytes)
{
    for (; bytes > 0; bytes -= 16, to += 16) {
        word_store(to, v);
        word_store(to + 4, v);
        word_store(to + 8, v);
        word_store(to + 12, v);
    }
    return to;
}

/* Words of all rows within x. */
static NOINLINE void depth3_words(const struct depth3 *q)
{
    const int32_t across = q->columns.x, down = q->rows.x;
    const uint32_t size = (uint32_t)q->columns.size;
    const X *const pad = (const X *)(const void *)&q->pad;
    const X *x = q->x + q->from;
    int8_t *to = q->inside;
    int32_t left = q->left;

    for (int32_t i = q->n ? q->blocks : 0; i > 0; i--, to += 4) {
        const X *p[4];
        int32_t step[4];

#define DEPTH3_PIXEL(j)                                                      \
        step[j] = (uint32_t)left < size ? down : 0;                          \
        p[j] = (uint32_t)left < size ? x : pad;                              \
        x += across, left++;
        DEPTH3_PIXEL(0)
        DEPTH3_PIXEL(1)
        DEPTH3_PIXEL(2)
        DEPTH3_PIXEL(3)
        depth3_transpose(to, p, step, q->row, q->n);
    }
}

/* The place of results from row d and column a on, with its padding; it stays
 * while one place follows the other in further channels. */
static void depth3_place(struct depth3 *q, int32_t d, int32_t a, int32_t high,
                         int32_t wide)
{
    const int32_t step = q->k->sh, rows = (high - 1) * step + 3;
    const int32_t top = d * step - q->rows.pad;
    const int32_t above = top >= 0 ? 0 : top < -rows ? rows : -top;
    const int32_t below = q->rows.size - top, end = below < rows ? below : rows;

    q->d = d;
    q->a = a;
    q->high = high;
    q->wide = wide;
    if (UNROLL == 3) {
        q->threes = high / 3;
        q->back = high % 3 ? (5 - high % 3) * q->row : 0;
        q->yback = (3 - high % 3) * q->down;
    }
    q->n = end > above ? end - above : 0;
    q->left = a * step - q->columns.pad;
    q->blocks = ((wide + 3) >> 2) * step + 1;
    q->from = (top + above) * q->rows.x + q->left * q->columns.x;
    q->inside = depth3_pad(q->planes, q->pad, above * q->row);
    depth3_pad(q->inside + q->n * q->row, q->pad,
               (rows - above - q->n) * q->row);
}

/* Results [d, dend) down and [from, end) across. */
static void depth3_field(struct depth3 *q, int32_t d, int32_t dend,
                         int32_t from, int32_t end)
{
    const int32_t most = 4 * q->words;

    for (; d < dend; d += q->high) {
        const int32_t high = dend - d < q->most ? dend - d : q->most;

        for (int32_t a = from; a < end; a += q->wide) {
            const int32_t wide = end - a < most ? end - a : most;

            if (high != q->high || wide != q->wide || d != q->d || a != q->a)
                depth3_place(q, d, a, high, wide);
            depth3_words(q);
            depth3_results(q, q->y + d * q->down + a * q->across);
        }
    }
}

/* Nine weights, which are neighbours, as three words. */
static inline void depth3_weights(int32_t *to, const W *w, int swapped)
{
#ifdef XPULPV2
    const int32_t a = word_load(w), b = word_load(w + 4);
    const int32_t c = word_load(w + 5), mask = 0xffffff;

    to[0] = xp_shuffle4(a, b, swapped ? 0x060300 : 0x020100) & mask;
    to[1] = xp_shuffle4(a, b, swapped ? 0x070401 : 0x050403) & mask;
    to[2] = xp_shuffle4(a, c, swapped ? 0x070402 : 0x070605) & mask;
#else
    for (int32_t i = 0; i < 3; i++, w += swapped ? 1 : 3) {
        const int32_t next = swapped ? 3 : 1;

        to[i] = (uint8_t)w[0] | (uint8_t)w[next] << 8 |
                (uint8_t)w[2 * next] << 16;
    }
#endif
}

/* What channels from c on are scaled by, and their weights. */
static NOINLINE void depth3_nine(struct depth3 *q, int32_t c)
{
    const int32_t wm = q->k->wm, muln = q->muln, addn = q->addn;
    const W *w = (const W *)q->io->in[1] + c * wm;
    const B *bias = q->bias + c * q->biasn;
    const MUL *mul = q->mul + c * muln;
    const ADD *add = q->add + c * addn;
    const int32_t biasn = q->biasn, swapped = q->swapped;
    struct nine *e = q->nine;

    for (int32_t i = 4; i > 0; i--, e++, w += wm, mul += muln, add += addn) {
        depth3_weights(e->w, w, swapped);
        e->mul = (int32_t)*mul;
        e->add = (int32_t)*add + (int32_t)*bias * (int32_t)*mul;
        bias += biasn;
    }
}

/* Absent ones are stood in for. */
static inline void depth3_operands(struct depth3 *q)
{
    static const MUL one = 1;
    static const ADD no_add;
    static const B no_bias;
    const struct io *io = q->io;
    const int has_add = io->in[3] && io->in[4];

    q->bias = io->in[2] ? io->in[2] : &no_bias;
    q->mul = io->in[3] ? io->in[3] : &one;
    q->add = has_add ? io->in[4] : &no_add;
    q->biasn = io->in[2] != NULL;
    q->muln = io->in[3] ? q->k->mulc : 0;
    q->addn = has_add ? q->k->addc : 0;
    q->shift = io->in[3] ? q->k->shift : 0;
}

/* Rows [lo, hi) of all images one after the other, of four channels from c
 * on. */
static void depth3_four(struct depth3 *q, int32_t c, int32_t lo, int32_t hi)
{
    const struct conv_dims *k = q->k;

    depth3_nine(q, c);
    q->x = (const X *)q->io->in[0] + c;
    q->y = (Y *)q->io->out[0] + c;
    for (; hi > 0; lo -= k->oh, hi -= k->oh, q->x += k->xn, q->y += k->yn) {
        const int32_t from = lo > 0 ? lo : 0, to = hi < k->oh ? hi : k->oh;

        if (from < to && q->swapped)
            depth3_field(q, 0, k->ow, from, to);
        else if (from < to)
            depth3_field(q, from, to, 0, k->ow);
    }
}

/* How many of n are made at a time, so that all times are alike. */
static inline int32_t depth3_part(int32_t n, int32_t most)
{
    int32_t parts;

    if (n <= most)
        return n;
    parts = (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

/* What is across, and how much at a time of `rows` rows of results. */
static inline void depth3_axes(struct depth3 *q, int32_t rows)
{
    const struct conv_dims *k = q->k;
    const struct axis high = {k->h, k->ph, k->xh, k->yh};
    const struct axis wide = {k->w, k->pw, k->xw, k->yw};
    const int32_t a = (k->ow + 3) >> 2, b = (rows + 3) >> 2;

    q->swapped = b * k->ow < a * rows;
    q->columns = q->swapped ? high : wide;
    q->rows = q->swapped ? wide : high;
    q->across = q->columns.y;
    q->down = q->rows.y;
    q->words = depth3_part(q->swapped ? b : a, ACROSS >> (k->sh == 2));
    q->row = 16 * (q->words * k->sh + 1);
    q->most = depth3_part(q->swapped ? k->ow : rows,
                          ((PLANES / q->row - 3) >> (k->sh == 2)) + 1);
}

/* This core's share: rows of four channels, those of the same channels
 * together.  The last four are taken again where they are not a multiple.
 * Cores begin at different ones, lest all want one bank of memory at a time. */
static inline void depth3_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t rows = k->n * k->oh;
    struct depth3 q;
    int32_t lo, hi, first, end, four;

    span(rows * ((k->g + 3) / 4), io->core, io->ncore, &lo, &hi);
    if (lo == hi)
        return;
    q.k = k;
    q.io = io;
    q.planes = io->tmp;
    q.range = k->hi;
    q.high = 0; /* no place yet */
    depth3_operands(&q);
    q.pad = (int32_t)((uint32_t)(k->padv & 255) * 0x01010101u);
    depth3_axes(&q, hi - lo < k->oh ? hi - lo : k->oh);
    first = lo / rows;
    end = (hi - 1) / rows + 1;
    four = first + io->core % (end - first);
    for (int32_t i = end - first; i > 0; i--) {
        const int32_t c = 4 * four, at = four * rows;

        depth3_four(&q, c < k->g - 4 ? c : k->g - 4, lo > at ? lo - at : 0,
                    hi < at + rows ? hi - at : rows);
        four = four + 1 < end ? four + 1 : first;
    }
}
#endif
