/* From integers on one grid, or two, to integers on another.
 *
 * The real at a quantize is written as a sum of terms, each scale (v - zero),
 * and a constant.  With everything divided by the scale of the new grid and
 * multiplied by 2^shift, rounded to integers once,
 *
 *     y = clip((v mul + add) >> shift, lo, hi)
 *
 * where add holds zero points, the constant, and 2^(shift-1): exact integers,
 * rounded half up.  mul has 31 bits at the largest channel, so what its
 * rounding adds is far below the spacing of float32.  The factor itself is
 * computed in float32 and in the order onnxruntime does it, for then both
 * multiply by the same number. */
#include "quant/lower.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SHIFT = 40 };

typedef struct Sum {
    int n;
    Real term[2];
    const Val *factor[2]; /* f32 constant by which it is multiplied, or NULL */
    int sign[2];
    Val *c; /* f32 constant; NULL: none */
    int csign;
} Sum;

static bool sum_const(Sum *s, Val *c, int sign)
{
    if (s->c)
        return false;
    s->c = c;
    s->csign = sign;
    return true;
}

static bool sum_term(Sum *s, const Real *r, const Val *factor, int sign)
{
    if (s->n == 2 || val_is_int(r->scale) || r->v->lo < INT32_MIN ||
        r->v->hi > INT32_MAX)
        return false;
    s->term[s->n] = *r;
    s->factor[s->n] = factor;
    s->sign[s->n++] = sign;
    return true;
}

/* x as terms of s; false if it is not such a sum. */
static bool sum_of(Graph *g, Val *x, int sign, Sum *s)
{
    Val *c = real_constant(g, x);
    Node *n = x->def;
    Real r;
    int i;

    if (c)
        return sum_const(s, c, sign);
    if (real_of(x, &r))
        return sum_term(s, &r, NULL, sign);
    if (!n)
        return false;
    if (n->op == OP_add || n->op == OP_sub)
        return sum_of(g, n->arg[0], sign, s) &&
               sum_of(g, n->arg[1], n->op == OP_sub ? -sign : sign, s);
    for (i = 0; n->op == OP_mul && i < 2; i++)
        if ((c = real_constant(g, n->arg[i])) && real_of(n->arg[1 - i], &r))
            return sum_term(s, &r, c, sign);
    return false;
}

/* Element at `i` of y's shape, of a constant that broadcasts to it. */
static int64_t broadcast(const Val *v, Shape y, int64_t i)
{
    int64_t at = 0, step = 1;
    int k, axis;

    for (k = y.rank - 1; k >= 0; k--) {
        axis = k - (y.rank - v->shape.rank);
        if (axis >= 0) {
            if (v->shape.dim[axis] != 1)
                at += i % y.dim[k] * step;
            step *= v->shape.dim[axis];
        }
        i /= y.dim[k];
    }
    return at;
}

static double num(const Val *v, Shape y, int64_t i, double none)
{
    return v ? val_num(v, broadcast(v, y, i)) : none;
}

/* f, or the number of 8 bits that it is but for three roundings to float32: who
 * chose its scales for that wants products of 32 bits. */
static double few_bits(double f)
{
    int e;
    double m = ldexp(frexp(f, &e), 8), r = rint(m);

    return fabs(m - r) <= ldexp(3, 8 - 24) ? ldexp(r, e - 8) : f;
}

/* What term t is multiplied by at element i, on the new grid. */
static double factor_at(const Sum *s, int t, const Grid *to, Shape y, int64_t i)
{
    float f = (float)num(s->term[t].scale, y, i, 1);

    if (s->factor[t])
        f *= (float)num(s->factor[t], y, i, 1);
    return few_bits((double)(f / to->scale)) * s->sign[t];
}

/* The largest shift at which top has 31 bits; -1: there is none. */
static int shift_of(double top)
{
    int e, shift;

    frexp(top, &e);
    shift = MIN(31 - e, MOST_SHIFT);
    if (shift > 0 && llround(ldexp(top, shift)) > INT32_MAX)
        shift--;
    return isfinite(top) ? shift : -1;
}

static int64_t clamped(double v)
{
    double most = ldexp(1, 60);

    return llround(fmin(fmax(v, -most), most));
}

/* Shape that a and b, which both broadcast to y, have together. */
static Shape joint(Shape a, const Val *b)
{
    int i, k;

    if (!b)
        return a;
    for (; a.rank < b->shape.rank; a.rank++) {
        for (i = a.rank; i; i--)
            a.dim[i] = a.dim[i - 1];
        a.dim[0] = 1;
    }
    for (i = 0; i < b->shape.rank; i++) {
        k = a.rank - b->shape.rank + i;
        a.dim[k] = MAX(a.dim[k], b->shape.dim[i]);
    }
    return a;
}

