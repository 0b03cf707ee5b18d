/* Plain pools: windows element by element, in any layout.  A file that says
 * POOL_EACH(e) defines FN: e is the element of the result of window (i, j) of
 * channel c of x. */
#ifndef POOL_PLAIN_H
#define POOL_PLAIN_H

#include "kern/kern.h"

/* Where tap (i, j) of the window of element (oy, ox) lies in a channel of x;
 * -1: outside. */
static inline ptrdiff_t pool_tap(const struct pool_dims *k, int32_t oy,
                                 int32_t ox, int32_t i, int32_t j)
{
    int32_t row = oy * k->sh - k->ph + i * k->dh;
    int32_t col = ox * k->sw - k->pw + j * k->dw;

    if (row < 0 || row >= k->h || col < 0 || col >= k->w)
        return -1;
    return (ptrdiff_t)row * k->xh + (ptrdiff_t)col * k->xw;
}

/* The sum of a window, and its greatest element. */
static inline ACC pool_sum(const struct pool_dims *k, const X *x,
                           int32_t oy, int32_t ox)
{
    ACC sum = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            ptrdiff_t at = pool_tap(k, oy, ox, i, j);

            if (at >= 0)
                sum += (ACC)x[at];
        }
    return sum;
}

static inline ACC pool_most(const struct pool_dims *k, const X *x,
                           int32_t oy, int32_t ox)
{
    ACC best = 0;
    int some = 0;

    for (int32_t i = 0; i < k->kh; i++)
        for (int32_t j = 0; j < k->kw; j++) {
            ptrdiff_t at = pool_tap(k, oy, ox, i, j);

            if (at >= 0 && (!some || (ACC)x[at] > best)) {
                best = (ACC)x[at];
                some = 1;
            }
        }
    return best;
}

/* Taps of one axis that count: those in x, or with countpad those in x and its
 * padding (a window may end beyond both). */
static inline int32_t pool_taps(int32_t at, int32_t before, int32_t after,
                                int32_t n, int32_t kernel, int32_t dilation,
                                int countpad)
{
    int32_t count = 0, lo = countpad ? -before : 0;
    int32_t hi = countpad ? n + after : n;

    for (int32_t i = 0; i < kernel; i++)
        count += at + i * dilation >= lo && at + i * dilation < hi;
    return count;
}

/* How many elements of a window count in its mean; 1 if none does. */
static inline int32_t pool_divisor(const struct pool_dims *k, int32_t oy,
                                   int32_t ox)
{
    int32_t count = pool_taps(oy * k->sh - k->ph, k->ph, k->phe, k->h, k->kh,
                              k->dh, k->countpad) *
                    pool_taps(ox * k->sw - k->pw, k->pw, k->pwe, k->w, k->kw,
                              k->dw, k->countpad);

    return count ? count : 1;
}

#define POOL_EACH(e)                                                         \
    void FN(const struct pool_dims *k, const struct io *io)                  \
    {                                                                        \
        int32_t plane, end;                                                  \
                                                                             \
        span(k->n * k->c, io->core, io->ncore, &plane, &end);                \
        for (; plane < end; plane++) {                                       \
            const int32_t n = plane / k->c, c = plane % k->c;                \
            const X *x = (const X *)io->in[0] + (ptrdiff_t)n * k->xn +       \
                         (ptrdiff_t)c * k->xc;                               \
            Y *y = (Y *)io->out[0] + (ptrdiff_t)n * k->yn +                  \
                   (ptrdiff_t)c * k->yc;                                     \
                                                                             \
            for (int32_t i = 0; i < k->oh; i++)                              \
                for (int32_t j = 0; j < k->ow; j++)                          \
                    y[(ptrdiff_t)i * k->yh + (ptrdiff_t)j * k->yw] = (Y)(e); \
        }                                                                    \
    }

#endif
