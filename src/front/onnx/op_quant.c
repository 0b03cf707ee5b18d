/* Quantized networks of the ONNX world.
 *
 * Whatever form they come in (QuantizeLinear and DequantizeLinear around float
 * operators, the QLinear family, com.microsoft's), they leave here in one:
 *
 *     x' = dequantize x scale zero
 *     y' = conv x' w' b'                (any float operator)
 *     y  = quantize y' scale zero to=u8
 *
 * with scales and zero points as constants that broadcast to their tensor,
 * rank 0 if there is one for all.  The part `quant` makes integers of that.
 * ConvInteger and MatMulInteger are integers from the start: zero points are
 * subtracted, then it is a convolution or product of integers. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

/* Scales that are known divide and multiply: finite and above 0. */
static Val *scale_checked(const Call *c, Val *s)
{
    int64_t i, n = s && s->data ? val_count(s) : 0;

    for (i = 0; i < n; i++)
        if (!(val_num(s, i) > 0) || isinf(val_num(s, i)))
            call_err(c, "scale '%s' has %g at element %lld; wanted a finite "
                     "number above 0", s->name, val_num(s, i), (long long)i);
    return s;
}

/* Each element along an axis r times: [a,d,b] -> [a,d,1,b] -> [a,d,r,b]. */
static Val *stretch(Call *c, Val *x, int axis, int64_t r)
{
    Shape s = x->shape, split = {.rank = 4, .dim = {1, 1, 1, 1}};
    int i;

    for (i = 0; i < s.rank; i++)
        split.dim[i < axis ? 0 : i == axis ? 1 : 3] *= s.dim[i];
    x = to_shape(c, x, split);
    split.dim[2] = r;
    s.dim[axis] *= r;
    x = spread(c, x, shape_checked("a scale", 4, split.dim));
    return to_shape(c, x, s);
}

/* Scale or zero point of x, of one element, of one per index of an axis, or
 * of one per block along it, in a shape that broadcasts. */
static Val *fit(Call *c, Val *x, Val *v, int axis, int64_t block)
{
    int rank = x->shape.rank;

    if (!v)
        return NULL;
    if (val_count(v) == 1)
        return to_rank(c, v, 0, 0);
    if (block > 0 && v->shape.rank == rank) {
        v = stretch(c, v, axis, block);
        return part(c, v, axis, 0, MIN(v->shape.dim[axis],
                                       x->shape.dim[axis]), 1);
    }
    if (v->shape.rank != 1)
        return v;
    if (val_count(v) != x->shape.dim[axis])
        call_err(c, "'%s' has %lld elements; wanted 1 or %lld, the size of "
                 "axis %d of '%s'", v->name, (long long)val_count(v),
                 (long long)x->shape.dim[axis], axis, x->name);
    return to_rank(c, v, rank - axis, 0);
}

/* The ONNX type of an operand, where it is an initializer; 0: unknown. */
static int stored_type(const Call *c, int i)
{
    const OnnxCall *n = onnx(c);
    Entry *e = i < c->narg ? scope_find(n->scope, n->p->input[i]) : NULL;

    return e && e->tensor ? e->tensor->data_type : 0;
}

static Val *narrowed(Call *c, Val *y, int onnx)
{
    switch (onnx) {
    case 21: return clamp(c, y, 0, 15);
    case 22: return clamp(c, y, -8, 7);
    case 25: return clamp(c, y, 0, 3);
    case 26: return clamp(c, y, -2, 1);
    }
    return y;
}

/* y as the integers of type `onnx`, or of the zero point's type. */
static Val *quantize(Call *c, Val *y, Val *scale, Val *zero, int onnx)
{
    Type t = onnx ? tensor_type(onnx) : zero ? zero->type : T_u8;
    Node *n;

    if (t == T_none || t == T_b8 || type_info[t].kind == FLOAT)
        call_err(c, "quantizes to %s; wanted integers",
                 tensor_type_name(onnx));
    n = node_of(c, OP_quantize, 3, y, scale_checked(c, scale), zero);
    attr_set_int(c->g, n, A_to, t);
    return narrowed(c, done(c, n), onnx);
}

Val *dequantize(Call *c, Val *x, Val *scale, Val *zero, int axis)
{
    scale = fit(c, x, scale_checked(c, scale), axis, 0);
    zero = fit(c, x, zero, axis, 0);
    return op3(c, OP_dequantize, x, scale, zero);
}

/* Operands i, i+1, i+2: a tensor, its scale and zero point. */
static Val *real(Call *c, int i, int axis)
{
    return dequantize(c, must(c, i), must(c, i + 1), arg_at(c, i + 2), axis);
}

/* The result by the scale and zero point at i and i+1. */
static void give_by(Call *c, int i, Val *y)
{
    Val *scale = to_rank(c, must(c, i), 0, 0), *zero = arg_at(c, i + 1);

    zero = zero ? to_rank(c, zero, 0, 0) : NULL;
    give(c, 0, quantize(c, y, scale, zero, 0));
}

