/* Sum in 32 bits, then the epilogue.
 *
 * op       sum
 * types    x:s8|u8|s16|u16|s32 mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    x:s8|u8|s16|u16|s32 mul:int add:int shifts:int ->
 *          y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     max(-x.lo, x.hi) * count < 2147483648
 * split    n
 * stack    224
 * cycles   150 + y.n * (80 + 60 * m[0] * m[1] * m[2] * m[3] * m[4]) + 7 * x.n
 *
 * mul and add follow the innermost axis of y.
 */
#include "kern/finish.h"
#include "kern/row/reduce.h"

static int32_t total(const struct reduce_dims *k, const X *x)
{
    const int32_t step = k->ms[5];
    int32_t i[6] = {0}, sum = 0;
    ptrdiff_t at = 0;

    do {
        const X *from = x + at;

        for (int32_t j = k->m[5]; j > 0; j--, from += step)
            sum += (int32_t)*from;
    } while (reduce_next(k->m, k->ms, i, 5, &at));
    return sum;
}

static int32_t finish(const struct reduce_dims *k, const struct io *io,
                      int32_t sum, int32_t channel)
{
    const MUL *mul = io->in[1];
    const ADD *add = io->in[2];

    if (!mul)
        return clip(sum, k->lo, k->hi);
    return rescale(sum, mul[(ptrdiff_t)channel * k->mulc],
                   add ? add[(ptrdiff_t)channel * k->addc] : 0,
                   SHIFT_OF(k, io, 3, (ptrdiff_t)channel * k->mulc), k->lo,
                   k->hi);
}

void FN(const struct reduce_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[6] = {0}, channel, from;
    ptrdiff_t at = 0;
    int32_t left = reduce_begin(k, io, i, &at, &from);

    if (!left)
        return;
    y += from;
    do {
        channel = i[5];
        *y++ = (Y)finish(k, io, total(k, x + at), channel);
    } while (--left && reduce_next(k->n, k->xs, i, 6, &at));
}
