/* Elementwise operators of one operand.  Of bytes each is a table of 256
 * results, made by the arithmetic of the reference kernels; of 16 bits it is
 * composed; of floats it is an operator of ours. */
#include "kern/row/fixed.h"
#include "front/tflite/import.h"

#include <math.h>
#include <stdlib.h>

static Val *operand(Call *c, bool *is_image)
{
    *is_image = has_image(c, 0);
    return *is_image ? image(c, 0) : plain(c, 0);
}

static void put(Call *c, bool is_image, Val *v)
{
    if (is_image)
        give_image(c, 0, v);
    else
        give_plain(c, 0, v);
}

static int64_t to_byte(const Tensor *y, int64_t v)
{
    const TypeInfo *t = &type_info[type_of(y->type)];

    return clamp64(v, t->lo, t->hi);
}

static void want_bytes(const Call *c)
{
    const Tensor *x = need(c, 0), *y = out(c, 0);

    want_quantized(c, x);
    want_quantized(c, y);
    if (!is_int8(x) || !is_int8(y))
        call_err(c, "of type %s; wanted int8 or float32",
                 type_name(is_int8(x) ? y->type : x->type));
    if (!(scale_of(c, x) > 0) || !(scale_of(c, y) > 0))
        call_err(c, "a scale is 0");
}

static void by_table(Call *c, Table8 *fn)
{
    bool images;
    Val *x = operand(c, &images);

    want_bytes(c);
    put(c, images, table8(c, x, in(c, 0), out(c, 0), fn));
}

/* An operator of ours on floats; integers without scales too, if they may. */
static bool as_is(Call *c, OpCode op, bool ints)
{
    bool images;
    Val *x = operand(c, &images);

    if (!is_float(in(c, 0)) && !(ints && !is_quantized(in(c, 0))))
        return false;
    put(c, images, op1(c, op, x));
    return true;
}

static void floats_only(Call *c, OpCode op)
{
    if (!as_is(c, op, false))
        call_err(c, "of type %s; wanted float32", type_name(in(c, 0)->type));
}

/* --- the logistic function and its like --- */

/* MBQM in Q(i).(31-i); the value from which on the result does not change. */
static int64_t scaled(const Call *c, const Tensor *x, int64_t v,
                      int64_t *radius)
{
    double d = scale_of(c, x) * 0x1p27;
    int e;

    frexp(d, &e);
    *radius = whole(floor(15 * 0x1p27 / ldexp(1, e)));
    return mbqm(v - zero_of(x), factor(c, d));
}

/* Where the function is as good as its limit: *end; else *q is scaled. */
static bool is_beyond(const Call *c, const Tensor *x, const Tensor *y,
                      int64_t v, int64_t *q, int64_t *end)
{
    int64_t radius, d = v - zero_of(x);

    *q = scaled(c, x, v, &radius);
    *end = to_byte(y, d <= -radius ? INT32_MIN : INT32_MAX);
    return d <= -radius || d >= radius;
}

static int64_t logistic8(const Call *c, const Tensor *x, const Tensor *y,
                         int64_t v)
{
    int64_t p, q, end;

    if (is_beyond(c, x, y, v, &q, &end))
        return end;
    p = q ? fixed_inverse(fixed_exp(q < 0 ? q : -q, 4)) : 1LL << 30;
    if (q < 0)
        p = INT32_MAX - p;
    return to_byte(y, fixed_right(p, 23) + zero_of(y));
}

static int64_t tanh8(const Call *c, const Tensor *x, const Tensor *y,
                     int64_t v)
{
    int64_t p, q, end;

    if (is_beyond(c, x, y, v, &q, &end))
        return end;
    p = q ? fixed_quotient(fixed_exp(q < 0 ? q : -q, 5)) : 0;
    return to_byte(y, fixed_right(q < 0 ? -p : p, 24) + zero_of(y));
}

static void want_output(const Call *c, double scale, int64_t zero)
{
    const Tensor *y = out(c, 0);

    if (scale_of(c, y) != scale || zero_of(y) != zero)
        call_err(c, "'%s' has scale %g and zero point %lld; wanted %g and "
                 "%lld", y->name, scale_of(c, y), (long long)zero_of(y),
                 scale, (long long)zero);
}

