/* Slices of whole words replaced in place by tuples of two or three indices:
 * the new rows of a cache.  Elsewhere all of x is copied first.
 *
 * op       scatternd
 * types    x:s8|u8 i:s8|u8|s16|u16|s32 u:=x -> y:=x
 * isa      xpulpv2
 * when     mode == 0 && k > 1 && k < 4 && inner % 4 == 0 && xbatch % 4 == 0 &&
 *          i.lo >= 0
 * inplace  x
 * stack    128
 * cycles   fit.call + fit.word * x.n / 4 + fit.tuple * count * batch
 *          + 3 * (u.n / 4 - count * batch)
 * code     190
 */
#include "kern/kern.h"

#include "kern/xpulp/transpose.h"

/* n slices of words.  The outer loop must end two instructions behind the inner
 * one. */
#ifdef XPULPV2
#define INDEX(v) "xp.lt.post " v ", %[i], %[is], %[it]\n"
#define SLICES(count, third)                                                  \
    __asm__ volatile(                                                         \
        XP_BLOCK "xlp.setup 1, %[n], " #count "\n"                            \
        INDEX("%[a]") INDEX("%[b]")                                           \
        "mul %[to], %[a], %[s0]\n"                                            \
        "xp.mac %[to], %[b], %[s1]\n" third                                   \
        "add %[to], %[to], %[y]\n"                                            \
        "xlp.setup 0, %[words], 3\n"                                          \
        "xp.lw.post %[a], %[u], 4\n"                                          \
        "nop\n"                                                               \
        "xp.sw.post %[a], %[to], 4\n"                                         \
        "nop\n nop\n" XP_BLOCK_END                                            \
        : [a] "=&r"(a), [b] "=&r"(b), [to] "=&r"(to), [i] "+&r"(i),           \
          [u] "+&r"(u)                                                        \
        : [n] "r"(n), [words] "r"(k->inner >> 2), [y] "r"(y),                 \
          [s0] "r"(k->stride[0]), [s1] "r"(k->stride[1]),                     \
          [s2] "r"(k->stride[2]), [is] "i"(sizeof(I)), [it] "i"(XP_TYPE(I))   \
        : XP_CLOBBERS)

static inline void slices(const struct nd_dims *k, const I *i, const X *u, X *y,
                          int32_t n)
{
    int32_t a, b, to;

    if (k->k > 2)
        SLICES(13, INDEX("%[a]") "xp.mac %[to], %[a], %[s2]\n");
    else
        SLICES(11, "");
}
#else
static inline void slices(const struct nd_dims *k, const I *i, const X *u, X *y,
                          int32_t n)
{
    for (; n > 0; n--, u += k->inner) {
        X *to = y;

        for (int32_t j = 0; j < k->k; j++)
            to += (int32_t)*i++ * k->stride[j];
        for (int32_t j = 0; j < k->inner; j += 4)
            transpose_store(to + j, transpose_load(u + j));
    }
}
#endif

void FN(const struct nd_dims *k, const struct io *io)
{
    X *y = io->out[0];

    if (io->in[0] != (const void *)y)
        transpose_copy(io->in[0], y, k->batch * k->xbatch);
    slices(k, io->in[1], io->in[2], y, k->batch * k->count);
}
