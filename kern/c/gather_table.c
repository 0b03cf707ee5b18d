/* A look-up per element, by indices of one byte.
 *
 * op       gather
 * types    x:s8|u8|s16|u16|s32 i:s8|u8 -> y:=x
 * isa      any
 * when     inner == 1 && outer == 1
 * stack    64
 * cycles   50 + 8 * y.n
 *
 * A negative index counts from the end of the table.
 */
#include "kern/kern.h"

void FN(const struct gather_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *i = io->in[1], *end = i + k->n;
    Y *y = io->out[0];

    while (i < end) {
        int32_t at = *i++;

        *y++ = x[at < 0 ? at + k->len : at];
    }
}
