/* Products of four pixels by two channels, sixteen columns at a time, and the
 * convolutions of one tap and matrix products that are made of them.
 *
 * A panel holds pixels by fours: sixteen columns of each of them in turn, as
 * signed bytes.  What it has behind the last column may be anything and meets
 * weights of 0: rows of weights that do not fill vectors are copied first, and
 * those of four bits (NIBBLES) unpacked. */
#ifndef MVE_QUAD_H
#define MVE_QUAD_H

#include <string.h>

#include "kern/mve/mve.h"

enum { QUAD_PIXELS = 4, QUAD_STEP = 16 };

/* QUAD_BY_PIXEL: what sums are multiplied by is not each channel's but each
 * pixel's, twice at in[3]: (sum * mul >> 32) + add >> shift, with the bias in
 * the sum.  QUAD_BEGINS: so it is, by the channel's, and to sums is added what
 * each pixel has twice at in[6]. */
#ifdef QUAD_BY_PIXEL
enum { QUAD_PER_PIXEL = 3 }; /* the operand */
#elif defined QUAD_BEGINS
enum { QUAD_PER_PIXEL = 6 };
#endif
#if defined QUAD_BY_PIXEL || defined QUAD_BEGINS
#define QUAD_EACH_PIXEL
#endif

/* Has channel c the epilogue that another had before? */
#ifndef QUAD_AGAIN
#define QUAD_AGAIN(io, c) 0
#endif

static inline int32_t quad_columns(int32_t n)
{
    return (n + QUAD_STEP - 1) & -QUAD_STEP;
}

/* Bytes of a row of n weights where it is copied; 0: it is not. */
static inline int32_t quad_row(int32_t n)
{
#ifdef NIBBLES
    return nibble_bytes(n);
#else
    return n % QUAD_STEP ? quad_columns(n) : 0;
#endif
}

/* Pixels of a panel, by fours, of n bytes each: as many as fill `room` behind
 * rows of weights, or two kilobytes, or a few more; of those that are unpacked
 * in any case. */
static inline int32_t quad_pixels(int32_t n, int32_t room)
{
    const int32_t columns = quad_columns(n), spare = 2 * quad_row(n);
    const int32_t some = 2048 / columns;

    if (room <= 0) {
        room = columns * (some < 16 ? 16 : some > 64 ? 64 : some);
#ifdef NIBBLES
        room += spare;
#endif
    }
    return ((room - spare) / columns) & -QUAD_PIXELS;
}

/* What quads are made with: the epilogues of two channels, those of struct
 * mve_scale; how far a quad's results are from the first; the distance of the
 * results of quads, and the end of the pixels.  Then what registers begin with,
 * in their order; QUAD_ALL knows the offsets. */
struct quad_run {
    int32_t mul[2], hi[2], up[2];
#ifdef QUAD_EACH_PIXEL
    const MUL *muls;
#elif !UPPER_HALF
    uint32_t below[2];
    int32_t mul4[4], up4[4];
#endif
    uint16_t apart[8];
    uint32_t back; /* to the loop's entry, from the unrolled steps' end */
    const uint8_t *x;
    uint8_t *y;
    const W *end;
    int32_t next;
    const uint8_t *x_end;
    int32_t sum, sum1;
    const W *w;
    int32_t sum2;
    const W *w1;
    int32_t sum3, sum4, sum5, sum6;
    uint32_t entry;
    int32_t sum7;
};

/* Quads of pixels, 14 instructions for 128 products and 22 for eight results,
 * or a few more where an epilogue needs them.
 *
 * Of the registers r0, r4, r8 and r12 are sums of the first channel, r2, r6,
 * r10 and lr of the other, r1 is where the pixels are, r3 and r5 the rows of
 * weights, r7 the end of the first, r9 the results, r11 the address of `sum`;
 * q4 to q6 the epilogue, q7 how far results are from r9. */
