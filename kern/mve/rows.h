/* The inner loop of depthwise convolutions of up to sixteen taps, and how
 * conv/rows.h keeps rows for it.
 *
 * Each of four channels has a plane of signed bytes, column after column: a window
 * is one vector and the next begins a column later.  What a vector has behind the
 * window meets weights of 0. */
#ifndef MVE_ROWS_H
#define MVE_ROWS_H

#include "kern/mve/mve.h"

enum { ROWS_CHANNELS = 4, ROWS_TAPS = 16 };

/* What is said of four channels. */
struct rows_group {
    struct mve_scale scale;
    const W *w[ROWS_CHANNELS];
};

/* What is in scratch memory: of the group, for each slot of row 0 which weight
 * meets which byte of a window, planes, whose borders are made once; results of fewer than
 * four channels. */
struct rows {
    struct rows_group *group;
    uint8_t *order, *x, *few;
    int32_t taps, pitch;   /* of a window; from plane to plane */
    int32_t left, inside;  /* columns of the border, and of x */
    int32_t slots, pixels; /* rows that are kept; results of a row */
    int32_t step;          /* from window to window */
    uint8_t pad;
};

static void rows_order(const struct conv_dims *k, uint8_t *order)
{
    for (int32_t slot = 0; slot < k->kh; slot++, order += ROWS_TAPS) {
        uint8_t *p = order;

        for (int32_t j = 0; j < k->kw; j++)
            for (int32_t s = 0; s < k->kh; s++) {
                const int32_t row = s < slot ? s - slot + k->kh : s - slot;

                *p++ = (uint8_t)(row * k->kw + j);
            }
        while (p != order + ROWS_TAPS)
            *p++ = 0;
    }
}

static struct rows rows_of(const struct conv_dims *k, void *tmp)
{
    const int32_t columns = (k->ow - 1) * k->sw + k->kw;
    const int32_t left = k->pw < columns ? k->pw : columns;
    struct rows at = {.group = tmp,
                      .taps = k->kh * k->kw,
                      .pitch = columns * k->kh + ROWS_TAPS,
                      .left = left,
                      .inside = k->w < columns - left ? k->w : columns - left,
                      .slots = k->kh,
                      .pixels = k->ow,
                      .step = k->sw * k->kh,
                      .pad = (uint8_t)(k->padv ^ MVE_FLIP)};

    at.order = (uint8_t *)(at.group + 1);
    at.x = at.order + k->kh * ROWS_TAPS;
    at.few = at.x + ROWS_CHANNELS * at.pitch;
    for (uint8_t *p = at.x; p != at.few; p++)
        *p = at.pad;
    rows_order(k, at.order);
    return at;
}

static inline int32_t rows_bias(const struct conv_dims *k, const W *w)
{
    return mve_bias(w, k->kh * k->kw);
}

static inline void rows_put_scale(const struct rows *at, int32_t i,
                                  struct scale32 s)
{
    mve_put_scale(&at->group->scale, i, s);
}

static void rows_turn(const struct conv_dims *k, const struct rows *at,
                      const W *w, int32_t count)
{
    for (int32_t i = 0; i < ROWS_CHANNELS; i++, w += i < count ? k->wm : 0)
        at->group->w[i] = w;
}

/* The columns inside of a row of the border. */
static NOINLINE void rows_border(const struct rows *at, uint8_t *to)
{
    const uint16x8_t apart =
        vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)at->slots);
    const uint16x8_t pad = vdupq_n_u16(at->pad);

    for (int32_t c = 0; c < ROWS_CHANNELS; c++, to += at->pitch) {
        uint8_t *p = to;

        for (int32_t n = at->inside; n > 0; n -= 8, p += 8 * at->slots)
            vstrbq_scatter_offset_p_u16(p, apart, pad,
                                        vctp16q((uint32_t)n));
    }
}

/* Two channels of a row to their planes, eight pixels by 11 instructions. */
static inline void rows_two(const struct conv_dims *k, const struct rows *at,
                            const X *x, const X *x1, uint8_t *to,
                            uint8_t *to1)
{
    const uint16x8_t lane = vidupq_n_u16(0, 1);
    const uint16x8_t apart = vmulq_n_u16(lane, (uint16_t)at->slots);
    const uint16x8_t far = vmulq_n_u16(lane, (uint16_t)k->xw);
    const uint16x8_t flip = vdupq_n_u16(MVE_FLIP);
    const int32_t next = 8 * at->slots, step = 8 * k->xw;

    __asm__ volatile("dlstp.16 lr, %[n]\n"
                     "1:\n"
                     "vldrb.u16 q0, [%[x], %q[far]]\n"
                     "veor q0, q0, %q[flip]\n"
                     "vstrb.16 q0, [%[to], %q[apart]]\n"
                     "vldrb.u16 q1, [%[x1], %q[far]]\n"
                     "veor q1, q1, %q[flip]\n"
                     "vstrb.16 q1, [%[to1], %q[apart]]\n"
                     "add %[x], %[x], %[step]\n"
                     "add %[to], %[to], %[next]\n"
                     "add %[x1], %[x1], %[step]\n"
                     "add %[to1], %[to1], %[next]\n"
                     "letp lr, 1b\n"
                     : [x] "+r"(x), [x1] "+r"(x1), [to] "+r"(to),
                       [to1] "+r"(to1)
                     : [n] "r"(at->inside), [far] "w"(far),
                       [apart] "w"(apart), [flip] "w"(flip),
                       [step] "r"(step), [next] "r"(next)
                     : "lr", "d0", "d1", "d2", "d3", "memory");
}

