/* Depthwise convolution of bytes, four channels at a time as halves of 16 bits.
 *
 * The rows under the window are kept for four channels, expanded once and with
 * their borders, column after column, so that a window is one run of memory and
 * the next begins a column later.  A row takes the place of the one that is no
 * longer needed; which weights meet which row then turns, so there are as many
 * orders of weights as rows.
 *
 * A tap is two words: channels 0 and 2, 1 and 3. */
#ifndef DSP_DEPTH_H
#define DSP_DEPTH_H

#include "kern/dsp/pair.h"

enum { DEPTH = 4 };

/* What pixels of an output row have in common. */
struct depth_tail {
    struct pair_scale of[DEPTH];
    uint8_t *y;     /* of the first pixel, first channel */
    int32_t next;   /* from pixel to pixel */
    int32_t step;   /* bytes from the end of a window to the next */
    const uint32_t *end; /* of the last window, and step behind it */
};

/* Taps that are stored: even, or one more than a multiple of eight. */
static inline int32_t depth_taps(int32_t taps)
{
    return taps % 8 == 1 ? taps : (taps + 1) & -2;
}

/* All pixels of a row, whose first window is x: so many taps by weights w. */
#ifdef __ARM_FEATURE_DSP
#define DEPTH_TAP(x0, x1, w0, w1)                                       \
    "smlabb r0, " x0 ", " w0 ", r0\n"                                   \
    "smlabb r10, " x1 ", " w1 ", r10\n"                                 \
    "smlatt r11, " x0 ", " w0 ", r11\n"                                 \
    "smlatt r12, " x1 ", " w1 ", r12\n"
#define DEPTH_TWO /* 40 bytes of code */                                \
    "ldm.w lr!, {r2, r3, r4, r5}\n"                                     \
    "ldm.w r1!, {r6, r7, r8, r9}\n" DEPTH_TAP("r2", "r3", "r6", "r7")   \
        DEPTH_TAP("r4", "r5", "r8", "r9")
/* The results of the sums a and b, in r3 and r7. */
#define DEPTH_SCALE(a, b, sat)                                          \
    "ldm r1!, {r2, r3, r4, r5, r6, r7, r8, r9}\n"                       \
    "smlal r2, r3, " a ", r4\n"                                         \
    "smlal r6, r7, " b ", r8\n"                                         \
    "asr r3, r3, r5\n"                                                  \
    "asr r7, r7, r9\n"                                                  \
    sat " r3, #8, r3\n"                                                 \
    sat " r7, #8, r7\n"
#define DEPTH_ALL(sat)                                                  \
    "push {r7}\n"                                                       \
    "mov lr, r0\n"                                                      \
    "adr r9, 2f\n"                                                      \
    "add r9, r9, r4\n"                                                  \
    "orr r9, r9, #1\n"                                                  \
    "mov r10, r2\n"                                                     \
    "mov r11, r3\n"                                                     \
    "movs r6, #0\n"                                                     \
    "movs r7, #0\n"                                                     \
    "mov r8, r6\n"                                                      \
    "push {r6, r7, r8, r9, r10, r11}\n"                                 \
    "mov r0, r6\n"                                                      \
    "push {r0, r1}\n"                                                   \
    ".balign 4\n"                                                       \
    "0:\n"                                                              \
    "ldm sp, {r0, r1, r10, r11, r12, pc}\n"                             \
    "1:\n" /* one tap: 24 bytes of code */                              \
    "ldrd r2, r3, [lr], #8\n"                                           \
    "ldrd r6, r7, [r1], #8\n" DEPTH_TAP("r2", "r3", "r6", "r7")         \
    "2:\n" DEPTH_TWO DEPTH_TWO DEPTH_TWO DEPTH_TWO                      \
    "ldrd r2, r3, [sp, #24]\n"                                          \
    "cmp r1, r2\n"                                                      \
    "bne 2b\n"                                                          \
    "mov r1, r3\n" DEPTH_SCALE("r0", "r10", sat)                        \
    "ldrd r0, r10, [r1, #32]\n"                                         \
    "strb r3, [r0]\n"                                                   \
    "strb r7, [r0, #1]\n" DEPTH_SCALE("r11", "r12", sat)                \
    "strb r3, [r0, #2]\n"                                               \
    "strb r7, [r0, #3]\n"                                               \
    "add r0, r0, r10\n"                                                 \
    "ldrd r2, r3, [r1, #8]\n"                                           \
    "str r0, [r1]\n"                                                    \
    "add lr, lr, r2\n"                                                  \
    "cmp lr, r3\n"                                                      \
    "bne 0b\n"                                                          \
    "add sp, sp, #32\n"                                                 \
    "pop {r7}\n"

static NOINLINE void depth_run(const uint32_t *x, const uint32_t *w,
                               int32_t taps, struct depth_tail *t)
{
    register const uint32_t *r0 __asm__("r0") = x;
    register const uint32_t *r1 __asm__("r1") = w;
    register const uint32_t *r2 __asm__("r2") = w + 2 * taps;
    register struct depth_tail *r3 __asm__("r3") = t;
    register int32_t r4 __asm__("r4") =
        taps % 8 == 1 ? -24 : (-(taps >> 1) & 3) * 40;

#define DEPTH_ASM(sat)                                                  \
    __asm__ volatile(DEPTH_ALL(sat)                                     \
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r4) \
                     :                                                  \
                     : "r5", "r6", "r8", "r9", "r10", "r11", "r12",     \
                       "lr", "cc", "memory")
    if (DSP_SIGNED(Y))
        DEPTH_ASM("ssat");
    else
        DEPTH_ASM("usat");
}
#else
static int32_t depth_sum(const uint32_t *x, const uint32_t *w, int32_t taps,
                         int channel)
{
    const int half = 16 * (channel >> 1);
    int32_t sum = 0;

    for (x += channel & 1, w += channel & 1; taps > 0; taps--, x += 2, w += 2)
        sum += (int16_t)(*x >> half) * (int16_t)(*w >> half);
    return sum;
}

static NOINLINE void depth_run(const uint32_t *x, const uint32_t *w,
                               int32_t taps, struct depth_tail *t)
{
    for (; x != t->end; t->y += t->next) {
        for (int c = 0; c < DEPTH; c++)
            t->y[c] =
                (uint8_t)pair_result(&t->of[c], depth_sum(x, w, taps, c));
        x += 2 * taps + t->step / 4;
    }
}
#endif

#endif