static int quant_axis(const Call *c)
{
    const Val *x = c->arg[0];
    int64_t axis = call_int(c, "axis", 1);

    if (!x->shape.rank || val_count(c->arg[1]) == 1)
        return 0;
    if (axis >= x->shape.rank && !call_has(c, "axis"))
        axis = x->shape.rank - 1;
    return axis_of(c, axis, x->shape.rank);
}

static int64_t block_of(const Call *c)
{
    int64_t b = call_int(c, "block_size", 0);

    if (b < 0 || b > 1 << 28)
        call_err(c, "block_size is %lld", (long long)b);
    return b;
}

void import_quantizelinear(Call *c)
{
    int axis = quant_axis(c), to = (int)call_int(c, "output_dtype", 0);
    Val *scale = fit(c, c->arg[0], c->arg[1], axis, block_of(c));
    Val *zero = fit(c, c->arg[0], arg_at(c, 2), axis, block_of(c));

    give(c, 0, quantize(c, floats(c, c->arg[0]), scale, zero,
                        to ? to : stored_type(c, 2)));
}

void import_dequantizelinear(Call *c)
{
    int axis = quant_axis(c);
    Val *scale = fit(c, c->arg[0], scale_checked(c, c->arg[1]), axis,
                     block_of(c));
    Val *zero = fit(c, c->arg[0], arg_at(c, 2), axis, block_of(c));

    if (!val_is_int(c->arg[0]))
        call_err(c, "input '%s' is of floats; wanted integers",
                 c->arg[0]->name);
    give(c, 0, op3(c, OP_dequantize, c->arg[0], scale, zero));
}

/* x as bytes, by a scale and zero point from its own range; of zeros alone the
 * scale is 1. */
static Val *by_range(Call *c, Val *x, Val **scale, Val **zero)
{
    Val *hi = reduce(c, OP_rmax, x, 0, NULL, false);
    Val *lo = reduce(c, OP_rmin, x, 0, NULL, false), *z;

    hi = op_num(c, OP_max, hi, 0);
    lo = op_num(c, OP_min, lo, 0);
    z = op2(c, OP_sub, hi, lo);
    *scale = op3(c, OP_where, op_num(c, OP_greater, z, 0),
                 op_num(c, OP_div, z, 255), num_like(c, z, 1));
    z = op2(c, OP_div, op1(c, OP_neg, lo), *scale);
    z = clamp(c, op1(c, OP_round, z), 0, 255);
    *zero = cast(c, z, T_u8);
    return quantize(c, x, *scale, *zero, 2);
}

Val *as_bytes(Call *c, Val *x)
{
    Val *scale, *zero, *y = by_range(c, x, &scale, &zero);

    return op3(c, OP_dequantize, y, scale, zero);
}

void import_dynamicquantizelinear(Call *c)
{
    Val *scale, *zero, *y = by_range(c, c->arg[0], &scale, &zero);

    give(c, 0, y);
    give(c, 1, scale);
    give(c, 2, zero);
}

/* An integer bias is in units of both scales. */
static Val *real_bias(Call *c, Val *b, Val *xs, Val *ws)
{
    Val *scale;

    if (!b)
        return NULL;
    scale = op2(c, OP_mul, to_rank(c, xs, 0, 0), to_rank(c, ws, 1, 0));
    if (val_count(scale) == 1)
        scale = to_rank(c, scale, 0, 0);
    return op3(c, OP_dequantize, b, scale, NULL);
}

void import_qlinearconv(Call *c)
{
    Val *x = real(c, 0, 1), *w = real(c, 3, 0);
    Val *b = real_bias(c, arg_at(c, 8), c->arg[1], c->arg[4]);

    if (call_int(c, "channels_last", 0))
        call_err(c, "channels_last is on; export with channels first");
    give_by(c, 6, conv(c, x, w, b));
}

/* Scales of a are per row, of b per column. */
static Val *real_rows(Call *c, int i)
{
    Val *x = c->arg[i], *s = c->arg[i + 1], *z = arg_at(c, i + 2);
    bool wide = s->shape.rank == 1 && val_count(s) > 1;

    return wide ? dequantize(c, x, s, z, x->shape.rank - 2)
                : dequantize(c, x, s, z, 0);
}

void import_qlinearmatmul(Call *c)
{
    Val *a = real_rows(c, 0);
    Val *b = real(c, 3, MAX(0, c->arg[3]->shape.rank - 1));

    give_by(c, 6, matmul_onnx(c, a, b));
}

/* x without its zero point, 32 bits wide; x itself where that is 0. */
static Val *centred(Call *c, Val *x, Val *zero, int axis)
{
    int64_t i, n = zero ? val_count(zero) : 0;

    for (i = 0; i < n && zero->data && !val_int(zero, i); i++)
        ;
    if (i == n)
        return x;
    zero = fit(c, x, zero, axis, 0);
    return op2(c, OP_sub, cast(c, x, T_s32), cast(c, zero, T_s32));
}

void import_convinteger(Call *c)
{
    Val *x = centred(c, c->arg[0], arg_at(c, 2), 0);
    Val *w = centred(c, c->arg[1], arg_at(c, 3), 0);

    give(c, 0, conv(c, x, w, NULL));
}

