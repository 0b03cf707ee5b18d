/* Slices of four bytes replaced in place by tuples of three indices: the new
 * rows of a cache.  Elsewhere all of x is copied first, a word at a time.
 *
 * op       scatternd
 * types    x:s8|u8 i:s8|u8|s16|u16|s32 u:=x -> y:=x
 * isa      xpulpv2
 * when     mode == 0 && k == 3 && inner == 4 && xbatch % 4 == 0
 * inplace  x
 * stack    64
 * cycles   fit.call + fit.word * x.n / 4 + fit.tuple * count * batch
 * code     250
 */
#include "kern/kern.h"

#include "kern/xpulp/transpose.h"

static inline int32_t place(int32_t i, int32_t len)
{
    return i < 0 ? i + len : i;
}

void FN(const struct nd_dims *k, const struct io *io)
{
    const int32_t l0 = k->len[0], l1 = k->len[1], l2 = k->len[2];
    const int32_t s0 = k->stride[0], s1 = k->stride[1], s2 = k->stride[2];
    const I *i = io->in[1];
    const X *u = io->in[2];
    X *y = io->out[0];

    if (io->in[0] != (const void *)y)
        transpose_copy(io->in[0], y, k->batch * k->xbatch);
    for (int32_t n = k->batch * k->count; n > 0; n--, i += 3, u += 4)
        transpose_store(y + place((int32_t)i[0], l0) * s0 +
                        place((int32_t)i[1], l1) * s1 +
                        place((int32_t)i[2], l2) * s2, transpose_load(u));
}
