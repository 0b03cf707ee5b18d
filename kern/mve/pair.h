/* Products of two pixels by two channels, sixteen columns at a time: the inner
 * loop of convolutions.
 *
 * A panel holds pairs of rows of signed bytes, sixteen columns of one and of the
 * other by turns.  Weights are where the network has them: what is behind a row
 * is not read. */
#ifndef MVE_PAIR_H
#define MVE_PAIR_H

#include "kern/mve/mve.h"

static inline int32_t pair_columns(int32_t n)
{
    return (n + 15) & -16;
}

/* Bytes of a pixel in a panel, of so many columns. */
static inline int32_t pair_bytes(int32_t columns)
{
    return columns;
}

/* Pixels of a panel: as many as two kilobytes hold, or a few more. */
static inline int32_t pair_pixels(int32_t columns)
{
    const int32_t n = 2048 / columns;

    return n < 16 ? 16 : n > 64 ? 64 : n & -2;
}

static inline int32_t pair_bias(const W *w, int32_t n)
{
    return mve_bias(w, n);
}

/* A row becomes pixel number i of a panel. */
static NOINLINE void pair_row(const struct panel *at, const void *row,
                              int32_t i)
{
    const uint8x16_t flip = vdupq_n_u8(MVE_FLIP);
    uint8_t *to = (uint8_t *)at->x + (ptrdiff_t)(i >> 1) * 2 * at->columns +
                  16 * (i & 1);

    __asm__ volatile("dlstp.8 lr, %[n]\n"
                     "1:\n"
                     "vldrb.8 q0, [%[row]], #16\n"
                     "veor q0, q0, %q[flip]\n"
                     "vstrb.8 q0, [%[to]], #32\n"
                     "letp lr, 1b\n"
                     : [row] "+r"(row), [to] "+r"(to)
                     : [n] "r"(at->taps), [flip] "w"(flip)
                     : "lr", "d0", "d1", "memory");
}

/* What pairs of pixels begin with, in order: the sums and the rows of weights as
 * registers are loaded; then the epilogue. */
struct pair_start {
    int32_t none[3];
    const W *w0;
    int32_t more;
    const W *w1;
    struct mve_scale scale;
};

/* n pairs of pixels, 9 instructions for 64 products and 18 for four results.
 *
 * Of the registers r0, r2, r4 and r6 are the sums, r1 where the panel is, r5 and
 * r8 the rows of weights, r10 the results; q4 to q6 the epilogue, q7 how far the
 * four results are from r10. */
#define PAIR_ALL(sat)                                                   \
    "push {r7}\n"                                                       \
    "mov r7, r6\n"                                                      \
    "0:\n"                                                              \
    "ldm r9, {r0, r2, r4, r5, r6, r8}\n"                                \
    "dlstp.8 lr, r12\n"                                                 \
    "1:\n"                                                              \
    "vldrb.8 q0, [r1], #32\n"                                           \
    "vldrb.8 q2, [r5], #16\n"                                           \
    "vmladava.s8 r0, q0, q2\n"                                          \
    "vldrb.8 q3, [r8], #16\n"                                           \
    "vmladava.s8 r2, q0, q3\n"                                          \
    "vldrb.8 q1, [r1, #-16]\n"                                          \
    "vmladava.s8 r4, q1, q2\n"                                          \
    "vmladava.s8 r6, q1, q3\n"                                          \
    "letp lr, 1b\n"                                                     \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n"                                       \
    "vmul.i32 q1, q0, q4\n"                                             \
    "vmulh.s32 q0, q0, q4\n"                                            \
    "vldrw.32 q2, [r9, #72]\n"                                          \
    "vadd.i32 q0, q0, q5\n"                                             \
    "vpt.u32 hi, q1, q6\n"                                              \
    "vaddt.i32 q0, q0, r11\n"                                           \
    "vshl.s32 q0, q0, q2\n" MVE_SATURATE(sat)                           \
    "vstrb.32 q0, [r10, q7]\n"                                          \
    "add r10, r10, r3\n"                                                \
    "cmp r1, r7\n"                                                      \
    "bne 0b\n"                                                          \
    "pop {r7}\n"

static NOINLINE void pair_run(const uint8_t *x, const uint8_t *end,
                              int32_t taps, const struct pair_start *start,
                              uint8_t *y, int32_t next)
{
    const uint32_t apart[4] = {0, 1, (uint32_t)next, (uint32_t)next + 1};
    register const uint8_t *r1 __asm__("r1") = x;
    register int32_t r3 __asm__("r3") = 2 * next;
    register const uint32_t *r5 __asm__("r5") = apart;
    register const uint8_t *r6 __asm__("r6") = end;
    register const struct pair_start *r9 __asm__("r9") = start;
    register uint8_t *r10 __asm__("r10") = y;
    register int32_t r11 __asm__("r11") = 1;
    register int32_t r12 __asm__("r12") = taps;

#define PAIR_ASM(sat)                                                   \
    __asm__ volatile("vldrw.32 q4, [r9, #24]\n"                         \
                     "vldrw.32 q5, [r9, #40]\n"                         \
                     "vldrw.32 q6, [r9, #56]\n"                         \
                     "vldrw.32 q7, [r5]\n" PAIR_ALL(sat)                \
                     : "+r"(r1), "+r"(r3), "+r"(r5), "+r"(r6),          \
                       "+r"(r9), "+r"(r10), "+r"(r11), "+r"(r12)        \
                     :                                                  \
                     : "r0", "r2", "r4", "r8", "lr", "d0", "d1", "d2", "d3",  \
                       "d4", "d5", "d6", "d7", "d8", "d9", "d10",       \
                       "d11", "d12", "d13", "d14", "d15", "cc",         \
                       "memory")
    if (PANEL_SIGNED(Y))
        PAIR_ASM("vqmovnb.s16");
    else
        PAIR_ASM("vqmovunb.s16");
}

/* Two channels, whose weights are at w and next_w behind it, of n pixels, the
 * last twice if n is odd; their results begin at y. */
static void pair_channels(const struct panel *at, const W *w,
                          ptrdiff_t next_w, const struct scale32 s[2],
                          int32_t n, uint8_t *y, int32_t next)
{
    const uint8_t *x = at->x, *last = x + (ptrdiff_t)(n & -2) * at->columns;
    struct pair_start start;

    start.none[0] = start.none[1] = start.none[2] = start.more = 0;
    start.w0 = w;
    start.w1 = w + next_w;
    for (int i = 0; i < 4; i++)
        mve_put_scale(&start.scale, i, s[i & 1]);
    if (n > 1)
        pair_run(x, last, at->taps, &start, y, next);
    if (n & 1)
        pair_run(last, last + 2 * at->columns, at->taps, &start,
                 y + (ptrdiff_t)(n - 1) * next, 0);
}

#endif
