/* Operators with windows: convolutions and pools; and matrix products. */
#include "front/onnx/window.h"

#include <math.h>
#include <string.h>

static int spatial_of(const Call *c, const Val *x)
{
    if (x->shape.rank < 3 || x->shape.rank > 5)
        call_err(c, "input has %d dimensions; wanted 3 to 5 (one to three "
                 "spatial axes)", x->shape.rank);
    return x->shape.rank - 2;
}

/* auto_pad: as much as makes as many windows as strides. */
static void pad_same(const Call *c, Window *w, const Val *x, bool upper)
{
    int i;

    for (i = 0; i < w->n; i++) {
        int64_t d = x->shape.dim[i + 2], s = w->stride[i];
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1, all;
        if (s < 1)
            call_err(c, "a stride of %lld", (long long)s);
        all = MAX(0, ((d + s - 1) / s - 1) * s + reach - d);
        w->pad[i] = upper ? all / 2 : all - all / 2;
        w->pad[i + w->n] = all - w->pad[i];
    }
}

/* Sizes beyond these cannot be meant, and would overflow. */
static void check_window(const Call *c, const Window *w)
{
    const int64_t most = 1 << 20;
    int i;

    for (i = 0; i < w->n; i++)
        if (w->kernel[i] < 1 || w->kernel[i] > most || w->stride[i] < 1
            || w->stride[i] > most || w->dilation[i] < 1
            || w->dilation[i] > most)
            call_err(c, "a window of %lld with stride %lld and dilation %lld",
                     (long long)w->kernel[i], (long long)w->stride[i],
                     (long long)w->dilation[i]);
}

static Window window_of(const Call *c, const Val *x, const int64_t *kernel)
{
    const char *how = call_str(c, "auto_pad", "NOTSET");
    Window w = {.n = spatial_of(c, x)};
    int i;

    if (!kernel && !call_has(c, "kernel_shape"))
        call_err(c, "attribute 'kernel_shape' is missing");
    list_or(c, "kernel_shape", w.n, -1, w.kernel);
    for (i = 0; kernel && i < w.n; i++) {
        if (w.kernel[i] != -1 && w.kernel[i] != kernel[i])
            call_err(c, "kernel_shape is %lld on spatial axis %d; the weight "
                     "has %lld", (long long)w.kernel[i], i,
                     (long long)kernel[i]);
        w.kernel[i] = kernel[i];
    }
    list_or(c, "strides", w.n, 1, w.stride);
    list_or(c, "dilations", w.n, 1, w.dilation);
    list_or(c, "pads", 2 * w.n, 0, w.pad);
    check_window(c, &w);
    if (!strcmp(how, "SAME_UPPER") || !strcmp(how, "SAME_LOWER"))
        pad_same(c, &w, x, !strcmp(how, "SAME_UPPER"));
    else if (!strcmp(how, "VALID"))
        memset(w.pad, 0, sizeof w.pad);
    return w;
}

static void check_weight(const Call *c, const Val *x, const Val *w)
{
    if (w->shape.rank != x->shape.rank)
        call_err(c, "weight '%s' has %d dimensions and input '%s' %d; wanted "
                 "as many", w->name, w->shape.rank, x->name, x->shape.rank);
}

Val *conv(Call *c, Val *x, Val *w, Val *b)
{
    Window win;

    check_weight(c, x, w);
    win = window_of(c, x, w->shape.dim + 2);
    return conv_of(c, x, w, b, &win, call_int(c, "group", 1));
}

void import_conv(Call *c)
{
    mix(c, c->narg, c->arg);
    give(c, 0, conv(c, c->arg[0], c->arg[1], arg_at(c, 2)));
}

/* A convolution of what is behind past values, or zeros; the last values are
 * the past of what comes next. */