/* The row x, or one of the border if it is NULL, goes to `slot`.  Of fewer than
 * four channels the last is taken again. */
static NOINLINE void rows_keep(const struct conv_dims *k,
                               const struct rows *at, const X *x,
                               int32_t slot, int32_t count)
{
    const int32_t pitch = at->pitch;
    uint8_t *to = at->x + at->left * at->slots + slot;
    const X *x1 = x + (count > 1), *x2 = x1 + (count > 2);

    if (!x) {
        rows_border(at, to);
    } else if (at->inside) {
        rows_two(k, at, x, x1, to, to + pitch);
        rows_two(k, at, x2, x2 + (count > 3), to + 2 * pitch, to + 3 * pitch);
    }
}

/* A row of results: 25 instructions for four.
 *
 * Of the registers r1, r3, r5 and r8 are the planes, r0, r2, r4 and r6 sums, q4
 * to q7 weights. */
#define ROWS_SUM(sum, plane, w, step, add)                              \
    "vldrb.8 q0, [" plane "]" step "\n" add                             \
    "vmladav.s8 " sum ", q0, " w "\n"
#define ROWS_ALL(sat, step, add1, add3, add5, add8)                     \
    "push {r7}\n"                                                       \
    "mov r7, %[y]\n"                                                    \
    "dls lr, r0\n"                                                      \
    "1:\n"                                                              \
    ROWS_SUM("r0", "r1", "q4", step, add1)                              \
    ROWS_SUM("r2", "r3", "q5", step, add3)                              \
    ROWS_SUM("r4", "r5", "q6", step, add5)                              \
    ROWS_SUM("r6", "r8", "q7", step, add8)                              \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n"                                       \
    "vldrw.32 q1, [r9]\n"                                               \
    "vmul.i32 q2, q0, q1\n"                                             \
    "vmulh.s32 q0, q0, q1\n"                                            \
    "vldrw.32 q1, [r9, #16]\n"                                          \
    "vldrw.32 q3, [r9, #32]\n"                                          \
    "vadd.i32 q0, q0, q1\n"                                             \
    "vldrw.32 q1, [r9, #48]\n"                                          \
    "vpt.u32 hi, q2, q3\n"                                              \
    "vaddt.i32 q0, q0, r12\n"                                           \
    "vshl.s32 q0, q0, q1\n" MVE_SATURATE(sat)                           \
    "vstrb.32 q0, [r7]\n"                                               \
    "add r7, r7, r11\n"                                                 \
    "le lr, 1b\n"                                                       \
    "pop {r7}\n"

static NOINLINE void rows_run(const struct rows *at, int32_t slot, uint8_t *y,
                              int32_t next)
{
    const struct rows_group *g = at->group;
    const uint8x16_t order = vldrbq_u8(at->order + slot * ROWS_TAPS);
    const mve_pred16_t few = vctp8q((uint32_t)at->taps);
    register int8x16_t q4 __asm__("q4") =
        vldrbq_gather_offset_z_s8(g->w[0], order, few);
    register int8x16_t q5 __asm__("q5") =
        vldrbq_gather_offset_z_s8(g->w[1], order, few);
    register int8x16_t q6 __asm__("q6") =
        vldrbq_gather_offset_z_s8(g->w[2], order, few);
    register int8x16_t q7 __asm__("q7") =
        vldrbq_gather_offset_z_s8(g->w[3], order, few);
    register int32_t r0 __asm__("r0") = at->pixels;
    register const uint8_t *r1 __asm__("r1") = at->x;
    register const uint8_t *r3 __asm__("r3") = at->x + at->pitch;
    register const uint8_t *r5 __asm__("r5") = at->x + 2 * at->pitch;
    register const uint8_t *r8 __asm__("r8") = at->x + 3 * at->pitch;
    register const struct rows_group *r9 __asm__("r9") = g;
    register int32_t step __asm__("r10") = at->step;
    register int32_t r11 __asm__("r11") = next;
    register int32_t r12 __asm__("r12") = 1;
    register uint8_t *r2 __asm__("r2") = y;

#define ROWS_ASM(...)                                                   \
    __asm__ volatile(ROWS_ALL(__VA_ARGS__)                              \
                     : "+r"(r0), "+r"(r1), "+r"(r3), "+r"(r5),          \
                       "+r"(r8), [y] "+r"(r2)                           \
                     : "r"(step), "r"(r9), "r"(r11), "r"(r12), "w"(q4), "w"(q5),   \
                       "w"(q6), "w"(q7)                                 \
                     : "r4", "r6", "lr", "d0", "d1", "d2", "d3", "d4",  \
                       "d5", "d6", "d7", "cc", "memory")
#define ROWS_STEP(sat)                                                  \
    if (step == 3)                                                      \
        ROWS_ASM(sat, ", #3", "", "", "", "");                          \
    else if (step == 6)                                                 \
        ROWS_ASM(sat, ", #6", "", "", "", "");                          \
    else                                                                \
        ROWS_ASM(sat, "", "add r1, r1, r10\n", "add r3, r3, r10\n",       \
                 "add r5, r5, r10\n", "add r8, r8, r10\n")
    if (PANEL_SIGNED(Y))
        ROWS_STEP("vqmovnb.s16");
    else
        ROWS_STEP("vqmovunb.s16");
}

#endif