Val *qsigmoid(Call *c, Val *x, bool is_tanh, int64_t mul, int shift)
{
    Node *n = node_of(c, OP_qsigmoid, 1, x);

    attr_set_int(c->g, n, A_p0, mul);
    if (shift)
        attr_set_int(c->g, n, A_shift, shift);
    if (is_tanh)
        attr_set_int(c->g, n, A_mode, 1);
    return done(c, n);
}

/* The factor and shift that bring 16 bits to the table's steps. */
static Val *curve16(Call *c, Val *x, bool is_tanh)
{
    float s = (float)scale_of(c, in(c, 0)), lg = log2f(s), f;
    int l = 12 + (int)clamp64(whole(lg), -1000, 1000);
    bool power = fabsf(lg - roundf(lg)) < 1e-3f;
    int64_t m;

    if (!(s > 0x1p-40f && s < 1))
        call_err(c, "'%s' has the scale %g; wanted 2^-40 to 1",
                 in(c, 0)->name, (double)s);

    want_output(c, 0x1p-15, 0);
    if (zero_of(in(c, 0)))
        call_err(c, "'%s' has a zero point other than 0", in(c, 0)->name);
    if (power && (l == 0 || (is_tanh && l == 1))) {
        m = 3 << l;
        l = 0;
    } else {
        f = s * 4096 * 3;
        for (l = 0; f <= 32767.0f / 2 && l <= 30; l++)
            f *= 2;
        m = (int64_t)f;
    }
    return qsigmoid(c, x, is_tanh, m, l);
}

static void squash(Call *c, OpCode op, Table8 *fn, bool is_tanh)
{
    bool images;
    Val *x = operand(c, &images);

    if (as_is(c, op, false))
        return;
    want_quantized(c, in(c, 0));
    if (is_int16(in(c, 0)) && is_int16(out(c, 0))) {
        put(c, images, curve16(c, x, is_tanh));
        return;
    }
    want_bytes(c);
    want_output(c, is_tanh ? 0x1p-7 : 0x1p-8,
                (is_tanh ? 0 : -128) + (in(c, 0)->type == TF_u8 ? 128 : 0));
    by_table(c, fn);
}

void lite_logistic(Call *c)
{
    squash(c, OP_sigmoid, logistic8, false);
}

void lite_tanh(Call *c)
{
    squash(c, OP_tanh, tanh8, true);
}

/* --- rectifiers --- */

static Factor ratio(const Call *c, double more)
{
    return factor(c, scale_of(c, in(c, 0)) * more / scale_of(c, out(c, 0)));
}

static int64_t relu8(const Call *c, const Tensor *x, const Tensor *y,
                     int64_t v)
{
    return to_byte(y, MAX(zero_of(y), zero_of(y) + mbqm(v - zero_of(x),
                                                        ratio(c, 1))));
}

/* Of 16 bits: composed. */
static void relu16(Call *c)
{
    const Tensor *y = out(c, 0);
    bool images;
    Val *x = operand(c, &images);

    put(c, images, rescale(c, centred(c, x, zero_of(in(c, 0))),
                           scale_of(c, in(c, 0)) / scale_of(c, y), y,
                           ACT_relu));
}

static void float_clamp(Call *c, double lo, double hi)
{
    bool images;
    Val *x = operand(c, &images);

    put(c, images, clamp(c, x, lo, hi));
}

void lite_relu(Call *c)
{
    const Tensor *x = need(c, 0);

    if (is_float(x)) {
        float_clamp(c, 0, INFINITY);
        return;
    }
    want_quantized(c, x);
    want_quantized(c, out(c, 0));
    if (is_int8(x))
        by_table(c, relu8);
    else
        relu16(c);
}

