/* The inner loop of depthwise convolutions, on four channels of halves of 16
 * bits, and how conv/rows.h keeps rows for it.
 *
 * Rows are expanded once and lie column after column, so that a window is one run
 * of memory and the next begins a column later.  A tap is two words: channels 0
 * and 2, 1 and 3. */
#ifndef DSP_ROWS_H
#define DSP_ROWS_H

#include "kern/conv/panel.h"

typedef X LEFT;
typedef W RIGHT;
#include "kern/dsp/dsp.h"
#include "kern/dsp/scale.h"

enum { ROWS_CHANNELS = 4 };

/* What pixels of an output row have in common. */
struct rows_tail {
    struct scale32 of[ROWS_CHANNELS];
    uint8_t *y;     /* of the first pixel, first channel */
    int32_t next;   /* from pixel to pixel */
    int32_t step;   /* bytes from the end of a window to the next */
    const uint32_t *end; /* of the last window, and step behind it */
};

/* Taps that are stored: even, or one more than a multiple of eight. */
static inline int32_t rows_taps(int32_t taps)
{
    return taps % 8 == 1 ? taps : (taps + 1) & -2;
}

/* All pixels of a row, whose first window is x: so many taps by weights w. */
#ifdef DSP
#define ROWS_TAP(x0, x1, w0, w1)                                       \
    "smlabb r0, " x0 ", " w0 ", r0\n"                                   \
    "smlabb r10, " x1 ", " w1 ", r10\n"                                 \
    "smlatt r11, " x0 ", " w0 ", r11\n"                                 \
    "smlatt r12, " x1 ", " w1 ", r12\n"
#define ROWS_TWO /* 40 bytes of code */                                \
    "ldm.w lr!, {r2, r3, r4, r5}\n"                                     \
    "ldm.w r1!, {r6, r7, r8, r9}\n" ROWS_TAP("r2", "r3", "r6", "r7")   \
        ROWS_TAP("r4", "r5", "r8", "r9")
/* The two scales at r1, which goes on; where they end; the sums begin with
 * biases, those behind the scales at r3. */
#if ROUND
#define ROWS_LOAD                                                       \
    "ldm r1!, {r2, r3, r4, r5}\n"                                       \
    "adds r1, r1, #4\n"                                                 \
    "ldm r1!, {r6, r7, r8, r9}\n"                                       \
    "adds r1, r1, #4\n"
#define ROWS_TWO_SCALES "40"
#define ROWS_BEGIN                                                      \
    "ldr r0, [r3, #16]\n"                                               \
    "ldr r6, [r3, #36]\n"                                               \
    "ldr r7, [r3, #56]\n"                                               \
    "ldr r8, [r3, #76]\n"
/* Of a sum below 0: 2^31 less. */
#define ROWS_LESS(sum, lo, hi)                                          \
    "lsr " sum ", " sum ", #31\n"                                       \
    "subs " lo ", " lo ", " sum ", lsl #31\n"                           \
    "sbc " hi ", " hi ", #0\n"
#else
#define ROWS_LOAD "ldm r1!, {r2, r3, r4, r5, r6, r7, r8, r9}\n"
#define ROWS_TWO_SCALES "32"
#define ROWS_BEGIN                                                      \
    "movs r6, #0\n"                                                     \
    "movs r7, #0\n"                                                     \
    "mov r8, r6\n"                                                      \
    "mov r0, r6\n"
#define ROWS_LESS(sum, lo, hi)
#endif
/* The results of the sums a and b, in r3 and r7. */
#define ROWS_SCALE(a, b, sat)                                          \
    ROWS_LOAD                                                           \
    "smlal r2, r3, " a ", r4\n"                                         \
    "smlal r6, r7, " b ", r8\n"                                         \
    ROWS_LESS(a, "r2", "r3") ROWS_LESS(b, "r6", "r7")                   \
    "asr r3, r3, r5\n"                                                  \
    "asr r7, r7, r9\n"                                                  \
    sat " r3, #8, r3\n"                                                 \
    sat " r7, #8, r7\n"
