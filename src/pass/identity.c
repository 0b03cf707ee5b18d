/* What changes nothing goes:
 *
 *     y = transpose x perm=0,1
 *     z = add y zero
 *     w = clip z lo=0              where x is never negative
 *     v = abs w              ->    v = abs x
 *
 * and what says it in two words says it in one (a reshape of a reshape, a
 * requantization that only clips).  A rule looks at one node and what makes
 * its operands, changes it and says so; walks go on until none applies. */
#include "pass/pass.h"

#include <math.h>

enum { WALKS = 16 };

static bool shapes_agree(const Val *u, const Val *v)
{
    return shape_same(u->shape, v->shape);
}

/* n repeats v, if their types and shapes allow it. */
static bool repeats(Graph *g, Node *n, Val *v)
{
    if (!shapes_agree(n->res[0], v) ||
        (val_is_int(n->res[0]) != val_is_int(v)) ||
        (!g->exact && n->res[0]->type != v->type))
        return false;
    return edit_bypass(g, n, v);
}

/* n becomes another operator on the first operand alone. */
static void become(Graph *g, Node *n, OpCode op)
{
    int i;

    for (i = n->narg - 1; i > 0; i--)
        edit_arg(g, n, i, NULL);
    n->narg = 1;
    n->op = op;
}

static bool same_reshape(Graph *g, Node *n)
{
    Node *p = n->arg[0]->def;

    if (repeats(g, n, n->arg[0]))
        return true;
    if (!p || p->op != OP_reshape)
        return false;
    edit_arg(g, n, 0, p->arg[0]);
    return true;
}

static bool same_transpose(Graph *g, Node *n)
{
    Node *p = n->arg[0]->def;
    const int64_t *out, *in;
    int64_t perm[RANK];
    int i, rank = attr_list(n, A_perm, &out);

    if (rank && perm_is_identity(out, rank))
        return repeats(g, n, n->arg[0]);
    if (!p || p->op != OP_transpose || !rank ||
        attr_list(p, A_perm, &in) != rank)
        return false;
    for (i = 0; i < rank; i++)
        perm[i] = in[out[i]];
    attr_set_list(g, n, A_perm, rank, perm);
    edit_arg(g, n, 0, p->arg[0]);
    return true;
}

static bool same_slice(Graph *g, Node *n)
{
    int i;

    for (i = 0; i < n->arg[0]->shape.rank; i++)
        if (attr_at(n, A_start, i, 0) || slice_step(n, i) != 1)
            return false;
    return repeats(g, n, n->arg[0]);
}

static bool same_expand(Graph *g, Node *n)
{
    return repeats(g, n, n->arg[0]);
}

static bool same_concat(Graph *g, Node *n)
{
    int i, k = 0, old = n->narg;

    for (i = 0; i < n->narg; i++)
        k += val_count(n->arg[i]) != 0;
    if (k && k < n->narg) {
        for (i = k = 0; i < n->narg; i++)
            if (val_count(n->arg[i]))
                n->arg[k++] = n->arg[i];
            else
                n->arg[i]->nuse--;
        n->narg = k;
    }
    return (n->narg == 1 && repeats(g, n, n->arg[0])) || n->narg != old;
}

static bool same_cast(Graph *g, Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];
    const TypeInfo *t = &type_info[attr_int(n, A_to)];

    if (val_is_int(x) && val_is_int(y) && g->exact &&
        (x->lo < t->lo || x->hi > t->hi || attr_int(n, A_to) == T_b8))
        return false;
    return repeats(g, n, n->arg[0]);
}

static bool clip_is_idle(const Node *n)
{
    const Val *x = n->arg[0];
    double lo, hi;

    if (val_is_int(x))
        return attr_int(n, A_lo) <= x->lo && attr_int(n, A_hi) >= x->hi;
    float_bounds(x, &lo, &hi);
    return attr_num(n, A_flo) <= lo && attr_num(n, A_fhi) >= hi;
}

static bool same_clip(Graph *g, Node *n)
{
    return clip_is_idle(n) && repeats(g, n, n->arg[0]);
}

/* (x << s) + a >> s with 0 <= a < 1 << s is x. */
static bool only_clips(const Node *n)
{
    int64_t s = attr_int(n, A_shift), one = INT64_C(1) << s;
    const Val *mul = n->arg[1], *add = n->arg[2];

    return s < 62 && !node_arg(n, "shifts") && !attr_int(n, A_round) &&
           is_const(mul) && is_const(add) && mul->lo == one &&
           mul->hi == one && add->lo >= 0 && add->hi < one &&
           fits_in(mul, n->arg[0]->shape) && fits_in(add, n->arg[0]->shape);
}

