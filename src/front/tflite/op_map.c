/* Elementwise operators of two operands.
 *
 * Quantized ones bring both operands to one scale first, rounding each:
 *
 *     a = MBQM((x - zx) << L, sx/t)      b = MBQM((y - zy) << L, sy/t)
 *     z = clip(zz + MBQM(a + b, t / (2^L sz)))              t = 2 max(sx, sy)
 *
 * Of bytes there are 65536 pairs, so that it can be tried out whether one
 * weighted sum (x p + y q + r) >> s gives all of them the same result; as a
 * rule it does, and is one operator without anything in between. */
#include "front/tflite/import.h"
#include "kern/row/fixed.h"

#include <math.h>
#include <stdlib.h>

/* Both operands in one form; true: they are images. */
static bool operands(Call *c, Val **x, Val **y)
{
    bool images = (has_image(c, 0) || has_image(c, 1));
    Val *v[2];
    int i, k;

    for (i = 0; i < 2; i++) {
        const Tensor *t = need(c, i);

        images &= t->image || (t->plain ? t->plain->shape.rank
                                        : t->shape.rank) <= 4;
    }
    if (!images) {
        *x = plain(c, 0);
        *y = plain(c, 1);
        return false;
    }
    for (i = 0; i < 2; i++) {
        Shape s = {.rank = 4};
        Val *p;

        if (has_image(c, i)) {
            v[i] = image(c, i);
            continue;
        }
        p = plain(c, i);
        for (k = 0; k < 4; k++)
            s.dim[k] = k < 4 - p->shape.rank
                           ? 1 : p->shape.dim[k - (4 - p->shape.rank)];
        v[i] = val_count(p) == 1 ? p : p->shape.rank == 4 ? image(c, i)
                                     : to_image(c, to_shape(c, p, s));
    }
    *x = v[0];
    *y = v[1];
    return true;
}

static void put(Call *c, bool is_image, Val *v)
{
    if (is_image)
        give_image(c, 0, v);
    else
        give_plain(c, 0, v);
}

static void want_alike(const Call *c)
{
    if (need(c, 0)->type != need(c, 1)->type)
        call_err(c, "operands of types %s and %s; wanted the same",
                 type_name(in(c, 0)->type), type_name(in(c, 1)->type));
}

/* --- sums --- */

/* What an addition or subtraction of quantized operands computes with. */
typedef struct Two {
    int up;             /* L */
    Factor fx, fy, out;
    int64_t zx, zy, zz, lo, hi;
    double px, py;      /* sx / sz, and of y with its sign */
    int sign;           /* of y */
} Two;

static Two two_of(Call *c, int sign, int up, Act act)
{
    const Tensor *z = out(c, 0);
    double sx = scale_of(c, in(c, 0)), sy = scale_of(c, in(c, 1));
    double sz = scale_of(c, z), t = 2 * fmax(sx, sy);
    Two w = {.up = up, .zx = zero_of(in(c, 0)), .zy = zero_of(in(c, 1)),
             .zz = zero_of(z), .sign = sign};

    if (!(sz > 0) || !(t > 0))
        call_err(c, "a scale is 0");
    w.fx = factor(c, sx / t);
    w.fy = factor(c, sy / t);
    w.out = factor(c, t / (ldexp(1, up) * sz));
    w.px = sx / sz;
    w.py = sign * sy / sz;
    bounds(c, z, act, &w.lo, &w.hi);
    return w;
}

static int64_t raised(int64_t v, int64_t zero, int up, Factor f)
{
    return mbqm((v - zero) * ((int64_t)1 << up), f);
}

/* What is left before clipping, of all pairs of bytes from x0 and y0 on. */
static int64_t *all_pairs(Call *c, const Two *w, int x0, int y0)
{
    int64_t *t = NEWN(c->mem, int64_t, 65536), b[256];
    int i, k;

    for (k = 0; k < 256; k++)
        b[k] = w->sign * raised(y0 + k, w->zy, w->up, w->fy);
    for (i = 0; i < 256; i++) {
        int64_t a = raised(x0 + i, w->zx, w->up, w->fx);

        for (k = 0; k < 256; k++)
            t[i * 256 + k] = clamp64(w->zz + mbqm(a + b[k], w->out), w->lo,
                                     w->hi);
    }
    return t;
}

