/* Elementwise kernels: the loops around one expression.
 *
 * A file that says MAP1, MAP2 or MAP3 defines FN for operators of
 * one, two or three operands; its first arguments are the types of the operands
 * and of the result.  Within e the elements of the operands are x, y and z:
 * integers are to be widened to ACC before they are computed with.  k is the
 * dims struct.
 *
 * The axes are collapsed as far as they can be, so nearly all of the work is
 * one run of the innermost loop. */
#ifndef MAP_H
#define MAP_H

#include <math.h>
#include "kern/kern.h"

/* Where the outer five loops are, and the offset that makes of each operand.
 * `left` runs are to come, this one counted; of each n elements are this
 * core's.  The next begins `step` behind it in the result, the first at
 * `out`. */
struct nest {
    int32_t i[5];
    ptrdiff_t at0, at1, at2, atm, ata;
    int32_t left, n, step;
    ptrdiff_t out;
};

static inline void nest_move(const struct map_dims *k, struct nest *p, int axis,
                             int32_t by)
{
    p->at0 += (ptrdiff_t)by * k->s0[axis];
    p->at1 += (ptrdiff_t)by * k->s1[axis];
    p->at2 += (ptrdiff_t)by * k->s2[axis];
    p->atm += (ptrdiff_t)by * k->sm[axis];
    p->ata += (ptrdiff_t)by * k->sa[axis];
}

/* On to the next run of the innermost axis; 0 after the last. */
static inline int nest_next(const struct map_dims *k, struct nest *p)
{
    if (--p->left <= 0)
        return 0;
    for (int axis = 4; axis >= 0; axis--) {
        nest_move(k, p, axis, 1);
        if (++p->i[axis] < k->n[axis])
            break;
        nest_move(k, p, axis, -k->n[axis]);
        p->i[axis] = 0;
    }
    return 1;
}

/* The last digit of a number in a system where it is below n; takes it off. */
static inline int32_t nest_digit(int32_t *number, int32_t n)
{
    const int32_t rest = *number / n, digit = *number - rest * n;

    *number = rest;
    return digit;
}

/* This core's runs [*run, *end), and of each the elements [*from, *to): runs
 * are dealt out where that is nearly even or they are short, else elements of
 * each, between words of four bytes if there are enough. */
static inline void nest_share(const struct io *io, int32_t runs, int32_t n,
                              int32_t *run, int32_t *end, int32_t *from,
                              int32_t *to)
{
    const int32_t cores = io->ncore > 1 ? io->ncore : 1;

    *run = *from = 0;
    *end = runs;
    *to = n;
    if (n < (runs < cores ? cores : 8 * cores) ||
        (runs > 1 && 4 * ((runs - 1) / cores + 1) * cores <= 5 * runs)) {
        span(runs, io->core, cores, run, end);
    } else {
        const int shift = n < 16 * cores ? 0 : 2;

        span((n + (1 << shift) - 1) >> shift, io->core, cores, from, to);
        *from <<= shift;
        *to = *to << shift < n ? *to << shift : n;
    }
}

static inline int32_t nest_runs(const struct map_dims *k)
{
    int32_t runs = 1;

    for (int axis = 0; axis < 5; axis++)
        runs *= k->n[axis];
    return runs;
}

/* Before the first run of this core; 0: it has none. */
static inline int nest_begin(const struct map_dims *k, const struct io *io,
                             struct nest *p)
{
    int32_t run, end, from, to;

    nest_share(io, nest_runs(k), k->n[5], &run, &end, &from, &to);
    /* one by one, for all at once is a call of memset */
    p->at0 = p->at1 = p->at2 = p->atm = p->ata = 0;
    for (int axis = 0; axis < 5; axis++)
        p->i[axis] = 0;
    p->step = k->n[5];
    p->n = to - from;
    p->out = (ptrdiff_t)run * p->step + from;
    p->left = end - run;
    nest_move(k, p, 5, from);
    for (int axis = 4; run && run < end; axis--) {
        p->i[axis] = nest_digit(&run, k->n[axis]);
        nest_move(k, p, axis, p->i[axis]);
    }
    return p->n > 0 && p->left > 0;
}

/* What MAP1, MAP2 and MAP3 share; `starts` comes before a run, `elements` and
 * `steps` before and after e at each element. */
#define MAP_RUNS(R, starts, elements, e, steps)                         \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p;                                                  \
        R *out = io->out[0];                                            \
                                                                        \
        if (!nest_begin(k, io, &p))                                     \
            return;                                                     \
        out += p.out;                                                   \
        do {                                                            \
            starts                                                      \
            for (int32_t i = 0; i < p.n; i++) {                         \
                elements                                                \
                *out++ = (R)(e);                                        \
                steps                                                   \
            }                                                           \
            out += p.step - p.n;                                        \
        } while (nest_next(k, &p));                                     \
    }

/* Operand j in a run: where it starts, its element, the step to the next. */
#define MAP_START(T, j) const T *x##j = (const T *)io->in[j] + p.at##j;
#define MAP_STEP(j) x##j += k->s##j[5];

#define MAP1(T0, R, e)                                                  \
    MAP_RUNS(R, MAP_START(T0, 0), const T0 x = *x0;, e, MAP_STEP(0))

#define MAP2(T0, T1, R, e)                                              \
    MAP_RUNS(R, MAP_START(T0, 0) MAP_START(T1, 1),                      \
             const T0 x = *x0; const T1 y = *x1;, e,                    \
             MAP_STEP(0) MAP_STEP(1))

#define MAP3(T0, T1, T2, R, e)                                          \
    MAP_RUNS(R, MAP_START(T0, 0) MAP_START(T1, 1) MAP_START(T2, 2),     \
             const T0 x = *x0; const T1 y = *x1; const T2 z = *x2;, e,  \
             MAP_STEP(0) MAP_STEP(1) MAP_STEP(2))

/* Defines finish(): the epilogue of integers at element i of a run, to be used
 * within e, as in finish(k, io, &p, i, (ACC)x + y).  MUL, ADD and SHIFTS are
 * operands number `at` and on of the head. */
#define MAP_FINISH(at)                                                  \
    static inline int64_t finish(const struct map_dims *k,              \
        const struct io *io, const struct nest *p, int32_t i,           \
        int64_t acc)                                                    \
    {                                                                   \
        const MUL *mul = io->in[at];                                    \
        const ADD *add = io->in[at + 1];                                \
                                                                        \
        if (mul)                                                        \
            acc = requant(acc, mul[p->atm + i * k->sm[5]],              \
                          add ? add[p->ata + i * k->sa[5]] : 0,         \
                          SHIFT_OF(k, io, at + 2,                       \
                                   p->atm + i * k->sm[5]));             \
        return bound(acc, k->lo, k->hi);                                \
    }

#endif
