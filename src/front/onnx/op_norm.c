/* Normalizations. */
#include "front/onnx/import.h"

#include <math.h>

static Val *norm(Call *c, OpCode op, Val *x, Val *w, Val *b, double eps)
{
    Node *n = node_of(c, op, 3, x, w, b);

    attr_set_int(c->g, n, A_axis, x->shape.rank - 1);
    attr_set_num(c->g, n, A_eps, eps);
    return done(c, n);
}

/* A parameter as one row of n, from whatever shape broadcasts to it. */
static Val *as_row(Call *c, Val *v, Shape full, int64_t n)
{
    Shape row = {.rank = 1, .dim = {n}};

    if (!v)
        return NULL;
    if (val_count(v) == n)
        return to_shape(c, v, row);
    return to_shape(c, spread(c, v, full), row);
}

/* Normalizes over all axes from `axis` on, as one row. */
static Val *norm_from(Call *c, OpCode op, Val *x, int axis, Val *w, Val *b,
                      double eps)
{
    Shape s = x->shape, rows = {.rank = axis + 1}, full;
    int64_t n = shape_product(s, axis, s.rank);
    int i;

    for (i = 0; i < axis; i++)
        rows.dim[i] = s.dim[i];
    rows.dim[axis] = n;
    full = shape_of(s.rank - axis, s.dim + axis);
    w = as_row(c, w, full, n);
    b = as_row(c, b, full, n);
    if (b && !w)
        w = spread(c, graph_const_f32(c->g, 1), b->shape);
    return to_shape(c, norm(c, op, to_shape(c, x, rows), w, b, eps), s);
}

static int axes_from(int axis, int rank, int64_t *axes)
{
    int i;

    for (i = axis; i < rank; i++)
        axes[i - axis] = i;
    return rank - axis;
}

/* What LayerNormalization tells besides its result, where it is asked for. */
static void give_statistics(Call *c, Val *x, int axis, double eps)
{
    int64_t axes[RANK];
    int n = axes_from(axis, x->shape.rank, axes);
    Val *mean, *var;

    if (c->nres < 2)
        return;
    mean = reduce(c, OP_mean, x, n, axes, true);
    give(c, 1, mean);
    if (c->nres < 3)
        return;
    x = op2(c, OP_sub, x, mean);
    var = reduce(c, OP_mean, op2(c, OP_mul, x, x), n, axes, true);
    var = op1(c, OP_sqrt, op_num(c, OP_add, var, eps));
    give(c, 2, op1(c, OP_reciprocal, var));
}

void import_layernormalization(Call *c)
{
    Val *x = c->arg[0];
    int axis = axis_of(c, call_int(c, "axis", -1), x->shape.rank);
    double eps = call_num(c, "epsilon", 1e-5f);

    give(c, 0, norm_from(c, OP_layernorm, x, axis, arg_at(c, 1), arg_at(c, 2),
                         eps));
    give_statistics(c, x, axis, eps);
}

/* RMSNormalization of ONNX, RMSNorm of others, who write eps and 1e-6. */
void import_rmsnorm(Call *c)
{
    Val *x = c->arg[0];
    int axis = axis_of(c, call_int(c, "axis", -1), x->shape.rank);
    double eps = call_num(c, "eps", 1e-6f);

    give(c, 0, norm_from(c, OP_rmsnorm, x, axis, arg_at(c, 1), NULL, eps));
}

void import_rmsnormalization(Call *c)
{
    Val *x = c->arg[0];
    int axis = axis_of(c, call_int(c, "axis", -1), x->shape.rank);
    double eps = call_num(c, "epsilon", 1e-5f);

    give(c, 0, norm_from(c, OP_rmsnorm, x, axis, arg_at(c, 1), NULL, eps));
}

/* [C] beside the spatial axes of x. */
static Val *per_channel(Call *c, const Val *x, Val *v)
{
    return to_rank(c, v, x->shape.rank - 1, 0);
}

/* [G] or [C] as [C]. */
static Val *groups_to_channels(Call *c, Val *v, int64_t groups,
                               int64_t channels)
{
    Shape s = {.rank = 2, .dim = {groups, channels / groups}};

    if (val_count(v) == channels)
        return v;
    if (val_count(v) != groups)
        call_err(c, "scale or bias of %lld elements for %lld channels in %lld "
                 "groups", (long long)val_count(v), (long long)channels,
                 (long long)groups);
    return to_rank(c, spread(c, to_rank(c, v, 2, 0), s), 1, 0);
}

