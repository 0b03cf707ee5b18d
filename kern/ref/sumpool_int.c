/* The sum of each window.
 *
 * op       sumpool
 * types    x:int mul:int add:int -> y:int
 * types    x:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * layout   any
 * split    n c
 * stack    160
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 */
#include "kern/kern.h"

/* Where tap (i, j) of the window of element (oy, ox) lies in a channel of x;
 * -1: outside. */
static ptrdiff_t tap(const struct pool_dims *k, int32_t oy, int32_t ox,
                     int32_t i, int32_t j)
{
    int32_t row = oy * k->sh - k->ph + i * k->dh;
    int32_t col = ox * k->sw - k->pw + j * k->dw;

    if (row < 0 || row >= k->h || col < 0 || col >= k->w)
        return -1;
    return (ptrdiff_t)row * k->xh + (ptrdiff_t)col * k->xw;
}

static ACC window(const struct pool_dims *k, const X *x, int32_t oy,
                  int32_t ox)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            ptrdiff_t at = tap(k, oy, ox, i, j);

            if (at >= 0)
                sum += (ACC)x[at];
        }
    return sum;
}


/* The epilogue of a channel. */
static int64_t finish(const struct pool_dims *k, const struct io *io,
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

void FN(const struct pool_dims *k, const struct io *io)
{
    int32_t plane, end;

    span(k->n * k->c, io->core, io->ncore, &plane, &end);
    for (; plane < end; plane++) {
        const int32_t n = plane / k->c, c = plane % k->c;
        const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn +
                     (ptrdiff_t)c * k->xc;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
               (ptrdiff_t)c * k->yc;

        for (int32_t i = 0; i < k->oh; i++)
            for (int32_t j = 0; j < k->ow; j++)
                y[(ptrdiff_t)i * k->yh + (ptrdiff_t)j * k->yw] =
                    (Y)finish(k, io, window(k, x, i, j), c);
    }
}
