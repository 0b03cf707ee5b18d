/* Channels-last depthwise convolution, four channels of halves of 16 bits at a
 * time; it may lie on its operand.
 *
 * op       conv
 * types    x:s8|u8 w:s8|u8 b:int mul:int add:int -> y:s8|u8
 * isa      dsp
 * when     c == 1 && m == 1 && xc == 1 && yc == 1 && dh == 1 && dw == 1 &&
 *          kh < 8 && kw < 8 && kh * kw > 1 && has.mul &&
 *          ph < kh && oh <= h && ow <= w && xw == g && yw == g &&
 *          xh == w * g && yh == ow * g &&
 *          padv >= (x.lo < 0 ? -128 : 0) && padv <= (x.hi > 127 ? 255 : 127) &&
 *          (shift > 31 || (2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift)
 *          && scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * layout   last
 * inplace  x
 * scratch  96 + 8 * kh * ((ow - 1) * sw + kw + kh * kw + 1) + 4 * ow + 8
 * stack    320
 * cycles   n * oh * (g + 3 >> 2) * (60 + ow * (40 + 5 * kh * kw) +
 *          sh * (20 + ((ow - 1) * sw + kw) * 8)) +
 *          (g + 3 >> 2) * (300 + 40 * kh * kw * (kh + 1))
 *
 * In place rows are kept before results take their place: of those same
 * channels, and the result of a window is never behind its last row.
 */
#include "kern/kern.h"
#include "kern/conv/window.h"

typedef X LEFT;
typedef W RIGHT;
#include "kern/dsp/depth.h"

/* What is at io->tmp: the tail, kh orders of weights, rows, results of fewer
 * than four channels. */
struct depth_room {
    struct depth_tail *t;
    uint32_t *w, *x;
    uint8_t *few;
    int32_t taps, columns;  /* of weights and of rows, as stored */
    int32_t left, inside;   /* columns of the border, and of x */
};

/* `count` bytes, `next` apart, as a word. */
static uint32_t four(const void *p, int32_t next, int32_t count)
{
    const uint8_t *b = (const uint8_t *)p + count * next;
    uint32_t v = 0;

    while (count-- > 0)
        v = v << 8 | *(b -= next);
    return v;
}

static uint32_t *put_pad(uint32_t *to, int32_t step, int32_t n, uint32_t pad)
{
    const uint32_t even = dsp_even(pad, DSP_SIGNED(X));

    for (; n > 0; n--, to += step)
        to[0] = to[1] = even;
    return to;
}

static uint32_t *put_inside(uint32_t *to, int32_t step, int32_t n,
                            const X *x, int32_t next, int32_t count)
{
    if (count == DEPTH)
        for (; n > 0; n--, to += step, x += next) {
            const uint32_t v = dsp_load(x);

            to[0] = dsp_even(v, DSP_SIGNED(X));
            to[1] = dsp_odd(v, DSP_SIGNED(X));
        }
    else
        for (; n > 0; n--, to += step, x += next) {
            const uint32_t v = four(x, 1, count);

            to[0] = dsp_even(v, DSP_SIGNED(X));
            to[1] = dsp_odd(v, DSP_SIGNED(X));
        }
    return to;
}

/* Row iy of x as number `slot` of those kept. */
static void keep(const struct conv_dims *k, const struct depth_room *at,
                 const X *x, int32_t iy, int32_t slot, int32_t count)
{
    const uint32_t pad = (uint8_t)k->padv * 0x01010101u;
    const int32_t step = 2 * k->kh, left = at->left, inside = at->inside;
    uint32_t *to = at->x + 2 * slot;

    if (iy < 0 || iy >= k->h) {
        put_pad(to, step, at->columns, pad);
        return;
    }
    to = put_pad(to, step, left, pad);
    to = put_inside(to, step, inside, x + (ptrdiff_t)iy * k->xh, k->xw, count);
    put_pad(to, step, at->columns - left - inside, pad);
}

/* The weights of channels w and so on, in all orders: number i is of windows
 * whose row 0 is in slot i. */
