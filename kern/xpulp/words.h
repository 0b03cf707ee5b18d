/* Elementwise kernels of bytes for XpulpV2, a word of four elements at a time;
 * elsewhere the same in plain C, so that they can be tested anywhere.
 *
 * To be included after X, Y (of two operands) and Z are defined, types of one
 * byte, and
 *     WORDS_SUM     what is scaled: ADD, SUB, MUL, ONE (x alone), or TWO, each
 *                   of two with its own factor
 *     WORDS_SCALE   SHORT: nothing leaves 32 bits, lo << shift included; LONG:
 *                   it may, but shift is 16 or more and what is scaled has 16
 *                   bits: factors and addend are cut at bit 16, and what the
 *                   lower parts carry is added to the upper ones.
 * Results are made from lo up, so that one instruction (p.clipur) is their
 * clip, and lo is added to all four of a word. */
#ifndef WORDS_H
#define WORDS_H

#include "kern/map/map.h"

#define WORDS_CAT2(a, b) a##b
#define WORDS_CAT(a, b) WORDS_CAT2(a, b)
#define WORDS_JOIN2(a, b) a##b /* within what WORDS_CAT made */
#define WORDS_JOIN(a, b) WORDS_JOIN2(a, b)
#define WORDS_CUT_SHORT 0
#define WORDS_CUT_LONG 16
#define WORDS_CUT WORDS_CAT(WORDS_CUT_, WORDS_SCALE)
#define WORDS_SIGNED(T) ((T)-1 < (T)1)

/* Of one call: results are (x * p0 + y * p1 + add) >> shift, at most `range`,
 * plus lo; low: the parts below WORDS_CUT. */
struct words {
    int32_t p0, p1, add, p0low, p1low, addlow, shift, range, lo;
};

/* What factors and addends are computed with. */
#define WORDS_WIDE_SHORT int32_t
#define WORDS_WIDE_LONG int64_t
#define WORDS_WIDE WORDS_CAT(WORDS_WIDE_, WORDS_SCALE)

/* With factors p0 and p1; bounds as k has them. */
static inline struct words words_of(const struct map_dims *k, WORDS_WIDE p0,
                                    WORDS_WIDE p1, WORDS_WIDE add,
                                    int32_t shift)
{
    const int32_t least = WORDS_SIGNED(Z) ? -128 : 0;
    const int32_t lo = k->lo > least ? k->lo : least;
    const int32_t hi = k->hi < least + 255 ? k->hi : least + 255;
    const int32_t low = (1 << WORDS_CUT) - 1;

    add -= lo * ((WORDS_WIDE)1 << shift);
    return (struct words){
        (int32_t)(p0 >> WORDS_CUT), (int32_t)(p1 >> WORDS_CUT),
        (int32_t)(add >> WORDS_CUT), (int32_t)p0 & low, (int32_t)p1 & low,
        (int32_t)add & low, shift - WORDS_CUT, hi - lo, lo};
}

#define WORDS_OF_ADD(w, x, y) words_fit(w, (x) + (y), 0)
#define WORDS_OF_SUB(w, x, y) words_fit(w, (x) - (y), 0)
#define WORDS_OF_MUL(w, x, y) words_fit(w, (x) * (y), 0)
#define WORDS_OF_ONE(w, x, y) words_fit(w, x, 0)
#define WORDS_OF_TWO(w, x, y) words_fit(w, x, y)

static inline int32_t words_fit(const struct words *w, int32_t x, int32_t y)
{
    const int32_t carry = (x * w->p0low + y * w->p1low + w->addlow) >> 16;
    const int32_t v = (x * w->p0 + y * w->p1 + w->add + carry) >> w->shift;

    return clip(v, 0, w->range) + w->lo;
}

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
/* Byte i of a word, i given as its bits 1 and 0. */
#define WORDS_BYTE(d, s, code, b1, b0)                                       \
    ".insn r 0x57, 7, " code " + " #b0 ", " d ", " s ", x" #b1 "\n"
