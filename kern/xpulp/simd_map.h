/* Elementwise kernels of bytes for XpulpV2, a word of four elements at a time;
 * elsewhere the same in plain C, so that they can be tested anywhere.
 *
 * To be included after X, Y (of two operands) and Z are defined, types of one
 * byte, and
 *     SIMD_SUM    what is scaled: ADD, SUB, MUL, ONE (x alone), or TWO, each
 *                 of two with its own factor
 *     SIMD_SCALE  SCALE32: nothing leaves 32 bits, lo << shift included;
 *                 SCALE64: it may, but shift is 16 or more and what is scaled
 *                 has 16 bits: factors and addend are cut at bit 16, and what
 *                 the lower parts carry is added to the upper ones.
 * Results are made from lo up, so that one instruction (p.clipur) is their
 * clip, and lo is added to all four of a word. */
#ifndef SIMD_MAP_H
#define SIMD_MAP_H

#include "kern/map/map.h"

#define SIMD_CAT2(a, b) a##b
#define SIMD_CAT(a, b) SIMD_CAT2(a, b)
#define SIMD_JOIN2(a, b) a##b /* within what SIMD_CAT made */
#define SIMD_JOIN(a, b) SIMD_JOIN2(a, b)
#define SIMD_CUT_SCALE32 0
#define SIMD_CUT_SCALE64 16
#define SIMD_CUT SIMD_CAT(SIMD_CUT_, SIMD_SCALE)
#define SIMD_SIGNED(T) ((T)-1 < (T)1)
#define SIMD_MANY 2048 /* elements that are worth looking for another loop */
#define SIMD_OFTEN(a) __builtin_expect(a, 1) /* what few elements take, whose
                                                time is that of their code */

/* Of one call: results are (x * p0 + y * p1 + add) >> shift, at most `range`,
 * plus lo; low: the parts below SIMD_CUT.  near: the factor of 16 bits with which
 * results are rounded behind `point` bits, 14 to 16, and clipped to their type;
 * point 0: there is none. */
struct words {
    int32_t p0, p1, add, p0low, p1low, addlow, shift, range, lo, near, point;
};

/* What factors and addends are computed with. */
#define SIMD_WIDE_SCALE32 int32_t
#define SIMD_WIDE_SCALE64 int64_t
#define SIMD_WIDE SIMD_CAT(SIMD_WIDE_, SIMD_SCALE)

/* What is scaled has 16 bits with a sign. */
#define SIMD_NEAR_ADD 1
#define SIMD_NEAR_SUB 1
#define SIMD_NEAR_MUL (SIMD_SIGNED(X) || SIMD_SIGNED(Y))
#define SIMD_NEAR_ONE 1
#define SIMD_NEAR_TWO 0
#define SIMD_NEAR_SCALE32 1
#define SIMD_NEAR_SCALE64 0
#define SIMD_NEAR                                                            \
    (SIMD_CAT(SIMD_NEAR_, SIMD_SCALE) && SIMD_CAT(SIMD_NEAR_, SIMD_SUM))

/* The factor of 16 bits that is p0 behind `shift`, and how many bits behind the
 * point it has; 0: there is none. */
static inline int32_t simd_point(SIMD_WIDE p0, int32_t shift, int32_t *near)
{
    const int32_t more = 16 - shift;
    int32_t point = 16, v;

    if (more < 0 || p0 >= 131072 >> more || p0 < -(131072 >> more))
        return 0;
    for (v = (int32_t)p0 * (1 << more); v < -32768 || v >= 32768; v >>= 1) {
        if (v & 1)
            return 0;
        point--;
    }
    *near = v;
    return point;
}

/* With factors p0 and p1; bounds as k has them. */
static inline struct words simd_of(const struct map_dims *k, SIMD_WIDE p0,
                                    SIMD_WIDE p1, SIMD_WIDE add,
                                    int32_t shift)
{
    const int32_t least = SIMD_SIGNED(Z) ? -128 : 0;
    const int32_t lo = k->lo > least ? k->lo : least;
    const int32_t hi = k->hi < least + 255 ? k->hi : least + 255;
    const int32_t low = (1 << SIMD_CUT) - 1;
    int32_t near = 0, point = 0;

    if (SIMD_NEAR && !SIMD_OFTEN(k->n[5] < SIMD_MANY) && shift > 0 &&
        add == (SIMD_WIDE)1 << (shift - 1) && hi - lo == 255)
        point = simd_point(p0, shift, &near);
    add -= lo * ((SIMD_WIDE)1 << shift);
    return (struct words){
        (int32_t)(p0 >> SIMD_CUT), (int32_t)(p1 >> SIMD_CUT),
        (int32_t)(add >> SIMD_CUT), (int32_t)p0 & low, (int32_t)p1 & low,
        (int32_t)add & low, shift - SIMD_CUT, hi - lo, lo, near, point};
}