#define QUAD_STEP_ALL                                                   \
    "vldrb.8 q0, [r3], #16\n"                                           \
    "vldrb.8 q2, [r1], #16\n"                                           \
    "vmladava.s8 r0, q2, q0\n"                                          \
    "vldrb.8 q1, [r5], #16\n"                                           \
    "vmladava.s8 r2, q2, q1\n"                                          \
    "vldrb.8 q3, [r1], #16\n"                                           \
    "vmladava.s8 r4, q3, q0\n"                                          \
    "vmladava.s8 r6, q3, q1\n"                                          \
    "vldrb.8 q2, [r1], #16\n"                                           \
    "vmladava.s8 r8, q2, q0\n"                                          \
    "vmladava.s8 r10, q2, q1\n"                                         \
    "vldrb.8 q3, [r1], #16\n"                                           \
    "vmladava.s8 r12, q3, q0\n"                                         \
    "vmladava.s8 lr, q3, q1\n"
enum { QUAD_STEP_BYTES = 56, QUAD_UNROLL = 4 };

/* Numbers of two channels, in registers, as a vector. */
#define QUAD_TWICE(q, first, second)                                    \
    "vmov " q "[2], " q "[0], " first ", " first "\n"                   \
    "vmov " q "[3], " q "[1], " second ", " second "\n"

/* The epilogue of the sums in q, to which q2 and q3 are free; r0 is too. */
#ifdef QUAD_EACH_PIXEL
#define QUAD_MULS(op) op " r0, [r11, #-44]\n"
#else
#define QUAD_MULS(op)
#endif
#if UPPER_HALF || defined QUAD_EACH_PIXEL
#if ROUND
#define QUAD_BELOW0(q) "vshr.s32 q3, " q ", #31\n"
#define QUAD_LESS(q) "vadd.i32 " q ", " q ", q3\n"
#else
#define QUAD_BELOW0(q)
#define QUAD_LESS(q)
#endif
#define QUAD_LOAD                                                       \
    "ldm r0, {r1, r2, r3, r4, r5, r6}\n"                                \
    QUAD_TWICE("q4", "r1", "r2") QUAD_TWICE("q5", "r3", "r4")           \
    QUAD_TWICE("q6", "r5", "r6")
#ifdef QUAD_BY_PIXEL
#define QUAD_MULTIPLY(q)                                                \
    "vldrw.32 q4, [r0], #16\n vmulh.s32 " q ", " q ", q4\n"
#elif defined QUAD_BEGINS
#define QUAD_MULTIPLY(q)                                                \
    "vldrw.32 q2, [r0], #16\n vadd.i32 " q ", " q ", q2\n"             \
    "vmulh.s32 " q ", " q ", q4\n"
#else
#define QUAD_MULTIPLY(q) "vqrdmulh.s32 " q ", " q ", q4\n"
#endif
#define QUAD_SCALE(q)                                                   \
    QUAD_BELOW0(q) QUAD_MULTIPLY(q) QUAD_LESS(q)                        \
    "vadd.i32 " q ", " q ", q5\n"                                       \
    "vshl.s32 " q ", " q ", q6\n"
#else
#if ROUND
/* Of sums below 0: 2^31 less. */
#define QUAD_BELOW0(q) "vshr.s32 q3, " q ", #31\n"
#define QUAD_LESS(q)                                                    \
    "vbic q4, q3, q2\n"                                                 \
    "vshr.s32 q4, q4, #31\n"                                            \
    "vadd.i32 " q ", " q ", q4\n"                                       \
    "vshl.i32 q3, q3, #31\n"                                            \
    "veor q2, q2, q3\n"                                                 \
    "vldrw.32 q4, [r11, #-72]\n"
#else
#define QUAD_BELOW0(q)
#define QUAD_LESS(q)
#endif
#define QUAD_LOAD                                                       \
    "ldm r0!, {r1, r2, r3, r4, r5, r6, r7, r8}\n"                       \
    QUAD_TWICE("q4", "r1", "r2") QUAD_TWICE("q5", "r3", "r4")           \
    QUAD_TWICE("q6", "r5", "r6")                                        \
    "vstrw.32 q4, [r0]\n"                                               \
    "vstrw.32 q6, [r0, #16]\n"                                          \
    QUAD_TWICE("q6", "r7", "r8")
