/* Convolution, one output element at a time.
 *
 * op       conv
 * types    x:int w:int b:int mul:int add:int -> y:int
 * types    x:int w:int b:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * layout   any
 * split    n m
 * stack    256
 * cycles   n * g * m * oh * ow * (60 + kh * kw * (20 + 14 * c))
 *
 * Elements outside x have the value padv.
 */
#include "kern/kern.h"

/* The part of element (oy, ox) that comes from w[0][kh][kw][c]; x points at
 * the group's first channel. */
static ACC window(const struct conv_dims *k, const X *x, const W *w,
                  int32_t oy, int32_t ox)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            int32_t row = oy * k->sh - k->ph + i * k->dh;
            int32_t col = ox * k->sw - k->pw + j * k->dw;
            const W *wp = w + (ptrdiff_t)i * k->wh + (ptrdiff_t)j * k->ww;

            if (row >= 0 && row < k->h && col >= 0 && col < k->w) {
                const X *xp =
                    x + (ptrdiff_t)row * k->xh + (ptrdiff_t)col * k->xw;

                for (int32_t c = 0; c < k->c; c++)
                    sum += (ACC)xp[(ptrdiff_t)c * k->xc] *
                           (ACC)wp[(ptrdiff_t)c * k->wc];
            } else if (k->padv) {
                for (int32_t c = 0; c < k->c; c++)
                    sum += (ACC)k->padv * (ACC)wp[(ptrdiff_t)c * k->wc];
            }
        }
    return sum;
}

/* The epilogue of a channel. */
static int64_t finish(const struct conv_dims *k, const struct io *io,
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

/* One output channel of one image. */
static void plane(const struct conv_dims *k, const struct io *io, int32_t n,
                  int32_t group, int32_t channel)
{
    const B *b = io->in[2];
    const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn +
                 (ptrdiff_t)group * k->c * k->xc;
    const W *w = (const W *)io->in[1] + (ptrdiff_t)channel * k->wm;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
           (ptrdiff_t)channel * k->yc;

    for (int32_t i = 0; i < k->oh; i++)
        for (int32_t j = 0; j < k->ow; j++) {
            ACC sum = window(k, x, w, i, j) + (b ? (ACC)b[channel] : 0);

            y[(ptrdiff_t)i * k->yh + (ptrdiff_t)j * k->yw] =
                (Y)finish(k, io, sum, channel);
        }
}

void FN(const struct conv_dims *k, const struct io *io)
{
    const int32_t channels = k->g * k->m;
    int32_t i, end;

    span(k->n * channels, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        plane(k, io, i / channels, i % channels / k->m, i % channels);
}
