/* Matrix products that go by pairs of rows: what their kernels share.
 *
 * The including file defines finish(k, io, sum, m, n), one_row and two_rows. */
#ifndef MATMUL_H
#define MATMUL_H

static ACC bias_at(const struct matmul_dims *k, const struct io *io, int32_t m,
                   int32_t n)
{
    const BIAS *bias = io->in[2];

    if (!bias)
        return 0;
    return (ACC)bias[(ptrdiff_t)m * k->biasm + (ptrdiff_t)n * k->biasn];
}

static void one_row(const struct matmul_dims *k, const struct io *io,
                    const A *a, const B *b, int32_t m, Y *y);
static void two_rows(const struct matmul_dims *k, const struct io *io,
                     const A *a, const B *b, int32_t m, Y *y);

static void matmul_rows(const struct matmul_dims *k, const struct io *io,
                        const A *a, const B *b, Y *y)
{
    int32_t m = 0;

    for (; m + 2 <= k->m; m += 2)
        two_rows(k, io, a + (ptrdiff_t)m * k->am, b, m,
                 y + (ptrdiff_t)m * k->n);
    if (m < k->m)
        one_row(k, io, a + (ptrdiff_t)m * k->am, b, m,
                y + (ptrdiff_t)m * k->n);
}

static void matmul_batches(const struct matmul_dims *k, const struct io *io)
{
    const A *a = io->in[0];
    const B *b = io->in[1];
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2]; l++) {
                const A *ap = a + (ptrdiff_t)i * k->ab[0] +
                              (ptrdiff_t)j * k->ab[1] +
                              (ptrdiff_t)l * k->ab[2];
                const B *bp = b + (ptrdiff_t)i * k->bb[0] +
                              (ptrdiff_t)j * k->bb[1] +
                              (ptrdiff_t)l * k->bb[2];

                matmul_rows(k, io, ap, bp, y);
                y += (ptrdiff_t)k->m * k->n;
            }
}

#endif
