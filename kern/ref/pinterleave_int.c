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

#include "kern/conv/interleave.h"

void FN(const struct pinterleave_dims *k, const struct io *io)
{
    interleave_all(k, io);
}
