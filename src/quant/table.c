/* A float function of one integer of few values, as a table.
 *
 *     x = dequantize q sx zx
 *     y = sigmoid x               ->   z = gather {f(0), ..., f(-1)} q
 *     z = quantize y sy zy
 *
 * Any tree of elementwise nodes will do (an exported GELU has five), as long
 * as all it reads is one integer value and constants of one element.  The
 * nodes themselves are evaluated on every value the integer can have, so a
 * result differs from theirs in nothing.  Negative integers count from the end
 * of the table, as gather has it. */
#include "quant/lower.h"

#include <math.h>

enum { LEAST = 256, MOST = 4096 }; /* elements of a table */

typedef struct Tree {
    Graph *g;   /* where copies of the nodes go */
    Real leaf;  /* what is read */
    Val *x;     /* its reals, all of them */
    int ncopy;
    struct { const Val *from; Val *to; } copy[32];
} Tree;

/* Collects the leaf below x; false if x is more than a function of it. */
static bool find_leaf(const Val *x, Tree *t, int depth)
{
    Real r;
    int i;

    if (x->data)
        return val_count(x) == 1 && !val_is_int(x);
    if (real_of(x, &r)) {
        if (!real_uniform(&r) || (t->leaf.v && t->leaf.v != r.v))
            return false;
        t->leaf = r;
        return true;
    }
    if (!x->def || x->type != T_f32 || op_info[x->def->op].family != FAM_map ||
        x->def->op == OP_dequantize || depth > 12)
        return false;
    for (i = 0; i < x->def->narg; i++)
        if (x->def->arg[i] && !find_leaf(x->def->arg[i], t, depth + 1))
            return false;
    return true;
}

static Val *copied(const Tree *t, const Val *x)
{
    int i;

    for (i = 0; i < t->ncopy; i++)
        if (t->copy[i].from == x)
            return t->copy[i].to;
    return NULL;
}

/* x over all values of the leaf, as a constant of t->g; NULL: too large. */
static Val *evaluate(Tree *t, Val *x)
{
    Val *arg[NARG] = {NULL}, *y = copied(t, x);
    void *in[NARG] = {NULL}, *out[NRES] = {NULL};
    const Node *n = x->def;
    Node *c;
    int i;

    if (y || x->data)
        return y ? y : x;
    if (n->op == OP_dequantize)
        return t->x;
    if (t->ncopy == (int)LEN(t->copy) || n->narg > NARG)
        return NULL;
    for (i = 0; i < n->narg; i++) {
        if (!n->arg[i])
            continue;
        if (!(arg[i] = evaluate(t, n->arg[i])))
            return NULL;
        in[i] = arg[i]->data;
    }
    c = graph_node(t->g, NULL, n->op, NULL, n->narg, arg);
    attr_copy(t->g, c, n);
    node_infer(t->g, c);
    if (!node_can_eval(c))
        return NULL;
    node_eval(t->g->mem, c, in, out);
    y = graph_const(t->g, NULL, T_f32, c->res[0]->shape, out[0]);
    t->copy[t->ncopy].from = x;
    t->copy[t->ncopy++].to = y;
    return y;
}

/* The integer at position i of a table of n. */
static int64_t value_at(const Val *v, int64_t i, int64_t n)
{
    return i <= v->hi ? i : i - n;
}

static void set_leaf(Tree *t, int64_t n)
{
    Val *x = graph_const(t->g, NULL, T_f32, shape_of(1, &n), NULL);
    int64_t i;

    for (i = 0; i < n; i++)
        ((float *)x->data)[i] = real_scale(&t->leaf, 0) *
            (float)(value_at(t->leaf.v, i, n) - real_zero(&t->leaf, 0));
    t->x = x;
}

/* Do ties occur on the way from the leaf's grid to another?  Means over even
 * windows have many; a requant would round half of them the other way. */
static bool has_ties(const Val *x, const Val *v, const Grid *to)
{
    Real r;
    double f;
    int64_t i;

    if (!real_of(x, &r))
        return false;
    f = (double)real_scale(&r, 0) / (double)to->scale;
    for (i = v->lo; i <= v->hi; i++)
        if (fabs(fabs(remainder((double)i * f, 1)) - 0.5) < 1e-6)
            return true;
    return false;
}

static bool small_enough(const Val *x, const Val *v, int64_t n, const Grid *to)
{
    return n <= LEAST || (n <= MOST && has_ties(x, v, to));
}

bool lower_table(Graph *g, Node *q, const Grid *to)
{
    Arena *mem = arena_new();
    Tree t = {.g = graph_new(mem, "table")};
    Val *x = q->arg[0], *y, *table, *v;
    int64_t n, i;
    bool ok;

    ok = find_leaf(x, &t, 0) && (v = t.leaf.v) && v->lo > -MOST &&
         v->hi < MOST && shape_same(v->shape, x->shape);
    if (ok) {
        n = MAX(v->hi, -1) + 1 + MAX(-v->lo, 0);
        ok = small_enough(x, v, n, to);
    }
    if (ok) {
        set_leaf(&t, n);
        ok = (y = evaluate(&t, x)) != NULL && val_count(y) == n;
    }
    if (ok) {
        table = graph_const(g, "table", T_s32, shape_of(1, &n), NULL);
        for (i = 0; i < n; i++)
            val_set(table, i, grid_round(to, ((float *)y->data)[i]));
        val_narrow(table);
        q->op = OP_gather;
        q->arg[0] = table;
        q->arg[1] = v;
        q->narg = 2;
        attr_drop(q, A_to);
        attr_set_int(g, q, A_axis, 0);
        node_infer(g, q);
    }
    arena_end(mem);
    return ok;
}
