/* Channels-last depthwise convolution of up to sixteen taps, four channels at a
 * time.
 *
 * The rows under the window are kept in scratch memory, column after column,
 * with their borders: signed bytes of four channels side by side, so that one
 * load that takes them apart has a window of each channel, and the next window
 * begins a column later.  What it has behind the window meets weights of 0.  A row
 * takes the slot of the one that is no longer needed; which weight meets which
 * byte then turns, so there are as many orders of weights as slots. */
#ifndef MVE_ROWS_H
#define MVE_ROWS_H

#include <string.h>

#include "kern/mve/mve.h"

enum { ROWS_CHANNELS = 4, ROWS_TAPS = 16 };

/* What a row of results is made with, as registers are loaded: their number, the
 * first window, where results go, the weights, and how far windows and results
 * are apart.  Then what sums of the four channels begin with, bounds of results,
 * the epilogue; ROWS_ALL knows the offsets. */
struct rows_run {
    int32_t n;
    const uint32_t *x;
    uint8_t *y;
    const uint8_t *w;
    int32_t step, next;
    int32_t bias[4], lo[4], hi[4];
    struct mve_scale scale;
};

/* How columns of words are brought to scratch memory, as registers are loaded:
 * their number, from where, to where, four columns there and here; then the
 * distances of those four. */
struct rows_copy {
    int32_t n;
    const X *x;
    uint32_t *to;
    int32_t step, next;
    uint32_t far[4], apart[4];
};

/* What is in scratch memory: of each slot of row 0 the order of weights, and
 * weights in it, channel after channel; the rows; results of fewer than four
 * channels. */
struct rows {
    struct rows_run *run;
    struct rows_copy *copy;
    uint8_t *order, *w;
    uint32_t *x;
    uint8_t *few;
    uint32_t pad;
};

/* Four bytes as products want them. */
#define ROWS_FLIP (MVE_FLIP * 0x01010101u)

/* Which weight meets which byte of a window, for each slot of row 0. */
static NOINLINE void rows_order(const struct conv_dims *k, uint8_t *to)
{
    for (int32_t slot = 0; slot < k->kh; slot++, to += ROWS_TAPS)
        for (int32_t i = 0, row = slot ? k->kh - slot : 0; i < k->kh; i++) {
            for (int32_t j = 0; j < k->kw; j++)
                to[j * k->kh + i] = (uint8_t)(row * k->kw + j);
            row = row + 1 == k->kh ? 0 : row + 1;
        }
}

static inline struct rows rows_of(const struct conv_dims *k, void *tmp)
{
    const int32_t columns = (k->ow - 1) * k->sw + k->kw, kh = k->kh;
    const int32_t left = k->pw < columns ? k->pw : columns;
    struct rows at = {.run = tmp,
                      .pad = (uint8_t)k->padv * 0x01010101u ^ ROWS_FLIP};
    const uint32_t *end;

    at.copy = (struct rows_copy *)(at.run + 1);
    at.order = (uint8_t *)(at.copy + 1);
    at.w = at.order + kh * ROWS_TAPS;
    rows_order(k, at.order);
    at.x = (uint32_t *)(void *)(at.w + kh * ROWS_CHANNELS * ROWS_TAPS);
    end = at.x + columns * kh + ROWS_TAPS;
    at.few = (uint8_t *)at.x + ((uintptr_t)end - (uintptr_t)at.x);
    for (uint32_t *p = at.x; p != end; p++)
        *p = at.pad;
    at.run->n = k->ow;
    at.run->x = at.x;
    at.run->step = 4 * k->sw * kh;
    at.copy->n = k->w < columns - left ? k->w : columns - left;
    at.copy->to = at.x + left * kh;
    at.copy->step = 4 * k->xw;
    at.copy->next = 16 * kh;
    for (int i = 0; i < 4; i++) {
        at.run->lo[i] = k->lo;
        at.run->hi[i] = k->hi;
        at.copy->far[i] = (uint32_t)(i * k->xw);
        at.copy->apart[i] = (uint32_t)(4 * i * kh);
    }
    return at;
}

