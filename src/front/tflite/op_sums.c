/* Convolutions and products.
 *
 *     acc = b + sum of (x - zx) (w - zw)        y = clip(zy + MBQM(acc))
 *
 * Weights lose their zero point here; that of x goes into the bias, with
 * padding that reads as zx, so that the sum is one of the integers as they are:
 * acc = (b - zx sum w) + sum of x w. */
#include "front/tflite/window.h"

#include <string.h>

/* --- weights and biases --- */

/* A constant's elements less k, of the least type. */
static Val *const_less(Call *c, Val *v, int64_t k)
{
    Val *y;
    int64_t i;

    if (!k)
        return v;
    y = graph_const(c->g, v->name, T_s32, v->shape, NULL);
    for (i = 0; i < val_count(v); i++)
        val_set(y, i, val_int(v, i) - k);
    val_narrow(y);
    return y;
}

/* As floats: a float network may keep its weights as bytes. */
static Val *const_real(Call *c, Val *v, const Tensor *t, int axis)
{
    Val *y;
    int64_t inner = 1, i;
    int k;

    if (v->type == T_f32)
        return v;
    if (!t->nscale)
        call_err(c, "'%s' is of type %s without a scale", t->name,
                 type_name(t->type));
    y = graph_const(c->g, v->name, T_f32, v->shape, NULL);
    for (k = axis + 1; k < v->shape.rank; k++)
        inner *= v->shape.dim[k];
    for (i = 0; i < val_count(y); i++) {
        uint32_t ch = t->nscale > 1
            ? (uint32_t)(i / inner % v->shape.dim[axis]) : 0;
        ((float *)y->data)[i] = (float)scale_at(t, ch) *
                                (float)(val_int(v, i) - zero_of(t));
    }
    return y;
}

static void check_scales(const Call *c, const Tensor *w, int axis, int64_t n)
{
    if (w->nscale > 1 && (w->axis != axis || (int64_t)w->nscale != n))
        call_err(c, "the weights '%s' have %u scales on axis %d; wanted "
                 "%lld on axis %d", w->name, w->nscale, w->axis,
                 (long long)n, axis);
}

/* What the integers of one operator are told of theirs. */
typedef struct Sum {
    const Tensor *x, *w, *b, *y; /* b: or NULL */
    int axis;     /* of w: the output channels */
    int64_t n;    /* output channels */
    bool wide;    /* 64-bit sums, 16-bit factors */
    Act act;
} Sum;

static void check_sum(const Call *c, const Sum *s)
{
    want_quantized(c, s->x);
    want_quantized(c, s->y);
    if (type_of(s->w->type) != T_s8 && type_of(s->w->type) != T_u8)
        call_err(c, "the weights '%s' are of type %s; wanted int8, int4 or "
                 "uint8", s->w->name, type_name(s->w->type));
    if (!s->w->nscale)
        call_err(c, "the weights '%s' have no scale", s->w->name);
    if (s->x->type != s->y->type)
        call_err(c, "the input is of type %s, the output of type %s; wanted "
                 "the same", type_name(s->x->type), type_name(s->y->type));
    if (s->b && s->b->type != TF_s32 && s->b->type != TF_s64)
        call_err(c, "the bias '%s' is of type %s; wanted int32 or int64",
                 s->b->name, type_name(s->b->type));
    check_scales(c, s->w, s->axis, s->n);
}

/* What is known of the sum of one output channel's weights. */
typedef struct Weight {
    int64_t sum, plus, minus; /* of all, of those above 0, below 0 */
} Weight;

static void weigh(const Val *w, int axis, Weight *to)
{
    int64_t inner = 1, i, v;
    Weight *m;
    int k;

    for (k = axis + 1; k < w->shape.rank; k++)
        inner *= w->shape.dim[k];
    for (i = 0; i < val_count(w); i++) {
        m = &to[i / inner % w->shape.dim[axis]];
        v = val_int(w, i);
        m->sum += v;
        m->plus += MAX(v, 0);
        m->minus += MIN(v, 0);
    }
}

/* A factor so small that all sums come to one result is 0: large biases may
 * need it, with shifts that leave no room for a zero point. */
static Factor settled(Factor f, const Sum *s, const Weight *w, int64_t bias)
{
    const TypeInfo *t = &type_info[type_of(s->x->type)];
    int64_t zero = zero_of(s->x), lo = t->lo - zero, hi = t->hi - zero;
    int64_t least = bias + w->plus * lo + w->minus * hi;
    int64_t most = bias + w->plus * hi + w->minus * lo;

    if (least < INT32_MIN || most > INT32_MAX || least > most ||
        mbqm(least, f) != mbqm(most, f))
        return f;
    return (Factor){0, 31, mbqm(least, f)};
}