static Val *group_norm(Call *c, Val *x, int64_t groups, Val *w, Val *b,
                       double eps)
{
    Shape s = x->shape, rows = {.rank = 3};
    int64_t channels = s.rank > 1 ? s.dim[1] : 0;
    Val *y;

    if (s.rank < 2 || groups < 1 || channels % groups)
        call_err(c, "%lld channels in %lld groups", (long long)channels,
                 (long long)groups);
    rows.dim[0] = s.dim[0];
    rows.dim[1] = groups;
    rows.dim[2] = shape_product(s, 1, s.rank) / groups;
    y = norm(c, OP_layernorm, to_shape(c, x, rows), NULL, NULL, eps);
    y = to_shape(c, y, s);
    w = groups_to_channels(c, w, groups, channels);
    b = groups_to_channels(c, b, groups, channels);
    y = op2(c, OP_mul, y, per_channel(c, x, w));
    return op2(c, OP_add, y, per_channel(c, x, b));
}

void import_groupnormalization(Call *c)
{
    give(c, 0, group_norm(c, c->arg[0], call_need(c, "num_groups"), c->arg[1],
                          c->arg[2], call_num(c, "epsilon", 1e-5f)));
}

void import_instancenormalization(Call *c)
{
    Val *x = c->arg[0];

    give(c, 0, group_norm(c, x, x->shape.rank > 1 ? x->shape.dim[1] : 0,
                          c->arg[1], c->arg[2],
                          call_num(c, "epsilon", 1e-5f)));
}

/* y = x a + b with a = scale / sqrt(var + eps), b = bias - mean a: constants
 * become constants. */
void import_batchnormalization(Call *c)
{
    Val *x = c->arg[0], *a, *b;
    double eps = call_num(c, "epsilon", 1e-5f);

    if (call_int(c, "training_mode", 0))
        call_err(c, "training_mode is on; export the network for inference");
    if (x->shape.rank < 2)
        call_err(c, "input has %d dimensions; wanted 2 or more",
                 x->shape.rank);
    a = op1(c, OP_sqrt, op_num(c, OP_add, c->arg[4], eps));
    a = op2(c, OP_div, c->arg[1], a);
    b = op2(c, OP_sub, c->arg[2], op2(c, OP_mul, c->arg[3], a));
    x = op2(c, OP_mul, x, per_channel(c, x, a));
    give(c, 0, op2(c, OP_add, x, per_channel(c, x, b)));
}

void import_lpnormalization(Call *c)
{
    Val *x = c->arg[0];
    int64_t p = call_int(c, "p", 2);
    Node *n = node_of(c, OP_lpnorm, 1, x);

    if (p != 1 && p != 2)
        call_err(c, "p is %lld; wanted 1 or 2", (long long)p);
    attr_set_int(c->g, n, A_axis, axis_of(c, call_int(c, "axis", -1),
                                          x->shape.rank));
    attr_set_int(c->g, n, A_p0, p);
    give(c, 0, done(c, n));
}

void import_meanvariancenormalization(Call *c)
{
    Val *x = c->arg[0], *d, *sd;
    int64_t axes[RANK] = {0, 2, 3};
    int n = call_ints(c, "axes", RANK, axes);

    n = n < 0 ? 3 : n;
    axes_of(c, n, axes, x->shape.rank);
    d = op2(c, OP_sub, x, reduce(c, OP_mean, x, n, axes, true));
    sd = reduce(c, OP_mean, op2(c, OP_mul, d, d), n, axes, true);
    sd = op_num(c, OP_add, op1(c, OP_sqrt, sd), 1e-9);
    give(c, 0, op2(c, OP_div, d, sd));
}

/* x / (bias + alpha / size * sum of the squares of near channels)^beta; the
 * sum is a pool of height `size` over [N,1,C,HW]. */
void import_lrn(Call *c)
{
    Val *x = c->arg[0], *y;
    Shape s = x->shape, flat = {.rank = 4};
    int64_t size = call_need(c, "size"), before = (size - 1) / 2;
    Node *n;

    if (s.rank < 2 || size < 1 || size > 1 << 20)
        call_err(c, "a size of %lld in %d dimensions", (long long)size,
                 s.rank);
    flat.dim[0] = s.dim[0];
    flat.dim[1] = 1;
    flat.dim[2] = s.dim[1];
    flat.dim[3] = shape_product(s, 2, s.rank);
    y = to_shape(c, op2(c, OP_mul, x, x), flat);
    n = node_of(c, OP_sumpool, 1, y);
    attr_set_list(c->g, n, A_kernel, 2, (int64_t[]){size, 1});
    attr_set_list(c->g, n, A_pad, 4, (int64_t[]){before, 0, size - 1 - before,
                                                 0});
    y = op_num(c, OP_mul, to_shape(c, done(c, n), s),
               call_num(c, "alpha", 1e-4f) / (double)size);
    y = op_num(c, OP_add, y, call_num(c, "bias", 1));
    y = op_num(c, OP_pow, y, call_num(c, "beta", 0.75));
    give(c, 0, op2(c, OP_div, x, y));
}