/* Is there an addend with which x p + y q gives all pairs what t says?  Every
 * pair bounds it from below, from above, or both. */
static bool fits(const int64_t *t, const Two *w, int x0, int y0, int64_t p,
                 int64_t q, int shift, int64_t *addend)
{
    int64_t least = INT64_MIN, most = INT64_MAX;
    int i, k;

    for (i = 0; i < 256 && least <= most; i++)
        for (k = 0; k < 256; k++) {
            int64_t v = t[i * 256 + k], at = (x0 + i) * p + (y0 + k) * q;

            if (v > w->lo)
                least = MAX(least, v * ((int64_t)1 << shift) - at);
            if (v < w->hi)
                most = MIN(most, (v + 1) * ((int64_t)1 << shift) - 1 - at);
        }
    if (least > most || least == INT64_MIN || most == INT64_MAX)
        return false;
    *addend = least + (most - least) / 2;
    return true;
}

/* The most bits with which no sum leaves 32. */
static int bits_short(const Two *w)
{
    double most = 256 * (fabs(w->px) + fabs(w->py)) + 384;
    int shift = 0;

    while (shift < 30 && most * ldexp(1, shift + 1) < 0x1p31)
        shift++;
    return shift;
}

/* The most with which no factor does. */
static int bits_wide(const Two *w)
{
    return (int)MIN(50, 30 - whole(ceil(log2(fmax(fabs(w->px),
                                                  fabs(w->py))))));
}

static Val *weighted_node(Call *c, const Two *w, Val *x, Val *y, int64_t p,
                          int64_t q, int64_t r, int shift)
{
    Node *n = node_of(c, OP_wadd, 3, x, y, ints(c, T_s64, (Shape){0}, &r));

    attr_set_int(c->g, n, A_p0, p);
    attr_set_int(c->g, n, A_p1, q);
    attr_set_int(c->g, n, A_shift, shift);
    attr_set_int(c->g, n, A_lo, w->lo);
    attr_set_int(c->g, n, A_hi, w->hi);
    return done(c, n);
}

enum { TRIES = 5 }; /* to either side of the nearest factors */

/* Factors in steps about the nearest ones; NULL: none gives all pairs their
 * result. */
static Val *weighted_by(Call *c, const Two *w, const int64_t *t, Val *x,
                        Val *y, int shift, int64_t step)
{
    int x0 = x->type == T_u8 ? 0 : -128, y0 = y->type == T_u8 ? 0 : -128;
    int64_t p = llround(ldexp(w->px, shift)), q = llround(ldexp(w->py, shift));
    int64_t i, k, r;

    for (i = 0; i <= 2 * TRIES; i++)
        for (k = 0; k <= 2 * TRIES; k++) {
            int64_t pi = p + step * (i % 2 ? -(i + 1) / 2 : i / 2);
            int64_t qk = q + step * (k % 2 ? -(k + 1) / 2 : k / 2);

            if (llabs(pi) <= INT32_MAX && llabs(qk) <= INT32_MAX &&
                fits(t, w, x0, y0, pi, qk, shift, &r))
                return weighted_node(c, w, x, y, pi, qk, r, shift);
        }
    return NULL;
}

/* y = clip((x p0 + y p1 + r) >> s), if all pairs agree; NULL: not all do. */
static Val *weighted(Call *c, const Two *w, Val *x, Val *y)
{
    const int64_t *t = all_pairs(c, w, x->type == T_u8 ? 0 : -128,
                                 y->type == T_u8 ? 0 : -128);
    Val *z = weighted_by(c, w, t, x, y, bits_short(w), 1);
    int wide = bits_wide(w), e;

    for (e = 0; e < 16 && !z && wide > 0; e += e ? 2 : 4)
        z = weighted_by(c, w, t, x, y, wide, (int64_t)1 << e);
    return z;
}

typedef struct Raised {
    int64_t zero;
    int up;
    Factor f;
} Raised;

