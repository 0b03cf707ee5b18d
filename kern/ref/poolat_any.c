/* Where the greatest element of each window stands in x.
 *
 * op       poolat
 * types    x:f32 -> y:int
 * types    x:int -> y:int
 * isa      any
 * split    n c
 * stack    256
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 *
 * Elements of x are numbered in order; of equals the first counts, and a
 * window with none inside x has 0.
 */
#include "kern/kern.h"

/* The greatest of a channel in the window of element (oy, ox). */
static ptrdiff_t greatest(const struct pool_dims *k, const X *x, int32_t oy,
                          int32_t ox)
{
    ptrdiff_t best = -1;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            const int32_t row = oy * k->sh - k->ph + i * k->dh;
            const int32_t col = ox * k->sw - k->pw + j * k->dw;
            const ptrdiff_t at = (ptrdiff_t)row * k->w + col;

            if (row >= 0 && row < k->h && col >= 0 && col < k->w &&
                (best < 0 || x[at] > x[best]))
                best = at;
        }
    return best < 0 ? 0 : best;
}

void FN(const struct pool_dims *k, const struct io *io)
{
    int32_t plane, end;

    span(k->n * k->c, io->core, io->ncore, &plane, &end);
    for (; plane < end; plane++) {
        const ptrdiff_t first = (ptrdiff_t)plane * k->h * k->w;
        const X *x = (const X *)io->in[0] + first;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)plane * k->oh * k->ow;

        for (int32_t i = 0; i < k->oh; i++)
            for (int32_t j = 0; j < k->ow; j++)
                *y++ = (Y)(first + greatest(k, x, i, j));
    }
}
