/* Three spatial axes, brought to two: nothing behind the importers knows of a
 * third.
 *
 * A pool is one over rows and columns and then one over the first axis, which
 * we call depth: greatest elements, sums, and means of means of sets that are
 * products of spans all allow it.  The elements of a convolution's window that
 * differ in depth become channels, and depth becomes batch:
 *
 *     x[N,C,D,H,W] -> [N*OD,C*KD,H,W]     w[M,C,KD,KH,KW] -> [M,C*KD,KH,KW]
 *
 * A transposed one goes the other way: one over rows and columns makes KD
 * channels of each, and one over depth, with a 1 as weight of each of them,
 * adds them up where they belong. */
#include "front/onnx/window.h"

#include <string.h>

/* The window on axis i, and on axis j if there is one, else 1 element. */
static Window on_axes(const Window *w, int i, int j)
{
    const int at[2] = {i, j};
    Window y = {.n = 2, .kernel = {1, 1}, .stride = {1, 1},
                .dilation = {1, 1}};
    int k;

    for (k = 0; k < 2; k++) {
        if (at[k] < 0)
            continue;
        y.kernel[k] = w->kernel[at[k]];
        y.stride[k] = w->stride[at[k]];
        y.dilation[k] = w->dilation[at[k]];
        y.pad[k] = w->pad[at[k]];
        y.pad[k + 2] = w->pad[at[k] + w->n];
    }
    return y;
}

static Val *view(Call *c, Val *x, int64_t a, int64_t b, int64_t h, int64_t w)
{
    return to_shape(c, x, SHAPE(a, b, h, w));
}

static Val *volume_pool(Call *c, OpCode op, Val *x, const Window *w)
{
    Window plane = on_axes(w, 1, 2), depth = on_axes(w, 0, -1);
    Shape s = x->shape;
    int64_t *d = s.dim;

    x = pool_flat(c, op, view(c, x, d[0], d[1] * d[2], d[3], d[4]), &plane);
    d[3] = x->shape.dim[2];
    d[4] = x->shape.dim[3];
    x = pool_flat(c, op, view(c, x, d[0], d[1], d[2], d[3] * d[4]), &depth);
    d[2] = x->shape.dim[2];
    return to_shape(c, x, s);
}

/* Over rows and columns, the places of the greatest in x; over depth, those of
 * the greatest among them. */
static Val *volume_places(Call *c, Val *x, const Window *w)
{
    Window plane = on_axes(w, 1, 2), depth = on_axes(w, 0, -1);
    Shape s = x->shape;
    int64_t *d = s.dim;
    Val *at, *best;

    x = view(c, x, d[0], d[1] * d[2], d[3], d[4]);
    at = pool_flat(c, OP_poolat, x, &plane);
    x = pool_flat(c, OP_maxpool, x, &plane);
    d[3] = x->shape.dim[2];
    d[4] = x->shape.dim[3];
    x = view(c, x, d[0], d[1], d[2], d[3] * d[4]);
    best = pool_flat(c, OP_poolat, x, &depth);
    d[2] = best->shape.dim[2];
    return to_shape(c, take(c, to_rank(c, at, 1, 0), best, 0), s);
}

/* [N,C,D,H,W] -> [N,C,KD,OD,H,W]: the elements of every window in depth. */
static Val *depth_windows(Call *c, Val *x, const Window *w)
{
    int64_t pads[2 * RANK] = {0}, n = w->kernel[0], out, i;
    Val **part_of = NEWN(c->mem, Val *, (size_t)n);
    Shape s;

    pads[2] = w->pad[0];
    pads[2 + 5] = w->pad[3];
    x = pad(c, x, pads, 0, 0);
    s = x->shape;
    out = s.dim[2] - (n - 1) * w->dilation[0] - 1;
    if (out < 0)
        call_err(c, "a window of %lld elements, %lld apart, does not fit the "
                 "%lld of the first spatial axis", (long long)n,
                 (long long)w->dilation[0], (long long)s.dim[2]);
    out = out / w->stride[0] + 1;
    s = SHAPE(s.dim[0], s.dim[1], 1, out, s.dim[3], s.dim[4]);
    for (i = 0; i < n; i++)
        part_of[i] = to_shape(c, part(c, x, 2, i * w->dilation[0], out,
                                      w->stride[0]), s);
    return join(c, 2, (int)n, part_of);
}

static Val *volume_conv(Call *c, Val *x, Val *w, Val *b, const Window *win,
                        int64_t group)
{
    static const int64_t to_batch[] = {0, 3, 1, 2, 4, 5};
    static const int64_t back[] = {0, 2, 1, 3, 4};
    Window plane = on_axes(win, 1, 2);
    const int64_t *k = w->shape.dim, *d;
    Shape s;

    x = perm(c, depth_windows(c, x, win), to_batch);
    s = x->shape;
    d = s.dim;
    w = view(c, w, k[0], k[1] * k[2], k[3], k[4]);
    x = view(c, x, d[0] * d[1], d[2] * d[3], d[4], d[5]);
    x = conv_flat(c, x, w, b, &plane, group);
    s = SHAPE(d[0], d[1], x->shape.dim[1], x->shape.dim[2],
                    x->shape.dim[3]);
    return perm(c, to_shape(c, x, s), back);
}

static Val *volume_convt(Call *c, Val *x, Val *w, Val *b, const Window *win,
                         const int64_t *outpad, int64_t group)
{
    static const int64_t to_batch[] = {0, 2, 1, 3, 4};
    static const int64_t back[] = {0, 2, 1, 3};
    const int64_t more[2] = {outpad[0], 0}, *k = w->shape.dim, *d;
    Window plane = on_axes(win, 1, 2), depth = on_axes(win, 0, -1);
    int64_t m = k[1] * group, oh, ow;
    Shape s = x->shape;

    d = s.dim;
    x = view(c, perm(c, x, to_batch), d[0] * d[2], d[1], d[3], d[4]);
    x = convt_flat(c, x, view(c, w, k[0], k[1] * k[2], k[3], k[4]), NULL,
                   &plane, outpad + 1, group);
    oh = x->shape.dim[2];
    ow = x->shape.dim[3];
    x = perm(c, view(c, x, d[0], d[2], m * k[2], oh * ow), back);
    x = convt_flat(c, x, units(c, x, m, &depth), b, &depth, more, m);
    s = SHAPE(d[0], m, x->shape.dim[2], oh, ow);
    return to_shape(c, x, s);
}

Val *conv_of(Call *c, Val *x, Val *w, Val *b, const Window *win,
             int64_t group)
{
    return win->n > 2 ? volume_conv(c, x, w, b, win, group)
                      : conv_flat(c, x, w, b, win, group);
}

Val *convt_of(Call *c, Val *x, Val *w, Val *b, const Window *win,
              const int64_t *outpad, int64_t group)
{
    return win->n > 2 ? volume_convt(c, x, w, b, win, outpad, group)
                      : convt_flat(c, x, w, b, win, outpad, group);
}

Val *pool_of(Call *c, OpCode op, Val *x, const Window *w)
{
    if (w->n <= 2)
        return pool_flat(c, op, x, w);
    return op == OP_poolat ? volume_places(c, x, w) : volume_pool(c, op, x, w);
}