static void become(Node *q, OpCode op, Val *x, Val *y, Val *z)
{
    q->op = op;
    q->arg[0] = x;
    q->arg[1] = y;
    q->arg[2] = z;
    q->narg = 3;
    attr_drop(q, A_to);
}

static void set_result(Graph *g, Node *q, const Grid *to, int shift)
{
    attr_set_int(g, q, A_shift, shift);
    attr_set_int(g, q, A_lo, to->lo);
    attr_set_int(g, q, A_hi, to->hi);
    node_infer(g, q);
}

/* Rounding, constant and zero point of the new grid at element i. */
static int64_t addend(const Sum *s, const Grid *to, Shape y, int64_t i,
                      int shift)
{
    double c = s->csign * num(s->c, y, i, 0) / to->scale;

    return clamped(ldexp(c, shift)) + to->zero * (INT64_C(1) << shift) +
           (shift ? INT64_C(1) << (shift - 1) : 0);
}

/* Shifts the zeros away that all multipliers end in, if 16 bits remain at most;
 * what addends have there never carries.  Returns the new shift. */
static int drop_zeros(Val *mul, Val *add, int shift)
{
    uint64_t all = 0, top = 0;
    int64_t i;
    int n = 0;

    for (i = 0; i < val_count(mul); i++) {
        all |= (uint64_t)val_int(mul, i);
        top = MAX(top, (uint64_t)llabs(val_int(mul, i)));
    }
    while (n < shift - 1 && !(all >> n & 1))
        n++;
    if (top >> n >= 1 << 16)
        return shift;
    for (i = 0; i < val_count(mul); i++)
        val_set(mul, i, val_int(mul, i) / (INT64_C(1) << n));
    for (i = 0; i < val_count(add); i++)
        val_set(add, i, val_int(add, i) >> n);
    return shift - n;
}

/* One term: requant, per element of whatever its constants broadcast to. */
static bool requant_one(Graph *g, Node *q, const Sum *s, const Grid *to)
{
    const Real *r = &s->term[0];
    Shape y = r->v->shape, m, a;
    Val *mul, *add;
    double top = 0;
    int shift;
    int64_t i, k;

    m = joint(joint(shape_of(0, NULL), r->scale), s->factor[0]);
    a = joint(joint(m, s->c), r->zero);
    if (!shape_same(q->arg[0]->shape, y) || !shape_fits(a, y))
        return false;
    mul = const_ints(g, "mul", m);
    add = const_ints(g, "add", a);
    for (i = 0; i < val_count(mul); i++)
        top = fmax(top, fabs(factor_at(s, 0, to, m, i)));
    if ((shift = shift_of(top)) < 0)
        return false;
    for (i = 0; i < val_count(mul); i++)
        val_set(mul, i, llround(ldexp(factor_at(s, 0, to, m, i), shift)));
    for (i = 0; i < val_count(add); i++) {
        k = r->zero ? val_int(r->zero, broadcast(r->zero, a, i)) : 0;
        val_set(add, i, addend(s, to, a, i, shift) -
                        k * val_int(mul, broadcast(mul, a, i)));
    }
    shift = drop_zeros(mul, add, shift);
    val_narrow(mul);
    val_narrow(add);
    become(q, OP_requant, r->v, mul, add);
    set_result(g, q, to, shift);
    return true;
}

/* Two terms of one scale each: their weighted sum. */
static bool requant_two(Graph *g, Node *q, const Sum *s, const Grid *to)
{
    const Real *x = &s->term[0], *y = &s->term[1];
    double fx, fy;
    int64_t p0, p1;
    int shift;
    Shape one = {.rank = 0};

    if (!real_uniform(x) || !real_uniform(y) ||
        (s->c && val_count(s->c) != 1) ||
        (s->factor[0] && val_count(s->factor[0]) != 1) ||
        (s->factor[1] && val_count(s->factor[1]) != 1))
        return false;
    fx = factor_at(s, 0, to, one, 0);
    fy = factor_at(s, 1, to, one, 0);
    if ((shift = shift_of(fmax(fabs(fx), fabs(fy)))) < 0)
        return false;
    p0 = llround(ldexp(fx, shift));
    p1 = llround(ldexp(fy, shift));
    become(q, OP_wadd, x->v, y->v, graph_const_int(g, T_s64,
        addend(s, to, one, 0, shift) - p0 * real_zero(x, 0) -
        p1 * real_zero(y, 0)));
    val_narrow(q->arg[2]);
    attr_set_int(g, q, A_p0, p0);
    attr_set_int(g, q, A_p1, p1);
    set_result(g, q, to, shift);
    return true;
}

