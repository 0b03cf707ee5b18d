/* Sums of products of reals as sums of products of integers.
 *
 *     sum sx (x - zx) sw (w - wz) + b
 *   = sx sw (sum x (w - wz) - zx sum (w - wz) + b / (sx sw))
 *
 * The zero point of constant weights goes into the weights, that of x into the
 * bias; a convolution pads with zx, so that borders need nothing else.  A bias
 * that was quantized with scale sx sw is added as it is, one that was left
 * float is added behind, where the next quantize takes it in.  Where neither
 * operand is constant the zero points are subtracted first. */
#include "quant/lower.h"

#include <math.h>

/* v less its zero point: v itself where that is 0. */
static Val *centred(Graph *g, Node *at, const Real *r)
{
    Val *arg[2] = {r->v, r->zero};
    Node *n;

    if (!r->zero || (real_uniform(r) && !real_zero(r, 0)))
        return r->v;
    n = graph_node(g, at, OP_sub, NULL, 2, arg);
    node_infer(g, n);
    return n->res[0];
}

/* Constant weights less their zero points; channel i of element k is
 * k / inner % channels. */
static Val *weights(Graph *g, const Real *w, int64_t inner, int64_t channels)
{
    Val *y = graph_const(g, w->v->name, T_s64, w->v->shape, NULL);
    int64_t k;

    for (k = 0; k < val_count(y); k++)
        val_set(y, k, val_int(w->v, k) - real_zero(w, k / inner % channels));
    val_narrow(y);
    return y;
}

/* The scale of the products: sx sw, one or per channel, shaped to broadcast
 * along the channels of y. */
static Val *products(Graph *g, const Real *x, const Real *w, int64_t channels,
                     int behind)
{
    Shape s = {.rank = 0};
    Val *y;
    int64_t i;

    if (val_count(w->scale) > 1) {
        s.rank = 1 + behind;
        for (i = 1; i < s.rank; i++)
            s.dim[i] = 1;
        s.dim[0] = channels;
    }
    y = const_f32s(g, s);
    for (i = 0; i < val_count(y); i++)
        ((float *)y->data)[i] = real_scale(x, 0) * real_scale(w, i);
    return y;
}

/* Is b = dequantize(integers) with the scale of the products?  Quantizers
 * compute that in float, in double or not at all: a few units apart. */
static bool same_scale(const Real *b, const Val *products)
{
    int64_t i, n = MAX(val_count(b->scale), val_count(products));
    double p;

    for (i = 0; i < n; i++) {
        p = val_num(products, val_count(products) == 1 ? 0 : i);
        if (fabs(real_scale(b, i) - p) > 1e-5 * p)
            return false;
    }
    return true;
}

typedef struct Bias {
    int64_t n;
    int64_t *zeros; /* zx * sum of weights, per channel */
    Val *ints, *reals; /* at most one of them */
} Bias;

/* NULL: b is not constant. */
static bool read_bias(Val *b, const Val *products, Bias *to)
{
    Real r;

    to->ints = to->reals = NULL;
    if (!b)
        return true;
    if (val_count(b) != 1 && (val_count(b) != to->n ||
                              b->shape.dim[b->shape.rank - 1] != to->n))
        return false;
    if (b->data)
        to->reals = b;
    else if (real_of(b, &r) && r.v->data && same_scale(&r, products))
        to->ints = r.v;
    else
        return false;
    return true;
}

/* Does every bias fit 32 bits?  Then they are made, NULL if all are 0. */
static bool int_bias(Graph *g, const Bias *b, Val **made)
{
    Val *y = graph_const(g, "bias", T_s32, shape_of(1, &b->n), NULL);
    int64_t i, v;

    *made = NULL;
    for (i = 0; i < b->n; i++) {
        v = b->ints ? val_int(b->ints, val_count(b->ints) == 1 ? 0 : i) : 0;
        v -= b->zeros[i];
        if (v != (int32_t)v)
            return false;
        if (v)
            *made = y;
        val_set(y, i, v);
        y->lo = i ? MIN(y->lo, v) : v;
        y->hi = i ? MAX(y->hi, v) : v;
    }
    return true;
}

/* y + c, for all who read y; c per channel with `behind` axes behind it. */
static void add_behind(Graph *g, Val *y, Val *c, int behind)
{
    Val *arg[2] = {NULL, c};
    Shape s = {.rank = 1, .dim = {val_count(c)}};
    Node *n;

    if (val_count(c) > 1 && behind) {
        for (; behind; behind--)
            s.dim[s.rank++] = 1;
        arg[1] = graph_const(g, c->name, T_f32, s, c->data);
    }
    n = graph_node(g, y->def->next, OP_add, NULL, 2, arg);
    graph_replace(g, y, n->res[0]);
    n->arg[0] = y;
    node_infer(g, n);
}

