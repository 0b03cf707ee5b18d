/* Sum, then the epilogue.
 *
 * op       sum
 * types    x:int mul:int add:int -> y:int
 * types    x:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * split    n
 * stack    160
 * cycles   14 * x.n
 *
 * Added without sign, so that what does not fit wraps.  mul and add follow the
 * innermost axis of y.
 */
#include "kern/row/reduce.h"

static uint64_t total(const struct reduce_dims *k, const X *x)
{
    int32_t i[6] = {0};
    ptrdiff_t at = 0;
    uint64_t sum = 0;

    do {
        const X *from = x + at;

        for (int32_t j = k->m[5]; j > 0; j--, from += k->ms[5])
            sum += (uint64_t)*from;
    } while (reduce_next(k->m, k->ms, i, 5, &at));
    return sum;
}

static int64_t finish(const struct reduce_dims *k, const struct io *io,
                      int64_t sum, int32_t channel)
{
    const MUL *mul = io->in[1];
    const ADD *add = io->in[2];

    if (mul)
        sum = requant(sum, mul[(ptrdiff_t)channel * k->mulc],
                      add ? add[(ptrdiff_t)channel * k->addc] : 0,
                      SHIFT_OF(k, io, 3, (ptrdiff_t)channel * k->mulc));
    return bound(sum, k->lo, k->hi);
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
        *y++ = (Y)finish(k, io, (int64_t)total(k, x + at), channel);
    } while (--left && reduce_next(k->n, k->xs, i, 6, &at));
}
