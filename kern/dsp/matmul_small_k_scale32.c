/* Matrix product of rows of 1 to 4 with b transposed, scaled in 32 bits, all
 * results alike: each column as a word of halves of 16 bits, or two.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8
 * isa      dsp
 * when     ak == 1 && bk == 1 && k < 5 && has.mul && biasm == 0 && mulm == 0 &&
 *          addm == 0 && biasn == 0 && muln == 0 && addn == 0 && hi - lo == 255
 *          && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * scratch  k > 2 ? 8 * n : 4 * n
 * split    m n
 * stack    224
 * cycles   nb[0] * nb[1] * nb[2] * (40 + n * (k > 2 ? 14 : 9) + m * (30 + n *
 *          (k > 2 ? 9 : 7)))
 */
typedef B SMALL;
#include "kern/dsp/small_k.h"

#define MATMUL_STEP 4
#include "kern/matmul/matmul.h"

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    const int32_t mul = (int32_t)*(const MUL *)io->in[3];
    const ADD *add = io->in[4];
    const struct small_k s = {
        mul, (int32_t)((uint32_t)bias_at(k, io, 0, 0) * (uint32_t)mul +
                       (add ? (uint32_t)*add : 0)), k->shift};
    const int32_t from = of->channels.lo, n = of->channels.hi - from;
    uint32_t *w = io->tmp;

    small_columns(b + (ptrdiff_t)from * k->bn, k->bn, k->k, n, w);
    for (int32_t m = of->rows.lo; m < of->rows.hi; m++) {
        const A *x = a + (ptrdiff_t)m * k->am;
        const uint32_t first = dsp_halves(x[0], k->k > 1 ? x[1] : 0);
        Y *to = y + (ptrdiff_t)m * k->n + from;

        if (k->k > 2)
            row_of_four(&s, first, dsp_halves(x[2], k->k > 3 ? x[3] : 0), w, n,
                        to);
        else
            row_of_two(&s, first, w, n, to);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