void import_matmulinteger(Call *c)
{
    Val *a = c->arg[0], *b = c->arg[1];

    a = centred(c, a, arg_at(c, 2), MAX(0, a->shape.rank - 2));
    b = centred(c, b, arg_at(c, 3), MAX(0, b->shape.rank - 1));
    give(c, 0, matmul_onnx(c, a, b));
}

/* com.microsoft */

/* Scales of b are per column; the result is float. */
static void float_product(Call *c, Val *a, int b, int scale, int zero,
                          int bias)
{
    Val *w = must(c, b), *y;

    w = dequantize(c, w, must(c, scale), arg_at(c, zero),
                   MAX(0, w->shape.rank - 1));
    y = matmul_onnx(c, a, w);
    give(c, 0, arg_at(c, bias) ? op2(c, OP_add, y, c->arg[bias]) : y);
}

void import_matmulintegertofloat(Call *c)
{
    float_product(c, dequantize(c, c->arg[0], must(c, 2), arg_at(c, 4), 0), 1,
                  3, 5, 6);
}

void import_dynamicquantizematmul(Call *c)
{
    float_product(c, as_bytes(c, c->arg[0]), 1, 2, 3, 4);
}

void import_qlinearreducemean(Call *c)
{
    Val *x = real(c, 0, 0);
    int64_t axes[RANK];
    int n = call_ints(c, "axes", RANK, axes);

    axes_of(c, n, axes, x->shape.rank);
    give_by(c, 3, reduce(c, OP_mean, x, MAX(0, n), axes,
                         call_int(c, "keepdims", 1)));
}

void import_qlinearbinary(Call *c) /* QLinearAdd, QLinearMul */
{
    OpCode op = str_ends(onnx(c)->row->name, "Add") ? OP_add : OP_mul;
    Val *x = real(c, 0, 0), *y = real(c, 3, 0);

    give_by(c, 6, op2(c, op, x, y));
}

void import_qlinearsigmoid(Call *c)
{
    give_by(c, 3, op1(c, OP_sigmoid, real(c, 0, 0)));
}

void import_qlinearleakyrelu(Call *c)
{
    Node *n = node_of(c, OP_leakyrelu, 1, real(c, 0, 0));

    attr_set_num(c->g, n, A_alpha, call_num(c, "alpha", 0.01f));
    give_by(c, 3, done(c, n));
}

void import_qlinearsoftmax(Call *c)
{
    Val *x = real(c, 0, 0);
    int axis = axis_of(c, call_int(c, "axis", -1), x->shape.rank);

    if (call_int(c, "opset", 13) < 13 && axis != x->shape.rank - 1)
        call_err(c, "axis %d by the rules of opset %lld; wanted the last",
                 axis, (long long)call_int(c, "opset", 13));
    give_by(c, 3, softmax(c, x, axis));
}

void import_qlinearglobalaveragepool(Call *c)
{
    Val *x = real(c, 0, 0);
    int64_t axes[RANK];
    int i, first = call_int(c, "channels_last", 0) ? 1 : 2;
    int n = x->shape.rank - 2;

    if (n < 1)
        call_err(c, "input has %d dimensions; wanted 3 or more",
                 x->shape.rank);
    for (i = 0; i < n; i++)
        axes[i] = first + i;
    give_by(c, 3, reduce(c, OP_mean, x, n, axes, true));
}

void import_qlinearaveragepool(Call *c)
{
    if (call_int(c, "channels_last", 0))
        call_err(c, "channels_last is on; export with channels first");
    give_by(c, 3, averagepool(c, real(c, 0, 0)));
}

void import_qlinearconcat(Call *c)
{
    int i, n = (c->narg - 2) / 3;
    Val **x = NEWN(c->mem, Val *, (size_t)n + 1);

    if (n < 1 || c->narg != 2 + 3 * n)
        call_err(c, "%d inputs; wanted 2 and 3 for each tensor", c->narg);
    for (i = 0; i < n; i++)
        x[i] = real(c, 2 + 3 * i, 0);
    give_by(c, 0, join(c, axis_of(c, call_int(c, "axis", 0),
                                  x[0]->shape.rank), n, x));
}

/* A product with a bias in units of both scales; float if no scale is given
 * for the result. */
void import_qgemm(Call *c)
{
    bool ta = call_int(c, "transA", 0), tb = call_int(c, "transB", 0);
    double alpha = call_num(c, "alpha", 1);
    Val *a = real(c, 0, 0), *b, *bias, *y;

    b = real(c, 3, tb ? 0 : 1);
    bias = real_bias(c, arg_at(c, 6), c->arg[1], c->arg[4]);
    y = matmul(c, a, b, alpha == 1 ? bias : NULL, ta, tb);
    if (alpha != 1) {
        y = op_num(c, OP_mul, y, alpha);
        y = bias ? op2(c, OP_add, y, op_num(c, OP_mul, bias, alpha)) : y;
    }
    if (arg_at(c, 7))
        give_by(c, 7, y);
    else
        give(c, 0, y);
}
