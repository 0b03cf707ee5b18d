/* Products of two pixels by two channels with all operands as halves of 16 bits:
 * the inner loop of convolutions and matrix products of bytes.
 *
 * Pixels are expanded once for all channels, weights once for the pixels of a
 * panel, so that the loop is loads of four words and packed products alone.  A
 * panel holds pairs of rows of bytes, four columns at a time: of the first row
 * columns 0 and 2 as a word, 1 and 3 as a word, then of the second.  Columns
 * are filled up with zeros to a multiple of PAIR_STEP.  Both sides have the same
 * order, so it does not matter.
 *
 * PANEL says how large panels are, 1024 being two kilobytes; UNROLL how many
 * columns a turn of the loop takes.  X and W are types of 8 bits, Y too.
 * NIBBLES: weights have four bits (nibbles.h). */
#ifndef PAIR_H
#define PAIR_H

#ifndef PANEL
#define PANEL 1024
#endif
#ifndef UNROLL
#define UNROLL 16
#endif

typedef X LEFT;
typedef W RIGHT;
#include "kern/conv/panel.h"
#include "kern/dsp/dsp.h"
#include "kern/dsp/scale.h"

enum { PAIR_STEP = 8 };

static inline int32_t pair_columns(int32_t n)
{
    return (n + PAIR_STEP - 1) & -PAIR_STEP;
}

/* Bytes of a pixel in a panel, of so many columns. */
static inline int32_t pair_bytes(int32_t columns)
{
    return 2 * columns;
}

/* Behind the weights of a pair of channels. */
struct pair_tail {
    struct scale32 of[2];
    uint8_t *y;      /* of the first pixel, first channel */
    int32_t next;    /* from pixel to pixel */
    const uint32_t *end; /* of the pixels */
};

/* Four columns of two rows, from *a and *b on, become four words at to. */
static inline uint32_t *pair_words(const uint8_t **a, const uint8_t **b,
                                   int is_signed, uint32_t *to)
{
#ifdef DSP
#define PAIR_SPREAD(extend)                                             \
    __asm__ volatile("ldr r4, [%0], #4\n"                               \
                     "ldr r6, [%1], #4\n" extend " r3, r4\n" extend      \
                     " r4, r4, ror #8\n" extend " r5, r6\n" extend      \
                     " r6, r6, ror #8\n"                                \
                     "stm %2!, {r3, r4, r5, r6}\n"                      \
                     : "+r"(*a), "+r"(*b), "+r"(to)                     \
                     :                                                  \
                     : "r3", "r4", "r5", "r6", "memory")
    if (is_signed)
        PAIR_SPREAD("sxtb16");
    else
        PAIR_SPREAD("uxtb16");
    return to;
#else
    const uint32_t v = dsp_load(*a), w = dsp_load(*b);

    *a += 4;
    *b += 4;
    to[0] = dsp_even(v, is_signed);
    to[1] = dsp_odd(v, is_signed);
    to[2] = dsp_even(w, is_signed);
    to[3] = dsp_odd(w, is_signed);
    return to + 4;
#endif
}

/* Two rows of n bytes become a pair. */
static NOINLINE void pair_expand(const void *row, const void *other, int32_t n,
                                 int is_signed, uint32_t *to)
{
    const uint8_t *a = row, *b = other;
    uint32_t *const end = to + pair_columns(n);
    uint32_t last[2] = {0, 0};
    const uint8_t *from[2] = {(uint8_t *)&last[0], (uint8_t *)&last[1]};

    for (; n >= 8; n -= 8) {
        to = pair_words(&a, &b, is_signed, to);
        to = pair_words(&a, &b, is_signed, to);
    }
    if (n >= 4)
        to = pair_words(&a, &b, is_signed, to);
    for (int32_t i = 0; i < (n & 3); i++) {
        last[0] |= (uint32_t)a[i] << 8 * i;
        last[1] |= (uint32_t)b[i] << 8 * i;
    }
    if (to != end)
        to = pair_words(&from[0], &from[1], is_signed, to);
    for (; to != end; to++)
        *to = 0;
}

