/* What kernels of matrix products share: a batch is a call of matmul_one(),
 * which the including file defines, as it does finish(k, io, sum, m, n); it
 * takes rows MATMUL_ROWS and columns MATMUL_STEP at a time. */
#ifndef MATMUL_H
#define MATMUL_H

#include "kern/share.h"

#ifndef MATMUL_ROWS
#define MATMUL_ROWS 2
#endif

static inline ACC bias_at(const struct matmul_dims *k, const struct io *io,
                          int32_t m, int32_t n)
{
    const BIAS *bias = io->in[2];

    if (!bias)
        return 0;
    return (ACC)bias[(ptrdiff_t)m * k->biasm + (ptrdiff_t)n * k->biasn];
}

/* Rows and columns `of` a batch. */
static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y);

static void matmul_batches(const struct matmul_dims *k, const struct io *io)
{
    const A *a = io->in[0];
    const B *b = io->in[1];
    Y *y = io->out[0];
    struct share mine = share_of(io, (k->m - 1) / MATMUL_ROWS + 1, k->n,
                                 MATMUL_STEP, 0);

    mine.rows.lo *= MATMUL_ROWS;
    mine.rows.hi *= MATMUL_ROWS;
    if (mine.rows.hi > k->m)
        mine.rows.hi = k->m;
    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2]; l++) {
                const A *ap = a + (ptrdiff_t)i * k->ab[0] +
                              (ptrdiff_t)j * k->ab[1] +
                              (ptrdiff_t)l * k->ab[2];
                const B *bp = b + (ptrdiff_t)i * k->bb[0] +
                              (ptrdiff_t)j * k->bb[1] +
                              (ptrdiff_t)l * k->bb[2];

                matmul_one(k, io, &mine, ap, bp, y);
                y += (ptrdiff_t)k->m * k->n;
            }
}

#endif
