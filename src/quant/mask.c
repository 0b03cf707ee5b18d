/* What hides scores from a softmax, in floats:
 *
 *     x = dequantize s c z           x + m           is then s, and bytes
 *     m = {0, -inf, ...}             where b -1e9 x
 *     y = softmax (x + m)            (x + m) * 0.125
 *
 * A mask is 0 where it shows and a number below 0 elsewhere: constant, or made
 * of one value of bits.  It becomes a bound, as min has it: of what is
 * quantized behind it, the least of the grid, if that is what is hidden there
 * (lower_masked); before a softmax, so little that it has no power. */
#include "quant/lower.h"

#include <math.h>

enum { DEPTH = 12 };

/* A float of one value of bits: for either of them. */
typedef struct Two {
    Val *bits; /* NULL: it is a number */
    float at[2];
} Two;

static bool is_float_number(const Val *v)
{
    return v->data && v->type == T_f32 && val_count(v) == 1;
}

static float two_op(OpCode op, float a, float b)
{
    switch (op) {
    case OP_add: return a + b;
    case OP_sub: return a - b;
    case OP_mul: return a * b;
    default: return a / b;
    }
}

static bool two_of(Val *v, Two *t, int depth);

static bool two_both(const Node *n, int first, Two t[2], int depth)
{
    return two_of(n->arg[first], &t[0], depth + 1) &&
           two_of(n->arg[first + 1], &t[1], depth + 1) &&
           (!t[0].bits || !t[1].bits || t[0].bits == t[1].bits);
}

static bool two_of(Val *v, Two *t, int depth)
{
    const Node *n = v->def;
    Two of[2];
    int i;

    if (is_float_number(v)) {
        *t = (Two){.at = {(float)val_num(v, 0), (float)val_num(v, 0)}};
        return true;
    }
    if (!n || depth > DEPTH)
        return false;
    if (n->op == OP_cast && n->arg[0]->type == T_b8 && v->type == T_f32) {
        *t = (Two){.bits = n->arg[0], .at = {0, 1}};
        return true;
    }
    if (n->op == OP_where && two_both(n, 1, of, depth) &&
        (!of[0].bits || of[0].bits == n->arg[0]) &&
        (!of[1].bits || of[1].bits == n->arg[0])) {
        *t = (Two){n->arg[0], {of[1].at[0], of[0].at[1]}};
        return true;
    }
    if ((n->op != OP_add && n->op != OP_sub && n->op != OP_mul &&
         n->op != OP_div) || !two_both(n, 0, of, depth))
        return false;
    t->bits = of[0].bits ? of[0].bits : of[1].bits;
    for (i = 0; i < 2; i++)
        t->at[i] = two_op(n->op, of[0].at[i], of[1].at[i]);
    return true;
}

/* Does n move elements of one value, as it would those of another? */
static bool moves(const Node *n)
{
    return n && (n->op == OP_reshape || n->op == OP_expand ||
                 n->op == OP_transpose);
}

/* What hides by being m, added, or put in place of a score. */
static bool note_number(Masks *m, Mask *of, float v, double factor)
{
    double scaled = (double)v * factor;

    if (v == 0 && !of->put)
        return true;
    if (!(scaled < 0))
        return false;
    m->finite |= isfinite(scaled);
    m->infinite |= !isfinite(scaled);
    m->several |= m->number && m->number != v;
    m->number = v;
    m->factor = factor;
    if (of->put)
        m->put = fmax(m->put, scaled);
    else
        m->added = fmax(m->added, scaled);
    return true;
}

/* Does a constant mask hide a whole row? */
static bool hides_row(const Val *c)
{
    int64_t n = c->shape.rank ? c->shape.dim[c->shape.rank - 1] : 1, i;
    int64_t shown = 0;

    for (i = 0; i < val_count(c); i++) {
        shown += val_num(c, i) == 0;
        if (i % n == n - 1 && !shown)
            return true;
        if (i % n == n - 1)
            shown = 0;
    }
    return false;
}

static bool keep(Masks *m, const Mask *of)
{
    if (m->n == (int)LEN(m->mask))
        return false;
    m->rows |= m->n || !of->hidden || hides_row(of->hidden);
    m->mask[m->n++] = *of;
    return true;
}

