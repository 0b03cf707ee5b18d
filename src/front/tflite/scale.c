/* Scales: from real factors to the integers that the reference kernels compute
 * with, and the last step of every operator on integers.
 *
 * A real factor d is m 2^(e-31), m of 31 bits.  The kernels make of a sum x
 *
 *     SRDHM(a, m) = (a m + 2^30) >> 31            a = x 2^max(e, 0)
 *     MBQM(x)     = SRDHM / 2^-e to the nearest, ties away from zero
 *
 * which is the same integer as (x m + half) >> (31 - e), where half is
 * 2^(30-e), and where e < 0 also 2^30, or -2^30 if x is negative: that is what
 * the attribute `round` says.  It matters only to negative sums, so it is left
 * out where those are clipped anyway.  (TensorFlow Lite: common.h,
 * MultiplyByQuantizedMultiplier; gemmlowp: fixedpoint.h.) */
#include "front/tflite/import.h"

#include <math.h>
#include <stdlib.h>

double scale_of(const Call *c, const Tensor *t)
{
    if (!t->nscale)
        call_err(c, "'%s' has no scale", t->name);
    if (t->nscale > 1)
        call_err(c, "'%s' has %u scales; wanted one", t->name, t->nscale);
    return scale_at(t, 0);
}

void same_scale(const Call *c, const Tensor *x, const Tensor *y)
{
    if (x->nscale != y->nscale || !x->nscale)
        return;
    if (scale_at(x, 0) != scale_at(y, 0) || zero_of(x) != zero_of(y))
        call_err(c, "'%s' has scale %g and zero point %lld, '%s' %g and "
                 "%lld; wanted the same", x->name, scale_at(x, 0),
                 (long long)zero_of(x), y->name, scale_at(y, 0),
                 (long long)zero_of(y));
}

Factor factor(const Call *c, double d)
{
    Factor f = {0, 31, 0};
    int e;

    if (!isfinite(d))
        call_err(c, "its scales make a factor of %g", d);
    if (d == 0)
        return f;
    f.mul = llround(frexp(d, &e) * 0x1p31);
    if (llabs(f.mul) == 1LL << 31) {
        f.mul /= 2;
        e++;
    }
    if (e < -31)
        return (Factor){0, 31, 0};
    if (e > 30)
        call_err(c, "its scales make a factor of %g; wanted less than 2^30",
                 d);
    f.shift = 31 - e;
    return f;
}

int64_t mbqm(int64_t v, Factor f)
{
    int64_t half = (int64_t)1 << (f.shift - 1);

    if (f.shift > 31)
        half += v < 0 ? -(1LL << 30) : 1LL << 30;
    return (v * f.mul + half) >> f.shift;
}

