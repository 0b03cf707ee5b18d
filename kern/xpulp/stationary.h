/* Channels-last convolutions of small windows, weights stationary: those of two
 * channels, or of four if windows are of two words, stay in registers while
 * pixels pass, whose results are scaled and stored before the next begins.
 *
 * Single taps that need no copy are read from x.  Of windows of three by three
 * by three channels a line of up to STATIONARY_RUN pixels is copied once, its
 * columns one after the other: a window is 27 bytes in a row then, and weights,
 * copied too, have a zero behind them.
 *
 * The last channels are taken again where they are no multiple. */
#ifndef STATIONARY_H
#define STATIONARY_H

#include "kern/xpulp/gemm4x4_taps.h"

enum { STATIONARY_RUN = 64 };

/* Windows of `words` words, `step` bytes apart, by `groups` groups of channels:
 * rows of w of whole words, and in scale two numbers for each channel, by which
 * sums are multiplied and what is added then.  First what assembly knows, by
 * place; next: from the last word of a window to the next window. */
struct stationary {
    const RIGHT *w;
    const int32_t *scale;
    int32_t shift, range, next, ystep, groups;
    int32_t words, step, low;
};

struct stationary_call {
    const struct conv_dims *k;
    struct stationary t;
    char *strip;    /* NULL: none is needed */
    int32_t group;  /* channels */
    int dense;      /* pixels of all rows follow one another */
};

#ifdef XPULPV2
#define ST_MEMBERS(AT)                                                       \
    AT(w, 0) AT(scale, 4) AT(shift, 8) AT(range, 12) AT(next, 16)            \
    AT(ystep, 20) AT(groups, 24)
#define ST_FRAME(AT)                                                         \
    AT(x, 0) AT(y, 4) AT(n, 8) AT(w, 12) AT(scale, 16) AT(groups, 20)        \
    AT(mul, 24) AT(saved, 32) AT(size, 96)
#define ST_CHECK(name, at) XP_MEMBER(struct stationary, name, at);
#define ST_SET(name, at) ".set stationary." #name ", " #at "\n"
#define ST_SET_FRAME(name, at) ".set frames." #name ", " #at "\n"
ST_MEMBERS(ST_CHECK)
__asm__(ST_MEMBERS(ST_SET) ST_FRAME(ST_SET_FRAME));

/* a0 .. a3: struct stationary, x, y, pixels.  Then a0 is the way from result to
 * result, a1 x, a2 y, t0 the shift; `range` and `next` are in the registers
 * named. */
#define ST_ENTER(range, next)                                                \
    "addi sp, sp, -frames.size\n" XP_SAVED("sw", "frames.saved")             \
    "lw t1, stationary.w(a0)\n lw t2, stationary.scale(a0)\n"                \
    "lw t3, stationary.groups(a0)\n lw t0, stationary.shift(a0)\n"           \
    "sw a1, frames.x(sp)\n sw a2, frames.y(sp)\n sw a3, frames.n(sp)\n"      \
    "sw t1, frames.w(sp)\n sw t2, frames.scale(sp)\n"                        \
    "sw t3, frames.groups(sp)\n lw " range ", stationary.range(a0)\n"        \
    "lw " next ", stationary.next(a0)\n lw a0, stationary.ystep(a0)\n"
/* From group to group: t1 where the next weights are, t2 the next numbers. */
#define ST_NEXT(channels)                                                    \
    "sw t1, frames.w(sp)\n addi t2, t2, 8 * " #channels "\n"                 \
    "lw a2, frames.y(sp)\n sw t2, frames.scale(sp)\n lw a1, frames.x(sp)\n"  \
    "addi t1, a2, " #channels "\n sw t1, frames.y(sp)\n"                     \
    "lw t1, frames.n(sp)\n"
#define ST_LEAVE                                                             \
    "lw t1, frames.groups(sp)\n addi t1, t1, -1\n"                           \
    "sw t1, frames.groups(sp)\n bnez t1, 1b\n"                               \
    XP_SAVED("lw", "frames.saved") "addi sp, sp, frames.size\n ret\n"
