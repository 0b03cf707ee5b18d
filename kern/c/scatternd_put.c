/* Slices of x replaced, elements of one type: a word at a time where all lies
 * at multiples of four bytes.
 *
 * op       scatternd
 * types    x:s8|u8|s16|u16|s32|f32 i:s8|u8|s16|u16|s32 u:=x -> y:=x
 * isa      any
 * when     mode == 0
 * inplace  x
 * stack    64
 * cycles   60 + x.n + count * batch * (20 + 8 * k) + u.n
 */
#include <string.h>
#include "kern/kern.h"

static void moved(char *to, const char *from, ptrdiff_t bytes)
{
    const char *end = from + bytes;

    if ((((uintptr_t)to | (uintptr_t)from | (uintptr_t)bytes) & 3) == 0)
        while (from < end) {
            memcpy(__builtin_assume_aligned(to, 4),
                   __builtin_assume_aligned(from, 4), 4);
            from += 4, to += 4;
        }
    else
        while (from < end)
            *to++ = *from++;
}

void FN(const struct nd_dims *k, const struct io *io)
{
    const I *index = io->in[1];
    const char *u = io->in[2];
    const ptrdiff_t row = k->inner * (ptrdiff_t)sizeof(Y);
    Y *y = io->out[0];

    if (io->in[0] != (const void *)y)
        moved(io->out[0], io->in[0], (ptrdiff_t)k->batch * k->xbatch *
                                     (ptrdiff_t)sizeof(Y));
    for (int32_t i = k->batch * k->count; i > 0; i--, u += row) {
        ptrdiff_t at = 0;

        for (int32_t j = 0; j < k->k; j++) {
            int32_t is = (int32_t)*index++;

            at += (is < 0 ? is + k->len[j] : is) * (ptrdiff_t)k->stride[j];
        }
        moved((char *)(y + at), u, row);
    }
}
