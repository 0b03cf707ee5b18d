/* Products of two pixels by two channels, sixteen columns at a time, and the
 * convolutions that are made of them.
 *
 * A panel holds pixels: rows of signed bytes, filled up to whole vectors.  Weights
 * are where the network has them: what is behind a row is not read; those of
 * four bits (NIBBLES) are unpacked first, in front of the panel.  The including
 * file defines pair_put(k, x, first, n, to, columns), which brings n pixels
 * from number `first` on to rows that are `columns` apart. */
#ifndef MVE_PAIR_H
#define MVE_PAIR_H

#include "kern/mve/mve.h"

static void pair_put(const struct conv_dims *k, const X *x, int32_t first,
                     int32_t n, uint8_t *to, int32_t columns);

static inline int32_t pair_columns(int32_t n)
{
    return (n + 15) & -16;
}

/* Where a panel is: behind two rows of weights, if they are unpacked. */
static inline uint8_t *pair_at(const struct conv_dims *k, const struct io *io)
{
    uint8_t *const at = io->tmp;

#ifdef NIBBLES
    return at + 2 * nibble_bytes(k->kh * k->kw * k->c);
#else
    (void)k;
    return at;
#endif
}

/* Pixels of a panel: as many as two kilobytes hold, or a few more. */
static inline int32_t pair_pixels(int32_t columns)
{
    const int32_t n = 2048 / columns;

    return n < 16 ? 16 : n > 64 ? 64 : n;
}

/* What pairs of pixels begin with, in order: the sums and the rows of weights as
 * registers are loaded; then the epilogue; how far four results are from the
 * first; where the two pixels are, where the pixels end, the distance of
 * pixels, the results and the distance of those of pairs; bytes of a pixel. */
struct pair_start {
    int32_t sum[3];
    const W *w0;
    int32_t last;
    const W *w1;
    struct mve_scale scale;
    int32_t apart[4];
    const uint8_t *x, *x1, *end;
    int32_t columns;
    uint8_t *y;
    int32_t next, taps;
};

/* Pairs of pixels, 9 instructions for 64 products and 15 for four results, or
 * a few more where an epilogue needs them.
 *
 * Of the registers r0, r2, r4 and r6 are the sums, r1 and r3 where the pixels
 * are, r5 and r8 the rows of weights, r10 the results, r9 and r11 the distances
 * of pixels and results; q4 to q6 the epilogue, q7 how far the four results are
 * from r10.  What registers begin with is on the stack. */
#if UPPER_HALF
#define PAIR_LOAD                                                       \
    "vldrw.32 q6, [r9, #56]\n"                                          \
    "vldrw.32 q7, [r9, #72]\n"
#define PAIR_NEXT "88"
#define PAIR_POP "24"
#define PAIR_SCALE MVE_SCALE("q4", "", "q5", "", "", "", "q6", "")
#else
#define PAIR_LOAD                                                       \
    "vldrw.32 q6, [r9, #72]\n"                                          \
    "vldrw.32 q7, [r9, #88]\n"                                          \
    "vldrw.32 q0, [r9, #56]\n"                                          \
    "vpush {d0, d1}\n"
#define PAIR_NEXT "104"
#define PAIR_POP "40"
#define PAIR_SCALE                                                      \
    MVE_SCALE("q4", "", "q5", "", "q6", "", "q2",                       \
              "vldrw.32 q2, [sp, #24]\n")
#endif
#define PAIR_ALL(sat)                                                   \
    "push {r7}\n"                                                       \
    "vldrw.32 q4, [r9, #24]\n"                                          \
    "vldrw.32 q5, [r9, #40]\n" PAIR_LOAD                                \
    "ldm r9, {r0, r2, r4, r5, r6, r8}\n"                                \
    "push {r0, r2, r4, r5, r6, r8}\n"                                   \
    "add r9, r9, #" PAIR_NEXT "\n"                                      \
    "ldm r9, {r1, r3, r7, r9, r10, r11, r12}\n"                         \
    "0:\n"                                                              \
    "ldm sp, {r0, r2, r4, r5, r6, r8}\n"                                \
    "dlstp.8 lr, r12\n"                                                 \
    "1:\n"                                                              \
    "vldrb.8 q0, [r1], #16\n"                                           \
    "vldrb.8 q2, [r5], #16\n"                                           \
    "vmladava.s8 r0, q0, q2\n"                                          \
    "vldrb.8 q3, [r8], #16\n"                                           \
    "vmladava.s8 r2, q0, q3\n"                                          \
    "vldrb.8 q1, [r3], #16\n"                                           \
    "vmladava.s8 r4, q1, q2\n"                                          \
    "vmladava.s8 r6, q1, q3\n"                                          \
    "letp lr, 1b\n"                                                     \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n" PAIR_SCALE MVE_SATURATE(sat)          \
    "vstrb.32 q0, [r10, q7]\n"                                          \
    "add r10, r10, r11\n"                                               \
    "add r1, r1, r9\n"                                                  \
    "add r3, r3, r9\n"                                                  \
    "cmp r1, r7\n"                                                      \
    "bne 0b\n"                                                          \
    "add sp, sp, #" PAIR_POP "\n"                                       \
    "pop {r7}\n"

