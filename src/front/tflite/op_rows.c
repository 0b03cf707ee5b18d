/* Operators along rows, and reductions. */
#include "front/tflite/import.h"

#include <math.h>

/* --- softmax --- */

#include "kern/row/fixed.h"

/* The factor from bytes to Q5.26. */
static Factor step_of(const Call *c, double beta)
{
    double d = beta * scale_of(c, need(c, 0)) * 0x1p26;

    return factor(c, fmin(d, 0x1p31 - 1));
}

/* -d in Q5.26 of a difference d of bytes; 1: too small for its exp to count. */
static int64_t difference(Factor f, int d)
{
    int64_t least = -whole(floor(31 * 0x1p26 / ldexp(1, 31 - f.shift)));

    return -d < least ? 1
         : fixed_mul(-d * ((int64_t)1 << (31 - f.shift)), f.mul);
}

/* exp(-d) in Q(bits).(31-bits) of every difference d that two bytes can have. */
static Val *exponentials(Call *c, Factor f, int bits)
{
    Shape s = {.rank = 1, .dim = {256}};
    int64_t t[256];
    int d;

    for (d = 0; d < 256; d++) {
        int64_t v = difference(f, d);

        t[d] = v > 0 ? 0 : fixed_right(fixed_exp(v, 5), bits);
    }
    return ints(c, T_s32, s, t);
}

static double exp_of(double v)
{
    return (double)expf((float)v);
}

static double one_over(double v)
{
    return (double)(1 / (1 + (float)v));
}

/* 513 points of a curve from lo to hi whose results go from 0 to `most`, each
 * moved by half of what the line to the next is off in the middle. */
static Val *points(Call *c, double (*fn)(double), float scale, int64_t zero,
                   float out_scale, int64_t out_zero)
{
    float lo = scale * (float)(-32768 - zero), hi = scale * (float)(32767 -
                                                                    zero);
    float lowest = out_scale * (float)(-32768 - out_zero);
    float highest = out_scale * (float)(32767 - out_zero);
    float step = (hi - lo) / 512, inv = 65536 / (highest - lowest);
    Shape s = {.rank = 1, .dim = {513}};
    int64_t t[513];
    int i;

    for (i = 0; i < 512; i++) {
        float at = lo + (float)i * step;
        float v0 = (float)fn((double)at);
        float vm = (float)fn((double)(at + step / 2));
        float v1 = (float)fn((double)(lo + (float)(i + 1) * step));
        float middle = roundf((v1 * inv + roundf(v0 * inv)) / 2);
        float off = roundf((middle - roundf(vm * inv)) / 2);

        t[i] = clamp64((int64_t)(roundf(v0 * inv) - off), -32768, 32767);
    }
    t[512] = clamp64((int64_t)roundf((float)fn((double)hi) * inv), -32768,
                     32767);
    return ints(c, T_s16, s, t);
}

static Val *softmax_bytes(Call *c, Val *x, const Tensor *y, double beta)
{
    int bits = is_int16(y) ? 16 : 8;
    const TypeInfo *t = &type_info[type_of(y->type)];
    Node *n = node_of(c, OP_qsoftmax, 2, x,
                      exponentials(c, step_of(c, beta), 0));

    attr_set_int(c->g, n, A_p0, bits);
    attr_set_int(c->g, n, A_lo, t->lo);
    attr_set_int(c->g, n, A_hi, t->hi);
    return done(c, n);
}

static Val *softmax_shorts(Call *c, Val *x, double beta)
{
    Factor f = factor(c, scale_of(c, need(c, 0)) * beta /
                             (double)(10.0f / 65535.0f));
    Val *e = points(c, exp_of, 10.0f / 65535.0f, 32767, 2.0f / 65535.0f, 0);
    Val *r = points(c, one_over, 1.0f / 65535.0f, -32768, 2.0f / 65535.0f, 0);
    Node *n = node_of(c, OP_qsoftmax, 3, x, e, r);

    attr_set_int(c->g, n, A_p1, f.mul);
    attr_set_int(c->g, n, A_shift, f.shift);
    attr_set_int(c->g, n, A_lo, 0);
    attr_set_int(c->g, n, A_hi, 32767);
    return done(c, n);
}