/* Table8 has no room for more: the one that is being made. */
static Val *raise_bytes(Call *c, Val *v, const Raised *r)
{
    Shape s = {.rank = 1, .dim = {256}};
    int64_t t[256];
    int i;

    for (i = 0; i < 256; i++)
        t[i] = raised(v->type != T_u8 && i > 127 ? i - 256 : i, r->zero,
                      r->up, r->f);
    return take(c, ints(c, T_s64, s, t), v, 0);
}

static Val *raise(Call *c, Val *v, const Raised *r)
{
    if (type_info[v->type].bytes == 1)
        return raise_bytes(c, v, r);
    v = centred(c, v, r->zero);
    return rescale_to(c, op_num(c, OP_mul, v, (double)(1 << r->up)), r->f,
                      INT32_MIN, INT32_MAX);
}

static Val *in_steps(Call *c, OpCode op, const Two *w, Val *x, Val *y,
                     Act act)
{
    Raised rx = {w->zx, w->up, w->fx}, ry = {w->zy, w->up, w->fy};
    Epilogue e = epilogue(c, &w->out, 1, out(c, 0), act);

    return finish(c, node_of(c, op, 5, raise(c, x, &rx), raise(c, y, &ry),
                             e.mul, e.add, e.shifts), &e);
}

static void add_or_sub(Call *c, OpCode op)
{
    Act act = act_of(c, 0);
    const Tensor *t = need(c, 0);
    Val *x, *y, *z = NULL;
    bool images;
    Two w;

    want_alike(c);
    images = operands(c, &x, &y);
    if (!is_quantized(t) || t->type == TF_s32) {
        put(c, images, float_act(c, op2(c, op, x, y), act));
        return;
    }
    want_quantized(c, t);
    want_quantized(c, in(c, 1));
    w = two_of(c, op == OP_sub ? -1 : 1, is_int16(t) ? 15 : 20, act);
    if (is_int8(t) && is_int8(out(c, 0)))
        z = weighted(c, &w, x, y);
    put(c, images, z ? z : in_steps(c, op, &w, x, y, act));
}

void lite_add(Call *c)
{
    add_or_sub(c, OP_add);
}

void lite_sub(Call *c)
{
    add_or_sub(c, OP_sub);
}

/* --- products --- */

static Val *multiplied(Call *c, Val *x, Val *y, double d, Act act)
{
    Factor f = factor(c, d);
    Epilogue e = epilogue(c, &f, 1, out(c, 0), act);

    return finish(c, node_of(c, OP_mul, 5, x, y, e.mul, e.add, e.shifts), &e);
}

void lite_mul(Call *c)
{
    Act act = act_of(c, 0);
    const Tensor *t = need(c, 0), *u = need(c, 1);
    Val *x, *y;
    bool images;

    want_alike(c);
    images = operands(c, &x, &y);
    if (!is_quantized(t) || t->type == TF_s32) {
        put(c, images, float_act(c, op2(c, OP_mul, x, y), act));
        return;
    }
    want_quantized(c, t);
    want_quantized(c, u);
    put(c, images,
         multiplied(c, centred(c, x, zero_of(t)), centred(c, y, zero_of(u)),
                    scale_of(c, t) * scale_of(c, u) / scale_of(c, out(c, 0)),
                    act));
}

void lite_squared_difference(Call *c)
{
    const Tensor *t = need(c, 0);
    int up = is_int16(t) ? 0 : 7;
    Raised rx, ry;
    Val *x, *y, *d;
    double s;
    bool images;
    Two w;

    want_alike(c);
    images = operands(c, &x, &y);
    if (!is_quantized(t) || t->type == TF_s32) {
        d = op2(c, OP_sub, x, y);
        put(c, images, op2(c, OP_mul, d, d));
        return;
    }
    want_quantized(c, t);
    want_quantized(c, in(c, 1));
    w = two_of(c, -1, up, ACT_none);
    rx = (Raised){w.zx, up, w.fx};
    ry = (Raised){w.zy, up, w.fy};
    s = 2 * fmax(scale_of(c, t), scale_of(c, in(c, 1)));
    d = op2(c, OP_sub, raise(c, x, &rx), raise(c, y, &ry));
    put(c, images, multiplied(c, d, d,
         s * s / (double)((float)ldexp(1, 2 * up) *
                          (float)scale_of(c, out(c, 0))), ACT_none));
}