/* The bias with x's zero point in it, and the last step.  w: the weights as
 * the node has them, their output channels on `axis`. */
static Epilogue sum_end(Call *c, const Sum *s, const Val *w, int axis,
                        Val **bias)
{
    Weight *of = NEWN(c->mem, Weight, (size_t)s->n + 1);
    int64_t *b = NEWN(c->mem, int64_t, (size_t)s->n + 1), i, own;
    const Val *given = s->b ? tensor_plain(c, (Tensor *)s->b) : NULL;
    Factor *f = NEWN(c->mem, Factor, (size_t)s->n + 1);
    Shape shape = {.rank = 1, .dim = {s->n}};
    double sy = scale_of(c, s->y);

    if (!(sy > 0))
        call_err(c, "'%s' has the scale 0", s->y->name);
    weigh(w, axis, of);
    for (i = 0; i < s->n; i++) {
        own = given ? val_int(given, val_count(given) > 1 ? i : 0) : 0;
        b[i] = own - zero_of(s->x) * of[i].sum;
        f[i] = factor(c, scale_of(c, s->x) *
                             scale_at(s->w, (uint32_t)i) / sy);
        if (!s->wide)
            f[i] = settled(f[i], s, &of[i], own);
    }
    *bias = ints(c, T_s64, shape, b);
    return s->wide ? epilogue64(c, f, s->n, s->y, s->act)
                   : epilogue(c, f, s->n, s->y, s->act);
}

static void check_bias(const Call *c, const Tensor *b, int64_t n)
{
    if (b && (!b->data || (shape_count(b->shape) != n)))
        call_err(c, "the bias '%s' %s; wanted %lld constants", b->name,
                 b->data ? "has another size" : "is not constant",
                 (long long)n);
}

/* Does the sum of an int16 operator have 64 bits? */
static bool is_wide(const Call *c, const Tensor *x, const Tensor *b,
                    int bias_type)
{
    if (!is_int16(x))
        return false;
    return b ? b->type == TF_s64
             : option8(c, bias_type, 0) != TF_s32 || bias_type < 0;
}

/* --- convolutions --- */

static void float_clip(Call *c, Node *n, Act act)
{
    if (act == ACT_relu || act == ACT_relu6)
        attr_set_num(c->g, n, A_flo, 0);
    if (act == ACT_relu1)
        attr_set_num(c->g, n, A_flo, -1);
    if (act == ACT_relu1 || act == ACT_relu6)
        attr_set_num(c->g, n, A_fhi, act == ACT_relu1 ? 1 : 6);
}

/* w: the weights in our order, their output channels first. */
static Val *conv(Call *c, const Sum *s, Val *w, const Window *win,
                 int64_t group)
{
    Val *x = image(c, 0), *b = s->b ? plain(c, 2) : NULL, *bias;
    bool whole = val_is_int(x);
    Epilogue e;
    Node *n;

    if (whole) {
        e = sum_end(c, s, w, 0, &bias);
        n = node_of(c, OP_conv, 6, x, w, bias, e.mul, e.add, e.shifts);
        if (zero_of(s->x) && (win->before[0] || win->before[1] ||
                              win->after[0] || win->after[1]))
            attr_set_int(c->g, n, A_padvalue, zero_of(s->x));
    } else {
        n = node_of(c, OP_conv, 3, x, w, b);
        float_clip(c, n, s->act);
    }
    window_set(c, n, win);
    if (group > 1)
        attr_set_int(c->g, n, A_group, group);
    return whole ? finish(c, n, &e) : done(c, n);
}

static Val *constant_weights(Call *c, int i, const Tensor *x, int axis)
{
    const Tensor *t = need(c, i);

    known(c, i);
    if (is_float(x))
        return const_real(c, plain(c, i), t, axis);
    return const_less(c, plain(c, i), zero_of(t));
}