int64_t clamp64(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

int64_t whole(double v)
{
    if (isnan(v))
        return 0;
    return llround(fmin(fmax(v, INT32_MIN), INT32_MAX));
}

/* --- activations --- */

Act act_of(const Call *c, int field)
{
    int64_t a = option8(c, field, 0);

    if (a < ACT_none || a > ACT_relu6)
        call_err(c, "its activation is %s; wanted none or a relu",
                 a == ACT_tanh ? "tanh" : a == ACT_sign ? "sign bit"
                                                        : "unknown");
    return (Act)a;
}

static int64_t quantized(const Tensor *y, float v)
{
    return zero_of(y) + whole(v / (float)scale_at(y, 0));
}

void bounds(const Call *c, const Tensor *y, Act act, int64_t *lo, int64_t *hi)
{
    const TypeInfo *t = &type_info[type_of(y->type)];

    *lo = t->lo;
    *hi = t->hi;
    if (act == ACT_none)
        return;
    if (!(scale_of(c, y) > 0))
        call_err(c, "'%s' has the scale 0", y->name);
    if (act == ACT_relu1)
        *lo = MAX(*lo, quantized(y, -1));
    else
        *lo = MAX(*lo, zero_of(y));
    if (act == ACT_relu1)
        *hi = MIN(*hi, quantized(y, 1));
    else if (act == ACT_relu6)
        *hi = MIN(*hi, quantized(y, 6));
    if (*lo > *hi)
        call_err(c, "the activation leaves nothing of the range of '%s'",
                 y->name);
}

Val *float_act(Call *c, Val *v, Act act)
{
    switch (act) {
    case ACT_relu: return clamp(c, v, 0, INFINITY);
    case ACT_relu1: return clamp(c, v, -1, 1);
    case ACT_relu6: return clamp(c, v, 0, 6);
    default: return v;
    }
}

/* --- the epilogue --- */

static Val *number(Call *c, int64_t n, const int64_t *v)
{
    Shape s = {.rank = n > 1, .dim = {n}};

    return ints(c, T_s64, s, v);
}

static bool all_same(const int64_t *v, int64_t n)
{
    int64_t i;

    for (i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return true;
}

/* mul, add and shifts of n channels, of which there may be one. */
static void operands(Call *c, Epilogue *e, int64_t n, const int64_t *mul,
                     const int64_t *add, const int64_t *shift)
{
    if (all_same(mul, n) && all_same(add, n) && all_same(shift, n))
        n = 1;
    e->mul = number(c, n, mul);
    e->add = number(c, n, add);
    e->shift = (int)shift[0];
    if (!all_same(shift, n)) {
        e->shifts = number(c, n, shift);
        e->shift = 0;
    }
}

/* The zero point before the shift. */
static int64_t zero_in(const Call *c, int64_t zero, int shift)
{
    if (shift > 61 || llabs(zero) > (int64_t)1 << (61 - shift))
        call_err(c, "its scales make a factor of less than 2^%d",
                 31 - shift);
    return zero * ((int64_t)1 << shift);
}

Epilogue epilogue(Call *c, const Factor *f, int64_t n, const Tensor *y,
                  Act act)
{
    int64_t *mul = NEWN(c->mem, int64_t, 3 * (size_t)n + 1);
    int64_t *add = mul + n, *shift = add + n, i;
    Epilogue e = {0};

    bounds(c, y, act, &e.lo, &e.hi);
    for (i = 0; i < n; i++) {
        mul[i] = f[i].mul;
        shift[i] = f[i].shift;
        add[i] = zero_in(c, zero_of(y) + f[i].plus, f[i].shift) +
                 ((int64_t)1 << (shift[i] - 1));
        if (shift[i] > 31) {
            add[i] += 1LL << 30;
            e.round |= e.lo < zero_of(y);
        }
    }
    operands(c, &e, n, mul, add, shift);
    return e;
}

Epilogue epilogue64(Call *c, const Factor *f, int64_t n, const Tensor *y,
                    Act act)
{
    int64_t *mul = NEWN(c->mem, int64_t, 3 * (size_t)n + 1);
    int64_t *add = mul + n, *shift = add + n, i;
    Epilogue e = {0};

    bounds(c, y, act, &e.lo, &e.hi);
    for (i = 0; i < n; i++) {
        mul[i] = f[i].mul < 0x7fff0000 ? (f[i].mul + (1 << 15)) >> 16 : 0x7fff;
        shift[i] = f[i].shift - 16;
        if (shift[i] < 1)
            call_err(c, "its scales make a factor of 2^%lld",
                     15 - (long long)shift[i]);
        add[i] = zero_of(y) * ((int64_t)1 << shift[i]) +
                 ((int64_t)1 << (shift[i] - 1));
    }
    operands(c, &e, n, mul, add, shift);
    return e;
}

Val *finish(Call *c, Node *n, const Epilogue *e)
{
    if (e->shift)
        attr_set_int(c->g, n, A_shift, e->shift);
    if (e->round)
        attr_set_int(c->g, n, A_round, 1);
    attr_set_int(c->g, n, A_lo, e->lo);
    attr_set_int(c->g, n, A_hi, e->hi);
    return done(c, n);
}

static Val *requantized(Call *c, Val *v, const Epilogue *e)
{
    return finish(c, node_of(c, OP_requant, 4, v, e->mul, e->add, e->shifts),
                  e);
}

Val *rescale(Call *c, Val *v, double d, const Tensor *y, Act act)
{
    Factor f = factor(c, d);
    Epilogue e = epilogue(c, &f, 1, y, act);

    return requantized(c, v, &e);
}

Val *rescale_to(Call *c, Val *v, Factor f, int64_t lo, int64_t hi)
{
    int64_t add = ((int64_t)1 << (f.shift - 1)) +
                  (f.shift > 31 ? 1LL << 30 : 0);
    int64_t shift = f.shift;
    Epilogue e = {.lo = lo, .hi = hi, .round = f.shift > 31 && lo < 0};

    operands(c, &e, 1, &f.mul, &add, &shift);
    return requantized(c, v, &e);
}

Val *centred(Call *c, Val *v, int64_t zero)
{
    return zero ? op_num(c, OP_sub, v, (double)zero) : v;
}

/* --- operators on single bytes --- */

/* A byte is its own place in the table; those below 0 count from its end. */
Val *table8(Call *c, Val *v, const Tensor *x, const Tensor *y, Table8 *fn)
{
    bool is_signed = x->type == TF_s8;
    Shape s = {.rank = 1, .dim = {256}};
    int64_t t[256];
    int i;

    for (i = 0; i < 256; i++)
        t[i] = fn(c, x, y, is_signed && i > 127 ? i - 256 : i);
    return take(c, ints(c, type_of(y->type), s, t), v, 0);
}