/* Can the epilogues of four channels be made at once? */
#define ROWS_AT_ONCE                                                    \
    (UPPER_HALF && PANEL_SIGNED(X) && PANEL_SIGNED(B) &&                \
     PANEL_SIGNED(MUL) && PANEL_SIGNED(ADD) && sizeof(B) <= 4 &&        \
     sizeof(MUL) <= 4)

static inline void rows_scale(const struct conv_dims *k, const struct io *io,
                              struct rows_run *to, int32_t c)
{
    uint32x4_t low;
    const int32x4_t high = MVE_WIDE(ADD, io->in[4], c, k->addc, &low);
#ifdef SHIFTS
    const int32x4_t shift = MVE_FOUR(SHIFTS, io->in[5], c, k->mulc);
#else
    const int32x4_t shift = vdupq_n_s32(k->shift);
#endif

    vstrwq_s32(to->bias, MVE_FOUR(B, io->in[2], c, 1));
    vstrwq_s32(to->scale.mul, MVE_FOUR(MUL, io->in[3], c, k->mulc));
    vstrwq_s32(to->scale.hi, mve_above(high, low));
    vstrwq_s32(to->scale.up, vsubq_s32(vdupq_n_s32(31), shift));
}

/* The epilogues of `count` channels from c on, whose weights are w. */
static void rows_scales(const struct conv_dims *k, const struct io *io,
                        struct rows_run *to, int32_t c, int32_t count,
                        const W *w)
{
    const B *b = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    if (ROWS_AT_ONCE && count == ROWS_CHANNELS) {
        rows_scale(k, io, to, c);
        return;
    }
    for (int32_t i = 0; i < ROWS_CHANNELS; i++) {
        const ptrdiff_t at = (ptrdiff_t)c * k->mulc;
        const int32_t bias =
            (b ? (int32_t)b[c] : 0) + mve_bias(w, k->kh * k->kw);

        to->bias[i] = MVE_BIAS ? bias : 0;
        mve_put_scale(&to->scale, i, bias, (int32_t)mul[at],
                      add ? (int64_t)add[(ptrdiff_t)c * k->addc] : 0,
                      SHIFT_OF(k, io, 5, at));
        if (i + 1 < count) {
            c++;
            w += k->wm;
        }
    }
}

/* The weights of a group's `count` channels in the orders of all slots. */
static NOINLINE void rows_weights(const struct conv_dims *k, const W *w,
                                  int32_t count, const uint8_t *order,
                                  uint8_t *to)
{
    const mve_pred16_t some = vctp8q((uint32_t)(k->kh * k->kw));
    const W *w1 = w + (count > 1 ? k->wm : 0);
    const W *w2 = w1 + (count > 2 ? k->wm : 0);
    const W *w3 = w2 + (count > 3 ? k->wm : 0);
    int8_t *p = (int8_t *)to;

    for (int32_t slot = k->kh; slot > 0; slot--, order += ROWS_TAPS) {
        const uint8x16_t at = vldrbq_z_u8(order, some);

        vstrbq_s8(p, vldrbq_gather_offset_z_s8(w, at, some));
        vstrbq_s8(p + 16, vldrbq_gather_offset_z_s8(w1, at, some));
        vstrbq_s8(p + 32, vldrbq_gather_offset_z_s8(w2, at, some));
        vstrbq_s8(p + 48, vldrbq_gather_offset_z_s8(w3, at, some));
        p += ROWS_CHANNELS * ROWS_TAPS;
    }
}

/* Columns of a row of the border. */
static NOINLINE void rows_border(const struct rows_copy *of, int32_t slots,
                                 uint32_t pad, uint32_t *to)
{
    for (int32_t n = of->n; n > 0; n--, to += slots)
        *to = pad;
}

/* Columns of four channels that begin at words: five instructions for four.
 * There is one at least. */