void lite_softmax(Call *c)
{
    const Tensor *t = need(c, 0), *y = out(c, 0);
    double beta = option_f32(c, 0, 0);
    Val *x = plain(c, 0);

    if (x->shape.rank < 1)
        call_err(c, "of a single number");
    if (is_float(t)) {
        if (beta != 1)
            x = op_num(c, OP_mul, x, beta);
        give_plain(c, 0, softmax(c, x, x->shape.rank - 1));
        return;
    }
    want_quantized(c, t);
    want_quantized(c, y);
    if (is_int8(t))
        x = softmax_bytes(c, x, y, beta);
    else
        x = softmax_shorts(c, x, beta);
    give_plain(c, 0, x);
}

/* Every difference of two bytes in Q5.26, 16 at most: results from there on
 * are the least. */
static Val *differences(Call *c, Factor f)
{
    Shape s = {.rank = 1, .dim = {256}};
    int64_t t[256];
    int d;

    for (d = 0; d < 256; d++) {
        int64_t v = difference(f, d);

        t[d] = v > 0 ? 1 << 30 : MIN(-v, 1 << 30);
    }
    return ints(c, T_s32, s, t);
}

static Val *log_softmax_bytes(Call *c, Val *x)
{
    const Tensor *t = need(c, 0), *y = out(c, 0);
    Factor f = step_of(c, 1);
    Node *n;

    want_quantized(c, t);
    want_quantized(c, y);
    if (t->type != TF_s8 || y->type != TF_s8)
        call_err(c, "of type %s; wanted int8 or float32", type_name(t->type));
    if (scale_of(c, y) != 0.0625 || zero_of(y) != 127)
        call_err(c, "'%s' has scale %g and zero point %lld; wanted 1/16 and "
                 "127", y->name, scale_of(c, y), (long long)zero_of(y));
    n = node_of(c, OP_qlogsoftmax, 3, x, exponentials(c, f, 12),
                differences(c, f));
    attr_set_int(c->g, n, A_lo, -128);
    attr_set_int(c->g, n, A_hi, 127);
    return done(c, n);
}

void lite_log_softmax(Call *c)
{
    Val *x = plain(c, 0);
    Node *n;

    if (!is_float(need(c, 0))) {
        give_plain(c, 0, log_softmax_bytes(c, x));
        return;
    }
    n = node_of(c, OP_logsoftmax, 1, x);
    attr_set_int(c->g, n, A_axis, x->shape.rank - 1);
    give_plain(c, 0, done(c, n));
}

void lite_l2_normalization(Call *c)
{
    const Tensor *t = need(c, 0);
    Val *x = plain(c, 0);
    Node *n;

    if (act_of(c, 0))
        call_err(c, "it has an activation; wanted none");
    if (is_float(t)) {
        n = node_of(c, OP_lpnorm, 1, x);
        attr_set_int(c->g, n, A_p0, 2);
        attr_set_int(c->g, n, A_axis, x->shape.rank - 1);
    } else {
        want_quantized(c, t);
        if (t->type != TF_s8)
            call_err(c, "of type %s; wanted int8 or float32",
                     type_name(t->type));
        n = node_of(c, OP_qlpnorm, 1, x);
        attr_set_int(c->g, n, A_p0, zero_of(t));
        attr_set_int(c->g, n, A_lo, -128);
        attr_set_int(c->g, n, A_hi, 127);
    }
    give_plain(c, 0, done(c, n));
}

/* --- reductions --- */

typedef struct Axes {
    bool images, keep;
    int n;
    int64_t axis[RANK]; /* of x as it is reduced */
    int64_t count;      /* elements of one result */
    Shape y;
} Axes;

static Val *axes_for(Call *c, Axes *a)
{
    Val *x;
    int i, rank;
    bool set[RANK] = {false};

    a->images = has_image(c, 0);
    a->keep = option8(c, 0, 0);
    x = a->images ? image(c, 0) : plain(c, 0);
    rank = x->shape.rank;
    a->n = (int)list_at(c, 1, RANK, a->axis);
    for (i = 0; i < a->n; i++)
        a->axis[i] = axis_of(c, a->axis[i], rank);
    for (i = 0; i < a->n; i++)
        set[a->axis[i]] = true;
    a->count = 1;
    for (i = a->n = 0; i < rank; i++) {
        int k = !a->images || i == 0 ? i : i == 3 ? 1 : i + 1;

        if (set[i]) {
            a->axis[a->n++] = k;
            a->count *= x->shape.dim[k];
        }
        if (a->keep || !set[i])
            a->y.dim[a->y.rank++] = set[i] ? 1 : x->shape.dim[k];
    }
    return x;
}

/* Reduced axes are there yet, with size 1. */
static void give_reduced(Call *c, const Axes *a, Val *v)
{
    if (a->images)
        v = to_plain(c, v);
    give_plain(c, 0, to_shape(c, v, a->y));
}