static bool same_requant(Graph *g, Node *n)
{
    if (!only_clips(n))
        return false;
    become(g, n, OP_clip);
    attr_drop(n, A_shift);
    return true;
}

static bool same_pad(Graph *g, Node *n)
{
    return repeats(g, n, n->arg[0]);
}

/* The one operand is a constant of nothing but x, and nothing else happens. */
static Val *other_than(const Node *n, double x, bool either)
{
    if (n->narg > 2 || has_clip(n))
        return NULL;
    if (all_equal(n->arg[1], x))
        return n->arg[0];
    return either && all_equal(n->arg[0], x) ? n->arg[1] : NULL;
}

static bool same_add(Graph *g, Node *n)
{
    Val *v = other_than(n, 0, true);

    return v && repeats(g, n, v);
}

static bool same_sub(Graph *g, Node *n)
{
    Val *v = other_than(n, 0, false);

    return v && repeats(g, n, v);
}

static bool same_mul(Graph *g, Node *n)
{
    Val *v = other_than(n, 1, true);

    return v && repeats(g, n, v);
}

static bool same_div(Graph *g, Node *n)
{
    Val *v = other_than(n, 1, false);

    return v && repeats(g, n, v);
}

/* min x c, max x c  ->  clip x, for a c of one value. */
static bool same_bound(Graph *g, Node *n)
{
    bool real = !val_is_int(n->res[0]), top = n->op == OP_min;
    Val *x = n->arg[0], *c = n->arg[1];

    if (is_const(x)) {
        c = n->arg[0];
        x = n->arg[1];
    }
    if (!is_const(c) || is_const(x) || !val_count(c) ||
        !shapes_agree(x, n->res[0]) || !all_equal(c, val_num(c, 0)) ||
        (real && isnan(val_num(c, 0))) ||
        (!g->exact && x->type != n->res[0]->type))
        return false;
    if (real)
        attr_set_num(g, n, top ? A_fhi : A_flo, val_num(c, 0));
    else
        attr_set_int(g, n, top ? A_hi : A_lo, val_int(c, 0));
    edit_arg(g, n, 0, x);
    become(g, n, OP_clip);
    return true;
}

/* Reducing axes of size one moves nothing. */
static bool same_reduce(Graph *g, Node *n)
{
    Shape s = n->res[0]->shape;

    if (!shapes_as_many(n->arg[0]->shape, s) || n->narg > 1 || has_clip(n) ||
        (!g->exact && n->arg[0]->type != n->res[0]->type))
        return false;
    become(g, n, OP_reshape);
    n->attr = NULL;
    attr_set_shape(g, n, A_shape, s);
    return true;
}

static const struct Rule {
    OpCode op;
    bool (*rule)(Graph *g, Node *n);
} rules[] = {
    {OP_reshape, same_reshape}, {OP_transpose, same_transpose},
    {OP_slice, same_slice},     {OP_expand, same_expand},
    {OP_concat, same_concat},   {OP_cast, same_cast},
    {OP_clip, same_clip},       {OP_requant, same_requant},
    {OP_pad, same_pad},         {OP_add, same_add},
    {OP_sub, same_sub},         {OP_mul, same_mul},
    {OP_div, same_div},         {OP_min, same_bound},
    {OP_max, same_bound},       {OP_sum, same_reduce},
    {OP_mean, same_reduce},     {OP_rmax, same_reduce},
    {OP_rmin, same_reduce},     {OP_prod, same_reduce},
};

/* A rule that keeps the node leaves it to be inferred again. */
static bool apply(Graph *g, Node *n)
{
    Val *r = n->res[0];
    size_t i;

    for (i = 0; i < LEN(rules); i++) {
        if (rules[i].op != n->op || !rules[i].rule(g, n))
            continue;
        if (r->nuse && r->def == n)
            node_infer(g, n);
        return true;
    }
    return false;
}

void pass_identity(Graph *g)
{
    Node *n, *next;
    bool changed = true;
    int i;

    for (i = 0; changed && i < WALKS; i++) {
        changed = false;
        for (n = g->first; n; n = next) {
            next = n->next;
            changed |= apply(g, n);
        }
    }
}
