/* Integer norms of rows of bytes for XpulpV2; elsewhere the same in plain C.
 *
 * To be included after X, W and Y are defined, X and Y types of one byte, and
 * NORM_MEAN: 1, the mean is taken off and B added; 0, neither.
 *
 * With d = x - m (or x), a root s of 1 to 255 and C's division a result is
 *     clip((d w / s + b) >> shift)
 * and that is floor((d w + b s + (d w < 0 ? s - 1 : 0)) / k), k = s << shift.
 * Clipped to 128 k either way, with 128 k added and shifted, the numerator is
 * at most 256 s - 1; of such a number v and r = 2^24 / s + 1
 *     v r < 2^32,  v / s = v r >> 24
 * for r s exceeds 2^24 by at most s, and v s is less than 2^24.
 *
 * A core takes a stretch of all words of four elements, whatever the rows; of a
 * row that it shares, it has the sums too. */
#ifndef NORM_H
#define NORM_H

#include "kern/kern.h"

#define NORM_SIGNED(T) ((T)-1 < (T)1)

/* What the elements of a row are computed with: half is 128 k. */
struct norm {
    int32_t mean, root, half, shift, inverse;
};

#if NORM_MEAN
#define NORM_DATA const W *w, const B *b
#define NORM_AT(i) w + (i), b + (i)
#else
#define NORM_DATA const W *w
#define NORM_AT(i) w + (i)
#endif

#include "kern/xpulp/mean.h"

#ifdef XPULPV2
static inline void norm_more(int32_t v, int32_t *sum, int32_t *squares)
{
    const int32_t ones = 0x01010101;

    *sum = NORM_SIGNED(X) ? xp_sdot4(*sum, v, ones) : xp_sdot4u(*sum, v, ones);
    *squares =
        NORM_SIGNED(X) ? xp_sdot4(*squares, v, v) : xp_sdot4u(*squares, v, v);
}

/* Sums of n elements, 4 or more, and of their squares. */
static inline void norm_sums(const X *x, int32_t n, int32_t *sum,
                             int32_t *squares)
{
    int32_t s = 0, q = 0, a, b;

    if (n > 7)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 6\n"
            "xp.lw.post %[a], %[x], 4\n"
            "xp.lw.post %[b], %[x], 4\n"
            "xpv.sdott.b %[s], %[a], %[ones], %[dot]\n"
            "xpv.sdott.b %[q], %[a], %[a], %[dot]\n"
            "xpv.sdott.b %[s], %[b], %[ones], %[dot]\n"
            "xpv.sdott.b %[q], %[b], %[b], %[dot]\n" XP_BLOCK_END
            : [s] "+&r"(s), [q] "+&r"(q), [a] "=&r"(a), [b] "=&r"(b),
              [x] "+&r"(x)
            : [n] "r"(n >> 3), [ones] "r"(0x01010101),
              [dot] "i"(XP_SIGNS(X, X))
            : XP_CLOBBERS);
    if (n & 4) {
        norm_more(xp_load(x), &s, &q);
        x += 4;
    }
    if (n & 3)
        norm_more(xp_load(x + (n & 3) - 4) &
                      (int32_t)(UINT32_MAX << 8 * (-n & 3)), &s, &q);
    *sum = s, *squares = q;
}

/* Load of an element, the address then moves on; d: register, p: pointer. */
#define NORM_F3(T)                                                           \
    (sizeof(T) == 4 ? 2 : (sizeof(T) == 2) | (NORM_SIGNED(T) ? 0 : 4))
#define NORM_LOAD(d, p, f3, step)                                            \
    "xp.lt.post " d ", " p ", %[" step "], %[" f3 "]\n"

/* Byte i, given as its bits 1 and 0, as far as the 8 bits of its quotient, the
 * uppermost of t. */
#define NORM_BYTE(t, b1, b0)                                                 \
    "xpv.extractt.b " t ", %[a], 2 * " #b1 " + " #b0 ", %[byte]\n"
#if NORM_MEAN
#define NORM_FIRST(t, b1, b0)                                                \
    NORM_LOAD("%[v]", "%[w]", "wf", "ws") NORM_BYTE(t, b1, b0)               \
    NORM_LOAD("%[u]", "%[b]", "bf", "bs") "sub " t ", " t ", %[mean]\n"      \
    "mul " t ", " t ", %[v]\n"
#define NORM_ADD(t) "xp.mac " t ", %[u], %[root]\n"
#define NORM_LENGTH 50
#else
#define NORM_FIRST(t, b1, b0)                                                \
    NORM_LOAD("%[v]", "%[w]", "wf", "ws") NORM_BYTE(t, b1, b0)               \
    "mul " t ", " t ", %[v]\n"
#define NORM_ADD(t)
#define NORM_LENGTH 38
#endif
#define NORM_ONE(t, b1, b0)                                                  \
    NORM_FIRST(t, b1, b0) "srai %[v], " t ", 31\n"                           \
    "xp.msu " t ", %[v], %[less]\n" NORM_ADD(t)                              \
    "xp.clipr " t ", " t ", %[most]\n"                                       \
    "xp.addunr " t ", %[half], %[shift]\n"                                   \
    "mul " t ", " t ", %[inverse]\n"