static NOINLINE void pair_run(const struct pair_start *start)
{
    register const struct pair_start *r9 __asm__("r9") = start;

#define PAIR_ASM(sat)                                                   \
    __asm__ volatile(PAIR_ALL(sat)                                      \
                     : "+r"(r9)                                         \
                     :                                                  \
                     : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8",  \
                       "r10", "r11", "r12", "lr", "d0", "d1", "d2",     \
                       "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", \
                       "d11", "d12", "d13", "d14", "d15", "cc",         \
                       "memory")
    if (PANEL_SIGNED(Y))
        PAIR_ASM("vqmovnb.s16");
    else
        PAIR_ASM("vqmovunb.s16");
}

/* Pairs of pixels, the first of which are x and x1. */
static inline void pair_two(struct pair_start *start, const uint8_t *x,
                            const uint8_t *x1, const uint8_t *end,
                            int32_t next)
{
    start->x = x;
    start->x1 = x1;
    start->end = end;
    start->next = 2 * next;
    start->apart[0] = 0;
    start->apart[1] = 1;
    start->apart[2] = next;
    start->apart[3] = next + 1;
    pair_run(start);
}

/* Elements between two rows of n weights each, and where that of channel c is;
 * rows that are packed are unpacked there, two of them. */
static inline int32_t pair_next(const struct conv_dims *k, int32_t n)
{
#ifdef NIBBLES
    return nibble_bytes(n);
#else
    (void)n;
    return k->wm;
#endif
}

static inline const W *pair_weights(const struct conv_dims *k,
                                    const struct io *io, int32_t c, int32_t n)
{
    const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm;

#ifdef NIBBLES
    nibble_rows(w, k->wm, n, io->tmp);
    return io->tmp;
#else
    (void)n;
    return w;
#endif
}

/* The epilogues of two channels, of which c is the first and whose weights are
 * w, and what their sums begin with. */
static inline void pair_scale(const struct conv_dims *k, const struct io *io,
                              struct pair_start *to, int32_t c, const W *w)
{
    const B *b = io->in[2];
    const MUL *mul = (const MUL *)io->in[3] + (ptrdiff_t)c * k->mulc;
    const ADD *add = io->in[4];
    int32_t bias[2];

    to->w0 = w;
    to->w1 = w + pair_next(k, to->taps);
    add += add ? (ptrdiff_t)c * k->addc : 0;
    for (int i = 0; i < 2; i++) {
        bias[i] = (b ? (int32_t)b[c + i] : 0) +
                  mve_bias(i ? to->w1 : w, to->taps);
        mve_put_scale(&to->scale, i, bias[i], (int32_t)*mul,
                      add ? (int64_t)*add : 0,
                      SHIFT_OF(k, io, 5, (ptrdiff_t)(c + i) * k->mulc));
        mul += k->mulc;
        add += add ? k->addc : 0;
    }
    mve_twice(&to->scale);
    to->sum[0] = to->sum[2] = MVE_BIAS ? bias[0] : 0;
    to->sum[1] = to->last = MVE_BIAS ? bias[1] : 0;
}

/* Channels from c on, two at a time, of the n pixels of a panel. */
static inline void pair_channels(const struct conv_dims *k,
                                 const struct io *io, const uint8_t *x,
                                 int32_t c, int32_t n, Y *y)
{
    const int32_t taps = k->kh * k->kw * k->c, columns = pair_columns(taps);
    const int32_t next = k->yw, end = c + k->m;
    const uint8_t *last = x + (ptrdiff_t)(n & -2) * columns;
    struct pair_start start = {.columns = columns, .taps = taps};

    for (; c < end; c += 2) {
        const int32_t c0 = c + 2 > end ? end - 2 : c;

        start.y = (uint8_t *)(y + c0);
        pair_scale(k, io, &start, c0, pair_weights(k, io, c0, taps));
        if (n > 1)
            pair_two(&start, x, x + columns, last, next);
        if (n & 1) {
            start.y += (n - 1) * next;
            pair_two(&start, last, last, last + 2 * columns, 0);
        }
    }
}

/* n pixels of a group from number `first` on. */
static void pair_panel(const struct conv_dims *k, const struct io *io,
                       int32_t group, int32_t first, int32_t n)
{
    const X *x = (const X *)io->in[0] + (ptrdiff_t)group * k->c;
    const int32_t from = group * k->m;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)first * k->yw;

    pair_put(k, x, first, n, pair_at(k, io),
             pair_columns(k->kh * k->kw * k->c));
    pair_channels(k, io, pair_at(k, io), from, n, y);
    if (panel_clips(k->lo, k->hi))
        for (int32_t i = 0; i < n; i++, y += k->yw)
            panel_clip(y + from, k->m, k->lo, k->hi);
}

static inline void pair_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t pixels = k->n * k->oh * k->ow;
    const int32_t most = pair_pixels(pair_columns(k->kh * k->kw * k->c));

    for (int32_t g = 0; g < k->g; g++)
        for (int32_t i = 0; i < pixels; i += most)
            pair_panel(k, io, g, i, pixels - i < most ? pixels - i : most);
}

#endif