/* All pairs of pixels from x to t->end, of so many columns each, by the pair of
 * channels whose weights are w, with *t behind them: 1.3 instructions for two
 * products, 26 for four results.  SAT is the instruction that saturates to Y.
 *
 * Of the registers r2 to r5 are the pixels' words, r6 to r9 the weights', r0
 * and r10 to r12 the sums, lr and r1 where to go on.  What a pair of pixels
 * begins with is on the stack, in order: the sums, r1, and the address of the
 * loop, which is entered in its midst if the number of its parts is odd. */
#ifdef DSP
#ifdef DUAL
/* What is loaded is multiplied, and what comes next loaded beside it: of pixels
 * and weights the word at lr and r1, three in front of it.  The last step loads
 * 16 bytes behind them, which are scratch memory too. */

#define PAIR_STEP_OF(first, after, last)                                \
    "smlad r0, r2, r6, r0\n"                                            \
    "smlad r10, r2, r8, r10\n" first                                    \
    "smlad r11, r4, r6, r11\n"                                          \
    "ldr r6, [r1, #-12]\n"                                              \
    "smlad r12, r4, r8, r12\n"                                          \
    "ldr r4, [lr, #-4]\n"                                               \
    "smlad r0, r3, r7, r0\n"                                            \
    "ldr r8, [r1, #-4]\n"                                               \
    "smlad r10, r3, r9, r10\n" after                                    \
    "ldr r3, [lr, #-8]\n"                                               \
    "smlad r11, r5, r7, r11\n"                                          \
    "ldr r7, [r1, #-8]\n"                                               \
    "smlad r12, r5, r9, r12\n" last                                     \
    "ldr r5, [lr], #16\n"                                               \
    "ldr r9, [r1], #16\n"
#define PAIR_NEXT "ldr r2, [lr, #-12]\n"
#define PAIR_WORDS PAIR_STEP_OF(PAIR_NEXT, "", "")
#define PAIR_LAST                                                       \
    PAIR_STEP_OF("ldr r2, [sp, #24]\n", "cmp r1, r2\n", PAIR_NEXT)
#define PAIR_ENTER                                                      \
    "ldm sp, {r0, r1, r10, r11, r12}\n"                                 \
    "ldm lr!, {r2, r3, r4, r5}\n"                                       \
    "ldm r1!, {r6, r7, r8, r9}\n"                                       \
    "add lr, lr, #12\n"                                                 \
    "add r1, r1, #12\n"                                                 \
    "ldr pc, [sp, #20]\n"
#define PAIR_LEAVE                                                      \
    "bne 1b\n"                                                          \
    "sub lr, lr, #28\n"                                                 \
    "sub r1, r1, #28\n"
#define PAIR_BEHIND "add r10, r10, #12\n"
#else
#define PAIR_WORDS                                                      \
    "ldm lr!, {r2, r3, r4, r5}\n"                                       \
    "ldm r1!, {r6, r7, r8, r9}\n"                                       \
    "smlad r0, r2, r6, r0\n"                                            \
    "smlad r10, r2, r8, r10\n"                                          \
    "smlad r11, r4, r6, r11\n"                                          \
    "smlad r12, r4, r8, r12\n"                                          \
    "smlad r0, r3, r7, r0\n"                                            \
    "smlad r10, r3, r9, r10\n"                                          \
    "smlad r11, r5, r7, r11\n"                                          \
    "smlad r12, r5, r9, r12\n"
#define PAIR_LAST PAIR_WORDS
#define PAIR_ENTER "ldm sp, {r0, r1, r10, r11, r12, pc}\n"
#define PAIR_LEAVE                                                      \
    "ldr r2, [sp, #24]\n"                                               \
    "cmp r1, r2\n"                                                      \
    "bne 1b\n"
#define PAIR_BEHIND
#endif
/* Where in the loop r9 is that the last turn ends at its end, and the loop. */
#if UNROLL == 32
#define PAIR_WHERE                                                      \
    "ubfx r3, r2, #3, #2\n"                                             \
    "adr r9, 1f\n"                                                      \
    "cmp r3, #2\n"                                                      \
    "it hi\n"                                                           \
    "adrhi r9, 2f\n"                                                    \
    "it eq\n"                                                           \
    "adreq r9, 3f\n"                                                    \
    "cmp r3, #1\n"                                                      \
    "it eq\n"                                                           \
    "adreq r9, 4f\n"
