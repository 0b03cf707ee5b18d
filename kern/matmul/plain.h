/* Plain matrix products, one row of the result after the other.  The including
 * file defines dot(k, a, b, n): a row of a by column n of b. */
#ifndef MATMUL_PLAIN_H
#define MATMUL_PLAIN_H

#include "kern/share.h"

static ACC dot(const struct matmul_dims *k, const A *a, const B *b, int32_t n);

static ACC bias_at(const struct matmul_dims *k, const BIAS *bias, int32_t m,
                   int32_t n)
{
    if (!bias)
        return 0;
    return (ACC)bias[(ptrdiff_t)m * k->biasm + (ptrdiff_t)n * k->biasn];
}

static int64_t finish(const struct matmul_dims *k, const struct io *io,
                      int64_t sum, int32_t m, int32_t n)
{
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];
    const ptrdiff_t at = (ptrdiff_t)m * k->mulm + (ptrdiff_t)n * k->muln;
    const ptrdiff_t to = (ptrdiff_t)m * k->addm + (ptrdiff_t)n * k->addn;

    if (mul)
        sum = requant(sum, mul[at], add ? add[to] : 0, SHIFT_OF(k, io, 5, at));
    return bound(sum, k->lo, k->hi);
}

static void product(const struct matmul_dims *k, const struct io *io,
                    const A *a, const B *b, Y *y)
{
    const struct share mine = share_of(io, k->m, k->n, 1, 0);

    for (int32_t m = mine.rows.lo; m < mine.rows.hi; m++)
        for (int32_t n = mine.channels.lo; n < mine.channels.hi; n++) {
            ACC sum = dot(k, a + (ptrdiff_t)m * k->am, b, n);

            sum += bias_at(k, io->in[2], m, n);
            y[(ptrdiff_t)m * k->n + n] = (Y)finish(k, io, sum, m, n);
        }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    const A *a = io->in[0];
    const B *b = io->in[1];
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2]; l++) {
                product(k, io,
                        a + (ptrdiff_t)i * k->ab[0] +
                            (ptrdiff_t)j * k->ab[1] + (ptrdiff_t)l * k->ab[2],
                        b + (ptrdiff_t)i * k->bb[0] +
                            (ptrdiff_t)j * k->bb[1] + (ptrdiff_t)l * k->bb[2],
                        y);
                y += (ptrdiff_t)k->m * k->n;
            }
}

#endif