#define SIMD_OF_ADD(w, x, y) simd_fit(w, (x) + (y), 0)
#define SIMD_OF_SUB(w, x, y) simd_fit(w, (x) - (y), 0)
#define SIMD_OF_MUL(w, x, y) simd_fit(w, (x) * (y), 0)
#define SIMD_OF_ONE(w, x, y) simd_fit(w, x, 0)
#define SIMD_OF_TWO(w, x, y) simd_fit(w, x, y)

static inline int32_t simd_fit(const struct words *w, int32_t x, int32_t y)
{
    const int32_t carry = (x * w->p0low + y * w->p1low + w->addlow) >> 16;
    const int32_t v = (x * w->p0 + y * w->p1 + w->add + carry) >> w->shift;

    return clip(v, 0, w->range) + w->lo;
}

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
/* Byte i of a word, i given as its bits 1 and 0. */
#define SIMD_BYTE(d, s, code, b1, b0)                                        \
    "xpv.extractt.b " d ", " s ", 2 * " #b1 " + " #b0 ", " code "\n"
#define SIMD_BOTH(t, b1, b0)                                                 \
    SIMD_BYTE(t, "%[a]", "%[xe]", b1, b0)                                    \
    SIMD_BYTE("%[u]", "%[b]", "%[ye]", b1, b0)

/* The sum, into t; of TWO also into u.  A sum of bytes of two words is two dot
 * products with a word e that has a one there; a product one of what e leaves of
 * the first. */
#define SIMD_PUT_ADD(t, b1, b0, e)                                           \
    "xpv.dott.b " t ", %[a], " e ", %[xd]\n"                                 \
    "xpv.sdott.b " t ", %[b], " e ", %[yd]\n"
#define SIMD_PUT_SUB(t, b1, b0, e)                                           \
    SIMD_BOTH(t, b1, b0) "sub " t ", " t ", %[u]\n"
#define SIMD_PUT_MUL(t, b1, b0, e)                                           \
    "and " t ", %[a], " e "\n xpv.dott.b " t ", " t ", %[b], %[xy]\n"
#define SIMD_PUT_ONE(t, b1, b0, e) SIMD_BYTE(t, "%[a]", "%[xe]", b1, b0)
#define SIMD_PUT_TWO(t, b1, b0, e) SIMD_BOTH(t, b1, b0)

#define SIMD_MAC(d, a, b) "xp.mac " d ", " a ", " b "\n"
#define SIMD_SHIFT(d) "xp.addnr " d ", %[add], %[shift]\n"
#define SIMD_CARRY(d) "xp.addn " d ", " d ", %[addlow], 16\n"
#define SIMD_CLIP(d, s) "xp.clipur " d ", " s ", %[range]\n"

/* The sum, scaled. */
#define SIMD_FIT_SCALE32(t)                                                  \
    "mul " t ", " t ", %[p0]\n" SIMD_SHIFT(t) SIMD_CLIP(t, t)
#define SIMD_FIT_SCALE64(t)                                                  \
    "mul %[v], " t ", %[p0low]\n" SIMD_CARRY("%[v]")                         \
    SIMD_MAC("%[v]", t, "%[p0]") SIMD_SHIFT("%[v]") SIMD_CLIP(t, "%[v]")
#define SIMD_TWO_SCALE32(t)                                                  \
    "mul " t ", " t ", %[p0]\n" SIMD_MAC(t, "%[u]", "%[p1]")                 \
    SIMD_SHIFT(t) SIMD_CLIP(t, t)
#define SIMD_TWO_SCALE64(t)                                                  \
    "mul %[v], " t ", %[p0low]\n" SIMD_MAC("%[v]", "%[u]", "%[p1low]")       \
    SIMD_CARRY("%[v]") SIMD_MAC("%[v]", t, "%[p0]")                          \
    SIMD_MAC("%[v]", "%[u]", "%[p1]") SIMD_SHIFT("%[v]")                     \
    SIMD_CLIP(t, "%[v]")