#define ST_W(d) "xp.lw.post " d ", t1, 4\n"
#define ST_W4(a, b, c, d) ST_W(a) ST_W(b) ST_W(c) ST_W(d)
#define ST_X(d) "xp.lw.post " d ", a1, 4\n"
#define ST_LAST(d, next) "xp.lw.postr " d ", a1, " next "\n"
#define ST_SCALE(v, mul) "mul " v ", " v ", " mul "\n"
#define ST_ADD(v, add) "xp.addnr " v ", " add ", t0\n"

/* Two channels: sums t1 and t2, words of x t3 and t4, what is added a3 and
 * ra. */
#define ST_TWO(DOT, x, a, b) DOT("t1", x, a) DOT("t2", x, b)
#define ST_END2(mul0, mul1, CLIP, range)                                     \
    ST_SCALE("t1", mul0) ST_SCALE("t2", mul1) ST_ADD("t1", "a3")             \
    ST_ADD("t2", "ra") CLIP("t1", range) CLIP("t2", range)                   \
    "xpv.packlo.b t1, t2, t1\n xp.sh.postr t1, a2, a0\n"
#define ST_NUMBERS2                                                          \
    "lw t2, frames.scale(sp)\n lw t5, 0(t2)\n lw a3, 4(t2)\n"                \
    "lw t6, 8(t2)\n lw ra, 12(t2)\n"
#define ST_WORDS4(FIRST, MORE, CLIP)                                         \
    ST_ENTER("s7", "a7")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W4("s8", "s9", "s10", "s11") ST_NUMBERS2 ST_NEXT(2)                   \
    XP_BLOCK "xlp.setup 0, t1, 20\n" ST_X("t3") ST_X("t4")                   \
    ST_TWO(FIRST, "t3", "s0", "s8") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s1", "s9") ST_LAST("t4", "a7")                       \
    ST_TWO(MORE, "t3", "s2", "s10") ST_TWO(MORE, "t4", "s3", "s11")          \
    ST_END2("t5", "t6", CLIP, "s7") XP_BLOCK_END ST_LEAVE
#define ST_WORDS7(FIRST, MORE, CLIP)                                         \
    ST_ENTER("s7", "a7")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W("s4") ST_W("s5") ST_W("s6") ST_W4("s8", "s9", "s10", "s11")         \
    ST_W("a4") ST_W("a5") ST_W("a6") ST_NUMBERS2 ST_NEXT(2)                  \
    XP_BLOCK "xlp.setup 0, t1, 29\n" ST_X("t3") ST_X("t4")                   \
    ST_TWO(FIRST, "t3", "s0", "s8") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s1", "s9") ST_X("t4")                                \
    ST_TWO(MORE, "t3", "s2", "s10") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s3", "s11") ST_X("t4")                               \
    ST_TWO(MORE, "t3", "s4", "a4") ST_LAST("t3", "a7")                       \
    ST_TWO(MORE, "t4", "s5", "a5") ST_TWO(MORE, "t3", "s6", "a6")            \
    ST_END2("t5", "t6", CLIP, "s7") XP_BLOCK_END ST_LEAVE
/* There is no room for the two multipliers. */
#define ST_WORDS8(FIRST, MORE, CLIP)                                         \
    ST_ENTER("t5", "t6")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W4("s4", "s5", "s6", "s7") ST_W4("s8", "s9", "s10", "s11")            \
    ST_W4("a4", "a5", "a6", "a7")                                            \
    "lw t2, frames.scale(sp)\n lw t3, 0(t2)\n lw t4, 8(t2)\n lw a3, 4(t2)\n" \
    "lw ra, 12(t2)\n sw t3, frames.mul(sp)\n sw t4, frames.mul + 4(sp)\n"    \
    ST_NEXT(2) XP_BLOCK "xlp.setup 0, t1, 34\n" ST_X("t3") ST_X("t4")        \
    ST_TWO(FIRST, "t3", "s0", "s8") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s1", "s9") ST_X("t4")                                \
    ST_TWO(MORE, "t3", "s2", "s10") ST_X("t3")                               \
    ST_TWO(MORE, "t4", "s3", "s11") ST_X("t4")                               \
    ST_TWO(MORE, "t3", "s4", "a4") ST_X("t3")                                \
    ST_TWO(MORE, "t4", "s5", "a5") ST_LAST("t4", "t6")                       \
    ST_TWO(MORE, "t3", "s6", "a6") "lw t3, frames.mul(sp)\n"                 \
    ST_TWO(MORE, "t4", "s7", "a7") "lw t4, frames.mul + 4(sp)\n"             \
    ST_END2("t3", "t4", CLIP, "t5") XP_BLOCK_END ST_LEAVE