#define WORDS_BOTH(t, b1, b0)                                                \
    WORDS_BYTE(t, "%[a]", "%[xe]", b1, b0)                                   \
    WORDS_BYTE("%[u]", "%[b]", "%[ye]", b1, b0)

/* The sum, into t; of TWO also into u.  A sum of bytes of two words is two dot
 * products with a word e that has a one there. */
#define WORDS_PUT_ADD(t, b1, b0, e)                                          \
    ".insn r 0x57, 1, %[xd], " t ", %[a], " e "\n"                           \
    ".insn r 0x57, 1, %[yd], " t ", %[b], " e "\n"
#define WORDS_PUT_SUB(t, b1, b0, e)                                          \
    WORDS_BOTH(t, b1, b0) "sub " t ", " t ", %[u]\n"
#define WORDS_PUT_MUL(t, b1, b0, e)                                          \
    WORDS_BOTH(t, b1, b0) "mul " t ", " t ", %[u]\n"
#define WORDS_PUT_ONE(t, b1, b0, e) WORDS_BYTE(t, "%[a]", "%[xe]", b1, b0)
#define WORDS_PUT_TWO(t, b1, b0, e) WORDS_BOTH(t, b1, b0)

#define WORDS_MAC(d, a, b) ".insn r 0x33, 0, 0x21, " d ", " a ", " b "\n"
#define WORDS_SHIFT(d) ".insn r 0x5b, 2, 0x20, " d ", %[add], %[shift]\n"
#define WORDS_CARRY(d) ".insn r 0x5b, 2, 0x10, " d ", " d ", %[addlow]\n"
#define WORDS_CLIP(d, s) ".insn r 0x33, 6, 0x0a, " d ", " s ", %[range]\n"

/* The sum, scaled. */
#define WORDS_FIT_SHORT(t)                                                   \
    "mul " t ", " t ", %[p0]\n" WORDS_SHIFT(t) WORDS_CLIP(t, t)
#define WORDS_FIT_LONG(t)                                                    \
    "mul %[v], " t ", %[p0low]\n" WORDS_CARRY("%[v]")                        \
    WORDS_MAC("%[v]", t, "%[p0]") WORDS_SHIFT("%[v]") WORDS_CLIP(t, "%[v]")
#define WORDS_TWO_SHORT(t)                                                   \
    "mul " t ", " t ", %[p0]\n" WORDS_MAC(t, "%[u]", "%[p1]")                \
    WORDS_SHIFT(t) WORDS_CLIP(t, t)
#define WORDS_TWO_LONG(t)                                                    \
    "mul %[v], " t ", %[p0low]\n" WORDS_MAC("%[v]", "%[u]", "%[p1low]")      \
    WORDS_CARRY("%[v]") WORDS_MAC("%[v]", t, "%[p0]")                        \
    WORDS_MAC("%[v]", "%[u]", "%[p1]") WORDS_SHIFT("%[v]")                   \
    WORDS_CLIP(t, "%[v]")
#define WORDS_FIT_ADD WORDS_JOIN(WORDS_FIT_, WORDS_SCALE)
#define WORDS_FIT_SUB WORDS_JOIN(WORDS_FIT_, WORDS_SCALE)
#define WORDS_FIT_MUL WORDS_JOIN(WORDS_FIT_, WORDS_SCALE)
#define WORDS_FIT_ONE WORDS_JOIN(WORDS_FIT_, WORDS_SCALE)
#define WORDS_FIT_TWO WORDS_JOIN(WORDS_TWO_, WORDS_SCALE)

