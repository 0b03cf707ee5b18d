/* The small language importers are written in: each word makes a node (or, on
 * constants, the constant it comes to) and gives its value.
 *
 * A node made for a call carries the call's own operator name as its origin;
 * that string is one per call, so its address tells who made a node. */
#include "front/build.h"

#include <math.h>
#include <string.h>

/* Elements and steps; what is larger is left to the passes. */
enum { FOLD = 1 << 16, WORK = 1 << 22 };

Node *node_list(Call *c, OpCode op, int narg, Val *const *arg)
{
    char *name = arena_fmt(c->mem, "%s/%s", c->name, op_info[op].name);
    Node *n;

    while (narg && !arg[narg - 1])
        narg--;
    n = graph_node(c->g, NULL, op, name, narg, arg);
    n->origin = c->op;
    return n;
}

Node *node_of(Call *c, OpCode op, int narg, ...)
{
    Val *arg[NARG];
    va_list ap;
    int i;

    va_start(ap, narg);
    for (i = 0; i < narg; i++)
        arg[i] = va_arg(ap, Val *);
    va_end(ap);
    return node_list(c, op, narg, arg);
}

void room(Call *c, int64_t n)
{
    c->model->made += n;
    if (n > 1 << 22 || c->model->made > 1 << 24)
        call_err(c, "makes a constant of %lld elements out of nothing; "
                 "2^22, and 2^24 in a network, are the most", (long long)n);
}

Val *blank(Call *c, Type t, Shape s)
{
    room(c, shape_count(s));
    return graph_const(c->g, NULL, t, s, NULL);
}

/* Elements that are looked at: windows and sums may be many. */
static int64_t work(const Node *n)
{
    const int64_t *k;
    int i, len = attr_list(n, A_kernel, &k);
    int64_t all = val_count(n->res[0]);

    for (i = 0; i < len && all <= WORK; i++)
        all *= k[i];
    return MAX(all, node_macs(n));
}

/* Worth computing now: importers need shapes, axes and the like. */
static bool foldable(const Node *n)
{
    int i;

    if (n->op == OP_quantize || n->op == OP_dequantize || !node_can_eval(n))
        return false;
    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && (!n->arg[i]->data || val_count(n->arg[i]) > FOLD))
            return false;
    return n->narg && val_count(n->res[0]) <= FOLD && work(n) <= WORK;
}

static Val *fold(Call *c, Node *n)
{
    const Val *y = n->res[0];
    void **arg = NEWN(c->mem, void *, (size_t)n->narg), *res[NRES];
    Val *v;
    int i;

    for (i = 0; i < n->narg; i++)
        arg[i] = n->arg[i] ? n->arg[i]->data : NULL;
    node_eval(c->mem, n, arg, res);
    v = graph_const(c->g, NULL, y->type, y->shape, res[0]);
    if (c->g->exact)
        val_narrow(v);
    node_remove(c->g, n);
    v->name = y->name;
    return v;
}

/* An empty tensor is a constant, whatever it was made from. */
static Val *empty(Call *c, Node *n)
{
    Val *y = n->res[0];

    node_remove(c->g, n);
    return graph_const(c->g, y->name, y->type, y->shape, NULL);
}

Val *done(Call *c, Node *n)
{
    node_infer(c->g, n);
    if (!val_count(n->res[0]))
        return empty(c, n);
    if (val_count(n->res[0]) > (int64_t)1 << 28)
        call_err(c, "the result has more than 2^28 elements");
    return foldable(n) ? fold(c, n) : n->res[0];
}

Val *op1(Call *c, OpCode op, Val *x)
{
    return done(c, node_of(c, op, 1, x));
}

Val *op2(Call *c, OpCode op, Val *x, Val *y)
{
    return done(c, node_of(c, op, 2, x, y));
}

Val *op3(Call *c, OpCode op, Val *x, Val *y, Val *z)
{
    return done(c, node_of(c, op, 3, x, y, z));
}

Val *num_like(Call *c, const Val *x, double v)
{
    const char *name = arena_fmt(c->mem, "%s/number", c->name);
    int64_t i = llrint(v);
    Shape none = {0};
    Val *y;

    if (!val_is_int(x))
        return graph_const(c->g, name, T_f32, none, &(float){(float)v});
    y = graph_const(c->g, name, c->g->exact ? type_for(i, i) : x->type, none,
                    NULL);
    val_set(y, 0, i);
    y->lo = y->hi = val_int(y, 0);
    return y;
}