#define QUAD_SCALE(q)                                                   \
    QUAD_BELOW0(q)                                                      \
    "vmul.i32 q2, " q ", q4\n"                                          \
    "vmulh.s32 " q ", " q ", q4\n" QUAD_LESS(q)                         \
    "vadd.i32 " q ", " q ", q5\n"                                       \
    "vmov.i32 q3, #1\n"                                                 \
    "vpt.u32 hi, q2, q6\n"                                              \
    "vaddt.i32 " q ", " q ", q3\n"                                      \
    "vldrw.32 q3, [r11, #-56]\n"                                        \
    "vshl.s32 " q ", " q ", q3\n"
#endif
#define QUAD_ALL(narrow)                                                \
    ".balign 4\n" /* `adr` counts from words, gcc -Os aligns to halves */ \
    "push {r7}\n" QUAD_LOAD                                             \
    "vldrw.32 q7, [r11, #-40]\n"                                        \
    "adr.w r0, 2f\n"                                                    \
    "ldr r1, [r11, #-24]\n"                                             \
    "sub r0, r0, r1\n"                                                  \
    "orr r0, r0, #1\n"                                                  \
    "str r0, [r11, #36]\n"                                              \
    "ldr r1, [r11, #-20]\n"                                             \
    "ldr r9, [r11, #-16]\n"                                             \
    "ldr r7, [r11, #-12]\n"                                             \
    "0:\n"                                                              \
    "ldr lr, [r11, #40]\n"                                              \
    "ldm r11, {r0, r2, r3, r4, r5, r6, r8, r10, r12, pc}\n"             \
    "1:\n" QUAD_STEP_ALL QUAD_STEP_ALL QUAD_STEP_ALL QUAD_STEP_ALL      \
    "2:\n"                                                              \
    "cmp r3, r7\n"                                                      \
    "bne 1b\n"                                                          \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n"                                       \
    "vmov q1[2], q1[0], r8, r12\n"                                      \
    "vmov q1[3], q1[1], r10, lr\n" QUAD_MULS("ldr")                     \
    QUAD_SCALE("q0") QUAD_SCALE("q1") QUAD_MULS("str")                  \
    "vqmovnb.s32 q0, q0\n"                                              \
    "vqmovnt.s32 q0, q1\n" narrow " q0, q0\n"                          \
    "ldrd r0, r2, [r11, #-8]\n"                                         \
    "vstrb.16 q0, [r9, q7]\n"                                           \
    "add r9, r9, r0\n"                                                  \
    "cmp r1, r2\n"                                                      \
    "bne 0b\n"                                                          \
    "pop {r7}\n"

static NOINLINE void quad_run(struct quad_run *run)
{
    register int32_t *r0 __asm__("r0") = run->mul;
    register int32_t *r11 __asm__("r11") = &run->sum;

#define QUAD_ASM(narrow)                                                \
    __asm__ volatile(QUAD_ALL(narrow)                                   \
                     : "+r"(r0)                                         \
                     : "r"(r11)                                         \
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9",  \
                       "r10", "r12", "lr", "d0", "d1", "d2", "d3",      \
                       "d4", "d5", "d6", "d7", "d8", "d9", "d10",       \
                       "d11", "d12", "d13", "d14", "d15", "cc",         \
                       "memory")
    if (PANEL_SIGNED(Y))
        QUAD_ASM("vqmovnb.s16");
    else
        QUAD_ASM("vqmovunb.s16");
#undef QUAD_ASM
}

/* Pixels of n bytes, `step` apart, become a quad; behind the last of them it is
 * taken again. */
static NOINLINE void quad_put(uint8_t *to, const X *x, ptrdiff_t step,
                              int32_t n, int32_t pixels)
{
    const uint8x16_t sign = vdupq_n_u8(MVE_FLIP);
    const X *x1 = x + (pixels > 1 ? step : 0);
    const X *x2 = x1 + (pixels > 2 ? step : 0);
    const X *x3 = x2 + (pixels > 3 ? step : 0);

#define QUAD_ROW(x, flip)                                               \
    "vldrb.8 q0, [%[" #x "]], #16\n" flip "vstrb.8 q0, [%[to]], #16\n"
#define QUAD_ASM(flip)                                                  \
    __asm__ volatile(                                                   \
        "dlstp.8 lr, %[n]\n"                                            \
        "1:\n" QUAD_ROW(x, flip) QUAD_ROW(x1, flip) QUAD_ROW(x2, flip)  \
            QUAD_ROW(x3, flip) "letp lr, 1b\n"                          \
        : [to] "+r"(to), [x] "+r"(x), [x1] "+r"(x1), [x2] "+r"(x2),     \
          [x3] "+r"(x3)                                                 \
        : [n] "r"(n), [sign] "w"(sign)                                  \
        : "lr", "d0", "d1", "memory")
    if (PANEL_SIGNED(X))
        QUAD_ASM("");
    else
        QUAD_ASM("veor q0, q0, %q[sign]\n");
#undef QUAD_ASM
}

#ifndef NIBBLES
/* Two rows of n weights, to where behind them there are zeros. */
static inline void quad_weights(int8_t *to, int8_t *to1, const W *w,
                                const W *w1, int32_t n)
{
    __asm__ volatile("dlstp.8 lr, %[n]\n"
                     "1:\n"
                     "vldrb.8 q0, [%[w]], #16\n"
                     "vldrb.8 q1, [%[w1]], #16\n"
                     "vstrb.8 q0, [%[to]], #16\n"
                     "vstrb.8 q1, [%[to1]], #16\n"
                     "letp lr, 1b\n"
                     : [to] "+r"(to), [to1] "+r"(to1), [w] "+r"(w),
                       [w1] "+r"(w1)
                     : [n] "r"(n)
                     : "lr", "d0", "d1", "d2", "d3", "memory");
}
#endif

/* The epilogue of channel c + i, with weights w; what its sums begin with. */
static inline int32_t quad_scale(const struct conv_dims *k,
                                 const struct io *io, struct quad_run *to,
                                 int i, int32_t c, const W *w)
{
    const B *b = io->in[2];
    const ADD *add = io->in[4];
    const int32_t at = (c + i) * k->mulc;
    const int32_t mul = (int32_t)((const MUL *)io->in[3])[at];
    const int32_t bias = (b ? (int32_t)b[c + i] : 0) + mve_bias(w, k->c);
    const int64_t more = add ? (int64_t)add[(c + i) * k->addc] : 0;
    const int32_t shift = SHIFT_OF(k, io, 5, at);
#ifdef QUAD_EACH_PIXEL
    to->mul[i] = mul;
    to->hi[i] = (int32_t)more;
    to->up[i] = -shift;
    return bias;
#elif UPPER_HALF
    to->mul[i] = mul;
    to->hi[i] = (int32_t)(more >> 31);
    to->up[i] = 31 - shift;
#else
    const struct scale32 s = scale32(bias, mul, more, shift);

    to->mul[i] = s.mul;
    to->hi[i] = s.hi;
    to->up[i] = -s.post;
    to->below[i] = ~s.lo;
#endif
#ifndef QUAD_EACH_PIXEL
    return MVE_BIAS ? bias : 0;
#endif
}

/* The two channels from c on, whose rows of weights begin run with. */
static inline void quad_pair(const struct conv_dims *k, const struct io *io,
                             struct quad_run *run, int32_t c)
{
    const int32_t columns = quad_columns(k->c), row = quad_row(k->c);
    const W *w = (const W *)io->in[1] + (ptrdiff_t)c * k->wm, *w1 = w + k->wm;

    if (row) {
        int8_t *const spare = io->tmp;

#ifdef NIBBLES
        nibble_rows(w, k->wm, k->c, spare);
#else
        quad_weights(spare, spare + row, w, w1, k->c);
#endif
        w = spare;
        w1 = spare + row;
    }
    if (!QUAD_AGAIN(io, c)) {
        run->sum = quad_scale(k, io, run, 0, c, w);
        run->sum1 = quad_scale(k, io, run, 1, c, w1);
    }
    run->w = w;
    run->w1 = w1;
    run->end = w + columns;
    run->sum2 = run->sum4 = run->sum6 = run->sum;
    run->sum3 = run->sum5 = run->sum7 = run->sum1;
    quad_run(run);
}

/* All channels of so many quads at x, of so many pixels each. */
static NOINLINE void quad_channels(const struct conv_dims *k,
                                   const struct io *io, const uint8_t *x,
                                   int32_t quads, int32_t pixels, Y *y)
{
    const int32_t columns = quad_columns(k->c), steps = columns / QUAD_STEP;
    const int32_t first = (steps - 1) % QUAD_UNROLL + 1;
    struct quad_run run = {.next = QUAD_PIXELS * k->yw,
                           .x_end = x + quads * QUAD_PIXELS * columns,
                           .back = (uint32_t)(first * QUAD_STEP_BYTES),
                           .x = x};

    for (int i = 0, far = 0; i < QUAD_PIXELS; i++) {
        uint16_t *const to = run.apart + (i & 1) * 4 + (i >> 1);

        to[0] = (uint16_t)far;
        to[2] = (uint16_t)(far + 1);
        far += i + 1 < pixels ? k->yw : 0;
    }
    for (int32_t c = 0; c < k->m; c += 2) {
        const int32_t c0 = c + 2 > k->m ? k->m - 2 : c;

#ifdef QUAD_EACH_PIXEL
        run.muls = io->in[QUAD_PER_PIXEL];
#endif
        run.y = (uint8_t *)(y + c0);
        quad_pair(k, io, &run, c0);
    }
}

/* The same of fewer pixels than a quad, number `first` and on. */
static void quad_rest(const struct conv_dims *k, const struct io *io,
                      const uint8_t *x, int32_t pixels, int32_t first, Y *y)
{
#ifdef QUAD_EACH_PIXEL
    struct io rest = *io;

    rest.in[QUAD_PER_PIXEL] =
        (const MUL *)io->in[QUAD_PER_PIXEL] + 2 * first;
    io = &rest;
#else
    (void)first;
#endif
    quad_channels(k, io, x, 1, pixels, y);
}

/* All channels of n pixels of a panel. */
static inline void quad_all(const struct conv_dims *k, const struct io *io,
                            const uint8_t *panel, int32_t n, Y *y)
{
    const int32_t left = n % QUAD_PIXELS, whole = n - left;

    if (whole)
        quad_channels(k, io, panel, whole / QUAD_PIXELS, QUAD_PIXELS, y);
    if (left)
        quad_rest(k, io, panel + whole * quad_columns(k->c), left, whole,
                  y + (ptrdiff_t)whole * k->yw);
    if (panel_clips(k->lo, k->hi))
        for (int32_t i = 0; i < n; i++, y += k->yw)
            panel_clip(y, k->m, k->lo, k->hi);
}

/* n pixels from x on, whose panel comes behind two rows of weights. */
static NOINLINE void quad_panel(const struct conv_dims *k,
                                const struct io *io, const X *x, int32_t n,
                                Y *y)
{
    const int32_t bytes = QUAD_PIXELS * quad_columns(k->c);
    uint8_t *const panel = (uint8_t *)io->tmp + 2 * quad_row(k->c);
    uint8_t *to = panel;

    for (int32_t i = 0; i < n; i += QUAD_PIXELS, to += bytes)
        quad_put(to, x + (ptrdiff_t)i * k->xw, k->xw, k->c, n - i);
    quad_all(k, io, panel, n, y);
}

/* The convolution of one tap; its pixels are xw apart. */
static inline void pair_conv(const struct conv_dims *k, const struct io *io)
{
    const int32_t pixels = k->n * k->oh * k->ow;
    const int32_t most = quad_pixels(k->c, io->more.room);

#ifndef NIBBLES
    if (quad_row(k->c))
        memset(io->tmp, 0, 2 * (size_t)quad_row(k->c));
#endif
    for (int32_t i = 0; i < pixels; i += most)
        quad_panel(k, io, (const X *)io->in[0] + (ptrdiff_t)i * k->xw,
                   pixels - i < most ? pixels - i : most,
                   (Y *)io->out[0] + (ptrdiff_t)i * k->yw);
}

#endif
