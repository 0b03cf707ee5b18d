/* Rows of a table in external memory, which is never brought as a whole: those
 * that are asked for come by the external memory's DMA, one after the other.
 *
 * op       gather
 * types    x:any i:int -> y:=x
 * isa      xpulpv2
 * when     mode == 1
 * stack    144
 * cycles   100 + outer * n * (300 + 4 * inner * y.bytes / y.n)
 *
 * A negative index counts from the end of the axis.
 */
#include "kern/copy/far.h"

void FN(const struct gather_dims *k, const struct io *io)
{
    const I *index = io->in[1];
    const int32_t row = k->inner * (int32_t)sizeof(X);
    const char *x = io->in[0];
    char *y = io->out[0];

    for (int32_t i = 0; i < k->outer; i++, x += (ptrdiff_t)k->len * row)
        for (int32_t j = 0; j < k->n; j++, y += row) {
            const ptrdiff_t at = (ptrdiff_t)index[j];

            rt_far_read(x + (at < 0 ? at + k->len : at) * row, y, row);
        }
}