#define SIMD_FIT_ADD SIMD_JOIN(SIMD_FIT_, SIMD_SCALE)
#define SIMD_FIT_SUB SIMD_JOIN(SIMD_FIT_, SIMD_SCALE)
#define SIMD_FIT_MUL SIMD_JOIN(SIMD_FIT_, SIMD_SCALE)
#define SIMD_FIT_ONE SIMD_JOIN(SIMD_FIT_, SIMD_SCALE)
#define SIMD_FIT_TWO SIMD_JOIN(SIMD_TWO_, SIMD_SCALE)

/* Instructions of the loop: four times the sum and its scaling, and others. */
#define SIMD_SUM_ADD 2
#define SIMD_SUM_SUB 3
#define SIMD_SUM_MUL 2
#define SIMD_SUM_ONE 1
#define SIMD_SUM_TWO 2
#define SIMD_STEPS_SCALE32 3
#define SIMD_STEPS_SCALE64 5
#define SIMD_MORE_ADD 6
#define SIMD_MORE_SUB 6
#define SIMD_MORE_MUL 6
#define SIMD_MORE_ONE 5
#define SIMD_MORE_TWO (SIMD_STEPS == 3 ? 6 + 4 : 6 + 8)
#define SIMD_STEPS SIMD_JOIN(SIMD_STEPS_, SIMD_SCALE)
#define SIMD_LENGTH                                                          \
    (4 * (SIMD_CAT(SIMD_SUM_, SIMD_SUM) + SIMD_STEPS) +                      \
     SIMD_CAT(SIMD_MORE_, SIMD_SUM))
#define SIMD_ROUND_LENGTH                                                    \
    (4 * (SIMD_CAT(SIMD_SUM_, SIMD_SUM) + 2) +                               \
     SIMD_CAT(SIMD_MORE_, SIMD_SUM) - 1)

/* The first operand of a dot product is that without a sign, if one is. */
#define SIMD_SWAP_ADD 0
#define SIMD_SWAP_SUB 0
#define SIMD_SWAP_MUL (SIMD_SIGNED(X) && !SIMD_SIGNED(Y))
#define SIMD_SWAP_ONE 0
#define SIMD_SWAP_TWO 0
#define SIMD_SWAP SIMD_CAT(SIMD_SWAP_, SIMD_SUM)

#define SIMD_LOAD_ADD "xp.lw.post %[b], %[y], 4\n"
#define SIMD_LOAD_SUB SIMD_LOAD_ADD
#define SIMD_LOAD_MUL SIMD_LOAD_ADD
#define SIMD_LOAD_TWO SIMD_LOAD_ADD
#define SIMD_LOAD_ONE

/* Operands that not all have. */
#define SIMD_WITH_ADD                                                        \
    [e0] "r"(1), [e1] "r"(1 << 8), [e2] "r"(1 << 16), [e3] "r"(1 << 24),     \
    [xd] "i"(XP_SIGNS(X, int8_t)),                                           \
    [yd] "i"(XP_SIGNS(Y, int8_t))
#define SIMD_WITH_SUB                                                        \
    [xe] "i"(XP_UNSIGNED(X)),                                                \
    [ye] "i"(XP_UNSIGNED(Y))
#define SIMD_WITH_MUL                                                        \
    [e0] "r"(0xff), [e1] "r"(0xff00), [e2] "r"(0xff0000),                    \
    [e3] "r"(0xff000000u), [xy] "i"(XP_SIGNS(X, Y))
#define SIMD_WITH_ONE [xe] "i"(XP_UNSIGNED(X))
#define SIMD_WITH_TWO SIMD_WITH_SUB, [p1] "r"(w->p1), [p1low] "r"(w->p1low)

#define SIMD_PUT SIMD_CAT(SIMD_PUT_, SIMD_SUM)
#define SIMD_FIT SIMD_CAT(SIMD_FIT_, SIMD_SUM)

/* Rounded, and clipped to the type. */
#define SIMD_ROUND(t, point)                                                 \
    "xp.mulsrn " t ", " t ", %[near], " #point "\n"                          \
    "xp.clipt " t ", " t ", %[bits], %[kind]\n"
