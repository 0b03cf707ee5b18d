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
 * Of axis `cut` only `some` are this core's; a run has n elements, the next
 * begins `step` behind it in the result, the first at `out`. */
struct nest {
    int32_t i[5];
    ptrdiff_t at0, at1, at2, atm, ata;
    int32_t cut, some, n, step;
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
    for (int axis = 4; axis >= 0; axis--) {
        const int32_t n = axis == p->cut ? p->some : k->n[axis];

        nest_move(k, p, axis, 1);
        if (++p->i[axis] < n)
            return 1;
        nest_move(k, p, axis, -n);
        p->i[axis] = 0;
    }
    return 0;
}

/* Cuts the outermost axis, or the innermost if that has more to cut: between
 * words of four bytes, as far as there are enough of them. */
static inline void nest_cut(const struct map_dims *k, const struct io *io,
                            struct nest *p)
{
    int32_t from, to, axis = 0;

    while (axis < 5 && k->n[axis] == 1)
        axis++;
    if (k->n[axis] < io->ncore && k->n[axis] < k->n[5])
        axis = 5;
    if (axis == 5 && k->n[5] >= 16 * io->ncore) {
        span((k->n[5] + 3) >> 2, io->core, io->ncore, &from, &to);
        from *= 4;
        to = 4 * to < k->n[5] ? 4 * to : k->n[5];
    } else {
        span(k->n[axis], io->core, io->ncore, &from, &to);
    }
    nest_move(k, p, axis, from);
    p->out = from;
    p->some = to - from;
    if (axis == 5) {
        p->n = p->some;
        return;
    }
    p->cut = axis;
    for (int i = axis + 1; i < 6; i++)
        p->out *= k->n[i];
}

/* Before the first run of this core; 0: it has none. */
static inline int nest_begin(const struct map_dims *k, const struct io *io,
                             struct nest *p)
{
    *p = (struct nest){.cut = -1, .some = 1, .n = k->n[5], .step = k->n[5]};
    if (io->ncore > 1)
        nest_cut(k, io, p);
    return p->some > 0;
}

#define MAP1(T0, R, e)                                                  \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p;                                                  \
        R *out = io->out[0];                                            \
                                                                        \
        if (!nest_begin(k, io, &p))                                     \
            return;                                                     \
        out += p.out;                                                   \
        do {                                                            \
            const T0 *x0 = (const T0 *)io->in[0] + p.at0;               \
            for (int32_t i = 0; i < p.n; i++, x0 += k->s0[5]) {         \
                const T0 x = *x0;                                       \
                *out++ = (R)(e);                                        \
            }                                                           \
            out += p.step - p.n;                                        \
        } while (nest_next(k, &p));                                     \
    }

#define MAP2(T0, T1, R, e)                                              \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p;                                                  \
        R *out = io->out[0];                                            \
                                                                        \
        if (!nest_begin(k, io, &p))                                     \
            return;                                                     \
        out += p.out;                                                   \
        do {                                                            \
            const T0 *x0 = (const T0 *)io->in[0] + p.at0;               \
            const T1 *x1 = (const T1 *)io->in[1] + p.at1;               \
            for (int32_t i = 0; i < p.n; i++) {                         \
                const T0 x = *x0;                                       \
                const T1 y = *x1;                                       \
                *out++ = (R)(e);                                        \
                x0 += k->s0[5];                                         \
                x1 += k->s1[5];                                         \
            }                                                           \
            out += p.step - p.n;                                        \
        } while (nest_next(k, &p));                                     \
    }

#define MAP3(T0, T1, T2, R, e)                                          \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p;                                                  \
        R *out = io->out[0];                                            \
                                                                        \
        if (!nest_begin(k, io, &p))                                     \
            return;                                                     \
        out += p.out;                                                   \
        do {                                                            \
            const T0 *x0 = (const T0 *)io->in[0] + p.at0;               \
            const T1 *x1 = (const T1 *)io->in[1] + p.at1;               \
            const T2 *x2 = (const T2 *)io->in[2] + p.at2;               \
            for (int32_t i = 0; i < p.n; i++) {                         \
                const T0 x = *x0;                                       \
                const T1 y = *x1;                                       \
                const T2 z = *x2;                                       \
                *out++ = (R)(e);                                        \
                x0 += k->s0[5];                                         \
                x1 += k->s1[5];                                         \
                x2 += k->s2[5];                                         \
            }                                                           \
            out += p.step - p.n;                                        \
        } while (nest_next(k, &p));                                     \
    }

/* Defines finish(): the epilogue of integers at element i of a run, to be used
 * within e, as in finish(k, io, &p, i, (ACC)x + y).  MUL and ADD are operands
 * number `at` and at + 1 of the head. */
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
                          k->shift);                                    \
        return bound(acc, k->lo, k->hi);                                \
    }

#endif
