/* Operators that move elements or choose among them: on integers they do the
 * same as on the reals these stand for. */
#include "quant/lower.h"

#include <math.h>

/* What is padded with is a real: on the grid of x it must be an integer. */
static bool pad_value(Graph *g, Node *n, const Real *x)
{
    double v = attr_num(n, A_alpha) / real_scale(x, 0);
    int64_t q = llrint(v) + real_zero(x, 0);

    if (attr_int(n, A_mode))
        return true;
    if (!(fabs(v) < 1e6) || fabs(v - rint(v)) > 1e-6 * fabs(v) || q < type_info[x->v->type].lo ||
        q > type_info[x->v->type].hi)
        return false;
    attr_set_int(g, n, A_p0, q);
    return true;
}

/* The one axis of x along which v differs; -1: none such. */
static int axis_of(const Val *v, Shape x)
{
    int i, at = -1, skip = x.rank - v->shape.rank;

    for (i = 0; i < v->shape.rank; i++)
        if (v->shape.dim[i] != 1)
            at = at < 0 && v->shape.dim[i] == x.dim[i + skip] ? i + skip : -2;
    return at < 0 ? -1 : at;
}

/* Where a reshape or transpose takes an axis of x; -1: nowhere. */
static int axis_goes(const Node *n, int axis)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int i;

    for (i = 0; i < y.rank; i++)
        if (n->op == OP_transpose
                ? attr_at(n, A_perm, i, y.rank - 1 - i) == axis
                : n->op == OP_reshape && y.dim[i] == x.dim[axis] &&
                      shape_product(y, 0, i) == shape_product(x, 0, axis))
            return i;
    return -1;
}

/* v, which has one element for each of an axis, in a shape of some rank. */
static Val *along(Graph *g, Val *v, int rank, int axis)
{
    Shape s = {.rank = rank};
    int i;

    for (i = 0; i < rank; i++)
        s.dim[i] = i == axis ? val_count(v) : 1;
    return graph_const(g, v->name, v->type, s, v->data);
}

/* The scales of channels go where a reshape or transpose takes the axis of
 * these. */
static bool follows(Graph *g, const Node *n, Real *x)
{
    int axis = axis_of(x->scale, n->arg[0]->shape);
    int to = axis < 0 ? -1 : axis_goes(n, axis);
    int rank = n->res[0]->shape.rank;

    if (to < 0 || (x->zero && val_count(x->zero) != 1 &&
                   axis_of(x->zero, n->arg[0]->shape) != axis))
        return false;
    x->scale = along(g, x->scale, rank, to);
    if (x->zero && val_count(x->zero) != 1)
        x->zero = along(g, x->zero, rank, to);
    return true;
}

bool lower_move(Graph *g, Node *n)
{
    Real x;

    if (!real_of(n->arg[0], &x) ||
        (!real_uniform(&x) && !follows(g, n, &x)))
        return false;
    if (n->op == OP_pad && !pad_value(g, n, &x))
        return false;
    n->arg[0] = x.v;
    real_result(g, n, x.scale, x.zero);
    fold_const(g, n);
    return true;
}

/* The largest real is the largest integer. */
bool lower_index(Graph *g, Node *n)
{
    Real x;

    if (!real_of(n->arg[0], &x) || !real_uniform(&x))
        return false;
    n->arg[0] = x.v;
    node_infer(g, n);
    return true;
}

static bool same_grid(const Real *a, const Real *b)
{
    return real_uniform(a) && real_uniform(b) &&
           real_scale(a, 0) == real_scale(b, 0) &&
           real_zero(a, 0) == real_zero(b, 0);
}

/* Operands of different grids meet at the quantize below, if there is one. */
bool lower_concat(Graph *g, Node *n)
{
    Real first, x;
    int i;

    for (i = 0; i < n->narg; i++)
        if (!real_of(n->arg[i], i ? &x : &first) ||
            !same_grid(i ? &x : &first, &first))
            return false;
    for (i = 0; i < n->narg; i++)
        n->arg[i] = n->arg[i]->def->arg[0];
    real_result(g, n, first.scale, first.zero);
    return true;
}

static bool only_quantized(const Graph *g, const Val *v)
{
    const Node *n;
    int i;

    if (val_is_output(g, v))
        return false;
    for (n = g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] == v && n->op != OP_quantize)
                return false;
    return true;
}

/* A clip at zero alone; a quantize right below takes any clip along. */
bool lower_clip(Graph *g, Node *n)
{
    Real x;

    if (!real_of(n->arg[0], &x) || (x.zero && val_count(x.zero) != 1) ||
        attr_num(n, A_flo) != 0 || !isinf(attr_num(n, A_fhi)) ||
        only_quantized(g, n->res[0]))
        return false;
    n->arg[0] = x.v;
    attr_drop(n, A_flo);
    attr_drop(n, A_fhi);
    attr_set_int(g, n, A_lo, real_zero(&x, 0));
    real_result(g, n, x.scale, x.zero);
    return true;
}