/* Is v added to hide?  Its elements are noted. */
static bool take_added(Masks *m, Val *v, double factor)
{
    Mask of = {.from = v, .hidden = real_constant(m->g, v)};
    Two two;
    int64_t i;

    for (i = 0; of.hidden && i < val_count(of.hidden); i++)
        if (!note_number(m, &of, (float)val_num(of.hidden, i), factor))
            return false;
    if (of.hidden)
        return keep(m, &of);
    for (of.base = v; moves(of.base->def);)
        of.base = of.base->def->arg[0];
    if (!two_of(of.base, &two, 0) || !two.bits ||
        !shape_same(two.bits->shape, of.base->shape) ||
        !note_number(m, &of, two.at[0], factor) ||
        !note_number(m, &of, two.at[1], factor))
        return false;
    of.bits = two.bits;
    of.shown = two.at[1] == 0 ? 1 : 0;
    return (two.at[0] == 0 || two.at[1] == 0) && keep(m, &of);
}

/* -1 where constant bits hide, 0 elsewhere. */
static Val *hidden_bits(Masks *m, const Val *bits, bool shown)
{
    Val *v = const_f32s(m->g, bits->shape);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        ((float *)v->data)[i] = (val_int(bits, i) != 0) == shown ? 0 : -1;
    return v;
}

/* Is operand i of where put in place of scores? */
static bool take_put(Masks *m, const Node *n, int i, double factor)
{
    Val *bits = n->arg[0];
    Mask of = {.from = bits, .base = bits, .bits = bits, .shown = i == 2,
               .put = true};

    if (bits->data)
        of.hidden = hidden_bits(m, bits, of.shown);
    return is_float_number(n->arg[i]) &&
           note_number(m, &of, (float)val_num(n->arg[i], 0), factor) &&
           keep(m, &of);
}

static Val *with(Masks *m, const Node *n, int i, Val *v)
{
    Val *arg[2] = {n->arg[0], n->arg[1]};
    Node *k;

    if (v == arg[i])
        return n->res[0];
    arg[i] = v;
    k = graph_node(m->g, m->at, n->op, NULL, 2, arg);
    node_infer(m->g, k);
    return k->res[0];
}

/* A factor above 0 that operand i is. */
static double factor_of(Masks *m, const Node *n, int i)
{
    const Val *c = real_constant(m->g, n->arg[i]);
    double v = c && val_count(c) == 1 ? val_num(c, 0) : 0;

    return v > 0 && isfinite(v) ? n->op == OP_div ? 1 / v : v : 0;
}

static Val *stripped(Masks *m, Val *x, double factor, int depth)
{
    const Node *n = x->def;
    double f;
    int i;

    if (!n || depth > DEPTH)
        return x;
    for (i = 0; i < 2 && n->op == OP_add; i++)
        if (shape_same(n->arg[!i]->shape, x->shape) &&
            take_added(m, n->arg[i], factor))
            return stripped(m, n->arg[!i], factor, depth + 1);
    for (i = 1; i < 3 && n->op == OP_where; i++)
        if (shape_same(n->arg[3 - i]->shape, x->shape) &&
            take_put(m, n, i, factor))
            return stripped(m, n->arg[3 - i], factor, depth + 1);
    for (i = 0; i < 2 && n->op == OP_mul; i++)
        if ((f = factor_of(m, n, i)) > 0)
            return with(m, n, !i, stripped(m, n->arg[!i], factor * f,
                                           depth + 1));
    if (n->op == OP_div && (f = factor_of(m, n, 1)) > 0)
        return with(m, n, 0, stripped(m, n->arg[0], factor * f, depth + 1));
    return x;
}

bool mask_scores(Graph *g, Val *x, double *factor, Real *r)
{
    const Node *n = x->def;
    Masks m = {.g = g};
    double f;
    int i;

    *factor = 1;
    while (n && (n->op == OP_mul || n->op == OP_div)) {
        for (i = n->op == OP_div; i < 2; i++)
            if ((f = factor_of(&m, n, i)) > 0)
                break;
        if (i == 2)
            return false;
        *factor *= f;
        x = n->arg[!i];
        n = x->def;
    }
    return real_of(x, r) && real_uniform(r) && !r->v->data &&
           real_scale(r, 0) > 0;
}