/* The operand of q above any clips, which narrow the bounds instead:
 * rounding keeps the order, so it may come first. */
static Val *above_clips(Val *x, Grid *to)
{
    Node *n;
    Grid whole = *to;

    while ((n = x->def) && n->op == OP_clip && n->narg == 1) {
        to->lo = MAX(to->lo, grid_round(&whole, (float)attr_num(n, A_flo)));
        to->hi = MIN(to->hi, grid_round(&whole, (float)attr_num(n, A_fhi)));
        x = n->arg[0];
    }
    return x;
}

/* The same grid above and below: the integers themselves, or clipped. */
static bool same_grid(Graph *g, Node *q, const Val *x, const Grid *to)
{
    Real r;

    if (!real_of(x, &r) || !real_uniform(&r) ||
        real_scale(&r, 0) != to->scale || real_zero(&r, 0) != to->zero)
        return false;
    if (r.v->lo >= to->lo && r.v->hi <= to->hi) {
        graph_replace(g, q->res[0], r.v);
        return true;
    }
    q->op = OP_clip;
    q->arg[0] = r.v;
    q->narg = 1;
    attr_drop(q, A_to);
    set_result(g, q, to, 0);
    attr_drop(q, A_shift);
    return true;
}

/* quantize(concat(a, b)) is concat(quantize(a), quantize(b)). */
static bool through_concat(Graph *g, Node *q)
{
    Node *c = q->arg[0]->def, *part;
    Val *arg[3] = {NULL, q->arg[1], q->narg > 2 ? q->arg[2] : NULL};
    int i, narg = q->narg;

    if (!c || c->op != OP_concat)
        return false;
    q->op = OP_concat;
    q->narg = c->narg;
    q->arg = NEWN(g->mem, Val *, (size_t)MAX(c->narg, NARG));
    for (i = 0; i < c->narg; i++) {
        arg[0] = c->arg[i];
        part = graph_node(g, q, OP_quantize, NULL, narg, arg);
        attr_copy(g, part, q);
        node_infer(g, part);
        q->arg[i] = part->res[0];
        lower_quantize(g, part);
    }
    q->attr = NULL;
    attr_set_int(g, q, A_axis, attr_int(c, A_axis));
    node_infer(g, q);
    return true;
}

/* x's integers, or those of a constant, on the grid; NULL: it is another. */
static Val *on_grid(Graph *g, Val *x, const Grid *to)
{
    Real r;
    const Val *c = real_constant(g, x);
    Val *v;
    int64_t i;

    if (!c)
        return real_of(x, &r) && real_uniform(&r) &&
               real_scale(&r, 0) == to->scale && real_zero(&r, 0) == to->zero &&
               r.v->lo >= to->lo && r.v->hi <= to->hi ? r.v : NULL;
    v = const_ints(g, "limit", c->shape);
    for (i = 0; i < val_count(v); i++)
        val_set(v, i, grid_round(to, (float)val_num(c, i)));
    val_narrow(v);
    return v;
}

/* The less, the greater or the chosen of what has that grid: of its integers,
 * for rounding keeps the order. */
static bool choice(Graph *g, Node *q, const Val *x, const Grid *to)
{
    const Node *n = x->def;
    Val *v[2];
    int i, first;

    if (!n || (n->op != OP_min && n->op != OP_max && n->op != OP_where))
        return false;
    first = n->op == OP_where;
    for (i = 0; i < 2; i++)
        if (!(v[i] = on_grid(g, n->arg[first + i], to)))
            return false;
    become(q, n->op, first ? n->arg[0] : v[0], first ? v[0] : v[1],
           first ? v[1] : NULL);
    q->narg = first + 2;
    node_infer(g, q);
    return true;
}

bool lower_quantize(Graph *g, Node *q)
{
    Val *y = q->res[0], *x;
    Sum s = {0};
    Grid whole, to;
    bool done;

    if (!grid_of(q, &whole))
        return false;
    y->scale = whole.scale;
    y->zero = whole.zero;
    if (through_concat(g, q) || lower_masked(g, q, &whole))
        return true;
    to = whole;
    x = above_clips(q->arg[0], &to);
    if (to.lo > to.hi)
        return false;
    done = same_grid(g, q, x, &to) || choice(g, q, x, &to) ||
           lower_softmax(g, q, x, &to) ||
           lower_layernorm(g, q, x, &to) ||
           lower_table(g, q, &whole);
    if (!done && sum_of(g, x, 1, &s) && s.n)
        done = s.n == 1 ? requant_one(g, q, &s, &to) :
                          requant_two(g, q, &s, &to);
    return done;
}