#define SIMD_ROUND_14(t) SIMD_ROUND(t, 14)
#define SIMD_ROUND_15(t) SIMD_ROUND(t, 15)
#define SIMD_ROUND_16(t) SIMD_ROUND(t, 16)
#define SIMD_BY_SCALE                                                        \
    [add] "r"(w->add), [shift] "r"(w->shift), [range] "r"(w->range),         \
    [lo] "r"((w->lo & 255) * 0x01010101), [p0] "r"(w->p0),                   \
    [p0low] "r"(w->p0low), [addlow] "r"(w->addlow)
#define SIMD_BY_NEAR                                                         \
    [near] "r"(w->near), [kind] "i"(XP_UNSIGNED(Z)),                         \
    [bits] "i"(8 + XP_UNSIGNED(Z))
#define SIMD_RAISE "xpv.add.b %[t0], %[t0], %[lo]\n"

#define SIMD_LOOP(name, FIT, BY, LAST, length)                               \
    static inline void name(const struct words *w, const X *px, const Y *py, \
                            Z *z, int32_t count)                             \
    {                                                                        \
        const void *x = SIMD_SWAP ? (const void *)py : px;                   \
        const void *y = SIMD_SWAP ? (const void *)px : py;                   \
        int32_t a, b, t0, t1, t2, u, v;                                      \
                                                                             \
        __asm__ volatile(                                                    \
            XP_BLOCK "xlp.setup 0, %[count], %[steps]\n"                     \
            "xp.lw.post %[a], %[x], 4\n" SIMD_CAT(SIMD_LOAD_, SIMD_SUM)      \
            SIMD_PUT("%[t0]", 0, 0, "%[e0]") FIT("%[t0]")                    \
            SIMD_PUT("%[t1]", 0, 1, "%[e1]") FIT("%[t1]")                    \
            "xpv.packlo.b %[t0], %[t1], %[t0]\n"                             \
            SIMD_PUT("%[t1]", 1, 0, "%[e2]") FIT("%[t1]")                    \
            SIMD_PUT("%[t2]", 1, 1, "%[e3]") FIT("%[t2]")                    \
            "xpv.packhi.b %[t0], %[t2], %[t1]\n" LAST                        \
            "xp.sw.post %[t0], %[z], 4\n" XP_BLOCK_END                       \
            : [a] "=&r"(a), [b] "=&r"(b), [t0] "=&r"(t0), [t1] "=&r"(t1),    \
              [t2] "=&r"(t2), [u] "=&r"(u), [v] "=&r"(v), [x] "+&r"(x),      \
              [y] "+&r"(y), [z] "+&r"(z)                                     \
            : [count] "r"(count), [steps] "i"(length), BY,                   \
              SIMD_CAT(SIMD_WITH_, SIMD_SUM)                                 \
            : XP_CLOBBERS);                                                  \
    }
SIMD_LOOP(simd_scaled, SIMD_FIT, SIMD_BY_SCALE, SIMD_RAISE, SIMD_LENGTH)
SIMD_LOOP(simd_round14, SIMD_ROUND_14, SIMD_BY_NEAR, "", SIMD_ROUND_LENGTH)
SIMD_LOOP(simd_round15, SIMD_ROUND_15, SIMD_BY_NEAR, "", SIMD_ROUND_LENGTH)
SIMD_LOOP(simd_round16, SIMD_ROUND_16, SIMD_BY_NEAR, "", SIMD_ROUND_LENGTH)

static inline void simd_loop(const struct words *w, const X *x, const Y *y,
                             Z *z, int32_t count)
{
    if (!SIMD_NEAR || SIMD_OFTEN(!w->point))
        simd_scaled(w, x, y, z, count);
    else if (w->point == 16)
        simd_round16(w, x, y, z, count);
    else if (w->point == 15)
        simd_round15(w, x, y, z, count);
    else
        simd_round14(w, x, y, z, count);
}
#else
static inline void simd_loop(const struct words *w, const X *x, const Y *y,
                              Z *z, int32_t count)
{
    (void)y;
    for (int32_t i = 0; i < 4 * count; i++)
        z[i] = (Z)SIMD_CAT(SIMD_OF_, SIMD_SUM)(w, x[i], y[i]);
}
#endif

static NOINLINE void simd_run(const struct words *w, const X *x, const Y *y,
                               Z *z, int32_t n)
{
    if (n > 3)
        simd_loop(w, x, y, z, n >> 2);
    for (int32_t i = n > 0 ? n & ~3 : 0; i < n; i++)
        z[i] = (Z)SIMD_CAT(SIMD_OF_, SIMD_SUM)(w, x[i], y[i]);
}

