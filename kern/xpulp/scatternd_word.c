/* Slices of whole words replaced in place by tuples of two or three indices: the
 * new rows of a cache.  Elsewhere all of x is copied first, a word at a time.
 *
 * op       scatternd
 * types    x:s8|u8 i:s8|u8|s16|u16|s32 u:=x -> y:=x
 * isa      xpulpv2
 * when     mode == 0 && k > 1 && k < 4 && inner % 4 == 0 && xbatch % 4 == 0
 * inplace  x
 * stack    64
 * cycles   fit.call + fit.word * x.n / 4 + fit.tuple * count * batch
 *          + 3 * (u.n / 4 - count * batch)
 * code     290
 */
#include "kern/kern.h"

#include "kern/xpulp/transpose.h"

static inline int32_t place(int32_t i, int32_t len)
{
    return i + (i >> 31 & len);
}

void FN(const struct nd_dims *k, const struct io *io)
{
    const int32_t l0 = k->len[0], l1 = k->len[1], l2 = k->len[2];
    const int32_t s0 = k->stride[0], s1 = k->stride[1];
    const int32_t s2 = k->stride[2], tuple = k->k;
    const I *i = io->in[1];
    const X *u = io->in[2];
    X *y = io->out[0];

    if (io->in[0] != (const void *)y)
        transpose_copy(io->in[0], y, k->batch * k->xbatch);
    for (int32_t n = k->batch * k->count; n > 0; n--, i += tuple) {
        X *to = y + place((int32_t)i[0], l0) * s0 +
                place((int32_t)i[1], l1) * s1;

        if (tuple > 2)
            to += place((int32_t)i[2], l2) * s2;
        transpose_store(to, transpose_load(u));
        u += 4;
        for (int32_t m = k->inner - 4; m > 0; m -= 4, u += 4)
            transpose_store(to += 4, transpose_load(u));
    }
}