void lite_conv_2d(Call *c)
{
    static const int64_t order[] = {0, 3, 1, 2};
    Sum s = {.x = need(c, 0), .w = need(c, 1), .b = in(c, 2), .y = out(c, 0),
             .act = act_of(c, 3)};
    Val *x = image(c, 0), *w = constant_weights(c, 1, s.x, 0);
    Window win = {.stride = {option32(c, 2, 0), option32(c, 1, 0)},
                  .dilation = {option32(c, 5, 1), option32(c, 4, 1)}};
    int64_t depth;

    if (w->shape.rank != 4)
        call_err(c, "weights of shape %s; wanted 4 dimensions",
                 shape_str(c->mem, w->shape));
    s.n = w->shape.dim[0];
    depth = w->shape.dim[3];
    memcpy(win.kernel, w->shape.dim + 1, sizeof win.kernel);
    if (depth < 1 || s.n < 1 || x->shape.dim[1] % depth ||
        s.n % (x->shape.dim[1] / depth))
        call_err(c, "weights of shape %s for %lld input channels",
                 shape_str(c->mem, w->shape), (long long)x->shape.dim[1]);
    window_pad(c, &win, option8(c, 0, 0), x->shape.dim + 2);
    check_bias(c, s.b, s.n);
    if (!is_float(s.x))
        check_sum(c, &s);
    s.wide = is_wide(c, s.x, s.b, 6);
    give_image(c, 0, conv(c, &s, perm(c, w, order), &win,
                          x->shape.dim[1] / depth));
}

void lite_depthwise_conv_2d(Call *c)
{
    static const int64_t order[] = {3, 0, 1, 2};
    Sum s = {.x = need(c, 0), .w = need(c, 1), .b = in(c, 2), .y = out(c, 0),
             .axis = 3, .act = act_of(c, 4)};
    Val *x = image(c, 0), *w = constant_weights(c, 1, s.x, 3);
    Window win = {.stride = {option32(c, 2, 0), option32(c, 1, 0)},
                  .dilation = {option32(c, 6, 1), option32(c, 5, 1)}};

    if (w->shape.rank != 4 || w->shape.dim[0] != 1 ||
        w->shape.dim[3] % x->shape.dim[1] || w->shape.dim[3] < 1)
        call_err(c, "weights of shape %s for %lld input channels",
                 shape_str(c->mem, w->shape), (long long)x->shape.dim[1]);
    s.n = w->shape.dim[3];
    memcpy(win.kernel, w->shape.dim + 1, sizeof win.kernel);
    window_pad(c, &win, option8(c, 0, 0), x->shape.dim + 2);
    check_bias(c, s.b, s.n);
    if (!is_float(s.x))
        check_sum(c, &s);
    s.wide = is_int16(s.x);
    give_image(c, 0, conv(c, &s, perm(c, w, order), &win, x->shape.dim[1]));
}

/* Padding is that of the convolution from y to x. */
static void turn_window(const Call *c, Window *w, int64_t padding,
                        const int64_t *x, const int64_t *y, int64_t *outpad)
{
    int i;

    window_pad(c, w, padding, y);
    for (i = 0; i < 2; i++) {
        int64_t n = padding == SAME ? (y[i] + w->stride[i] - 1) / w->stride[i]
                  : (y[i] - w->kernel[i] + w->stride[i]) / w->stride[i];
        int64_t over = w->stride[i] * (x[i] - 1) + w->kernel[i] -
                       w->before[i] - y[i];

        if (n != x[i])
            call_err(c, "an output of %lld from %lld rows or columns with "
                     "stride %lld", (long long)y[i], (long long)x[i],
                     (long long)w->stride[i]);
        w->after[i] = MAX(over, 0);
        outpad[i] = MAX(-over, 0);
    }
}

void lite_transpose_conv(Call *c)
{
    static const int64_t order[] = {3, 0, 1, 2};
    Sum s = {.x = need(c, 2), .w = need(c, 1), .b = in(c, 3), .y = out(c, 0),
             .act = act_of(c, 3)};
    Val *x = image(c, 2), *w = constant_weights(c, 1, s.x, 0), *bias = NULL;
    Window win = {.stride = {option32(c, 2, 0), option32(c, 1, 0)},
                  .dilation = {1, 1}};
    int64_t size[4], outpad[2];
    Tensor flat = *s.x;
    Epilogue e;
    Node *n;

    if (in(c, 0)->data)
        list_at(c, 0, 4, size);
    else
        memcpy(size, s.y->shape.dim, sizeof size);
    if (w->shape.rank != 4 || w->shape.dim[3] != x->shape.dim[1])
        call_err(c, "weights of shape %s for %lld input channels",
                 shape_str(c->mem, w->shape), (long long)x->shape.dim[1]);
    s.n = w->shape.dim[0];
    memcpy(win.kernel, w->shape.dim + 1, sizeof win.kernel);
    turn_window(c, &win, option8(c, 0, 0), x->shape.dim + 2, size + 1, outpad);
    check_bias(c, s.b, s.n);
    if (is_float(s.x)) {
        n = node_of(c, OP_convt, 3, x, perm(c, w, order),
                    s.b ? plain(c, 3) : NULL);
        float_clip(c, n, s.act);
    } else {
        check_sum(c, &s);
        x = centred(c, x, zero_of(s.x));
        flat.zero.n = 0;
        s.x = &flat;
        s.wide = is_int16(s.x);
        e = sum_end(c, &s, w, 0, &bias);
        n = node_of(c, OP_convt, 6, x, perm(c, w, order), bias, e.mul, e.add,
                    e.shifts);
    }
    window_set(c, n, &win);
    if (outpad[0] || outpad[1])
        attr_set_list(c->g, n, A_outpad, 2, outpad);
    give_image(c, 0, is_float(s.x) ? done(c, n) : finish(c, n, &e));
}