#define ROWS_ALL(sat)                                                  \
    "push {r7}\n"                                                       \
    "mov lr, r0\n"                                                      \
    "adr r9, 2f\n"                                                      \
    "add r9, r9, r4\n"                                                  \
    "orr r9, r9, #1\n"                                                  \
    "mov r10, r2\n"                                                     \
    "mov r11, r3\n" ROWS_BEGIN                                          \
    "push {r6, r7, r8, r9, r10, r11}\n"                                 \
    "push {r0, r1}\n"                                                   \
    ".balign 4\n"                                                       \
    "0:\n"                                                              \
    "ldm sp, {r0, r1, r10, r11, r12, pc}\n"                             \
    "1:\n" /* one tap: 24 bytes of code */                              \
    "ldrd r2, r3, [lr], #8\n"                                           \
    "ldrd r6, r7, [r1], #8\n" ROWS_TAP("r2", "r3", "r6", "r7")         \
    "2:\n" ROWS_TWO ROWS_TWO ROWS_TWO ROWS_TWO                      \
    "ldrd r2, r3, [sp, #24]\n"                                          \
    "cmp r1, r2\n"                                                      \
    "bne 2b\n"                                                          \
    "mov r1, r3\n" ROWS_SCALE("r0", "r10", sat)                        \
    "ldrd r0, r10, [r1, #" ROWS_TWO_SCALES "]\n"                                         \
    "strb r3, [r0]\n"                                                   \
    "strb r7, [r0, #1]\n" ROWS_SCALE("r11", "r12", sat)                \
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

static NOINLINE void rows_windows(const uint32_t *x, const uint32_t *w,
                                  int32_t taps, struct rows_tail *t)
{
    register const uint32_t *r0 __asm__("r0") = x;
    register const uint32_t *r1 __asm__("r1") = w;
    register const uint32_t *r2 __asm__("r2") = w + 2 * taps;
    register struct rows_tail *r3 __asm__("r3") = t;
    register int32_t r4 __asm__("r4") =
        taps % 8 == 1 ? -24 : (-(taps >> 1) & 3) * 40;

#define ROWS_ASM(sat)                                                  \
    __asm__ volatile(ROWS_ALL(sat)                                     \
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r4) \
                     :                                                  \
                     : "r5", "r6", "r8", "r9", "r10", "r11", "r12",     \
                       "lr", "cc", "memory")
    if (DSP_SIGNED(Y))
        ROWS_ASM("ssat");
    else
        ROWS_ASM("usat");
}
#else
static int32_t rows_sum(const uint32_t *x, const uint32_t *w, int32_t taps,
                         int channel)
{
    const int half = 16 * (channel >> 1);
    int32_t sum = 0;

    for (x += channel & 1, w += channel & 1; taps > 0; taps--, x += 2, w += 2)
        sum += (int16_t)(*x >> half) * (int16_t)(*w >> half);
    return sum;
}

static NOINLINE void rows_windows(const uint32_t *x, const uint32_t *w,
                                  int32_t taps, struct rows_tail *t)
{
    for (; x != t->end; t->y += t->next) {
        for (int c = 0; c < ROWS_CHANNELS; c++)
            t->y[c] =
                (uint8_t)scale_result(&t->of[c], rows_sum(x, w, taps, c));
        x += 2 * taps + t->step / 4;
    }
}
#endif

/* What is in scratch memory: the tail, kh orders of weights, rows, results of
 * fewer than four channels. */
struct rows {
    struct rows_tail *t;
    uint32_t *w, *x;
    uint8_t *few;
    int32_t taps, columns;  /* of weights and of rows, as stored */
    int32_t left, inside;   /* columns of the border, and of x */
};

static struct rows rows_of(const struct conv_dims *k, void *tmp)
{
    struct rows at = {tmp, NULL, NULL, NULL, rows_taps(k->kh * k->kw),
                      (k->ow - 1) * k->sw + k->kw, 0, 0};
    struct rows_tail *t = at.t;

