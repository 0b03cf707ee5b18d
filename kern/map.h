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

/* Where the outer five loops are, and the offset that makes of each operand. */
struct nest {
    int32_t i[5];
    ptrdiff_t at0, at1, at2, atm, ata;
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
        nest_move(k, p, axis, 1);
        if (++p->i[axis] < k->n[axis])
            return 1;
        nest_move(k, p, axis, -k->n[axis]);
        p->i[axis] = 0;
    }
    return 0;
}

#define MAP1(T0, R, e)                                                  \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p = {{0}, 0, 0, 0, 0, 0};                           \
        R *out = io->out[0];                                            \
                                                                        \
        do {                                                            \
            const T0 *x0 = (const T0 *)io->in[0] + p.at0;               \
            for (int32_t i = 0; i < k->n[5]; i++, x0 += k->s0[5]) {     \
                const T0 x = *x0;                                       \
                *out++ = (R)(e);                                        \
            }                                                           \
        } while (nest_next(k, &p));                                     \
    }

#define MAP2(T0, T1, R, e)                                              \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p = {{0}, 0, 0, 0, 0, 0};                           \
        R *out = io->out[0];                                            \
                                                                        \
        do {                                                            \
            const T0 *x0 = (const T0 *)io->in[0] + p.at0;               \
            const T1 *x1 = (const T1 *)io->in[1] + p.at1;               \
            for (int32_t i = 0; i < k->n[5]; i++) {                     \
                const T0 x = *x0;                                       \
                const T1 y = *x1;                                       \
                *out++ = (R)(e);                                        \
                x0 += k->s0[5];                                         \
                x1 += k->s1[5];                                         \
            }                                                           \
        } while (nest_next(k, &p));                                     \
    }

#define MAP3(T0, T1, T2, R, e)                                          \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p = {{0}, 0, 0, 0, 0, 0};                           \
        R *out = io->out[0];                                            \
                                                                        \
        do {                                                            \
            const T0 *x0 = (const T0 *)io->in[0] + p.at0;               \
            const T1 *x1 = (const T1 *)io->in[1] + p.at1;               \
            const T2 *x2 = (const T2 *)io->in[2] + p.at2;               \
            for (int32_t i = 0; i < k->n[5]; i++) {                     \
                const T0 x = *x0;                                       \
                const T1 y = *x1;                                       \
                const T2 z = *x2;                                       \
                *out++ = (R)(e);                                        \
                x0 += k->s0[5];                                         \
                x1 += k->s1[5];                                         \
                x2 += k->s2[5];                                         \
            }                                                           \
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