/* --- products of matrices --- */

/* Of weights that are not constant, and so have their zero point yet. */
static Val *product(Call *c, Sum *s, Val *a, Val *b, bool ta, bool tb)
{
    Factor f = factor(c, scale_of(c, s->x) * scale_of(c, s->w) /
                             scale_of(c, s->y));
    Epilogue e = s->wide ? epilogue64(c, &f, 1, s->y, s->act)
                         : epilogue(c, &f, 1, s->y, s->act);
    Val *bias = s->b ? plain(c, 2) : NULL;
    Node *n = node_of(c, OP_matmul, 6, centred(c, a, zero_of(s->x)),
                      centred(c, b, zero_of(s->w)), bias, e.mul, e.add,
                      e.shifts);

    if (ta)
        attr_set_int(c->g, n, A_transa, 1);
    if (tb)
        attr_set_int(c->g, n, A_transb, 1);
    return finish(c, n, &e);
}

static Val *linear(Call *c, Sum *s, Val *x, Val *w)
{
    Val *bias;
    Epilogue e = sum_end(c, s, w, 0, &bias);
    Node *n = node_of(c, OP_matmul, 6, x, w, bias, e.mul, e.add, e.shifts);

    attr_set_int(c->g, n, A_transb, 1);
    return finish(c, n, &e);
}

static Val *float_linear(Call *c, const Sum *s, Val *x, Val *w)
{
    Node *n = node_of(c, OP_matmul, 3, x, w, s->b ? plain(c, 2) : NULL);

    attr_set_int(c->g, n, A_transb, 1);
    float_clip(c, n, s->act);
    return done(c, n);
}

void lite_fully_connected(Call *c)
{
    Sum s = {.x = need(c, 0), .w = need(c, 1), .b = in(c, 2), .y = out(c, 0),
             .act = act_of(c, 0)};
    Val *x = plain(c, 0), *w = plain(c, 1);
    Shape flat = {.rank = 2}, y = x->shape;

    if (w->shape.rank != 2 || val_count(x) % MAX(w->shape.dim[1], 1) ||
        !val_count(w))
        call_err(c, "weights of shape %s for an input of shape %s",
                 shape_str(c->mem, w->shape), shape_str(c->mem, x->shape));
    if (option8(c, 1, 0))
        call_err(c, "its weights are shuffled; wanted the default format");
    s.n = w->shape.dim[0];
    flat.dim[1] = w->shape.dim[1];
    flat.dim[0] = val_count(x) / flat.dim[1];
    x = to_shape(c, x, flat);
    check_bias(c, s.b, s.n);
    if (!is_float(s.x))
        check_sum(c, &s);
    s.wide = is_wide(c, s.x, s.b, 4);
    if (is_float(s.x))
        x = float_linear(c, &s, x, w->data ? const_real(c, w, s.w, 0) : w);
    else if (w->data)
        x = linear(c, &s, x, const_less(c, w, zero_of(s.w)));
    else
        x = product(c, &s, x, w, false, true);
    if (option8(c, 2, 0) && y.rank > 0) {
        y.dim[y.rank - 1] = s.n;
        x = to_shape(c, x, y);
    }
    give_plain(c, 0, x);
}

void lite_batch_matmul(Call *c)
{
    Sum s = {.x = need(c, 0), .w = need(c, 1), .y = out(c, 0)};
    bool ta = option8(c, 0, 0), tb = option8(c, 1, 0);
    Val *a = plain(c, 0), *b = plain(c, 1);

    if (a->shape.rank < 2 || b->shape.rank < 2)
        call_err(c, "operands of shape %s and %s; wanted matrices",
                 shape_str(c->mem, a->shape), shape_str(c->mem, b->shape));
    if (is_float(s.x)) {
        give_plain(c, 0, matmul(c, a, b->data ? const_real(c, b, s.w, 0) : b,
                                NULL, ta, tb));
        return;
    }
    want_quantized(c, s.x);
    want_quantized(c, s.w);
    want_quantized(c, s.y);
    s.wide = is_int16(s.x);
    give_plain(c, 0, product(c, &s, a, b, ta, tb));
}
