/* A look-up per element, by indices of one byte.
 *
 * op       gather
 * types    x:s8|u8|s16|u16|s32 i:s8|u8 -> y:=x
 * isa      any
 * when     inner == 1 && mode == 0 && outer == 1
 * split    n
 * stack    64
 * cycles   50 + 8 * y.n
 *
 * A negative index counts from the end of the table.
 */
#include "kern/kern.h"

void FN(const struct gather_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *i = io->in[1], *end;
    Y *y = io->out[0];
    int32_t from, to;

    span(k->n, io->core, io->ncore, &from, &to);
    end = i + to;
    i += from, y += from;
    while (i < end) {
        int32_t at = *i++;

        *y++ = x[at < 0 ? at + k->len : at];
    }
}
