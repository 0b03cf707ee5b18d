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

/* What rows of results are made with.  First how columns of words are brought to
 * scratch memory: the distances of four there and here; the rows that are left;
 * how many are brought for each but the first, and for that; distance of rows, and
 * a border's four bytes.  Then as registers are loaded: where the next row begins;
 * columns, rows of the image, where columns go in slot 0, four columns there and
 * here, the number of the next row, the bytes before its slot and those of all
 * slots; results, the first window, where results go, the weights, and how far
 * windows and results are apart.  Then what sums of the four channels begin with,
 * bounds of results, the epilogue; ROWS_ALL knows the offsets from `ow`. */
struct rows_run {
    uint32_t far[4], apart[4];
    int32_t rows, sh, first, xh;
    uint32_t pad;
    const X *from;
    int32_t n, h;
    uint32_t *to;
    int32_t there, here, row, slot, slots;
    int32_t ow;
    const uint32_t *x;
    uint8_t *y;
    const uint8_t *w;
    int32_t step, next;
    int32_t bias[4], lo[4], hi[4];
    struct mve_scale scale;
};

/* What is in scratch memory: of each slot of row 0 the order of weights, and
 * weights in it, channel after channel; the rows; results of fewer than four
 * channels. */
struct rows {
    struct rows_run *run;
    uint8_t *order, *w;
    uint32_t *x;
    uint8_t *few;
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

static inline struct rows rows_of(const struct conv_dims *k,
                                  struct rows_run *run, void *tmp)
{
    const int32_t columns = (k->ow - 1) * k->sw + k->kw, kh = k->kh;
    const int32_t left = k->pw < columns ? k->pw : columns;
    struct rows at = {.run = run, .order = tmp};
    const uint32_t *end;

