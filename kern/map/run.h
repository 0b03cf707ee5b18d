/* Elementwise kernels whose first operand is dense along the innermost axis,
 * and whose second is too, or is one element for the whole run: the loops that
 * vectorise, and step through memory by constants.
 *
 * RUN_F32(e): e of the elements x and y, then the epilogue of floats.
 * RUN_INT(e, rescaled): e likewise, in ACC, then the epilogue of integers if
 * there is a mul, by rescaled(acc, mul, add, shift, lo, hi). */
#ifndef RUN_H
#define RUN_H

#include "kern/map/map.h"

#define RUN_F32(e)                                                      \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        const int32_t dense = k->s1[5] != 0;                            \
        const float lo = k->flo, hi = k->fhi;                           \
        struct nest p;                                                  \
        const int some = nest_begin(k, io, &p);                         \
        const int32_t n = p.n;                                          \
        Z *out = (Z *)io->out[0] + p.out;                               \
                                                                        \
        if (!some)                                                      \
            return;                                                     \
        do {                                                            \
            const X *x0 = (const X *)io->in[0] + p.at0;                 \
            const Y *x1 = (const Y *)io->in[1] + p.at1;                 \
            const float same = *x1;                                     \
            for (int32_t i = 0; dense && i < n; i++) {                  \
                const float x = x0[i], y = x1[i];                       \
                out[i] = clipf(e, lo, hi);                              \
            }                                                           \
            for (int32_t i = 0; !dense && i < n; i++) {                 \
                const float x = x0[i], y = same;                        \
                out[i] = clipf(e, lo, hi);                              \
            }                                                           \
            out += p.step;                                              \
        } while (nest_next(k, &p));                                     \
    }

#define RUN_INT(e, rescaled)                                            \
    static NOINLINE void plain(const X *x0, const Y *x1, int32_t step,  \
                               Z *out, int32_t n, int32_t lo,           \
                               int32_t hi)                              \
    {                                                                   \
        for (int32_t i = 0; i < n; i++, x1 += step) {                   \
            const ACC x = (ACC)x0[i], y = (ACC)*x1;                     \
            out[i] = (Z)clip(e, lo, hi);                                \
        }                                                               \
    }                                                                   \
                                                                        \
    static NOINLINE void same(const X *x0, const Y *x1, int32_t step,   \
                              Z *out, int32_t n,                        \
                              const struct map_dims *k, MUL mul,        \
                              ADD add)                                  \
    {                                                                   \
        const int32_t lo = k->lo, hi = k->hi, shift = k->shift;         \
                                                                        \
        for (int32_t i = 0; i < n; i++, x1 += step) {                   \
            const ACC x = (ACC)x0[i], y = (ACC)*x1;                     \
            out[i] = (Z)rescaled(e, mul, add, shift, lo, hi);           \
        }                                                               \
    }                                                                   \
                                                                        \
    static NOINLINE void each(const X *x0, const Y *x1, int32_t step,   \
                              Z *out, int32_t n,                        \
                              const struct map_dims *k,                 \
                              const MUL *mul, const ADD *add)           \
    {                                                                   \
        const int32_t lo = k->lo, hi = k->hi, shift = k->shift;         \
        const int32_t sm = k->sm[5], sa = k->sa[5];                     \
                                                                        \
        for (int32_t i = 0; i < n; i++, x1 += step) {                   \
            const ACC x = (ACC)x0[i], y = (ACC)*x1;                     \
            out[i] = (Z)rescaled(e, mul[i * sm], add[i * sa], shift,    \
                                 lo, hi);                               \
        }                                                               \
    }                                                                   \
                                                                        \
    void FN(const struct map_dims *k, const struct io *io)              \
    {                                                                   \
        struct nest p;                                                  \
        const int some = nest_begin(k, io, &p);                         \
        const int32_t n = p.n;                                          \
        Z *out = (Z *)io->out[0] + p.out;                               \
                                                                        \
        if (!some)                                                      \
            return;                                                     \
        do {                                                            \
            const X *x0 = (const X *)io->in[0] + p.at0;                 \
            const Y *x1 = (const Y *)io->in[1] + p.at1;                 \
            const MUL *mul = io->in[2];                                 \
            const ADD *add = io->in[3];                                 \
                                                                        \
            if (!mul)                                                   \
                plain(x0, x1, k->s1[5], out, n, k->lo, k->hi);          \
            else if (k->sm[5] == 0 && k->sa[5] == 0)                    \
                same(x0, x1, k->s1[5], out, n, k, mul[p.atm],           \
                     add[p.ata]);                                       \
            else                                                        \
                each(x0, x1, k->s1[5], out, n, k, mul + p.atm,          \
                     add + p.ata);                                      \
            out += p.step;                                              \
        } while (nest_next(k, &p));                                     \
    }

#endif