static NOINLINE void rows_words(const struct rows_copy *of)
{
    register const struct rows_copy *r5 __asm__("r5") = of;

#define ROWS_ASM(flip)                                                  \
    __asm__ volatile("ldm r5, {r0, r1, r2, r3, r4}\n"                   \
                     "vldrw.32 q1, [r5, #20]\n"                         \
                     "vldrw.32 q2, [r5, #36]\n"                         \
                     "vmov.i8 q3, #128\n"                               \
                     "dlstp.32 lr, r0\n"                                \
                     "1:\n"                                             \
                     "vldrw.u32 q0, [r1, q1]\n" flip                    \
                     "vstrw.32 q0, [r2, q2]\n"                          \
                     "add r1, r1, r3\n"                                 \
                     "add r2, r2, r4\n"                                 \
                     "letp lr, 1b\n"                                    \
                     :                                                  \
                     : "r"(r5)                                          \
                     : "r0", "r1", "r2", "r3", "r4", "lr", "d0", "d1",  \
                       "d2", "d3", "d4", "d5", "d6", "d7", "memory")
    if (PANEL_SIGNED(X))
        ROWS_ASM("");
    else
        ROWS_ASM("veor q0, q0, q3\n");
#undef ROWS_ASM
}

/* Columns of `count` channels anywhere; of four it takes a word, of fewer, if
 * there are others before them, the bytes of those with it. */
static NOINLINE void rows_bytes(const struct rows_copy *of, int32_t slots,
                                int32_t xw, int32_t count)
{
    const X *x = of->x;
    uint32_t *to = of->to;
    const int32_t less = xw < ROWS_CHANNELS ? 0 : ROWS_CHANNELS - count;

    for (int32_t n = of->n; n > 0; n--, to += slots, x += xw) {
        uint32_t v = 0;

        if (xw < ROWS_CHANNELS)
            memcpy(&v, x, (size_t)count);
        else
            memcpy(&v, x - less, sizeof v);
        *to = v >> 8 * less ^ ROWS_FLIP;
    }
}

/* n results, 21 instructions for four, or a few more where an epilogue needs
 * them: window after window from r1 on, r10 apart; to r3, r11 apart.
 *
 * Of the registers r0, r2, r4 and r6 are the sums, q4 to q7 weights. */
#if MVE_BIAS
#define ROWS_BIAS "ldm r12, {r0, r2, r4, r6}\n"
#define ROWS_SUM "vmladava.s8 "
#else
#define ROWS_BIAS
#define ROWS_SUM "vmladav.s8 "
#endif
#define ROWS_SCALE                                                      \
    MVE_SCALE("q1", "vldrw.32 q1, [r9, #72]\n", "q1",                   \
              "vldrw.32 q1, [r9, #88]\n", "q1",                         \
              "vldrw.32 q1, [r9, #120]\n", "q1",                         \
              "vldrw.32 q1, [r9, #104]\n")
#define ROWS_CLIP                                                       \
    "vldrw.32 q1, [r9, #40]\n"                                          \
    "vmax.s32 q0, q0, q1\n"                                             \
    "vldrw.32 q1, [r9, #56]\n"                                          \
    "vmin.s32 q0, q0, q1\n"
#define ROWS_ALL(bounds)                                                \
    "ldm r9, {r0, r1, r3, r5, r10, r11}\n"                              \
    "vldrw.32 q4, [r5]\n"                                               \
    "vldrw.32 q5, [r5, #16]\n"                                          \
    "vldrw.32 q6, [r5, #32]\n"                                          \
    "vldrw.32 q7, [r5, #48]\n"                                          \
    "add r12, r9, #24\n"                                                \
    "dls lr, r0\n"                                                      \
    "1:\n"                                                              \
    "vld40.8 {q0, q1, q2, q3}, [r1]\n"                                  \
    "vld41.8 {q0, q1, q2, q3}, [r1]\n"                                  \
    "vld42.8 {q0, q1, q2, q3}, [r1]\n"                                  \
    "vld43.8 {q0, q1, q2, q3}, [r1]\n"                                  \
    "add r1, r1, r10\n" ROWS_BIAS                                       \
    ROWS_SUM "r0, q0, q4\n"                                           \
    ROWS_SUM "r2, q1, q5\n"                                           \
    ROWS_SUM "r4, q2, q6\n"                                           \
    ROWS_SUM "r6, q3, q7\n"                                           \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n" ROWS_SCALE bounds                     \
    "vstrb.32 q0, [r3]\n"                                               \
    "add r3, r3, r11\n"                                                 \
    "le lr, 1b\n"