/* The raw value is clipped, whatever the output's scale. */
void lite_relu6(Call *c)
{
    const Tensor *x = need(c, 0);
    const TypeInfo *t = &type_info[type_of(x->type)];

    if (is_float(x)) {
        float_clamp(c, 0, 6);
        return;
    }
    want_quantized(c, x);
    if (!(scale_of(c, x) > 0))
        call_err(c, "a scale is 0");
    float_clamp(c, (double)MAX(zero_of(x), t->lo),
                fmin((double)(zero_of(x) +
                              whole(6 / (float)scale_of(c, x))),
                     (double)t->hi));
}

static double alpha_of(const Call *c)
{
    return option_f32(c, 0, 0);
}

/* Of a negative slope the factor's magnitude, negated afterwards. */
static int64_t sloped(const Call *c, int64_t v)
{
    Factor f = ratio(c, fabs(alpha_of(c)));

    return alpha_of(c) < 0 ? -mbqm(v, f) : mbqm(v, f);
}

static int64_t leaky8(const Call *c, const Tensor *x, const Tensor *y,
                      int64_t v)
{
    int64_t d = v - zero_of(x);

    return to_byte(y, zero_of(y) + (d >= 0 ? mbqm(d, ratio(c, 1))
                                           : sloped(c, d)));
}

static Val *leaky16(Call *c, Val *x)
{
    const Tensor *y = out(c, 0);
    Val *v = centred(c, x, zero_of(in(c, 0)));
    Val *up = rescale_to(c, v, ratio(c, 1), INT32_MIN, INT32_MAX);
    Val *down = rescale_to(c, v, ratio(c, fabs(alpha_of(c))), INT32_MIN,
                           INT32_MAX);
    int64_t lo, hi;

    if (alpha_of(c) < 0)
        down = op1(c, OP_neg, down);
    v = op3(c, OP_where, op2(c, OP_greatereq, v, num_like(c, v, 0)), up, down);
    if (zero_of(y))
        v = op_num(c, OP_add, v, (double)zero_of(y));
    bounds(c, y, ACT_none, &lo, &hi);
    return clamp(c, v, (double)lo, (double)hi);
}

void lite_leaky_relu(Call *c)
{
    bool images;
    Val *x = operand(c, &images);
    Node *n;

    if (is_float(in(c, 0))) {
        n = node_of(c, OP_leakyrelu, 1, x);
        attr_set_num(c->g, n, A_alpha, alpha_of(c));
        put(c, images, done(c, n));
        return;
    }
    want_quantized(c, in(c, 0));
    want_quantized(c, out(c, 0));
    if (is_int8(in(c, 0)))
        by_table(c, leaky8);
    else
        put(c, images, leaky16(c, x));
}