/* The least, the greatest real that x, a mask's scores, may be. */
static void bounds_of(Masks *m, const Real *r, double factor)
{
    double step = (double)real_scale(r, 0) * factor;

    m->least = step * (double)(r->v->lo - real_zero(r, 0));
    m->most = step * (double)(r->v->hi - real_zero(r, 0));
}

Val *mask_strip(Graph *g, Node *at, Val *x, Masks *m)
{
    Real r;
    double f;

    *m = (Masks){.g = g, .at = at, .put = -INFINITY, .added = -INFINITY};
    x = stripped(m, x, 1, 0);
    if (!m->n || !mask_scores(g, x, &f, &r))
        return NULL;
    bounds_of(m, &r, f);
    return x;
}

double mask_hidden(const Masks *m)
{
    return fmax(m->put, m->most + m->added);
}

/* Is a number that is added to x all that is left of both? */
static bool absorbs(float number, double x)
{
    return (float)(1.001 * x) + number == number;
}

bool mask_even(const Masks *m)
{
    return m->n == 1 && !m->several && !m->infinite &&
           (m->mask[0].put || (absorbs(m->number, m->least / m->factor) &&
                               absorbs(m->number, m->most / m->factor)));
}

/* The node n of v instead. */
static Val *moved(Masks *m, const Node *n, Val *v)
{
    Node *k = graph_node(m->g, m->at, n->op, NULL, 1, &v);

    attr_copy(m->g, k, n);
    node_infer(m->g, k);
    return k->res[0];
}

static Val *rebuilt(Masks *m, const Mask *of, Val *v, Val *base)
{
    return v == of->base ? base
                         : moved(m, v->def, rebuilt(m, of, v->def->arg[0],
                                                    base));
}

static Val *bound_of(Masks *m, const Mask *of, int64_t shown, int64_t hidden)
{
    Val *arg[3] = {of->bits}, *b;
    Node *n;
    int64_t i;

    if (of->hidden) {
        b = const_ints(m->g, "mask", of->hidden->shape);
        for (i = 0; i < val_count(b); i++)
            val_set(b, i, val_num(of->hidden, i) == 0 ? shown : hidden);
        val_narrow(b);
        return b;
    }
    for (i = 1; i < 3; i++) {
        arg[i] = graph_const_int(m->g, T_s64,
                                 (i == 1) == of->shown ? shown : hidden);
        val_narrow(arg[i]);
    }
    n = graph_node(m->g, m->at, OP_where, NULL, 3, arg);
    node_infer(m->g, n);
    return rebuilt(m, of, of->from, n->res[0]);
}

static Val *less_of(Masks *m, Val *a, Val *b)
{
    Node *n = graph_node(m->g, m->at, OP_min, NULL, 2, (Val *[]){a, b});

    node_infer(m->g, n);
    return n->res[0];
}

Val *mask_bound(Masks *m, Val *x, int64_t shown, int64_t hidden)
{
    Val *bound = bound_of(m, &m->mask[0], shown, hidden);
    int i;

    for (i = 1; i < m->n; i++)
        bound = less_of(m, bound, bound_of(m, &m->mask[i], shown, hidden));
    return less_of(m, x, bound);
}

bool lower_masked(Graph *g, Node *q, const Grid *to)
{
    Val *arg[3] = {NULL, q->arg[1], q->narg > 2 ? q->arg[2] : NULL};
    Masks m;
    Node *n;

    if (!(arg[0] = mask_strip(g, q, q->arg[0], &m)) ||
        grid_round(to, (float)mask_hidden(&m)) != to->lo)
        return false;
    n = graph_node(g, q, OP_quantize, NULL, q->narg, arg);
    attr_copy(g, n, q);
    node_infer(g, n);
    lower_quantize(g, n);
    n = mask_bound(&m, n->res[0], to->hi, to->lo)->def;
    q->op = n->op;
    q->arg = n->arg;
    q->narg = n->narg;
    q->attr = NULL;
    node_infer(g, q);
    return true;
}
