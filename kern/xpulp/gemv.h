/* Products of few rows with a matrix: what the XpulpV2 kernels share.  The
 * columns of all batches are dealt out to the cores one by one; a core makes
 * the sums of up to 32 of its own and then their results, or both at once.
 *
 * To be included after LEFT and RIGHT are defined as A and B, and what makes
 * the sums: vector_sums.h (b is transposed, in rows of 4 or more),
 * vector_small_k.h (the same of 1 to 4) or vector_rows.h (b as it is). */
#ifndef GEMV_H
#define GEMV_H

#include "kern/xpulp/epilogue.h"

enum { RUN = 32 };

/* All columns and rows at once, if that can be. */
#ifndef VECTOR_ALL
#define VECTOR_ALL(k, x, w, columns, e, y) 0
#endif

#ifndef VECTOR_ROW
#define VECTOR_ROW(x, w, k, columns, sum, e, y)                              \
    do {                                                                     \
        VECTOR_SUMS(x, w, k, columns, sum);                                  \
        epilogue_run(e, sum, columns, y);                                    \
    } while (0)
#endif

static inline void epilogue_of(const struct matmul_dims *k, const struct io *io,
                           int32_t n, struct epilogue *e)
{
    *e = (struct epilogue){.bias = &e->no_bias, .mul = &e->no_mul,
                           .add = &e->no_add, .lo = k->lo, .hi = k->hi,
                           .no_mul = 1};
#ifdef SHIFTS
    e->shifts = (const SHIFTS *)io->in[5] + n * k->muln;
    e->shiftsn = k->muln;
#endif
    if (io->in[2]) {
        e->bias = (const BIAS *)io->in[2] + n * k->biasn;
        e->biasn = k->biasn * (int32_t)sizeof *e->bias;
    }
    if (io->in[3]) {
        e->mul = (const MUL *)io->in[3] + n * k->muln;
        e->muln = k->muln * (int32_t)sizeof *e->mul;
        e->shift = k->shift;
    }
    if (io->in[4]) {
        e->add = (const ADD *)io->in[4] + n * k->addn;
        e->addn = k->addn * (int32_t)sizeof *e->add;
    }
}

/* Columns [from, to) of a batch. */
static inline void columns(const struct matmul_dims *k, const struct io *io,
                           const A *a, const B *b, int32_t from, int32_t to,
                           Y *y)
{
    int32_t sum[RUN];
    struct epilogue e;

    epilogue_of(k, io, from, &e);
    if (from >= to || VECTOR_ALL(k, a, b + from * k->bn, to - from, &e,
                                 y + from))
        return;
    for (; from < to; from += RUN) {
        const int32_t n = to - from < RUN ? to - from : RUN;
        const B *w = b + from * k->bn;
        const A *x = a;
        Y *to_y = y + from;

        epilogue_of(k, io, from, &e);
        for (int32_t m = k->m; m > 0; m--, x += k->am, to_y += k->n) {
            VECTOR_ROW(x, w, k, n, sum, &e, to_y);
        }
    }
}

/* On to the next batch. */
static inline void next_batch(const struct matmul_dims *k, int32_t i[2],
                              const A **a, const B **b)
{
    *a += k->ab[2];
    *b += k->bb[2];
    if (++i[1] < k->nb[2])
        return;
    i[1] = 0;
    *a += k->ab[1] - k->nb[2] * k->ab[2];
    *b += k->bb[1] - k->nb[2] * k->bb[2];
    if (++i[0] < k->nb[1])
        return;
    i[0] = 0;
    *a += k->ab[0] - k->nb[1] * k->ab[1];
    *b += k->bb[0] - k->nb[1] * k->bb[1];
}

static inline void matmul_v(const struct matmul_dims *k, const struct io *io)
{
    const A *a = io->in[0];
    const B *b = io->in[1];
    const int32_t n = k->n;
    Y *y = io->out[0];
    int32_t i[2] = {0}, from, to;

    span(k->nb[0] * k->nb[1] * k->nb[2] * n, io->core, io->ncore, &from, &to);
    for (;;) {
        columns(k, io, a, b, from > 0 ? from : 0, to < n ? to : n, y);
        from -= n, to -= n;
        if (to <= 0)
            return;
        y += k->m * n;
        next_batch(k, i, &a, &b);
    }
}

#endif