Val *nums(Call *c, Shape s, const float *v)
{
    return graph_const(c->g, NULL, T_f32, s, v);
}

Val *ints(Call *c, Type t, Shape s, const int64_t *v)
{
    Val *y = graph_const(c->g, NULL, T_s64, s, v);
    Val *w;
    int64_t i;

    if (c->g->exact && t != T_b8) {
        val_narrow(y);
        return y;
    }
    if (t == T_s64)
        return y;
    w = graph_const(c->g, NULL, t, s, NULL);
    for (i = 0; i < val_count(w); i++)
        val_set(w, i, v[i]);
    w->lo = y->lo;
    w->hi = y->hi;
    return w;
}

Val *op_num(Call *c, OpCode op, Val *x, double y)
{
    return op2(c, op, x, num_like(c, x, y));
}

/* A constant of another shape is another constant. */
static Val *same_data(Call *c, Val *x, Shape s)
{
    Val *y = graph_const(c->g, x->name, x->type, s, x->data);

    y->scale = x->scale;
    y->zero = x->zero;
    return y;
}

Val *to_shape(Call *c, Val *x, Shape s)
{
    Node *n;

    if (shape_same(x->shape, s))
        return x;
    if (shape_count(s) != val_count(x))
        call_err(c, "%s of shape %s cannot take the shape %s", x->name,
                 shape_str(c->mem, x->shape), shape_str(c->mem, s));
    if (x->data)
        return same_data(c, x, s);
    n = node_of(c, OP_reshape, 1, x);
    attr_set_shape(c->g, n, A_shape, s);
    return done(c, n);
}

Val *to_rank(Call *c, Val *x, int rank, int axis)
{
    Shape s = {.rank = rank};
    int i;

    if (rank > RANK)
        call_err(c, "more than %d dimensions", RANK);
    for (i = 0; i < rank; i++)
        s.dim[i] = i == axis ? val_count(x) : 1;
    return to_shape(c, x, s);
}

Val *perm(Call *c, Val *x, const int64_t *order)
{
    Node *n;
    int i, same = 1;

    for (i = 0; i < x->shape.rank; i++)
        same &= order[i] == i;
    if (same)
        return x;
    n = node_of(c, OP_transpose, 1, x);
    attr_set_list(c->g, n, A_perm, x->shape.rank, order);
    return done(c, n);
}

Val *part_sized(Call *c, Val *x, int axis, Size start, Size count,
                int64_t step)
{
    Shape from = {.rank = x->shape.rank}, by = from, len = x->shape;
    Node *n;
    int i;

    if (size_is(start, 0) && step == 1 &&
        size_same(count, size_at(x->shape, axis)))
        return x;
    for (i = 0; i < by.rank; i++)
        by.dim[i] = i == axis ? step : 1;
    shape_put(&from, axis, start);
    shape_put(&len, axis, count);
    n = node_of(c, OP_slice, 1, x);
    attr_set_shape(c->g, n, A_start, from);
    attr_set_shape(c->g, n, A_step, by);
    attr_set_shape(c->g, n, A_count, len);
    return done(c, n);
}

Val *part(Call *c, Val *x, int axis, int64_t start, int64_t count,
          int64_t step)
{
    return part_sized(c, x, axis, size_const(start), size_const(count), step);
}

/* Empty parts vanish, and with one part left so does the concatenation. */
Val *join(Call *c, int axis, int n, Val **x)
{
    Val **v = NEWN(c->mem, Val *, (size_t)n + 1);
    Node *y;
    int i, m = 0;

    for (i = 0; i < n; i++)
        if (val_count(x[i]))
            v[m++] = x[i];
    if (m < 2)
        return m ? v[0] : x[0];
    y = node_list(c, OP_concat, m, v);
    attr_set_int(c->g, y, A_axis, axis);
    return done(c, y);
}

static Val *cast_const(Call *c, Val *x, Type t)
{
    Val *y = graph_const(c->g, NULL, t, x->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(y); i++)
        ((float *)y->data)[i] = (float)val_int(x, i);
    return y;
}

/* In an exact graph integers keep their least type: a cast between integer
 * types is nothing unless it would wrap. */