static bool per_channel(const Val *v, int64_t channels)
{
    return !v || val_count(v) == 1 || val_count(v) == channels;
}

/* sum of weights per output channel, times zx */
static int64_t *zero_sums(Graph *g, const Val *w, int64_t inner,
                          int64_t channels, int64_t zx)
{
    int64_t *sum = NEWN(g->mem, int64_t, (size_t)MAX(channels, 1)), k;

    for (k = 0; zx && k < val_count(w); k++)
        sum[k / inner % channels] += zx * val_int(w, k);
    return sum;
}

static bool constant_weights(const Val *w, Real *r, int64_t channels)
{
    return real_of(w, r) && r->v->data && per_channel(r->scale, channels) &&
           per_channel(r->zero, channels);
}

static Val *arg_or_null(const Node *n, int i)
{
    return i < n->narg ? n->arg[i] : NULL;
}

bool lower_conv(Graph *g, Node *n)
{
    Real x, w;
    Val *wi, *b, *scale, *y;
    int64_t m = n->arg[1]->shape.dim[0];
    int64_t inner = m ? val_count(n->arg[1]) / m : 0;
    int behind = n->arg[0]->shape.rank - 2;
    Bias bias = {.n = m};

    if (!real_of(n->arg[0], &x) || !real_uniform(&x) || !inner ||
        !constant_weights(n->arg[1], &w, m))
        return false;
    wi = weights(g, &w, inner, m);
    scale = products(g, &x, &w, m, behind);
    bias.zeros = zero_sums(g, wi, inner, m, real_zero(&x, 0));
    if (!read_bias(arg_or_null(n, 2), scale, &bias) ||
        !int_bias(g, &bias, &b))
        return false;
    n->arg[0] = x.v;
    n->arg[1] = wi;
    n->arg[2] = b;
    n->narg = 3;
    if (real_zero(&x, 0))
        attr_set_int(g, n, A_padvalue, real_zero(&x, 0));
    y = real_result(g, n, scale, NULL);
    if (bias.reals)
        add_behind(g, y, bias.reals, behind);
    return true;
}

/* A transposed convolution has no window to fill with zx: taken off first. */
bool lower_convt(Graph *g, Node *n)
{
    Real x, w;
    Val *b, *scale, *y;
    const Val *v = n->arg[1];
    int64_t m = v->shape.dim[1] * attr_int(n, A_group);
    int behind = n->arg[0]->shape.rank - 2;
    int64_t inner = behind == 2 ? v->shape.dim[2] * v->shape.dim[3] :
                    v->shape.dim[2];
    Bias bias = {.n = m, .zeros = NEWN(g->mem, int64_t, (size_t)MAX(m, 1))};

    if (!real_of(n->arg[0], &x) || !real_uniform(&x) ||
        !constant_weights(v, &w, v->shape.dim[1]) ||
        (attr_int(n, A_group) > 1 && val_count(w.scale) > 1))
        return false;
    scale = products(g, &x, &w, m, behind);
    if (!read_bias(arg_or_null(n, 2), scale, &bias) ||
        !int_bias(g, &bias, &b))
        return false;
    n->arg[0] = centred(g, n, &x);
    n->arg[1] = weights(g, &w, inner, v->shape.dim[1]);
    n->arg[2] = b;
    n->narg = 3;
    y = real_result(g, n, scale, NULL);
    if (bias.reals)
        add_behind(g, y, bias.reals, behind);
    return true;
}

/* Is v, if it has an element per column, laid out along the columns of b? */
static bool along_columns(const Val *v, bool trans, int64_t columns)
{
    int at = v ? v->shape.rank - (trans ? 2 : 1) : 0;

    return !v || val_count(v) == 1 ||
           (at >= 0 && v->shape.dim[at] == columns &&
            val_count(v) == columns);
}

/* By a constant matrix: its column sums take the zero point of a. */
static bool matmul_const(Graph *g, Node *n, const Real *a, const Real *b)
{
    Shape s = b->v->shape;
    bool trans = attr_int(n, A_transb);
    int64_t columns = s.dim[s.rank - (trans ? 2 : 1)];
    int64_t inner = trans ? s.dim[s.rank - 1] : 1;
    Val *w = weights(g, b, inner, columns), *x = a->v, *scale, *ib, *y;
    Bias bias = {.n = columns};

    scale = products(g, a, b, columns, 0);
    if (val_count(w) == inner * columns * (trans ? 1 : s.dim[s.rank - 2])) {
        bias.zeros = zero_sums(g, w, inner, columns, real_zero(a, 0));
    } else { /* batches of matrices, each with its own sums */
        bias.zeros = NEWN(g->mem, int64_t, (size_t)MAX(columns, 1));
        x = centred(g, n, a);
    }
    if (!read_bias(arg_or_null(n, 2), scale, &bias) ||
        !int_bias(g, &bias, &ib))
        return false;
    n->arg[0] = x;
    n->arg[1] = w;
    n->arg[2] = ib;
    n->narg = 3;
    y = real_result(g, n, scale, NULL);
    if (bias.reals)
        add_behind(g, y, bias.reals, 0);
    return true;
}