#define PAIR_LOOP                                                       \
    "1:\n" PAIR_WORDS PAIR_WORDS                                        \
    "2:\n" PAIR_WORDS PAIR_WORDS                                        \
    "3:\n" PAIR_WORDS PAIR_WORDS                                        \
    "4:\n" PAIR_WORDS PAIR_LAST PAIR_LEAVE
#else
#define PAIR_WHERE                                                      \
    "tst r2, #8\n"                                                      \
    "adr r9, 1f\n"                                                      \
    "it ne\n"                                                           \
    "adrne r9, 2f\n"
#define PAIR_LOOP                                                       \
    "1:\n" PAIR_WORDS PAIR_WORDS                                        \
    "2:\n" PAIR_WORDS PAIR_LAST PAIR_LEAVE
#endif
/* The two scales at r1, and what is behind them; the sums begin with biases:
 * those of r11 and r12 in r7 and r8, as those of r0 and r10. */
#if ROUND
#define PAIR_LOAD                                                       \
    "ldm r1, {r2, r3, r4, r5}\n"                                        \
    "add r6, r1, #20\n"                                                 \
    "ldm r6, {r6, r7, r8, r9}\n"
#define PAIR_Y "40"
#define PAIR_END "48"
#define PAIR_BEGIN                                                      \
    "ldr r7, [r10, #16]\n"                                              \
    "ldr r6, [r10, #36]\n"                                              \
    "mov r8, r6\n"
#define PAIR_FIRST "mov r0, r7\n"
/* Of a sum below 0: 2^31 less. */
#define PAIR_LESS(sum, lo, hi)                                          \
    "lsr " sum ", " sum ", #31\n"                                       \
    "subs " lo ", " lo ", " sum ", lsl #31\n"                           \
    "sbc " hi ", " hi ", #0\n"
#else
#define PAIR_LOAD "ldm r1, {r2, r3, r4, r5, r6, r7, r8, r9}\n"
#define PAIR_Y "32"
#define PAIR_END "40"
#define PAIR_BEGIN                                                      \
    "movs r6, #0\n"                                                     \
    "movs r7, #0\n"                                                     \
    "mov r8, r6\n"
#define PAIR_FIRST "mov r0, r6\n"
#define PAIR_LESS(sum, lo, hi)
#endif
/* The results of the sums a and b of a pixel, in r3 and r7. */
#define PAIR_SCALE(a, b, sat)                                           \
    PAIR_LOAD                                                           \
    "smlal r2, r3, " a ", r4\n"                                         \
    "smlal r6, r7, " b ", r8\n"                                         \
    PAIR_LESS(a, "r2", "r3") PAIR_LESS(b, "r6", "r7")                   \
    "asr r3, r3, r5\n"                                                  \
    "asr r7, r7, r9\n"                                                  \
    sat " r3, #8, r3\n"                                                 \
    sat " r7, #8, r7\n"
#define PAIR_ALL(sat)                                                   \
    "push {r7}\n"                                                       \
    "mov lr, r0\n"                                                      \
    "add r10, r1, r2, lsl #2\n" PAIR_WHERE                              \
    "orr r9, r9, #1\n" PAIR_BEGIN PAIR_BEHIND                           \
    "push {r6, r7, r8, r9, r10}\n" PAIR_FIRST                           \
    "push {r0, r1}\n"                                                   \
    ".balign 4\n" /* `adr` counts from words, gcc -Os aligns to halves */ \
    "0:\n" PAIR_ENTER PAIR_LOOP                                         \
    PAIR_SCALE("r0", "r10", sat)                                        \
    "ldrd r0, r10, [r1, #" PAIR_Y "]\n"                                 \
    "strb r3, [r0]\n"                                                   \
    "strb r7, [r0, #1]\n"                                               \
    "add r0, r0, r10\n" PAIR_SCALE("r11", "r12", sat)                   \
    "strb r3, [r0]\n"                                                   \
    "strb r7, [r0, #1]\n"                                               \
    "ldr r2, [r1, #" PAIR_END "]\n"                                     \
    "add r0, r0, r10\n"                                                 \
    "str r0, [r1, #" PAIR_Y "]\n"                                       \
    "cmp lr, r2\n"                                                      \
    "bne 0b\n"                                                          \
    "add sp, sp, #28\n"                                                 \
    "pop {r7}\n"

