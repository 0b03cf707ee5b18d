/* Elementwise operators. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

/* The operator of ours that op.def says is this one of ONNX. */
OpCode op_named(const Call *c)
{
    const char *name = strrchr(onnx(c)->row->name, ':');
    int i;

    name = name ? name + 1 : onnx(c)->row->name;
    for (i = 1; i < NOP; i++)
        if (!strcmp(op_info[i].onnx, name))
            return (OpCode)i;
    die("onnx.def: %s is the ONNX name of no operator", name);
}

void import_plain(Call *c)
{
    if (call_int(c, "broadcast", 0) && call_has(c, "axis"))
        call_err(c, "broadcasts along an axis, as before opset 7; export the "
                 "model anew");
    mix(c, c->narg, c->arg);
    give(c, 0, done(c, node_list(c, op_named(c), c->narg, c->arg)));
}

static void with_numbers(Call *c, OpCode op, double alpha, double beta)
{
    Node *n = node_of(c, op, 1, c->arg[0]);

    attr_set_num(c->g, n, A_alpha, alpha);
    if (beta != 0)
        attr_set_num(c->g, n, A_beta, beta);
    give(c, 0, done(c, n));
}

static void with_mode(Call *c, bool mode)
{
    Node *n = node_list(c, op_named(c), c->narg, c->arg);

    if (mode)
        attr_set_int(c->g, n, A_mode, 1);
    give(c, 0, done(c, n));
}

void import_leakyrelu(Call *c)
{
    with_numbers(c, OP_leakyrelu, call_num(c, "alpha", 0.01f), 0);
}

void import_alpha(Call *c) /* Elu, Celu, ThresholdedRelu, Swish */
{
    with_numbers(c, op_named(c), call_num(c, "alpha", 1), 0);
}

void import_selu(Call *c)
{
    with_numbers(c, OP_selu, call_num(c, "alpha", 1.67326319217681884765625),
                 call_num(c, "gamma", 1.05070102214813232421875));
}

void import_hardsigmoid(Call *c)
{
    with_numbers(c, OP_hardsigmoid, call_num(c, "alpha", 0.2f),
                 call_num(c, "beta", 0.5));
}

void import_shrink(Call *c)
{
    with_numbers(c, OP_shrink, call_num(c, "bias", 0),
                 call_num(c, "lambd", 0.5));
}

void import_gelu(Call *c)
{
    with_mode(c, !strcmp(call_str(c, "approximate", "none"), "tanh"));
}

void import_mod(Call *c)
{
    mix(c, 2, c->arg);
    with_mode(c, call_int(c, "fmod", 0));
}

void import_bitshift(Call *c)
{
    with_mode(c, !strcmp(call_str(c, "direction", ""), "RIGHT"));
}

/* Of integers without a sign all bits are turned, within their type. */
void import_bitwisenot(Call *c)
{
    Val *x = c->arg[0];
    const TypeInfo *t = &type_info[x->type];

    give(c, 0, t->kind == UINT && t->bytes < 8
                   ? op_num(c, OP_bitxor, x, (double)t->hi)
                   : op1(c, OP_bitnot, x));
}

void import_isinf(Call *c)
{
    Node *n = node_of(c, OP_isinf, 1, c->arg[0]);

    attr_set_int(c->g, n, A_p0, call_int(c, "detect_positive", 1));
    attr_set_int(c->g, n, A_p1, call_int(c, "detect_negative", 1));
    give(c, 0, done(c, n));
}

void import_relu(Call *c)
{
    give(c, 0, clamp(c, c->arg[0], 0, INFINITY));
}

/* An integer is its own floor, ceiling and nearest integer. */
void import_rounding(Call *c)
{
    if (val_is_int(c->arg[0]))
        give(c, 0, c->arg[0]);
    else
        import_plain(c);
}

/* A bound of Clip: an attribute, a number, or any tensor of one element. */
static double bound_of(const Call *c, int i, const char *attr, double none)
{
    const Val *v = arg_at(c, i);

    if (call_has(c, attr))
        return call_num(c, attr, none);
    return v && v->data && val_count(v) == 1 ? val_num(v, 0) : none;
}

void import_clip(Call *c)
{
    Val *x = c->arg[0], *lo = arg_at(c, 1), *hi = arg_at(c, 2);
    double most = bound_of(c, 2, "max", INFINITY);

    x = clamp(c, x, fmin(bound_of(c, 1, "min", -INFINITY), most), most);
    if (lo && !lo->data)
        x = op2(c, OP_max, x, lo);
    if (hi && !hi->data)
        x = op2(c, OP_min, x, hi);
    give(c, 0, x);
}

static Val *chain(Call *c, OpCode op)
{
    Val *y = c->arg[0];
    int i;

    mix(c, c->narg, c->arg);
    for (i = 1; i < c->narg; i++)
        y = op2(c, op, i == 1 ? c->arg[0] : y, c->arg[i]);
    return y;
}

void import_variadic(Call *c) /* Max, Min */
{
    give(c, 0, chain(c, op_named(c)));
}

void import_sum(Call *c)
{
    give(c, 0, chain(c, OP_add));
}

void import_mean(Call *c)
{
    give(c, 0, op_num(c, OP_mul, chain(c, OP_add), 1.0 / c->narg));
}

/* The powers networks really use need no logarithm. */
static Val *small_power(Call *c, Val *x, const Val *y)
{
    if (!y->data || val_count(y) != 1 || y->shape.rank > x->shape.rank)
        return NULL;
    if (val_num(y, 0) == 1)
        return x;
    if (val_num(y, 0) == 2)
        return op2(c, OP_mul, x, x);
    if (val_num(y, 0) == 0.5 && x->type == T_f32)
        return op1(c, OP_sqrt, x);
    return NULL;
}

void import_pow(Call *c)
{
    Val *x = c->arg[0], *y = c->arg[1], *z = small_power(c, x, y);
    Type t = x->type;

    if (!z && t == T_f32)
        z = op2(c, OP_pow, x, floats(c, y));
    if (!z && val_is_int(y))
        z = op2(c, OP_pow, x, y);
    if (!z)
        z = cast(c, op2(c, OP_pow, floats(c, x), y), t);
    give(c, 0, z);
}

void import_where(Call *c)
{
    mix(c, 2, c->arg + 1);
    give(c, 0, op3(c, OP_where, c->arg[0], c->arg[1], c->arg[2]));
}


void import_prelu(Call *c)
{
    Val *x = c->arg[0], *s = c->arg[1];

    mix(c, 2, c->arg);
    x = c->arg[0];
    s = c->arg[1];
    /* old exporters give one slope per channel without the spatial axes */
    if (s->shape.rank == 1 && s->shape.dim[0] > 1 && x->shape.rank > 2
        && s->shape.dim[0] == x->shape.dim[1]
        && s->shape.dim[0] != x->shape.dim[x->shape.rank - 1])
        s = to_rank(c, s, x->shape.rank - 1, 0);
    give(c, 0, op2(c, OP_prelu, x, s));
}

void import_swiglu(Call *c)
{
    Node *n = node_of(c, OP_swish, 1, c->arg[0]);

    attr_set_num(c->g, n, A_alpha, call_num(c, "alpha", 1));
    give(c, 0, op2(c, OP_mul, done(c, n), c->arg[1]));
}