/* Instructions of the loop: four times the sum and its scaling, and others. */
#define WORDS_SUM_ADD 2
#define WORDS_SUM_SUB 3
#define WORDS_SUM_MUL 3
#define WORDS_SUM_ONE 1
#define WORDS_SUM_TWO 2
#define WORDS_STEPS_SHORT 3
#define WORDS_STEPS_LONG 5
#define WORDS_MORE_ADD 6
#define WORDS_MORE_SUB 6
#define WORDS_MORE_MUL 6
#define WORDS_MORE_ONE 5
#define WORDS_MORE_TWO (WORDS_STEPS == 3 ? 6 + 4 : 6 + 8)
#define WORDS_STEPS WORDS_JOIN(WORDS_STEPS_, WORDS_SCALE)
#define WORDS_LENGTH                                                         \
    (4 * (WORDS_CAT(WORDS_SUM_, WORDS_SUM) + WORDS_STEPS) +                  \
     WORDS_CAT(WORDS_MORE_, WORDS_SUM))

#define WORDS_LOAD_ADD XP_LW_STEP("%[b]", "%[y]", 4)
#define WORDS_LOAD_SUB WORDS_LOAD_ADD
#define WORDS_LOAD_MUL WORDS_LOAD_ADD
#define WORDS_LOAD_TWO WORDS_LOAD_ADD
#define WORDS_LOAD_ONE

/* Operands that not all have. */
#define WORDS_WITH_ADD                                                       \
    [e0] "r"(1), [e1] "r"(1 << 8), [e2] "r"(1 << 16), [e3] "r"(1 << 24),     \
    [xd] "i"(WORDS_SIGNED(X) ? 0x4c : 0x44),                                 \
    [yd] "i"(WORDS_SIGNED(Y) ? 0x5c : 0x54)
#define WORDS_WITH_SUB                                                       \
    [xe] "i"(WORDS_SIGNED(X) ? 0x3c : 0x48),                                 \
    [ye] "i"(WORDS_SIGNED(Y) ? 0x3c : 0x48)
#define WORDS_WITH_MUL WORDS_WITH_SUB
#define WORDS_WITH_ONE [xe] "i"(WORDS_SIGNED(X) ? 0x3c : 0x48)
#define WORDS_WITH_TWO WORDS_WITH_SUB, [p1] "r"(w->p1), [p1low] "r"(w->p1low)

#define WORDS_PUT WORDS_CAT(WORDS_PUT_, WORDS_SUM)
#define WORDS_FIT WORDS_CAT(WORDS_FIT_, WORDS_SUM)

static inline void words_loop(const struct words *w, const X *x, const Y *y,
                              Z *z, int32_t count)
{
    int32_t a, b, t0, t1, t2, u, v;

    __asm__ volatile(
        XP_BLOCK ".insn i 0x7b, 4, x0, %[count], 2 * %[length]\n"
        XP_LW_STEP("%[a]", "%[x]", 4) WORDS_CAT(WORDS_LOAD_, WORDS_SUM)
        WORDS_PUT("%[t0]", 0, 0, "%[e0]") WORDS_FIT("%[t0]")
        WORDS_PUT("%[t1]", 0, 1, "%[e1]") WORDS_FIT("%[t1]")
        ".insn r 0x57, 1, 0x70, %[t0], %[t1], %[t0]\n"
        WORDS_PUT("%[t1]", 1, 0, "%[e2]") WORDS_FIT("%[t1]")
        WORDS_PUT("%[t2]", 1, 1, "%[e3]") WORDS_FIT("%[t2]")
        ".insn r 0x57, 1, 0x6c, %[t0], %[t2], %[t1]\n"
        ".insn r 0x57, 1, 0x00, %[t0], %[t0], %[lo]\n"
        XP_SW_STEP("%[t0]", "%[z]", 4) XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [t0] "=&r"(t0), [t1] "=&r"(t1),
          [t2] "=&r"(t2), [u] "=&r"(u), [v] "=&r"(v), [x] "+&r"(x),
          [y] "+&r"(y), [z] "+&r"(z)
        : [count] "r"(count), [add] "r"(w->add), [shift] "r"(w->shift),
          [range] "r"(w->range), [lo] "r"((w->lo & 255) * 0x01010101),
          [p0] "r"(w->p0), [p0low] "r"(w->p0low), [addlow] "r"(w->addlow),
          [length] "i"(WORDS_LENGTH), WORDS_CAT(WORDS_WITH_, WORDS_SUM)
        : XP_CLOBBERS);
}
#else
static inline void words_loop(const struct words *w, const X *x, const Y *y,
                              Z *z, int32_t count)
{
    (void)y;
    for (int32_t i = 0; i < 4 * count; i++)
        z[i] = (Z)WORDS_CAT(WORDS_OF_, WORDS_SUM)(w, x[i], y[i]);
}
#endif

