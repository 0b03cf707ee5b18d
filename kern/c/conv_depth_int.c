/* Channels-last depthwise convolution, two pixels by two channels at a time.
 *
 * op       conv
 * types    x:s8|u8|s16 w:s8|u8|s16 b:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 && padv == 0
 * layout   last
 * stack    256
 * cycles   n * oh * ow * (g * (25 + 4 * kh * kw) + 60)
 *
 * The taps that lie inside x are found once per pixel, for all channels.
 */
#include "kern/finish.h"
#include "kern/window.h"

FINISH(conv, 3)

/* The taps of a window and their distances. */
struct patch {
    int32_t rows, cols;
    ptrdiff_t xrow, xcol, wrow, wcol;
};

static ACC bias_of(const struct io *io, int32_t channel)
{
    const B *b = io->in[2];

    return b ? (ACC)b[channel] : 0;
}

/* s[0 1 2 3]: pixels 0 and 1 of one channel, then of the next; `more` and
 * `other` lead to the second pixel and the second channel's weights. */
static NOINLINE void taps(const struct patch *p, const X *x, ptrdiff_t more,
                          ptrdiff_t next, const W *w, ptrdiff_t other,
                          ACC s[4])
{
    ACC s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];

    for (int32_t i = p->rows; i > 0; i--, x += p->xrow, w += p->wrow) {
        const X *a = x, *b = x + more;
        const W *u = w, *v = w + other;

        for (int32_t j = p->cols; j > 0; j--) {
            const ACC u0 = (ACC)*u, v0 = (ACC)*v;

            s0 += (ACC)a[0] * u0;
            s1 += (ACC)b[0] * u0;
            s2 += (ACC)a[next] * v0;
            s3 += (ACC)b[next] * v0;
            a += p->xcol, b += p->xcol;
            u += p->wcol, v += p->wcol;
        }
    }
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3;
}

/* All channels of two pixels, the second `more` behind the first in x and
 * ymore in y; both 0: of one pixel. */
static void pixels(const struct conv_dims *k, const struct io *io,
                   const struct patch *p, const X *x, ptrdiff_t more,
                   const W *w, Y *y, ptrdiff_t ymore)
{
    for (int32_t c = 0; c < k->g; c += 2) {
        const int32_t next = c + 1 < k->g;
        ACC s[4];

        s[0] = s[1] = bias_of(io, c);
        s[2] = s[3] = bias_of(io, c + next);
        taps(p, x + c, more, next, w + (ptrdiff_t)c * k->wm,
             next ? k->wm : 0, s);
        s[0] = (ACC)finish(k, io, s[0], c);
        s[1] = (ACC)finish(k, io, s[1], c);
        s[2] = (ACC)finish(k, io, s[2], c + next);
        s[3] = (ACC)finish(k, io, s[3], c + next);
        y[ymore + c] = (Y)s[1];
        y[c] = (Y)s[0];
        y[ymore + c + next] = (Y)s[3];
        y[c + next] = (Y)s[2];
    }
}

static void row(const struct conv_dims *k, const struct io *io, int32_t oy,
                const X *x, Y *y)
{
    const int32_t top = oy * k->sh - k->ph;
    const struct span rows = window_span(top, k->kh, k->dh, k->h);
    const W *w = (const W *)io->in[1] + (ptrdiff_t)rows.lo * k->wh;
    int32_t ox = 0;

    x += (ptrdiff_t)(top + rows.lo * k->dh) * k->xh;
    while (ox < k->ow) {
        const int32_t left = ox * k->sw - k->pw, more = left + k->sw;
        const struct span cols = window_span(left, k->kw, k->dw, k->w);
        const struct patch p = {
            rows.hi - rows.lo, cols.hi - cols.lo,
            (ptrdiff_t)k->dh * k->xh, (ptrdiff_t)k->dw * k->xw, k->wh, k->ww};
        const int two =
            ox + 1 < k->ow && window_whole(cols, k->kw) &&
            window_whole(window_span(more, k->kw, k->dw, k->w), k->kw);

        pixels(k, io, &p, x + (ptrdiff_t)(left + cols.lo * k->dw) * k->xw,
               two ? (ptrdiff_t)k->sw * k->xw : 0,
               w + (ptrdiff_t)cols.lo * k->ww, y + (ptrdiff_t)ox * k->yw,
               two ? k->yw : 0);
        ox += two ? 2 : 1;
    }
}

void FN(const struct conv_dims *k, const struct io *io)
{
    for (int32_t n = 0; n < k->n; n++)
        for (int32_t oy = 0; oy < k->oh; oy++)
            row(k, io, oy, (const X *)io->in[0] + (ptrdiff_t)n * k->xn,
                (Y *)io->out[0] + (ptrdiff_t)n * k->yn +
                    (ptrdiff_t)oy * k->yh);
}