Val *cast(Call *c, Val *x, Type t)
{
    Node *n;

    if (x->type == t)
        return x;
    if (c->g->exact && val_is_int(x) && type_info[t].kind != FLOAT
        && t != T_b8 && x->lo >= type_info[t].lo && x->hi <= type_info[t].hi)
        return x;
    if (x->data && t == T_f32)
        return cast_const(c, x, t);
    n = node_of(c, OP_cast, 1, x);
    attr_set_int(c->g, n, A_to, t);
    return done(c, n);
}

Val *floats(Call *c, Val *x)
{
    return x && val_is_int(x) && x->type != T_b8 ? cast(c, x, T_f32) : x;
}

void mix(Call *c, int n, Val **x)
{
    bool real = false;
    int i;

    for (i = 0; i < n; i++)
        real |= x[i] && x[i]->type == T_f32;
    for (i = 0; real && i < n; i++)
        x[i] = floats(c, x[i]);
}

Val *spread(Call *c, Val *x, Shape s)
{
    Node *n;

    if (shape_same(x->shape, s))
        return x;
    n = node_of(c, OP_expand, 1, x);
    attr_set_list(c->g, n, A_shape, s.rank, s.dim);
    return done(c, n);
}

/* Bounds that bind nothing make no node. */
Val *clamp(Call *c, Val *x, double lo, double hi)
{
    bool is_int = val_is_int(x);
    Node *n;

    if (isinf(lo) && isinf(hi))
        return x;
    if (is_int && lo <= (double)x->lo && hi >= (double)x->hi)
        return x;
    if (isnan(lo) || isnan(hi) || (is_int && (!(lo < 0x1p62) ||
                                              !(hi > -0x1p62))))
        call_err(c, "clips to %g .. %g", lo, hi);
    n = node_of(c, OP_clip, 1, x);
    if (!isinf(lo) && is_int)
        attr_set_int(c->g, n, A_lo, (int64_t)ceil(fmax(lo, -0x1p62)));
    else if (!isinf(lo))
        attr_set_num(c->g, n, A_flo, lo);
    if (!isinf(hi) && is_int)
        attr_set_int(c->g, n, A_hi, (int64_t)floor(fmin(hi, 0x1p62)));
    else if (!isinf(hi))
        attr_set_num(c->g, n, A_fhi, hi);
    return done(c, n);
}

Val *reduce(Call *c, OpCode op, Val *x, int naxis, const int64_t *axes,
            bool keep)
{
    Node *n = node_of(c, op, 1, x);

    if (naxis)
        attr_set_list(c->g, n, A_axes, naxis, axes);
    attr_set_int(c->g, n, A_keep, keep);
    return done(c, n);
}

Val *matmul(Call *c, Val *a, Val *b, Val *bias, bool ta, bool tb)
{
    Node *n = node_of(c, OP_matmul, 3, a, b, bias);

    if (ta)
        attr_set_int(c->g, n, A_transa, 1);
    if (tb)
        attr_set_int(c->g, n, A_transb, 1);
    return done(c, n);
}

Val *softmax(Call *c, Val *x, int axis)
{
    Node *n = node_of(c, OP_softmax, 1, x);

    attr_set_int(c->g, n, A_axis, axis);
    return done(c, n);
}

Val *take(Call *c, Val *x, Val *i, int axis)
{
    Node *n = node_of(c, OP_gather, 2, x, i);

    attr_set_int(c->g, n, A_axis, axis);
    return done(c, n);
}

Shape broadcast(Call *c, Shape a, Shape b)
{
    Shape s = {.rank = MAX(a.rank, b.rank)};
    int64_t x, y;
    int i;

    for (i = 0; i < s.rank; i++) {
        x = i < s.rank - a.rank ? 1 : a.dim[i - (s.rank - a.rank)];
        y = i < s.rank - b.rank ? 1 : b.dim[i - (s.rank - b.rank)];
        if (x != y && x != 1 && y != 1)
            call_err(c, "shapes %s and %s do not broadcast",
                     shape_str(c->mem, a), shape_str(c->mem, b));
        s.dim[i] = x == 1 ? y : x;
    }
    return s;
}

void give(Call *c, int i, Val *v)
{
    if (i < c->nres)
        c->res[i] = v;
}