/* Four channels: sums t1 to t4, words of x t5 and t6, multipliers s8 to s11 and
 * what is added a4 to a7. */
#define ST_FOUR(DOT, x, a, b, c, d)                                          \
    DOT("t1", x, a) DOT("t2", x, b) DOT("t3", x, c) DOT("t4", x, d)
#define ST_WORDS2(FIRST, MORE, CLIP)                                         \
    ST_ENTER("a3", "ra")                                                     \
    "1:\n lw t1, frames.w(sp)\n" ST_W4("s0", "s1", "s2", "s3")               \
    ST_W4("s4", "s5", "s6", "s7")                                            \
    "lw t2, frames.scale(sp)\n lw s8, 0(t2)\n lw a4, 4(t2)\n lw s9, 8(t2)\n" \
    "lw a5, 12(t2)\n lw s10, 16(t2)\n lw a6, 20(t2)\n lw s11, 24(t2)\n"      \
    "lw a7, 28(t2)\n" ST_NEXT(4)                                             \
    XP_BLOCK "xlp.setup 0, t1, 25\n" ST_X("t5") ST_LAST("t6", "ra")          \
    ST_FOUR(FIRST, "t5", "s0", "s2", "s4", "s6")                             \
    ST_FOUR(MORE, "t6", "s1", "s3", "s5", "s7")                              \
    ST_SCALE("t1", "s8") ST_SCALE("t2", "s9") ST_SCALE("t3", "s10")          \
    ST_SCALE("t4", "s11") ST_ADD("t1", "a4") ST_ADD("t2", "a5")              \
    ST_ADD("t3", "a6") ST_ADD("t4", "a7") CLIP("t1", "a3") CLIP("t2", "a3")  \
    CLIP("t3", "a3") CLIP("t4", "a3") "xpv.packlo.b t1, t2, t1\n"            \
    "xpv.packhi.b t1, t4, t3\n xp.sw.postr t1, a2, a0\n"                     \
    XP_BLOCK_END ST_LEAVE

#define ST_CLIP_R(v, range) "xp.clipr " v ", " v ", " range "\n"
#define ST_CLIP_UR(v, range) "xp.clipur " v ", " v ", " range "\n"
#define ST_PARAMETERS                                                        \
    (const struct stationary *t, const X *x, Y *y, int32_t n)