    at.w = at.order + kh * ROWS_TAPS;
    rows_order(k, at.order);
    at.x = (uint32_t *)(void *)(at.w + kh * ROWS_CHANNELS * ROWS_TAPS);
    end = at.x + columns * kh + ROWS_TAPS;
    at.few = (uint8_t *)at.x + ((uintptr_t)end - (uintptr_t)at.x);
    run->pad = (uint8_t)k->padv * 0x01010101u ^ ROWS_FLIP;
    for (uint32_t *p = at.x; p != end; p++)
        *p = run->pad;
    run->sh = k->sh;
    run->xh = k->xh;
    run->n = k->w < columns - left ? k->w : columns - left;
    run->h = k->h;
    run->to = at.x + left * kh;
    run->there = 4 * k->xw;
    run->here = 16 * kh;
    run->slots = 4 * kh;
    run->ow = k->ow;
    run->x = at.x;
    run->step = 4 * k->sw * kh;
    for (int i = 0; i < 4; i++) {
        run->lo[i] = k->lo;
        run->hi[i] = k->hi;
        run->far[i] = (uint32_t)(i * k->xw);
        run->apart[i] = (uint32_t)(4 * i * kh);
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

/* The next row in its slot: columns of `count` channels anywhere, or of the
 * border.  Of four it takes a word, of fewer, if there are others before them, the
 * bytes of those with it. */
static NOINLINE void rows_bytes(struct rows_run *of, int32_t xw, int32_t count)
{
    const int32_t less = 8 * (ROWS_CHANNELS - count), slots = of->slots / 4;
    const X *x = of->from;
    uint32_t *to = of->to + of->slot / 4, v;
    int32_t n = of->n;

    if (of->row < 0 || of->row >= of->h) {
        for (; n > 0; n--, to += slots)
            *to = of->pad;
    } else if (xw < ROWS_CHANNELS) {
        for (v = 0; n > 0; n--, to += slots, x += xw) {
            memcpy(&v, x, (size_t)count);
            *to = v ^ ROWS_FLIP;
        }
    } else {
        for (x -= less / 8; n > 0; n--, to += slots, x += xw) {
            memcpy(&v, x, sizeof v);
            *to = v >> less ^ ROWS_FLIP;
        }
    }
    of->from += of->xh;
    of->row++;
    of->slot = of->slot + 4 == of->slots ? 0 : of->slot + 4;
}

/* Rows of results, each behind the rows that it needs.  Of a row columns that begin
 * at words take five instructions for four, and 17; n results 23 for four, or
 * a few more where an epilogue needs them, and 15: window after window from r1
 * on, r10 apart; to r3, r11 apart.
 *
 * r7 is where rows begin, r8 how many are to be brought, r6 the slot.  Of windows
 * r0, r2, r4 and r6 are the sums, q4 to q7 weights. */
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
#define ROWS_BRING(flip)                                                 \
    "vldrw.32 q1, [r9, #-88]\n"                                         \
    "vldrw.32 q2, [r9, #-72]\n"                                         \
    "vmov.i8 q3, #128\n"                                                \
    "2:\n"                                                              \
    "ldmdb r9, {r0, r1, r2, r3, r4, r5, r6, r12}\n"                     \
    "add r2, r2, r6\n"                                                  \
    "add r6, r6, #4\n"                                                  \
    "cmp r6, r12\n"                                                     \
    "it eq\n"                                                           \
    "moveq r6, #0\n"                                                    \
    "cmp r5, r1\n"                                                      \
    "add.w r5, r5, #1\n"                                                \
    "strd r5, r6, [r9, #-12]\n"                                         \
    "mov r1, r7\n"                                                      \
    "ldr r12, [r9, #-44]\n"                                             \
    "add r7, r7, r12\n"                                                 \
    "dlstp.32 lr, r0\n"                                                 \
    "bhs 4f\n"                                                          \
    "3:\n"                                                              \
    "vldrw.u32 q0, [r1, q1]\n" flip                                     \
    "vstrw.32 q0, [r2, q2]\n"                                           \
    "add r1, r1, r3\n"                                                  \
    "add r2, r2, r4\n"                                                  \
    "letp lr, 3b\n"                                                     \
    "b 6f\n"                                                            \
    "4:\n"                                                              \
    "ldr r1, [r9, #-40]\n"                                              \
    "vdup.32 q0, r1\n"                                                  \
    "5:\n"                                                              \
    "vstrw.32 q0, [r2, q2]\n"                                           \
    "add r2, r2, r4\n"                                                  \
    "letp lr, 5b\n"                                                     \
    "6:\n"                                                              \
    "subs r8, r8, #1\n"                                                 \
    "bne 2b\n"
#define ROWS_ALL(bounds, flip)                                          \
    "push {r7}\n"                                                       \
    "ldr r7, [r9, #-36]\n"                                              \
    "ldr r8, [r9, #-48]\n"                                              \
    "ldr r6, [r9, #-8]\n"                                               \
    "cmp r8, #0\n"                                                      \
    "beq 7f\n"                                                          \
    "0:\n" ROWS_BRING(flip)                                             \
    "7:\n"                                                              \
    "ldm r9, {r0, r1, r3, r5, r10, r11}\n"                              \
    "add r5, r5, r6, lsl #4\n"                                          \
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
    ROWS_SUM "r0, q0, q4\n"                                             \
    ROWS_SUM "r2, q1, q5\n"                                             \
    ROWS_SUM "r4, q2, q6\n"                                             \
    ROWS_SUM "r6, q3, q7\n"                                             \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n" ROWS_SCALE bounds                     \
    "vstrb.32 q0, [r3]\n"                                               \
    "add r3, r3, r11\n"                                                 \
    "le lr, 1b\n"                                                       \
    "str r3, [r9, #8]\n"                                                \
    "ldrd r0, r8, [r9, #-56]\n"                                         \
    "subs r0, r0, #1\n"                                                 \
    "str r0, [r9, #-56]\n"                                              \
    "bne 0b\n"                                                          \
    "pop {r7}\n"

static NOINLINE void rows_rows(struct rows_run *run, int clips)
{
    register int32_t *r9 __asm__("r9") = &run->ow;

#define ROWS_ASM(bounds, flip)                                          \
    __asm__ volatile(ROWS_ALL(bounds, flip)                             \
                     :                                                  \
                     : "r"(r9)                                          \
                     : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8",  \
                       "r10", "r11", "r12", "lr", "d0", "d1", "d2",     \
                       "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", \
                       "d11", "d12", "d13", "d14", "d15", "cc", "memory")
#define ROWS_IF(bounds)                                                 \
    if (PANEL_SIGNED(X))                                                \
        ROWS_ASM(bounds, "");                                           \
    else                                                                \
        ROWS_ASM(bounds, "veor q0, q0, q3\n")
    if (clips) {
        ROWS_IF(ROWS_CLIP);
    } else if (PANEL_SIGNED(Y)) {
        ROWS_IF(MVE_SATURATE("vqmovnb.s16"));
    } else {
        ROWS_IF(MVE_SATURATE("vqmovunb.s16"));
    }
#undef ROWS_IF
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

/* Of `count` channels a row of results y, whose rows are behind those that are
 * brought or not in the image. */
static NOINLINE void rows_one(const struct conv_dims *k, const struct rows *at,
                              int32_t count, int32_t top, Y *y)
{
    const int few = count < ROWS_CHANNELS;
    struct rows_run *const run = at->run;

    if (run->row < top) {
        run->from += (top - run->row) * run->xh;
        run->row = top;
    }
    while (run->row < top + k->kh)
        rows_bytes(run, k->xw, count);
    if (few)
        run->y = at->few;
    run->rows = 1;
    rows_rows(run, panel_clips(k->lo, k->hi));
    if (few)
        rows_few(k, at->few, count, y);
}

/* `count` channels from x and y on. */
static NOINLINE void rows_channels(const struct conv_dims *k,
                                   const struct rows *at, int32_t count,
                                   const X *x, Y *y)
{
    struct rows_run *const run = at->run;
    const int few = count < ROWS_CHANNELS;

    run->from = x - k->ph * k->xh;
    run->row = -k->ph;
    run->slot = 0;
    run->y = (uint8_t *)y;
    run->w = at->w;
    run->next = few ? ROWS_CHANNELS : k->yw;
    run->rows = k->oh;
    run->first = k->kh;
    if (!few && !(((uintptr_t)x | (uintptr_t)k->xw) & 3) && run->n > 0 &&
        k->sh <= k->kh) {
        rows_rows(run, panel_clips(k->lo, k->hi));
        return;
    }
    run->first = 0;
    for (int32_t oy = 0; oy < k->oh; oy++, y += k->yh)
        rows_one(k, at, count, oy * k->sh - k->ph, y);
}

static inline void rows_conv(const struct conv_dims *k, const struct io *io)
{
    struct rows_run run;
    const struct rows at = rows_of(k, &run, io->tmp);

    for (int32_t n = 0; n < k->n; n++)
        for (int32_t c = 0; c < k->g; c += ROWS_CHANNELS) {
            const int32_t left = k->g - c;
            const int32_t count = left < ROWS_CHANNELS ? left : ROWS_CHANNELS;
            const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm;

            rows_scales(k, io, &run, c, count, w);
            rows_weights(k, w, count, at.order, at.w);
            rows_channels(k, &at, count,
                          (const X *)io->in[0] + (ptrdiff_t)n * k->xn + c,
                          (Y *)io->out[0] + (ptrdiff_t)n * k->yn + c);
        }
}

#endif
