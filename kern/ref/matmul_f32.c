/* Matrix product, one row of the result after the other.
 *
 * op       matmul
 * types    a:f32 b:f32 bias:f32 mul:none add:none -> y:f32
 * isa      any
 * split    m n
 * stack    336
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (40 + 14 * k)
 */
#include "kern/share.h"

static ACC dot(const struct matmul_dims *k, const A *a, const B *b)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->k; i++)
        sum += (ACC)a[(ptrdiff_t)i * k->ak] * (ACC)b[(ptrdiff_t)i * k->bk];
    return sum;
}

static ACC bias_at(const struct matmul_dims *k, const BIAS *bias, int32_t m,
                   int32_t n)
{
    if (!bias)
        return 0;
    return (ACC)bias[(ptrdiff_t)m * k->biasm + (ptrdiff_t)n * k->biasn];
}

static void product(const struct matmul_dims *k, const struct io *io,
                    const A *a, const B *b, Y *y)
{
    const struct share mine = share_of(io, k->m, k->n, 1, 0);

    for (int32_t m = mine.rows.lo; m < mine.rows.hi; m++)
        for (int32_t n = mine.channels.lo; n < mine.channels.hi; n++) {
            ACC sum = dot(k, a + (ptrdiff_t)m * k->am,
                          b + (ptrdiff_t)n * k->bn);

            sum += bias_at(k, io->in[2], m, n);
            y[(ptrdiff_t)m * k->n + n] = (Y)clipf(sum, k->flo, k->fhi);
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