static NOINLINE void turn(const struct conv_dims *k,
                          const struct depth_room *at, const W *w,
                          int32_t count)
{
    const int32_t next = 2 * at->taps;

    for (int32_t j = 0; j < k->kw; j++, w += k->ww)
        for (int32_t i = 0; i < k->kh; i++) {
            const uint32_t v = four(w + (ptrdiff_t)i * k->wh, k->wm, count);
            const uint32_t even = dsp_even(v, DSP_SIGNED(W));
            const uint32_t odd = dsp_odd(v, DSP_SIGNED(W));
            uint32_t *to = at->w + 2 * (j * k->kh + i);

            for (int32_t s = 0; s < k->kh; s++, to += next + 2) {
                if (s == k->kh - i)
                    to -= 2 * k->kh;
                to[0] = even;
                to[1] = odd;
            }
        }
}

static void scales(const struct conv_dims *k, const struct io *io,
                   struct depth_tail *t, int32_t c, int32_t count)
{
    const B *b = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];

    for (int32_t i = 0; i < DEPTH; i++, c += i < count)
        t->of[i] = pair_scale(
            b ? (int64_t)b[c] : 0, (int32_t)mul[(ptrdiff_t)c * k->mulc],
            add ? (int64_t)add[(ptrdiff_t)c * k->addc] : 0, k->shift);
}

/* An output row, of whose window row 0 is in `slot`. */
static void out_row(const struct conv_dims *k, const struct depth_room *at,
                    int32_t slot, int32_t count, Y *y)
{
    struct depth_tail *t = at->t;

    t->y = count < DEPTH ? at->few : (uint8_t *)y;
    t->next = count < DEPTH ? DEPTH : k->yw;
    depth_run(at->x, at->w + (ptrdiff_t)slot * 2 * at->taps, at->taps, t);
    if (count < DEPTH)
        for (int32_t i = 0; i < k->ow; i++)
            for (int32_t c = 0; c < count; c++)
                y[(ptrdiff_t)i * k->yw + c] = (Y)at->few[DEPTH * i + c];
    if (k->lo > (DSP_SIGNED(Y) ? -128 : 0) ||
        k->hi < (DSP_SIGNED(Y) ? 127 : 255))
        for (int32_t i = 0; i < k->ow; i++)
            pair_clip(y + (ptrdiff_t)i * k->yw, count, k->lo, k->hi);
}

/* `count` channels from x and y on. */
static void channels(const struct conv_dims *k, const struct depth_room *at,
                     int32_t count, const X *x, Y *y)
{
    int32_t slot = 0, next = -k->ph;

    for (int32_t oy = 0; oy < k->oh; oy++, y += k->yh) {
        const int32_t top = oy * k->sh - k->ph;

        if (next < top)
            next = top;
        for (; next < top + k->kh; next++) {
            keep(k, at, x, next, slot, count);
            slot = slot + 1 == k->kh ? 0 : slot + 1;
        }
        out_row(k, at, slot, count, y);
    }
}

void FN(const struct conv_dims *k, const struct io *io)
{
    const int32_t columns = (k->ow - 1) * k->sw + k->kw;
    struct depth_room at = {io->tmp, NULL, NULL, NULL,
                            depth_taps(k->kh * k->kw), columns, 0, 0};
    struct depth_tail *t = at.t;

    at.w = (uint32_t *)(t + 1);
    at.x = at.w + (ptrdiff_t)k->kh * 2 * at.taps;
    at.few = (uint8_t *)(at.x + (ptrdiff_t)k->kh * 2 * columns + 2);
    at.left = k->pw < columns ? k->pw : columns;
    at.inside = k->w < columns - at.left ? k->w : columns - at.left;
    for (uint32_t *w = at.w; w != at.x; w++)
        *w = 0;
    t->step = 8 * (k->sw * k->kh - at.taps);
    t->end = at.x + (ptrdiff_t)k->ow * k->sw * k->kh * 2;
    for (int32_t n = 0; n < k->n; n++)
        for (int32_t c = 0; c < k->g; c += DEPTH) {
            const int32_t count = k->g - c < DEPTH ? k->g - c : DEPTH;

            scales(k, io, t, c, count);
            turn(k, &at, (const W *)io->in[1] + (ptrdiff_t)c * k->wm, count);
            channels(k, &at, count,
                     (const X *)io->in[0] + (ptrdiff_t)n * k->xn + c,
                     (Y *)io->out[0] + (ptrdiff_t)n * k->yn + c);
        }
}