/* All of this core where there are several runs. */
static NOINLINE void simd_runs(const struct map_dims *k, const struct io *io,
                                const struct words *w, int32_t runs)
{
    const int32_t n = k->n[5];
    int32_t run, end, from, to;

    nest_share(io, runs, n, &run, &end, &from, &to);
    for (; run < end; run++) {
        ptrdiff_t x = from, y = from;
        int32_t rest = run;

        for (int axis = 4; rest; axis--) {
            const int32_t i = nest_digit(&rest, k->n[axis]);

            x += (ptrdiff_t)i * k->s0[axis];
            y += (ptrdiff_t)i * k->s1[axis];
        }
        simd_run(w, (const X *)io->in[0] + x, (const Y *)io->in[1] + y,
                  (Z *)io->out[0] + (ptrdiff_t)run * n + from, to - from);
    }
}

/* All of this core; of ONE, what stands for y is not looked at. */
static inline void simd_all(const struct map_dims *k, const struct io *io,
                             const struct words *w)
{
    const int32_t runs = nest_runs(k), n = k->n[5];
    int32_t from, to;

    if (runs > 1) {
        simd_runs(k, io, w, runs);
        return;
    }
    span((n + 3) >> 2, io->core, io->ncore, &from, &to);
    from *= 4;
    to = 4 * to < n ? 4 * to : n;
    simd_run(w, (const X *)io->in[0] + from, (const Y *)io->in[1] + from,
              (Z *)io->out[0] + from, to - from);
}

/* FN of ONE, with a factor and an addend for all or others for each run. */
#define SIMD_REQUANT                                                         \
    static NOINLINE void simd_each(const struct map_dims *k,                 \
                                    const struct io *io)                     \
    {                                                                        \
        int32_t run, end, from, to;                                          \
                                                                             \
        nest_share(io, nest_runs(k), k->n[5], &run, &end, &from, &to);       \
        for (; run < end; run++) {                                           \
            ptrdiff_t x = from, mul = 0, add = 0;                            \
            Z *z = (Z *)io->out[0] + (ptrdiff_t)run * k->n[5] + from;        \
            int32_t rest = run;                                              \
            struct words w;                                                  \
                                                                             \
            for (int axis = 4; rest; axis--) {                               \
                const int32_t i = nest_digit(&rest, k->n[axis]);             \
                                                                             \
                x += (ptrdiff_t)i * k->s0[axis];                             \
                mul += (ptrdiff_t)i * k->sm[axis];                           \
                add += (ptrdiff_t)i * k->sa[axis];                           \
            }                                                                \
            w = simd_of(k, ((const MUL *)io->in[1])[mul], 0,                 \
                         ((const ADD *)io->in[2])[add], k->shift);           \
            simd_run(&w, (const X *)io->in[0] + x, z, z, to - from);         \
        }                                                                    \
    }                                                                        \
                                                                             \
    static inline int simd_vary(const int32_t s[6])                          \
    {                                                                        \
        return (s[0] | s[1] | s[2] | s[3] | s[4]) != 0;                      \
    }                                                                        \
                                                                             \
    void FN(const struct map_dims *k, const struct io *io)                   \
    {                                                                        \
        struct words w;                                                      \
                                                                             \
        if (nest_runs(k) > 1 && (simd_vary(k->sm) || simd_vary(k->sa))) {    \
            simd_each(k, io);                                                \
            return;                                                          \
        }                                                                    \
        w = simd_of(k, *(const MUL *)io->in[1], 0, *(const ADD *)io->in[2],  \
                     k->shift);                                              \
        simd_all(k, io, &w);                                                 \
    }

/* FN of operators with mul and add, operands number `at` and at + 1, or
 * neither. */
#define SIMD_SCALED(at)                                                      \
    void FN(const struct map_dims *k, const struct io *io)                   \
    {                                                                        \
        const MUL *mul = io->in[at];                                         \
        const ADD *add = io->in[at + 1];                                     \
        const struct words w =                                               \
            simd_of(k, mul ? (SIMD_WIDE)*mul : 1, 0,                         \
                     add ? (SIMD_WIDE)*add : 0, mul ? k->shift : 0);         \
                                                                             \
        simd_all(k, io, &w);                                                 \
    }

#endif
