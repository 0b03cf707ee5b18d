/* Transposed convolution, one output element at a time: it gathers what the
 * convolution with these weights would scatter.
 *
 * op       convt
 * types    x:int w:int b:int mul:int add:int -> y:int
 * types    x:int w:int b:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * layout   any
 * split    g m oh
 * stack    272
 * cycles   n * g * m * oh * ow * (60 + kh * kw * (20 + 14 * c))
 */
#include "kern/kern.h"

/* The epilogue of a channel. */
static int64_t finish(const struct convt_dims *k, const struct io *io,
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

#include "kern/conv/convt.h"

void FN(const struct convt_dims *k, const struct io *io)
{
    convt_all(k, io);
}