void import_causalconvwithstate(Call *c)
{
    Val *x = c->arg[0], *w = c->arg[1], *two[2] = {arg_at(c, 3), x}, *y;
    int64_t *k = w->shape.dim, *d = x->shape.dim, pads[2 * RANK] = {0};
    Window win = {.n = 1, .stride = {1}, .dilation = {1}};
    Node *n;

    if (x->shape.rank != 3 || w->shape.rank != 3 || k[0] != d[1] || k[1] != 1)
        call_err(c, "an input of shape %s and weights of %s; wanted "
                 "[batches,channels,n] and [channels,1,k]",
                 shape_str(c->mem, x->shape),
                 shape_str(c->mem, w->shape));
    win.kernel[0] = k[2];
    pads[2] = k[2] - 1;
    x = two[0] ? join(c, 2, 2, two) : pad(c, x, pads, 0, 0);
    y = conv_of(c, x, w, arg_at(c, 2), &win, k[0]);
    if (strcmp(call_str(c, "activation", "none"), "none")) {
        n = node_of(c, OP_swish, 1, y);
        attr_set_num(c->g, n, A_alpha, 1);
        y = done(c, n);
    }
    give(c, 0, y);
    if (c->nres > 1)
        give(c, 1, part(c, x, 2, x->shape.dim[2] - k[2] + 1, k[2] - 1, 1));
}

/* The padding that makes an output of the size asked for; what no padding
 * can make is added at the end. */
static void pad_for(const Call *c, Window *w, const Val *x, const int64_t *want,
                    int64_t *outpad)
{
    bool upper = !strcmp(call_str(c, "auto_pad", ""), "SAME_UPPER");
    int64_t all;
    int i;

    for (i = 0; i < w->n; i++) {
        all = w->stride[i] * (x->shape.dim[i + 2] - 1) + outpad[i]
            + (w->kernel[i] - 1) * w->dilation[i] + 1 - want[i];
        outpad[i] += MAX(0, -all);
        all = MAX(0, all);
        w->pad[i] = upper ? all / 2 : all - all / 2;
        w->pad[i + w->n] = all - w->pad[i];
    }
}

static void pad_convt(const Call *c, Window *w, const Val *x, int64_t *outpad)
{
    int64_t want[2 + SPATIAL];
    int i, n = call_ints(c, "output_shape", 2 + SPATIAL, want);

    if (n > 0 && n != w->n && n != w->n + 2)
        call_err(c, "output_shape has %d numbers; wanted %d", n, w->n);
    if (n > 0) {
        pad_for(c, w, x, want + (n - w->n), outpad);
    } else if (str_starts(call_str(c, "auto_pad", ""), "SAME")) {
        for (i = 0; i < w->n; i++)
            want[i] = x->shape.dim[i + 2] * w->stride[i];
        pad_for(c, w, x, want, outpad);
    }
}

void import_convtranspose(Call *c)
{
    Val *x = c->arg[0], *w = c->arg[1];
    int64_t outpad[SPATIAL];
    Window win;

    check_weight(c, x, w);
    win = window_of(c, x, w->shape.dim + 2);
    list_or(c, "output_padding", win.n, 0, outpad);
    pad_convt(c, &win, x, outpad);
    mix(c, c->narg, c->arg);
    give(c, 0, convt_of(c, c->arg[0], c->arg[1], arg_at(c, 2), &win, outpad,
                        call_int(c, "group", 1)));
}

void import_maxpool(Call *c)
{
    Val *x = c->arg[0];
    Window w = window_of(c, x, NULL);

    give(c, 0, pool_of(c, OP_maxpool, x, &w));
    if (c->nres > 1 && *onnx(c)->p->output[1])
        give(c, 1, pool_places(c, x, &w));
}

Val *averagepool(Call *c, Val *x)
{
    Window w = window_of(c, x, NULL);

    return pool_of(c, OP_avgpool, x, &w);
}

void import_averagepool(Call *c)
{
    give(c, 0, averagepool(c, c->arg[0]));
}