static Val *reduce_by(Call *c, OpCode op, Val *x, const Axes *a)
{
    return a->n ? reduce(c, op, x, a->n, a->axis, true) : x;
}

/* MEAN's factor holds the division; SUM's does not. */
static Factor mean_factor(const Call *c, double d, int64_t n)
{
    Factor f = factor(c, d);
    int up = 0;

    while ((int64_t)2 << up <= n)
        up++;
    up = MIN(MIN(up, 32), 31 + 31 - f.shift);
    f.mul = f.mul * ((int64_t)1 << up) / n;
    f.shift += up;
    return f;
}

static Val *whole_sum(Call *c, Val *x, const Axes *a, bool mean)
{
    const Tensor *t = in(c, 0), *y = out(c, 0);
    double d = scale_of(c, t) / scale_of(c, y);
    Factor f = mean ? mean_factor(c, d, a->count) : factor(c, d);
    Epilogue e = epilogue(c, &f, 1, y, ACT_none);

    x = centred(c, reduce_by(c, OP_sum, x, a), zero_of(t) * a->count);
    return finish(c, node_of(c, OP_requant, 4, x, e.mul, e.add, e.shifts), &e);
}

static void sum(Call *c, bool mean)
{
    const Tensor *t = need(c, 0);
    Axes a = {0};
    Val *x = axes_for(c, &a);

    if (is_float(t) || !is_quantized(t)) {
        if (mean && !is_float(t))
            call_err(c, "of type %s; wanted float32 or int8",
                     type_name(t->type));
        give_reduced(c, &a, reduce_by(c, mean ? OP_mean : OP_sum, x, &a));
        return;
    }
    want_quantized(c, t);
    want_quantized(c, out(c, 0));
    give_reduced(c, &a, whole_sum(c, x, &a, mean));
}

void lite_mean(Call *c)
{
    sum(c, true);
}

void lite_sum(Call *c)
{
    sum(c, false);
}

static void extreme(Call *c, OpCode op)
{
    Axes a = {0};
    Val *x = axes_for(c, &a);

    same_scale(c, need(c, 0), out(c, 0));
    give_reduced(c, &a, reduce_by(c, op, x, &a));
}

void lite_reduce_max(Call *c)
{
    extreme(c, OP_rmax);
}

void lite_reduce_min(Call *c)
{
    extreme(c, OP_rmin);
}

static void arg(Call *c, OpCode op)
{
    Val *x = plain(c, 0);
    int64_t axis;

    if (list_at(c, 1, 1, &axis) != 1)
        call_err(c, "wanted one axis");
    axis = axis_of(c, axis, x->shape.rank);
    give_plain(c, 0, reduce(c, op, x, 1, &axis, false));
}

void lite_arg_max(Call *c)
{
    arg(c, OP_argmax);
}

void lite_arg_min(Call *c)
{
    arg(c, OP_argmin);
}

static Val *running_sum(Call *c, Val *x, int axis)
{
    Node *n = node_of(c, OP_cumsum, 1, x);

    attr_set_int(c->g, n, A_axis, axis);
    if (option8(c, 0, 0))
        attr_set_int(c->g, n, A_exclusive, 1);
    if (option8(c, 1, 0))
        attr_set_int(c->g, n, A_reverse, 1);
    return done(c, n);
}

void lite_cumsum(Call *c)
{
    const Tensor *t = need(c, 0), *y = out(c, 0);
    Val *x = plain(c, 0);
    int64_t axis;

    if (list_at(c, 1, 1, &axis) != 1)
        call_err(c, "wanted one axis");
    axis = axis_of(c, axis, x->shape.rank);
    if (!is_quantized(t)) {
        give_plain(c, 0, running_sum(c, x, (int)axis));
        return;
    }
    want_quantized(c, y);
    if (t->type != TF_s8 || y->type != TF_s8)
        call_err(c, "of type %s; wanted int8 or float32", type_name(t->type));
    /* Steps of 2^-20 of twice the scale (reference_ops::CumSum). */
    x = op_num(c, OP_mul, cast(c, centred(c, x, zero_of(t)), T_s32), 1 << 19);
    x = centred(c, running_sum(c, x, (int)axis), zero_of(t) * (1 << 19));
    x = rescale(c, x,
                2 * scale_of(c, t) / ((1 << 20) * scale_of(c, y)), y, ACT_none);
    give_plain(c, 0, x);
}