/* --- what compares, and what takes either --- */

static void either(Call *c, OpCode op)
{
    Val *x, *y;
    bool images;

    want_alike(c);
    images = operands(c, &x, &y);
    put(c, images, op2(c, op, x, y));
}

void lite_maximum(Call *c)
{
    either(c, OP_max);
}

void lite_minimum(Call *c)
{
    either(c, OP_min);
}

static void compare(Call *c, OpCode op, bool negate)
{
    const Tensor *t = need(c, 0);
    Val *x, *y;
    bool images;

    want_alike(c);
    images = operands(c, &x, &y);
    if (is_quantized(t) && is_int8(t)) {
        Raised rx = {zero_of(t), 8, factor(c, scale_of(c, t))};
        Raised ry = {zero_of(in(c, 1)), 8,
                     factor(c, scale_of(c, in(c, 1)))};

        x = raise(c, x, &rx);
        y = raise(c, y, &ry);
    }
    x = op2(c, op, x, y);
    put(c, images, negate ? op1(c, OP_not, x) : x);
}

void lite_equal(Call *c) { compare(c, OP_equal, false); }
void lite_not_equal(Call *c) { compare(c, OP_equal, true); }
void lite_less(Call *c) { compare(c, OP_less, false); }
void lite_less_equal(Call *c) { compare(c, OP_lesseq, false); }
void lite_greater(Call *c) { compare(c, OP_greater, false); }
void lite_greater_equal(Call *c) { compare(c, OP_greatereq, false); }
void lite_logical_and(Call *c) { either(c, OP_and); }
void lite_logical_or(Call *c) { either(c, OP_or); }

/* --- floats, and integers as they are --- */

static void want_plain(const Call *c)
{
    if (is_quantized(need(c, 0)))
        call_err(c, "of type %s; wanted float32",
                 type_name(in(c, 0)->type));
}

/* a / b of bytes less their zero points, times the factor (reference_ops,
 * DivElementwise): b's reciprocal to 31 bits, and as much of a as there is
 * room for.  Shifts of more than 31 are undefined there: what an Arm core
 * makes of them is 1, or -1 if the quotient is negative, even of none. */
static int64_t quotient8(const Call *c, int64_t a, int64_t b, Factor f)
{
    int over = 31 - fixed_clz((uint32_t)llabs(b)), room, shift;
    int64_t r;

    if (b == 0)
        return 0;
    if (b < 0)
        a = -a;
    r = fixed_inverse((llabs(b) << (31 - over)) - (1LL << 31));
    room = a ? fixed_clz((uint32_t)(a < 0 ? ~a : a)) - 1 : 31;
    shift = f.shift + over + room;
    if (shift < 31)
        call_err(c, "its scales make a factor of 2^%d", 31 - shift);
    a = fixed_mul(fixed_mul(a * ((int64_t)1 << room), r), f.mul);
    if (shift - 31 > 31)
        return a < 0 ? -1 : 1;
    return fixed_right(a, shift - 31);
}

/* All quotients of two bytes, as two's complement makes places of them. */
static Val *quotients(Call *c, Factor f)
{
    const Tensor *ta = in(c, 0), *tb = in(c, 1), *y = out(c, 0);
    const TypeInfo *ia = &type_info[type_of(ta->type)];
    const TypeInfo *ib = &type_info[type_of(tb->type)];
    int64_t *t = NEWN(c->mem, int64_t, 1 << 16), lo, hi, a, b, i = 0;
    Shape s = {.rank = 1, .dim = {1 << 16}};

    bounds(c, y, act_of(c, 0), &lo, &hi);
    for (a = ia->lo; a <= ia->hi; a++)
        for (b = ib->lo; b <= ib->hi; b++)
            t[i++] = clamp64(zero_of(y) + quotient8(c, a - zero_of(ta),
                                                    b - zero_of(tb), f),
                             lo, hi);
    return ints(c, type_of(y->type), s, t);
}