/* |x|^p, and the root of it. */
static Val *to_power(Call *c, Val *x, double p)
{
    if (p == 1)
        return op1(c, OP_abs, x);
    if (p == 2)
        return op2(c, OP_mul, x, x);
    return op_num(c, OP_pow, op1(c, OP_abs, x), p);
}

static Val *to_root(Call *c, Val *x, double p)
{
    if (p == 1)
        return x;
    return p == 2 ? op1(c, OP_sqrt, x) : op_num(c, OP_pow, x, 1 / p);
}

void import_lppool(Call *c)
{
    Window w = window_of(c, c->arg[0], NULL);
    double p = call_num(c, "p", 2);
    Val *x = to_power(c, c->arg[0], p);

    give(c, 0, to_root(c, pool_of(c, OP_sumpool, x, &w), p));
}

static Val *over_space(Call *c, OpCode op, Val *x)
{
    int64_t axes[RANK];
    int i;

    if (x->shape.rank < 3)
        call_err(c, "input has %d dimensions; wanted 3 or more",
                 x->shape.rank);
    for (i = 2; i < x->shape.rank; i++)
        axes[i - 2] = i;
    return reduce(c, op, x, i - 2, axes, true);
}

void import_globalaveragepool(Call *c)
{
    give(c, 0, over_space(c, OP_mean, c->arg[0]));
}

void import_globalmaxpool(Call *c)
{
    give(c, 0, over_space(c, OP_rmax, c->arg[0]));
}

void import_globallppool(Call *c)
{
    double p = call_num(c, "p", 2);

    give(c, 0, to_root(c, over_space(c, OP_sum, to_power(c, c->arg[0], p)),
                       p));
}

/* Vectors take part as matrices of one row or column. */
Val *matmul_onnx(Call *c, Val *a, Val *b)
{
    int ra = a->shape.rank, rb = b->shape.rank;
    Shape s;
    Val *y;

    if (!ra || !rb)
        call_err(c, "an operand is a single number; wanted a vector or more");
    if (ra == 1)
        a = to_rank(c, a, 2, 1);
    if (rb == 1)
        b = to_rank(c, b, 2, 0);
    y = matmul(c, a, b, NULL, false, false);
    s = y->shape;
    if (rb == 1)
        s.rank--;
    if (ra == 1 && rb == 1)
        s.rank--;
    else if (ra == 1)
        s.dim[s.rank - 2] = s.dim[s.rank - 1], s.rank--;
    return to_shape(c, y, s);
}

void import_matmul(Call *c)
{
    mix(c, 2, c->arg);
    give(c, 0, matmul_onnx(c, c->arg[0], c->arg[1]));
}

static Val *times(Call *c, Val *x, double k)
{
    return k == 1 ? x : op_num(c, OP_mul, x, k);
}

/* A factor on constant weights costs nothing. */
void import_gemm(Call *c)
{
    double alpha = call_num(c, "alpha", 1), beta = call_num(c, "beta", 1);
    bool ta = call_int(c, "transA", 0), tb = call_int(c, "transB", 0);
    Val *a, *b, *bias, *y;

    mix(c, c->narg, c->arg);
    a = c->arg[0];
    b = c->arg[1];
    bias = arg_at(c, 2);
    if (a->shape.rank < 2 || b->shape.rank < 2)
        call_err(c, "operands of shape %s and %s; wanted matrices",
                 shape_str(c->mem, a->shape),
                 shape_str(c->mem, b->shape));
    if (bias)
        bias = times(c, bias, beta);
    if (val_is_int(a) && (alpha != rint(alpha) || beta != rint(beta)))
        call_err(c, "alpha %g and beta %g; integers want integers", alpha,
                 beta);
    if (alpha == 1 || !bias) {
        y = times(c, matmul(c, a, b, alpha == 1 ? bias : NULL, ta, tb), alpha);
    } else {
        y = times(c, matmul(c, a, b, NULL, ta, tb), alpha);
        y = op2(c, OP_add, y, bias);
    }
    give(c, 0, y);
}