static NOINLINE void words_run(const struct words *w, const X *x, const Y *y,
                               Z *z, int32_t n)
{
    if (n > 3)
        words_loop(w, x, y, z, n >> 2);
    for (int32_t i = n > 0 ? n & ~3 : 0; i < n; i++)
        z[i] = (Z)WORDS_CAT(WORDS_OF_, WORDS_SUM)(w, x[i], y[i]);
}

/* All of this core where there are several runs. */
static NOINLINE void words_runs(const struct map_dims *k, const struct io *io,
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
        words_run(w, (const X *)io->in[0] + x, (const Y *)io->in[1] + y,
                  (Z *)io->out[0] + (ptrdiff_t)run * n + from, to - from);
    }
}

/* All of this core; of ONE, what stands for y is not looked at. */
static inline void words_all(const struct map_dims *k, const struct io *io,
                             const struct words *w)
{
    const int32_t runs = nest_runs(k), n = k->n[5];
    int32_t from, to;

    if (runs > 1) {
        words_runs(k, io, w, runs);
        return;
    }
    span((n + 3) >> 2, io->core, io->ncore, &from, &to);
    from *= 4;
    to = 4 * to < n ? 4 * to : n;
    words_run(w, (const X *)io->in[0] + from, (const Y *)io->in[1] + from,
              (Z *)io->out[0] + from, to - from);
}

/* FN of ONE, with a factor and an addend for all or others for each run. */
#define WORDS_REQUANT                                                        \
    static NOINLINE void words_each(const struct map_dims *k,                \
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
            w = words_of(k, ((const MUL *)io->in[1])[mul], 0,                \
                         ((const ADD *)io->in[2])[add], k->shift);           \
            words_run(&w, (const X *)io->in[0] + x, z, z, to - from);        \
        }                                                                    \
    }                                                                        \
                                                                             \
    static inline int words_vary(const int32_t s[6])                         \
    {                                                                        \
        return (s[0] | s[1] | s[2] | s[3] | s[4]) != 0;                      \
    }                                                                        \
                                                                             \
    void FN(const struct map_dims *k, const struct io *io)                   \
    {                                                                        \
        struct words w;                                                      \
                                                                             \
        if (nest_runs(k) > 1 && (words_vary(k->sm) || words_vary(k->sa))) {  \
            words_each(k, io);                                               \
            return;                                                          \
        }                                                                    \
        w = words_of(k, *(const MUL *)io->in[1], 0, *(const ADD *)io->in[2], \
                     k->shift);                                              \
        words_all(k, io, &w);                                                \
    }

/* FN of operators with mul and add, operands number `at` and at + 1, or
 * neither. */
#define WORDS_SCALED(at)                                                     \
    void FN(const struct map_dims *k, const struct io *io)                   \
    {                                                                        \
        const MUL *mul = io->in[at];                                         \
        const ADD *add = io->in[at + 1];                                     \
        const struct words w =                                               \
            words_of(k, mul ? (WORDS_WIDE)*mul : 1, 0,                       \
                     add ? (WORDS_WIDE)*add : 0, mul ? k->shift : 0);        \
                                                                             \
        words_all(k, io, &w);                                                \
    }

#endif