/* Products of 16 bits, rounded and saturated. */
static int64_t product16(int64_t a, int64_t b)
{
    int64_t p = a * b;

    return (p + (p >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15);
}

static int64_t sat16(int64_t v)
{
    return clamp64(v, -32768, 32767);
}

/* A factor of 16 bits and its exponent. */
static int64_t factor16(const Call *c, float d, int *e)
{
    Factor f = factor(c, (double)d);

    *e = 31 - f.shift;
    return f.mul < 0x7fff0000 ? (f.mul + (1 << 15)) >> 16 : 0x7fff;
}

static int64_t hardswish8(const Call *c, const Tensor *x, const Tensor *y,
                          int64_t in8)
{
    float h = (float)scale_of(c, x) / 128;
    int oe, re;
    int64_t om = factor16(c, h / (float)scale_of(c, y), &oe);
    int64_t rm = factor16(c, h / (3.0f / 32768), &re);
    int64_t v = (in8 - zero_of(x)) * 128, p = product16(v, om), r = v;

    if (re > 0)
        r = sat16(r * (1 << (re - 1)));
    r = product16(r, rm);
    if (re > 0)
        r = sat16(2 * r);
    if (re < 0)
        r = fixed_right(r, -re);
    r = (r + 32768) >> 1;
    return to_byte(y, zero_of(y) + fixed_right(r * p / (1 << 15), -oe));
}

void lite_hard_swish(Call *c)
{
    if (!as_is(c, OP_hardswish, false))
        by_table(c, hardswish8);
}

/* Through floats: to the nearest, ties away from zero. */
static int64_t by_float(const Call *c, const Tensor *x, const Tensor *y,
                        int64_t v, float (*fn)(float))
{
    float r = fn((float)scale_of(c, x) * (float)(v - zero_of(x)));

    return to_byte(y, whole(r * (1 / (float)scale_of(c, y))) + zero_of(y));
}

static float elu(float x)
{
    return x < 0 ? expm1f(x) : x;
}

static int64_t elu8(const Call *c, const Tensor *x, const Tensor *y,
                    int64_t v)
{
    return by_float(c, x, y, v, elu);
}

void lite_elu(Call *c)
{
    bool images;
    Val *x = operand(c, &images);
    Node *n;

    if (!is_float(in(c, 0))) {
        by_table(c, elu8);
        return;
    }
    n = node_of(c, OP_elu, 1, x);
    attr_set_num(c->g, n, A_alpha, 1);
    put(c, images, done(c, n));
}

/* 1 / sqrt of d steps of x; a result of its own for 0. */
static int64_t rsqrt_of(const Call *c, const Tensor *x, const Tensor *y,
                        int64_t d)
{
    Factor f = factor(c, 1 / (sqrt(scale_of(c, x)) * scale_of(c, y)));
    int64_t m, q;
    int shift;

    if (d == 0)
        return type_info[type_of(y->type)].hi;
    shift = fixed_inverse_sqrt(d, &m) - 20;
    q = mbqm(1, (Factor){m, shift, 0});
    f.shift += 20;
    return to_byte(y, zero_of(y) + mbqm(q, f));
}

static int64_t rsqrt8(const Call *c, const Tensor *x, const Tensor *y,
                      int64_t v)
{
    if (v < zero_of(x))
        call_err(c, "'%s' can be negative", x->name);
    return rsqrt_of(c, x, y, v - zero_of(x));
}

/* By a table of 64 kilobytes; the reference has no result of less than 0, ours
 * is that of 0. */
static Val *rsqrt16(Call *c, Val *x)
{
    const Tensor *t = in(c, 0), *y = out(c, 0);
    Shape s = {.rank = 1, .dim = {32768}};
    int64_t *fn = NEWN(c->mem, int64_t, 32768);
    int d;

    want_quantized(c, y);
    if (!is_int16(y) || zero_of(t) || zero_of(y))
        call_err(c, "'%s' or '%s' is not int16 with zero point 0", t->name,
                 y->name);
    if (!(scale_of(c, t) > 0) || !(scale_of(c, y) > 0))
        call_err(c, "a scale is 0");
    for (d = 0; d < 32768; d++)
        fn[d] = rsqrt_of(c, t, y, d);
    return take(c, ints(c, T_s16, s, fn), clamp(c, x, 0, 32767), 0);
}

void lite_rsqrt(Call *c)
{
    bool images;
    Val *x = operand(c, &images);

    if (is_float(in(c, 0)))
        put(c, images, op1(c, OP_reciprocal, op1(c, OP_sqrt, x)));
    else if (is_quantized(in(c, 0)) && is_int16(in(c, 0)))
        put(c, images, rsqrt16(c, x));
    else
        by_table(c, rsqrt8);
}

/* --- between scales and types --- */

static int64_t quantize8(const Call *c, const Tensor *x, const Tensor *y,
                         int64_t v)
{
    return to_byte(y, zero_of(y) + mbqm(v - zero_of(x), ratio(c, 1)));
}

void lite_quantize(Call *c)
{
    const Tensor *t = need(c, 0), *y = out(c, 0);
    bool images;
    Val *x = operand(c, &images);
    Node *n;

    if (!y->nscale || !type_of(y->type))
        call_err(c, "'%s' has no scale", y->name);
    if (!is_float(t) && is_int8(t) && is_int8(y)) {
        by_table(c, quantize8);
        return;
    }
    if (!is_float(t)) {
        x = rescale(c, centred(c, x, zero_of(t)),
                    scale_of(c, t) / scale_of(c, y), y, ACT_none);
        put(c, images, x);
        return;
    }
    n = node_of(c, OP_quantize, 3, x,
                nums(c, (Shape){0}, &(float){(float)scale_of(c, y)}),
                ints(c, T_s64, (Shape){0}, &(int64_t){zero_of(y)}));
    attr_set_int(c->g, n, A_to, type_of(y->type));
    attr_set_int(c->g, n, A_mode, 1);
    put(c, images, done(c, n));
}

void lite_dequantize(Call *c)
{
    const Tensor *t = need(c, 0);
    bool images;
    Val *x = operand(c, &images);
    Node *n;

    if (x->type == T_f32) { /* of 16-bit floats */
        put(c, images, x);
        return;
    }
    n = node_of(c, OP_dequantize, 3, x,
                nums(c, (Shape){0}, &(float){(float)scale_of(c, t)}),
                ints(c, T_s64, (Shape){0}, &(int64_t){zero_of(t)}));
    put(c, images, done(c, n));
}

void lite_cast(Call *c)
{
    Type to = type_of(out(c, 0)->type);
    bool images;
    Val *x = operand(c, &images);

    if (!to)
        call_err(c, "to type %s", type_name(out(c, 0)->type));
    put(c, images, cast(c, x, to));
}

/* --- magnitude --- */

static bool same_step(const Call *c)
{
    return scale_of(c, in(c, 0)) == scale_of(c, out(c, 0));
}

static int64_t abs8(const Call *c, const Tensor *x, const Tensor *y,
                    int64_t v)
{
    int64_t d = llabs(v - zero_of(x));

    return to_byte(y, zero_of(y) + (same_step(c) ? d : mbqm(d, ratio(c, 1))));
}

static Val *abs16(Call *c, Val *x)
{
    const Tensor *y = out(c, 0);
    int64_t lo, hi;

    x = op1(c, OP_abs, centred(c, x, zero_of(in(c, 0))));
    if (!same_step(c))
        return rescale(c, x, scale_of(c, in(c, 0)) / scale_of(c, y), y,
                       ACT_none);
    bounds(c, y, ACT_none, &lo, &hi);
    return clamp(c, centred(c, x, -zero_of(y)), (double)lo, (double)hi);
}

void lite_abs(Call *c)
{
    bool images;
    Val *x;

    if (as_is(c, OP_abs, true))
        return;
    want_quantized(c, in(c, 0));
    want_quantized(c, out(c, 0));
    x = operand(c, &images);
    if (is_int16(in(c, 0)) && is_int16(out(c, 0)))
        put(c, images, abs16(c, x));
    else
        by_table(c, abs8);
}

/* --- floats --- */

void lite_neg(Call *c)
{
    if (!as_is(c, OP_neg, true))
        call_err(c, "of type %s; wanted float32", type_name(in(c, 0)->type));
}

void lite_square(Call *c)
{
    bool images;
    Val *x = operand(c, &images);

    if (is_quantized(in(c, 0)))
        call_err(c, "of type %s; wanted float32", type_name(in(c, 0)->type));
    put(c, images, op2(c, OP_mul, x, x));
}

void lite_relu_n1_to_1(Call *c)
{
    if (!is_float(need(c, 0)))
        call_err(c, "of type %s; wanted float32", type_name(in(c, 0)->type));
    float_clamp(c, -1, 1);
}

void lite_exp(Call *c) { floats_only(c, OP_exp); }
void lite_log(Call *c) { floats_only(c, OP_log); }
void lite_sin(Call *c) { floats_only(c, OP_sin); }
void lite_cos(Call *c) { floats_only(c, OP_cos); }
void lite_sqrt(Call *c) { floats_only(c, OP_sqrt); }
void lite_floor(Call *c) { floats_only(c, OP_floor); }
void lite_ceil(Call *c) { floats_only(c, OP_ceil); }
void lite_round(Call *c) { floats_only(c, OP_round); }

void lite_logical_not(Call *c)
{
    bool images;
    Val *x = operand(c, &images);

    put(c, images, op1(c, OP_not, x));
}

void lite_zeros_like(Call *c)
{
    Val *x = plain(c, 0);

    give_plain(c, 0, blank(c, x->type, x->shape));
}
