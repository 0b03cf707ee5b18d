/* The integer RMS norm of one row of 16 bits, in little code.
 *
 * op       irmsnorm
 * types    x:s16 w:s8|u8|s16 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     rows == 1 && max(-x.lo, x.hi) * max(-w.lo, w.hi) < 2147483648 &&
 *          shift < 32 && n > 1
 * split    n
 * stack    144
 * cycles   ncore * (fit.call + 5 * n / 2 + fit.element * ceil(n, ncore))
 * code     500
 */
#include "kern/xpulp/rmsnorm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    int32_t from, to;

    span(k->n, io->core, io->ncore, &from, &to);
    row(k, io->in[0], io->in[1], io->out[0], from, to);
}