static NOINLINE void rows_row(const struct rows_run *run, int clips)
{
    register const struct rows_run *r9 __asm__("r9") = run;

#define ROWS_ASM(bounds)                                                \
    __asm__ volatile(ROWS_ALL(bounds)                                   \
                     :                                                  \
                     : "r"(r9)                                          \
                     : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r10", \
                       "r11", "r12", "lr", "d0", "d1", "d2", "d3", "d4", "d5", \
                       "d6", "d7", "d8", "d9", "d10", "d11", "d12",     \
                       "d13", "d14", "d15", "cc", "memory")
    if (clips)
        ROWS_ASM(ROWS_CLIP);
    else if (PANEL_SIGNED(Y))
        ROWS_ASM(MVE_SATURATE("vqmovnb.s16"));
    else
        ROWS_ASM(MVE_SATURATE("vqmovunb.s16"));
#undef ROWS_ASM
}

/* The row y of fewer than four channels. */
static NOINLINE void rows_few(const struct conv_dims *k, const uint8_t *few,
                              int32_t count, Y *y)
{
    for (int32_t i = 0; i < k->ow; i++, few += ROWS_CHANNELS, y += k->yw)
        for (int32_t c = 0; c < count; c++)
            y[c] = (Y)few[c];
}

/* `count` channels from x and y on. */
static NOINLINE void rows_channels(const struct conv_dims *k,
                                   const struct rows *at, int32_t count,
                                   const X *x, Y *y)
{
    const int32_t kh = k->kh, sh = k->sh, h = k->h, xh = k->xh;
    const int32_t clips = panel_clips(k->lo, k->hi), few = count < 4;
    const int words = !few && !(((uintptr_t)x | (uintptr_t)k->xw) & 3);
    struct rows_copy *const copy = at->copy;
    struct rows_run *const run = at->run;
    uint32_t *const first = copy->to;
    int32_t slot = 0, next = -k->ph, top = next;

    run->y = few ? at->few : (uint8_t *)y;
    run->next = few ? ROWS_CHANNELS : k->yw;
    for (int32_t oy = k->oh; oy > 0; oy--, top += sh, y += k->yh) {
        if (next < top)
            next = top;
        for (; next < top + kh; next++) {
            copy->to = first + slot;
            copy->x = next < 0 ? x : x + next * xh;
            if (next < 0 || next >= h || copy->n <= 0)
                rows_border(copy, kh, at->pad, copy->to);
            else if (words)
                rows_words(copy);
            else
                rows_bytes(copy, kh, k->xw, count);
            slot = slot + 1 == kh ? 0 : slot + 1;
        }
        run->w = at->w + slot * ROWS_CHANNELS * ROWS_TAPS;
        rows_row(run, clips);
        if (few)
            rows_few(k, at->few, count, y);
        else
            run->y += k->yh;
    }
    copy->to = first;
}

static inline void rows_conv(const struct conv_dims *k, const struct io *io)
{
    const struct rows at = rows_of(k, io->tmp);

    for (int32_t n = 0; n < k->n; n++)
        for (int32_t c = 0; c < k->g; c += ROWS_CHANNELS) {
            const int32_t left = k->g - c;
            const int32_t count = left < ROWS_CHANNELS ? left : ROWS_CHANNELS;
            const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm;

            rows_scales(k, io, at.run, c, count, w);
            rows_weights(k, w, count, at.order, at.w);
            rows_channels(k, &at, count,
                          (const X *)io->in[0] + (ptrdiff_t)n * k->xn + c,
                          (Y *)io->out[0] + (ptrdiff_t)n * k->yn + c);
        }
}

#endif
