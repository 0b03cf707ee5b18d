/* Convolution of packed weights, and blocks of another image beside its.
 *
 * op       pinterleave
 * types    x:int w:u8 b:none mul:int add:int r:int v:u8 s:u8 -> y:int
 * isa      any
 * layout   last
 * split    m
 * stack    496
 * cycles   m * oh * ow * (60 + kh * kw * c * (30 + 10 * bits)) + blocks * 400
 */
#include "kern/kern.h"

/* The epilogue of a channel. */
static int64_t finish(const struct pconv_dims *k, const struct io *io,
                      int64_t sum, int32_t channel)
{
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    return bound(requant(sum, mul[(ptrdiff_t)channel * k->mulc],
                         add[(ptrdiff_t)channel * k->addc], k->shift),
                 k->lo, k->hi);
}

#include "kern/conv/packed.h"

/* A block of the convolution, from output channel o on. */
static void put_block(const struct pinterleave_dims *k, const struct io *io,
                      int32_t o)
{
    struct pconv_dims d = *(const struct pconv_dims *)(const void *)k;
    struct io part = *io;

    d.m = INTERLEAVE;
    part.in[1] = (const W *)io->in[1] + (ptrdiff_t)o * k->wm;
    part.in[3] = (const MUL *)io->in[3] + (ptrdiff_t)o * k->mulc;
    part.in[4] = (const ADD *)io->in[4] + (ptrdiff_t)o * k->addc;
    part.out[0] = (Y *)io->out[0] + 2 * o + (k->first ? INTERLEAVE : 0);
    packed_all(&d, &part);
}

void FN(const struct pinterleave_dims *k, const struct io *io)
{
    Y *y = (Y *)io->out[0] + (k->first ? 0 : INTERLEAVE);
    int32_t i, end;

    for (i = 0; i < k->m; i += INTERLEAVE)
        put_block(k, io, i);
    span(k->blocks * INTERLEAVE, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        y[2 * i - i % INTERLEAVE] = ((const R *)io->in[5])[i];
}