/* By a table of all pairs: 64 kilobytes. */
static Val *div_bytes(Call *c, Val *x, Val *y)
{
    const Tensor *tx = in(c, 0), *ty = in(c, 1), *tz = out(c, 0);
    double d;

    want_quantized(c, tx);
    want_quantized(c, ty);
    want_quantized(c, tz);
    if (!is_int8(tx) || !is_int8(ty) || !is_int8(tz))
        call_err(c, "of type %s; wanted int8 or float32", type_name(tx->type));
    if (!(scale_of(c, ty) > 0) || !(scale_of(c, tz) > 0))
        call_err(c, "a scale is 0");
    d = (double)((float)scale_of(c, tx) /
                 ((float)scale_of(c, ty) * (float)scale_of(c, tz)));
    x = cast(c, centred(c, x, type_info[x->type].lo), T_s32);
    y = cast(c, centred(c, y, type_info[y->type].lo), T_s32);
    x = op2(c, OP_add, op_num(c, OP_mul, x, 256), y);
    return take(c, quotients(c, factor(c, d)), x, 0);
}

void lite_div(Call *c)
{
    Val *x, *y;
    bool images;

    if (is_quantized(need(c, 0))) {
        images = operands(c, &x, &y);
        put(c, images, div_bytes(c, x, y));
        return;
    }
    want_plain(c);
    want_alike(c);
    images = operands(c, &x, &y);
    put(c, images, float_act(c, op2(c, OP_div, x, y), act_of(c, 0)));
}

void lite_floor_div(Call *c)
{
    Val *x, *y;
    bool images;

    want_plain(c);
    want_alike(c);
    if (!is_float(in(c, 0)))
        call_err(c, "of type %s; wanted float32", type_name(in(c, 0)->type));
    images = operands(c, &x, &y);
    put(c, images, op1(c, OP_floor, op2(c, OP_div, x, y)));
}

void lite_floor_mod(Call *c)
{
    want_plain(c);
    either(c, OP_mod);
}

void lite_select_v2(Call *c)
{
    Val *x = plain(c, 1), *y = plain(c, 2);

    if (in(c, 1)->type != in(c, 2)->type)
        call_err(c, "operands of types %s and %s; wanted the same",
                 type_name(in(c, 1)->type), type_name(in(c, 2)->type));
    give_plain(c, 0, op3(c, OP_where, plain(c, 0), x, y));
}

/* --- a slope of its own for each channel --- */

/* x - zx >= 0: MBQM(x - zx), else MBQM((x - zx) (a - za)); the sign of x
 * chooses, so both are made of its two halves. */
static Val *prelu_whole(Call *c, Val *x, Val *a)
{
    const Tensor *tx = in(c, 0), *ta = in(c, 1), *y = out(c, 0);
    double sy = scale_of(c, y), sx = scale_of(c, tx);
    Val *v = centred(c, x, zero_of(tx));
    Val *up = rescale_to(c, v, factor(c, sx / sy), INT32_MIN, INT32_MAX);
    Val *down = rescale_to(c, op2(c, OP_mul, v, centred(c, a, zero_of(ta))),
                           factor(c, sx * scale_of(c, ta) / sy), INT32_MIN,
                           INT32_MAX);
    int64_t lo, hi;

    bounds(c, y, ACT_none, &lo, &hi);
    v = op3(c, OP_where, op2(c, OP_greatereq, v, num_like(c, v, 0)), up, down);
    if (zero_of(y))
        v = op_num(c, OP_add, v, (double)zero_of(y));
    return clamp(c, v, (double)lo, (double)hi);
}

void lite_prelu(Call *c)
{
    Val *x, *a;
    bool images;

    want_alike(c);
    images = operands(c, &x, &a);
    if (is_float(need(c, 0))) {
        put(c, images, op2(c, OP_prelu, x, a));
        return;
    }
    want_quantized(c, in(c, 0));
    want_quantized(c, in(c, 1));
    put(c, images, prelu_whole(c, x, a));
}

void lite_add_n(Call *c)
{
    Val *v = plain(c, 0);
    int i;

    want_plain(c);
    for (i = 1; i < c->narg; i++)
        v = op2(c, OP_add, v, plain(c, i));
    give_plain(c, 0, v);
}