/* n may be a macro */
#define NORM_LOOP(count, n) NORM_SETUP(count, n)
#define NORM_SETUP(count, n) "xlp.setup 0, " count ", " #n "\n"

/* Words of four elements. */
static inline void norm_words(const struct norm *r, const X *x, NORM_DATA,
                              Y *y, int32_t count)
{
    int32_t a, t0, t1, t2, t3, v, u;

    __asm__ volatile(
        XP_BLOCK NORM_LOOP("%[count]", NORM_LENGTH)
        "xp.lw.post %[a], %[x], 4\n"
        NORM_ONE("%[t0]", 0, 0) NORM_ONE("%[t1]", 0, 1)
        "xpv.shuffle2.b %[t0], %[t1], %[upper]\n"
        NORM_ONE("%[t2]", 1, 0) NORM_ONE("%[t3]", 1, 1)
        "xpv.shuffle2.b %[t2], %[t3], %[upper]\n"
        "xpv.pack %[t0], %[t2], %[t0]\n"
        "xor %[t0], %[t0], %[sign]\n"
        "xp.sw.post %[t0], %[y], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2),
          [t3] "=&r"(t3), [v] "=&r"(v), [u] "=&r"(u), [x] "+&r"(x),
          [w] "+&r"(w),
#if NORM_MEAN
          [b] "+&r"(b),
#endif
          [y] "+&r"(y)
        : [count] "r"(count), [less] "r"(r->root - 1),
          [most] "r"(r->half - 1), [half] "r"(r->half), [shift] "r"(r->shift),
          [inverse] "r"(r->inverse), [upper] "r"(0x07030703),
          [sign] "r"(0x80808080), [byte] "i"(XP_UNSIGNED(X)),
          [wf] "i"(NORM_F3(W)), [ws] "i"(sizeof(W))
#if NORM_MEAN
          , [mean] "r"(r->mean), [root] "r"(r->root), [bf] "i"(NORM_F3(B)),
          [bs] "i"(sizeof(B))
#endif
        : XP_CLOBBERS);
}
#else
static void norm_sums(const X *x, int32_t n, int32_t *sum, int32_t *squares)
{
    *sum = *squares = 0;
    for (int32_t i = 0; i < n; i++) {
        *sum += x[i];
        *squares += x[i] * x[i];
    }
}

static void norm_words(const struct norm *r, const X *x, NORM_DATA, Y *y,
                       int32_t count)
{
    for (int32_t i = 0; i < 4 * count; i++) {
        int32_t v = (x[i] - r->mean) * (int32_t)w[i];

        v += v < 0 ? r->root - 1 : 0;
#if NORM_MEAN
        v += b[i] * r->root;
#endif
        v = clip(v, -r->half, r->half - 1);
        y[i] = (Y)((int32_t)(((uint32_t)(v + r->half) >> r->shift) *
                             (uint32_t)r->inverse >> 24) - 128);
    }
}
#endif

static inline struct norm norm_of(const X *x, int32_t n, int32_t shift)
{
    int32_t sum, squares, mean = 0, root;

    norm_sums(x, n, &sum, &squares);
#if NORM_MEAN
    mean = mean_of_sum(sum, n);
    /* without sign, for what is added and taken off again may wrap */
    squares = (int32_t)((uint32_t)squares -
                        (uint32_t)mean * (uint32_t)(2 * sum - n * mean));
#endif
    root = (int32_t)root_of((uint32_t)mean_of_sum(squares, n) + 1);
    return (struct norm){mean, root, root << shift << 7, shift,
                         (1 << 24) / root + 1};
}

/* Bounds narrower than those of a byte with a sign. */
static NOINLINE void norm_clip(Y *y, int32_t n, int32_t lo, int32_t hi)
{
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip((int8_t)y[i], lo, hi);
}

/* `count` words of a row from the one numbered `first` on; the last one has
 * the last four elements, some of which another core may have written: each
 * clips all that it wrote. */
static inline void norm_part(const struct row_dims *k, const X *x, NORM_DATA,
                             Y *y, int32_t first, int32_t count)
{
    const struct norm r = norm_of(x, k->n, k->shift);
    const int32_t last = k->n - 4, at = 4 * first < last ? 4 * first : last;
    const int32_t whole = at + 4 * count > k->n ? count - 1 : count;

    for (int32_t i = at, words = whole, left = count; left > 0;
         left -= words, i = last, words = 1)
        if (words)
            norm_words(&r, x + i, NORM_AT(i), y + i, words);
    if (k->lo > -128 || k->hi < 127)
        norm_clip(y + at, 4 * count < k->n - at ? 4 * count : k->n - at, k->lo,
                  k->hi);
}

/* All words of this core. */
static inline void norm_all(const struct row_dims *k, const struct io *io,
                            NORM_DATA)
{
    const int32_t n = k->n, words = (n + 3) >> 2;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t at, end, row, first, count;

    span(k->rows * words, io->core, io->ncore, &at, &end);
    row = at / words;
    first = at - row * words;
    x += (ptrdiff_t)row * n;
    y += (ptrdiff_t)row * n;
    for (; at < end; at += count, first = 0, x += n, y += n) {
        count = words - first < end - at ? words - first : end - at;
        norm_part(k, x, NORM_AT(0), y, first, count);
    }
}

#endif