    at.w = (uint32_t *)(t + 1);
    at.x = at.w + (ptrdiff_t)k->kh * 2 * at.taps;
    at.few = (uint8_t *)(at.x + (ptrdiff_t)k->kh * 2 * at.columns + 2);
    at.left = k->pw < at.columns ? k->pw : at.columns;
    at.inside = k->w < at.columns - at.left ? k->w : at.columns - at.left;
    for (uint32_t *w = at.w; w != at.x; w++)
        *w = 0;
    t->step = 8 * (k->sw * k->kh - at.taps);
    t->end = at.x + (ptrdiff_t)k->ow * k->sw * k->kh * 2;
    return at;
}

static inline int32_t rows_bias(const struct conv_dims *k, const W *w)
{
    (void)k, (void)w;
    return 0;
}

static void rows_put_scale(const struct rows *at, int32_t i, struct scale32 s)
{
    at->t->of[i] = s;
}

/* `count` bytes, `next` apart, as a word. */
static uint32_t four(const void *p, int32_t next, int32_t count)
{
    const uint8_t *b = (const uint8_t *)p + count * next;
    uint32_t v = 0;

    while (count-- > 0)
        v = v << 8 | *(b -= next);
    return v;
}

static uint32_t *put_pad(uint32_t *to, int32_t step, int32_t n, uint32_t pad)
{
    const uint32_t even = dsp_even(pad, DSP_SIGNED(X));

    for (; n > 0; n--, to += step)
        to[0] = to[1] = even;
    return to;
}

static uint32_t *put_inside(uint32_t *to, int32_t step, int32_t n,
                            const X *x, int32_t next, int32_t count)
{
    if (count == ROWS_CHANNELS)
        for (; n > 0; n--, to += step, x += next) {
            const uint32_t v = dsp_load(x);

            to[0] = dsp_even(v, DSP_SIGNED(X));
            to[1] = dsp_odd(v, DSP_SIGNED(X));
        }
    else
        for (; n > 0; n--, to += step, x += next) {
            const uint32_t v = four(x, 1, count);

            to[0] = dsp_even(v, DSP_SIGNED(X));
            to[1] = dsp_odd(v, DSP_SIGNED(X));
        }
    return to;
}

/* The row x, or one of the border if it is NULL, goes to `slot`. */
static void rows_keep(const struct conv_dims *k, const struct rows *at,
                      const X *x, int32_t slot, int32_t count)
{
    const uint32_t pad = (uint8_t)k->padv * 0x01010101u;
    const int32_t step = 2 * k->kh, left = at->left, inside = at->inside;
    uint32_t *to = at->x + 2 * slot;

    if (!x) {
        put_pad(to, step, at->columns, pad);
        return;
    }
    to = put_pad(to, step, left, pad);
    to = put_inside(to, step, inside, x, k->xw, count);
    put_pad(to, step, at->columns - left - inside, pad);
}

/* The weights of channels from w on, in all orders: number i is of windows
 * whose row 0 is in slot i. */
static NOINLINE void rows_turn(const struct conv_dims *k,
                               const struct rows *at, const W *w,
                               int32_t count)
{
    const int32_t next = 2 * at->taps;

    for (int32_t j = 0; j < k->kw; j++, w += k->ww)
        for (int32_t i = 0; i < k->kh; i++) {
            const uint32_t v = four(w + (ptrdiff_t)i * k->wh, k->wm, count);
            const uint32_t even = dsp_even(v, DSP_SIGNED(W));
            const uint32_t odd = dsp_odd(v, DSP_SIGNED(W));
            uint32_t *to = at->w + 2 * (j * k->kh + i);

            for (int32_t s = 0; s < k->kh; s++, to += next + 2) {
                if (s == k->kh - i)
                    to -= 2 * k->kh;
                to[0] = even;
                to[1] = odd;
            }
        }
}

/* A row of results. */
static void rows_run(const struct rows *at, int32_t slot, uint8_t *y,
                     int32_t next)
{
    at->t->y = y;
    at->t->next = next;
    rows_windows(at->x, at->w + (ptrdiff_t)slot * 2 * at->taps, at->taps,
                 at->t);
}

#endif
