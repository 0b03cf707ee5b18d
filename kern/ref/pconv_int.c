/* Convolution of packed weights, one output element at a time.
 *
 * op       pconv
 * types    x:int w:u8 b:int mul:int add:int -> y:int
 * types    x:int w:u8 b:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * layout   last
 * split    n m
 * stack    320
 * cycles   n * g * m * oh * ow * (60 + kh * kw * c * (30 + 10 * bits))
 */
#include "kern/kern.h"

/* The epilogue of a channel. */
static int64_t finish(const struct pconv_dims *k, const struct io *io,
                      int64_t sum, int32_t channel)
{
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    if (mul)
        sum = requant(sum, mul[(ptrdiff_t)channel * k->mulc],
                      add ? add[(ptrdiff_t)channel * k->addc] : 0,
                      SHIFT_OF(k, io, 5, (ptrdiff_t)channel * k->mulc));
    return bound(sum, k->lo, k->hi);
}

#include "kern/conv/packed.h"

void FN(const struct pconv_dims *k, const struct io *io)
{
    packed_all(k, io);
}
