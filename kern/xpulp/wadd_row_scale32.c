/* Weighted sum of two rows, in 32 bits, in little code: the residuals of a
 * token of a language model.
 *
 * op       wadd
 * types    x:s8|u8|s16|u16|s32 y:s8|u8|s16|u16|s32 c:int
 *          -> z:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 && s1[5] == 1
 *          && c.n == 1 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * inplace  x y
 * split    n
 * stack    64
 * cycles   ncore * (fit.call + fit.element * ceil(z.n, ncore))
 * code     130
 */
#include "kern/kern.h"

#define SUM_X X
#define SUM_Y Y
#define SUM_Z Z
#include "kern/xpulp/row_sums.h"

void FN(const struct map_dims *k, const struct io *io)
{
    const struct row_sum sum = {k->p0, k->p1, (int32_t)*(const C *)io->in[2],
                                k->shift, k->lo, k->hi};
    int32_t from, to;

    span(k->n[5], io->core, io->ncore, &from, &to);
    row_sums(&sum, (const X *)io->in[0] + from, (const Y *)io->in[1] + from,
             (Z *)io->out[0] + from, to - from);
}
