/* Changes to a graph that keep the counts of readers true.
 *
 * A pass may ask at any moment who else reads a value (Val.nuse), so every
 * change of an argument goes through here.  Nodes that nobody reads any more
 * are removed at once, with what fed only them; since a producer stands before
 * its readers, a walk in order that holds the next node is not disturbed. */
#include "pass/pass.h"

#include <string.h>

static void use(Val *v)
{
    if (v)
        v->nuse++;
}

static bool is_dead(const Node *n)
{
    int i;

    for (i = 0; i < n->nres; i++)
        if (n->res[i]->nuse)
            return false;
    return true;
}

static void unuse(Graph *g, Val *v)
{
    if (!v)
        return;
    if (--v->nuse < 0)
        die("value %s has lost count of its readers", v->name);
    if (!v->nuse && v->def && is_dead(v->def))
        edit_drop(g, v->def);
}

/* A node named like another, before `at`; its arguments' readers counted. */
Node *edit_node(Graph *g, Node *at, OpCode op, const Node *like, int narg,
                Val *const *arg)
{
    Node *n = graph_node(g, at, op, like->name, narg, arg);
    int i;

    n->origin = like->origin;
    for (i = 0; i < narg; i++)
        use(arg[i]);
    return n;
}

/* v stands where `from` stood: the two change names. */
void edit_name(Val *v, Val *from)
{
    const char *name = v->name;

    v->name = from->name;
    from->name = name;
}

/* Argument i of n becomes v (NULL: absent), growing the list if need be.  A
 * constant made from one that nobody else reads takes over its name. */
void edit_arg(Graph *g, Node *n, int i, Val *v)
{
    Val *old;

    if (i >= n->narg) {
        Val **arg = NEWN(g->mem, Val *, i + 1);

        memcpy(arg, n->arg, (size_t)n->narg * sizeof *arg);
        n->arg = arg;
        n->narg = i + 1;
    }
    old = n->arg[i];
    use(v);
    n->arg[i] = v;
    if (is_const(old) && is_const(v) && old->nuse == 1 && v->nuse == 1)
        edit_name(v, old);
    unuse(g, old);
}

/* n's first two operands, of which either may be one of the old ones or hang
 * on one. */
void edit_pair(Graph *g, Node *n, Val *a, Val *b)
{
    a->nuse++;
    edit_arg(g, n, 1, b);
    edit_arg(g, n, 0, a);
    a->nuse--;
}

/* All who read `old` read `by`; what made `old` is left to the caller. */
void edit_replace(Graph *g, Val *old, Val *by)
{
    graph_replace_counted(g, old, by);
    by->nuse += old->nuse;
    old->nuse = 0;
}

/* Removes n, whose results nobody reads, and what only it kept alive. */
void edit_drop(Graph *g, Node *n)
{
    int i;

    for (i = 0; i < n->narg; i++) {
        Val *v = n->arg[i];

        n->arg[i] = NULL;
        unuse(g, v);
    }
    node_remove(g, n);
}

/* n only repeats v: its readers read v, and it goes.  An output needs a value
 * of its own; false: that stands in the way and nothing was done. */
bool edit_bypass(Graph *g, Node *n, Val *v)
{
    Val *r = n->res[0];

    if (val_is_output(g, r) && (!v->def || val_is_output(g, v)))
        return false;
    edit_replace(g, r, v);
    edit_drop(g, n);
    return true;
}

/* Node p takes over the result of n, name and readers: n must come after p
 * and read its only result.  Other readers of p follow.  n is dropped. */
void edit_take(Graph *g, Node *p, Node *n)
{
    Val *r = n->res[0], *v = p->res[0];

    r->nuse++;               /* so that p survives until n is gone */
    edit_replace(g, v, r);   /* n reads r now as well */
    p->res[0] = r;
    r->def = p;
    r->part = 0;
    n->res[0] = v;
    v->def = n;
    edit_drop(g, n);
    r->nuse--;
    node_infer(g, p);
}

/* p, n  ->  n, p: a one-operand node n and the maker p of what it reads, which
 * nobody else reads, change places; the value after both keeps its name. */
void edit_hoist(Graph *g, Node *n)
{
    Val *mid = n->arg[0], *end = n->res[0];
    Node *p = mid->def;

    n->arg[0] = p->arg[0];
    n->res[0] = mid;
    mid->def = n;
    p->arg[0] = mid;
    p->res[0] = end;
    end->def = p;
    node_move(g, n, p);
    node_infer(g, n);
    node_infer(g, p);
}

/* A new node between n and all who read its result: it reads a new value that
 * n makes now, and makes the old one.  Both are left to be inferred.  The
 * user's name stays with n unless it is that of an output. */
Node *edit_after(Graph *g, Node *n, OpCode op)
{
    Val *r = n->res[0], *mid = graph_val(g, r->name, r->type, r->shape);
    Node *m = edit_node(g, n->next, op, n, 1, &mid);

    mid->def = n;
    n->res[0] = mid;
    m->res[0]->def = NULL; /* nobody's now */
    m->res[0] = r;
    r->def = m;
    if (!val_is_output(g, r))
        edit_name(mid, r);
    return m;
}

static Val *reshape(Graph *g, Node *at, const Node *like, Val *x, Shape s)
{
    Node *n = edit_node(g, at, OP_reshape, like, 1, &x);

    attr_set_shape(g, n, A_shape, s);
    node_infer(g, n);
    return n->res[0];
}

/* The value with its axes permuted: of a constant a constant, and a reshape
 * where only axes of size one move. */
Val *edit_transpose(Graph *g, Node *at, const Node *like, Val *x,
                    const int64_t *perm)
{
    Shape s = x->shape;
    Node *n;
    int i;

    if (perm_is_identity(perm, s.rank))
        return x;
    if (is_const(x))
        return const_transpose(g, x, perm);
    for (i = 0; i < s.rank; i++)
        shape_put(&s, i, size_at(x->shape, (int)perm[i]));
    if (perm_keeps_order(perm, x->shape))
        return reshape(g, at, like, x, s);
    n = edit_node(g, at, OP_transpose, like, 1, &x);
    attr_set_list(g, n, A_perm, s.rank, perm);
    node_infer(g, n);
    return n->res[0];
}