static NOINLINE void pair_run(const uint32_t *x, const uint32_t *w,
                              int32_t columns)
{
    register const uint32_t *r0 __asm__("r0") = x;
    register const uint32_t *r1 __asm__("r1") = w;
    register int32_t r2 __asm__("r2") = columns;

#define PAIR_ASM(sat)                                                   \
    __asm__ volatile(PAIR_ALL(sat)                                      \
                     : "+r"(r0), "+r"(r1), "+r"(r2)                     \
                     :                                                  \
                     : "r3", "r4", "r5", "r6", "r8", "r9", "r10",       \
                       "r11", "r12", "lr", "cc", "memory")
    if (DSP_SIGNED(Y))
        PAIR_ASM("ssat");
    else
        PAIR_ASM("usat");
}
#else
static int32_t pair_sum(const uint32_t *x, const uint32_t *w, int32_t columns)
{
    int32_t sum = 0;

    for (; columns > 0; columns -= 4, x += 4, w += 4)
        sum = dsp_mac(x[0], w[0], dsp_mac(x[1], w[1], sum));
    return sum;
}

static NOINLINE void pair_run(const uint32_t *x, const uint32_t *w,
                              int32_t columns)
{
    struct pair_tail *t = (struct pair_tail *)(uintptr_t)(w + columns);

    for (; x != t->end; x += columns)
        for (int i = 0; i < 2; i++, t->y += t->next)
            for (int j = 0; j < 2; j++)
                t->y[j] = (uint8_t)scale_result(
                    &t->of[j], pair_sum(x + 2 * i, w + 2 * j, columns));
}
#endif

/* Pixels of a panel: as many as a room of so many bytes takes; or without one as
 * many as two kilobytes hold, or a few more. */
static inline int32_t pair_pixels(int32_t columns, int32_t room)
{
    const int32_t least = columns > 256 ? 8 : 16, n = 1024 / columns;
    const int32_t usual = n < least ? least : n > 32 ? 32 : n;

    if (room > 0)
        return (room - 64 - 4 * columns) / pair_bytes(columns) & -2;
    return (usual * PANEL >> 10) & -2;
}

/* What weights have to do with a channel's bias. */
static inline int32_t pair_bias(const W *w, int32_t n)
{
    (void)w, (void)n;
    return 0;
}

/* Two rows become pixels number i and i + 1 of a panel. */
static inline void pair_rows(const struct panel *at, const void *row,
                             const void *other, int32_t i)
{
    pair_expand(row, other, at->taps, DSP_SIGNED(X),
                (uint32_t *)at->x + (ptrdiff_t)(i >> 1) * at->columns);
}

/* The two channels whose weights are at->own, of n pixels, the last twice if n
 * is odd; their results begin at y. */
static inline void pair_all(const struct panel *at, const struct scale32 s[2],
                            int32_t n, uint8_t *y, int32_t next)
{
    uint32_t *own = at->own;
    struct pair_tail *t = (struct pair_tail *)(own + at->columns);

    t->of[0] = s[0];
    t->of[1] = s[1];
    t->y = y;
    t->next = next;
    t->end = (uint32_t *)at->x + (ptrdiff_t)(n >> 1) * at->columns;
    if (n > 1)
        pair_run(at->x, own, at->columns);
    if (n & 1) {
        const uint32_t *last = t->end;

        t->next = 0;
        t->end += at->columns;
        pair_run(last, own, at->columns);
    }
}

/* The same of weights that are at w and next_w behind it. */
static inline void pair_channels(const struct panel *at, const W *w,
                                 ptrdiff_t next_w, const struct scale32 s[2],
                                 int32_t n, uint8_t *y, int32_t next)
{
#ifdef NIBBLES
    nibble_pair((const uint8_t *)w, (const uint8_t *)w + next_w, at->taps,
                at->own);
#else
    pair_expand(w, w + next_w, at->taps, DSP_SIGNED(W), at->own);
#endif
    pair_all(at, s, n, y, next);
}

#endif