bool lower_matmul(Graph *g, Node *n)
{
    Real a, b;
    bool trans = attr_int(n, A_transb);
    Shape s = n->arg[1]->shape;
    int64_t columns = s.dim[s.rank - (trans ? 2 : 1)];

    if (!real_of(n->arg[0], &a) || !real_uniform(&a) ||
        !real_of(n->arg[1], &b))
        return false;
    if (b.v->data && along_columns(b.scale, trans, columns) &&
        along_columns(b.zero, trans, columns))
        return matmul_const(g, n, &a, &b);
    if (!real_uniform(&b) || arg_or_null(n, 2))
        return false;
    n->arg[0] = centred(g, n, &a);
    n->arg[1] = centred(g, n, &b);
    real_result(g, n, products(g, &a, &b, 1, 0), NULL);
    return true;
}

/* With a constant it is left to the quantize below. */
bool lower_mul(Graph *g, Node *n)
{
    Real x, y;

    if (!real_of(n->arg[0], &x) || !real_uniform(&x) ||
        !real_of(n->arg[1], &y) || !real_uniform(&y) || x.v == y.v ||
        x.v->data || y.v->data)
        return false;
    n->arg[0] = centred(g, n, &x);
    n->arg[1] = centred(g, n, &y);
    real_result(g, n, products(g, &x, &y, 1, 0), NULL);
    return true;
}

/* The mean of n reals is the sum of their integers, on a grid n times finer. */
bool lower_mean(Graph *g, Node *n)
{
    Real x;
    Val *scale;
    int64_t count = val_count(n->arg[0]) / MAX(val_count(n->res[0]), 1);

    if (!real_of(n->arg[0], &x) || !real_uniform(&x) ||
        (arg_or_null(n, 1) != NULL))
        return false;
    scale = graph_const_f32(g, n->op == OP_mean ?
                            real_scale(&x, 0) / (float)count :
                            real_scale(&x, 0));
    n->op = OP_sum;
    n->arg[0] = x.v;
    real_result(g, n, scale,
                graph_const_int(g, T_s64, count * real_zero(&x, 0)));
    return true;
}

/* How many elements of x, or of x and its padding, a window at `at` meets
 * along one axis. */
static int64_t met(const Node *n, int axis, int spatial, int64_t at,
                   bool padding)
{
    int64_t size = n->arg[0]->shape.dim[2 + axis];
    int64_t before = attr_at(n, A_pad, axis, 0);
    int64_t after = attr_at(n, A_pad, axis + spatial, 0);
    int64_t gap = attr_at(n, A_dilation, axis, 1), count = 0, i, p;

    for (i = 0; i < attr_at(n, A_kernel, axis, 1); i++) {
        p = at * attr_at(n, A_stride, axis, 1) - before + i * gap;
        count += padding ? p >= -before && p < size + after :
                           p >= 0 && p < size;
    }
    return count;
}

static int64_t met_all(const Node *n, int spatial, int64_t at, bool padding)
{
    const int64_t *y = n->res[0]->shape.dim + 2;
    int64_t count;

    if (spatial == 1)
        return met(n, 0, 1, at, padding);
    count = met(n, 0, 2, at / y[1], padding);
    return count * met(n, 1, 2, at % y[1], padding);
}

/* Windows that reach over the border divide by fewer elements, so the grid of
 * the sums is one per place. */
bool lower_avgpool(Graph *g, Node *n)
{
    int spatial = n->arg[0]->shape.rank - 2, i;
    Shape y = n->res[0]->shape, s = {.rank = 0};
    Val *scale, *zero;
    int64_t k;
    Real x;

    if (!real_of(n->arg[0], &x) || !real_uniform(&x) || arg_or_null(n, 1))
        return false;
    for (i = 0; i < spatial; i++)
        s.dim[s.rank++] = y.dim[2 + i];
    scale = const_f32s(g, s);
    zero = const_like(g, scale);
    for (k = 0; k < val_count(scale); k++) {
        ((float *)scale->data)[k] = real_scale(&x, 0) / (float)MAX(1,
            met_all(n, spatial, k, attr_int(n, A_countpad)));
        val_set(zero, k, real_zero(&x, 0) * met_all(n, spatial, k, false));
    }
    n->op = OP_sumpool;
    attr_drop(n, A_countpad);
    n->arg[0] = x.v;
    real_result(g, n, scale, zero);
    return true;
}