#define ST_SIGNS(name, WORDS, CLIP)                                          \
    XP_FUNCTION(name##_ss, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_SP, BLOCK_SP, CLIP));                      \
    XP_FUNCTION(name##_uu, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_UP, BLOCK_UP, CLIP));                      \
    XP_FUNCTION(name##_us, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_USP, BLOCK_USP, CLIP));                    \
    XP_FUNCTION(name##_su, ST_PARAMETERS,                                    \
                WORDS(BLOCK_FIRST_SUP, BLOCK_SUP, CLIP))
#define ST_KIND(name, WORDS)                                                 \
    ST_SIGNS(name##_r, WORDS, ST_CLIP_R);                                    \
    ST_SIGNS(name##_ur, WORDS, ST_CLIP_UR);                                  \
    static inline void name ST_PARAMETERS                                    \
    {                                                                        \
        if (!WORD_SIGNED(Y) || t->low == 0)                                  \
            BLOCK_BY_SIGN(name##_ur, t, x, y, n);                            \
        else                                                                 \
            BLOCK_BY_SIGN(name##_r, t, x, y, n);                             \
    }
ST_KIND(stationary2, ST_WORDS2)
ST_KIND(stationary4, ST_WORDS4)
ST_KIND(stationary7, ST_WORDS7)
ST_KIND(stationary8, ST_WORDS8)

/* n pixels by the channels of all groups. */
static void stationary_pixels(const struct stationary *t, const X *x, Y *y,
                              int32_t n)
{
    if (t->words == 2)
        stationary2(t, x, y, n);
    else if (t->words == 4)
        stationary4(t, x, y, n);
    else if (t->words == 7)
        stationary7(t, x, y, n);
    else
        stationary8(t, x, y, n);
}

/* n columns of three pixels of three bytes, from three rows; the byte behind
 * them is lost. */
static char *stationary_columns(char *to, const X *const row[3],
                                const int32_t step[3], int32_t n)
{
    const X *r0 = row[0], *r1 = row[1], *r2 = row[2];
    int32_t a, b, c;

    if (n > 0)
        __asm__ volatile(XP_BLOCK "xlp.setup 0, %[n], 6\n"
                         "xp.lw.postr %[a], %[r0], %[s0]\n"
                         "xp.lw.postr %[b], %[r1], %[s1]\n"
                         "xp.lw.postr %[c], %[r2], %[s2]\n"
                         "xp.sw.post %[a], %[to], 3\n"
                         "xp.sw.post %[b], %[to], 3\n"
                         "xp.sw.post %[c], %[to], 3\n" XP_BLOCK_END
                         : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
                           [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2),
                           [to] "+r"(to)
                         : [n] "r"(n), [s0] "r"(step[0]), [s1] "r"(step[1]),
                           [s2] "r"(step[2])
                         : XP_CLOBBERS);
    return to;
}
#else
static void stationary_pixels(const struct stationary *t, const X *x, Y *y,
                              int32_t n)
{
    const int32_t channels = t->groups * (t->words == 2 ? 4 : 2);

    for (int32_t c = 0; c < channels; c++)
        for (int32_t i = 0; i < n; i++) {
            const RIGHT *w = t->w + 4 * c * t->words;
            int32_t sum = 0;

            for (int32_t j = 0; j < 4 * t->words; j += 4)
                sum = word_dot(sum, word_load(x + i * t->step + j),
                               word_load(w + j));
            sum = scaled(sum, t->scale[2 * c], t->scale[2 * c + 1], t->shift);
            y[i * t->ystep + c] = (Y)clip(sum, t->low, t->range);
        }
}

static char *stationary_columns(char *to, const X *const row[3],
                                const int32_t step[3], int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t r = 0; r < 3; r++, to += 3)
            memcpy(to, row[r] + i * step[r], 3);
    return to;
}
#endif

/* `cols` columns of three rows, those from `top` and `left` on. */
static NOINLINE void stationary_strip(const struct stationary_call *q,
                                      const X *x, int32_t top, int32_t left,
                                      int32_t cols)
{
    const struct conv_dims *k = q->k;
    const struct span in = window_span(left, cols, 1, k->w);
    const int32_t pad = (int32_t)((uint32_t)(k->padv & 255) * 0x01010101u);
    char *to = fill_run(q->strip, k->padv, 9 * in.lo);
    const X *row[3];
    int32_t step[3];

    for (int32_t i = 0; i < 3; i++, top++) {
        const int inside = top >= 0 && top < k->h;

        row[i] = inside ? x + top * k->xh + (left + in.lo) * 3
                        : (const X *)(const void *)&pad;
        step[i] = inside ? 3 : 0;
    }
    to = stationary_columns(to, row, step, in.hi - in.lo);
    fill_run(to, k->padv, 9 * (cols - in.hi));
}

/* Weights in the order of the strip, column by column. */
static NOINLINE void stationary_weights(const RIGHT *w, int32_t m, char *to)
{
    for (; m > 0; m--, w += 27, to += 28) {
        char *at = to;

        for (int32_t j = 0; j < 3; j++)
            for (int32_t i = 0; i < 3 && at < to + 24; i++, at += 3)
                word_store(at, word_load(w + 3 * j + 9 * i));
        word_store(to + 24, (int32_t)((uint32_t)word_load(w + 23) >> 8));
    }
}

/* What sums of each channel are multiplied by, and what is added then. */
static NOINLINE void stationary_scale(const struct conv_dims *k,
                                      const struct io *io, int32_t *to)
{
    const B *bias = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = mul ? io->in[4] : NULL;

    for (int32_t c = 0; c < k->m; c++, to += 2) {
        to[0] = mul ? (int32_t)mul[c * k->mulc] : 1;
        to[1] = (add ? (int32_t)add[c * k->addc] : 0) +
                (bias ? (int32_t)bias[c] : 0) * to[0];
    }
}

/* n pixels by all channels. */
static void stationary_line(const struct stationary_call *q, const X *x,
                            Y *y, int32_t n)
{
    const int32_t c = q->k->m - q->group;
    struct stationary t = q->t;

    stationary_pixels(&t, x, y, n);
    if (t.groups * q->group == q->k->m)
        return;
    t.groups = 1;
    t.w += 4 * c * t.words;
    t.scale += 2 * c;
    stationary_pixels(&t, x, y + c, n);
}

/* `n` pixels from ox on of row oy of an image. */
static void stationary_run(const struct stationary_call *q, const X *x,
                           int32_t oy, int32_t ox, int32_t n, Y *y)
{
    const struct conv_dims *k = q->k;
    const int32_t top = oy * k->sh - k->ph, left = ox * k->sw - k->pw;

    y += oy * k->yh + ox * k->yw;
    if (q->strip)
        stationary_strip(q, x, top, left, (n - 1) * k->sw + 3);
    stationary_line(q, q->strip ? (const X *)(const void *)q->strip
                                : x + top * k->xh + left * k->c, y, n);
}

/* This core's share of the pixels. */
static void stationary_share(const struct stationary_call *q,
                             const struct io *io)
{
    const struct conv_dims *k = q->k;
    int32_t lo, hi;

    span(k->n * k->oh * k->ow, io->core, io->ncore, &lo, &hi);
    while (lo < hi) {
        const int32_t row = lo / k->ow, ox = lo - row * k->ow;
        const int32_t n = row / k->oh, oy = row - n * k->oh;
        int32_t each = hi - lo;

        if (!q->dense && each > k->ow - ox)
            each = k->ow - ox;
        if (q->strip && each > STATIONARY_RUN)
            each = STATIONARY_RUN;
        stationary_run(q, (const X *)io->in[0] + n * k->xn, oy, ox, each,
                       (Y *)io->out[0] + n * k->yn);
        lo += each;
    }
}

/* Do pixels follow one another, row after row, in x and y? */
static int stationary_dense(const struct conv_dims *k)
{
    return k->sh == 1 && k->sw == 1 && k->n == 1 && k->xh == k->ow * k->c &&
           k->yh == k->ow * k->yw;
}

static inline void stationary_conv(const struct conv_dims *k,
                                   const struct io *io)
{
    const int direct = taps_direct(k);
    const int32_t words = (k->kh * k->kw * k->c + 3) >> 2;
    const int32_t group = words == 2 ? 4 : 2;
    const int32_t step = k->sw * (direct ? k->c : 9);
    int32_t *const scale = io->tmp;
    char *const own = (char *)(scale + 2 * k->m);
    const struct stationary_call q = {
        .k = k, .strip = direct ? NULL : own + 28 * k->m, .group = group,
        .dense = direct && stationary_dense(k),
        .t = {.w = direct ? io->in[1] : (const RIGHT *)(const void *)own,
              .scale = scale, .shift = io->in[3] ? k->shift : 0,
              .range = k->hi, .next = step - 4 * (words - 1),
              .ystep = k->yw, .groups = k->m / group, .words = words,
              .step = step, .low = k->lo},
    };

    stationary_scale(k, io, scale);
    if (!direct)
        stationary_weights(io->in[1], k->m, own);
    stationary_share(&q, io);
}

#endif
