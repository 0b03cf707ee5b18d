/* Nodes with a window over one or two axes. */
#include "front/onnx/window.h"

void list_or(const Call *c, const char *name, int n, int64_t none,
             int64_t *list)
{
    int i, got = call_ints(c, name, n, list);

    if (got > 0 && got != n)
        call_err(c, "attribute '%s' has %d numbers; wanted %d", name, got, n);
    for (i = 0; got <= 0 && i < n; i++)
        list[i] = none;
}

static bool all_are(const int64_t *v, int n, int64_t x)
{
    while (n && v[n - 1] == x)
        n--;
    return !n;
}

static void set_window(const Call *c, Node *n, const Window *w)
{
    if (!all_are(w->stride, w->n, 1))
        attr_set_list(c->g, n, A_stride, w->n, w->stride);
    if (!all_are(w->dilation, w->n, 1))
        attr_set_list(c->g, n, A_dilation, w->n, w->dilation);
    if (!all_are(w->pad, 2 * w->n, 0))
        attr_set_list(c->g, n, A_pad, 2 * w->n, w->pad);
}

static void set_group(const Call *c, Node *n, int64_t group)
{
    if (group != 1)
        attr_set_int(c->g, n, A_group, group);
}

Val *conv_flat(Call *c, Val *x, Val *w, Val *b, const Window *win,
               int64_t group)
{
    Node *n;

    n = node_of(c, OP_conv, 3, x, w, b);
    set_window(c, n, win);
    set_group(c, n, group);
    return done(c, n);
}

Val *convt_flat(Call *c, Val *x, Val *w, Val *b, const Window *win,
                const int64_t *outpad, int64_t group)
{
    Node *n;

    n = node_of(c, OP_convt, 3, x, w, b);
    set_window(c, n, win);
    if (!all_are(outpad, win->n, 0))
        attr_set_list(c->g, n, A_outpad, win->n, outpad);
    set_group(c, n, group);
    return done(c, n);
}

Val *pool_flat(Call *c, OpCode op, Val *x, const Window *w)
{
    Node *n;

    n = node_of(c, op, 1, x);
    attr_set_list(c->g, n, A_kernel, w->n, w->kernel);
    set_window(c, n, w);
    if (call_int(c, "ceil_mode", 0))
        attr_set_int(c->g, n, A_ceil, 1);
    if (op == OP_avgpool && call_int(c, "count_include_pad", 0))
        attr_set_int(c->g, n, A_countpad, 1);
    return done(c, n);
}

Val *units(Call *c, const Val *like, int64_t channels, const Window *w)
{
    Shape s = {.rank = 2 + w->n, .dim = {channels, 1}};
    int64_t *v, i, n = 1;
    Val *y;

    for (i = 0; i < w->n; i++)
        n *= s.dim[i + 2] = w->kernel[i];
    s.dim[0] *= n;
    room(c, shape_count(s));
    v = NEWN(c->mem, int64_t, (size_t)shape_count(s) + 1);
    for (i = 0; i < channels * n; i++)
        v[i * n + i % n] = 1;
    y = ints(c, T_s8, s, v);
    return val_is_int(like) ? y : cast(c, y, T_f32);
}
