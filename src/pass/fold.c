/* A node all of whose operands are constants is computed now, by the same
 * plain kernels that define it:
 *
 *     a = const : s8[2] {1,2}
 *     b = const : s8[2] {3,4}          y = const : s8[2] {4,6}
 *     y = add a b                 ->
 *
 * unless that would store much more than it saves: an expansion of a small
 * constant stays where it is, behind what is elementwise.  An output of the
 * graph keeps its node. */
#include "pass/pass.h"

enum { SLACK = 256 }; /* bytes a folded constant may always have */

static bool is_worth(const Node *n)
{
    int64_t in = 0, out = 0;
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            in += val_bytes(n->arg[i]);
    for (i = 0; i < n->nres; i++)
        out += val_bytes(n->res[i]);
    return n->op == OP_pack || out <= 4 * in + SLACK;
}

static bool is_foldable(const Graph *g, const Node *n)
{
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && !is_const(n->arg[i]))
            return false;
    for (i = 0; i < n->nres; i++)
        if (val_is_output(g, n->res[i]))
            return false;
    return !node_varies(n) && node_can_eval(n) && is_worth(n);
}

static void fold(Graph *g, Node *n)
{
    Arena *a = arena_new();
    void *arg[NARG] = {0}, *res[NRES] = {0}, **args = arg;
    int i;

    if (n->narg > NARG)
        args = NEWN(a, void *, (size_t)n->narg);
    for (i = 0; i < n->narg; i++)
        args[i] = n->arg[i] ? n->arg[i]->data : NULL;
    for (i = 0; i < n->nres; i++)
        res[i] = arena_get(a, (size_t)MAX(val_count(n->res[i]), 1),
                           (size_t)type_info[n->res[i]->type].bytes);
    node_eval(a, n, args, res);
    for (i = 0; i < n->nres; i++) {
        Val *v = graph_const(g, n->res[i]->name, n->res[i]->type,
                             n->res[i]->shape, res[i]);

        if (g->exact)
            val_narrow(v);
        edit_name(v, n->res[i]);
        edit_replace(g, n->res[i], v);
    }
    edit_drop(g, n);
    arena_end(a);
}

/* Of what is one constant everywhere n makes one too: n(expand c) is
 * expand(n(c)), if n reads single elements beside it. */
static void hoist_expand(Graph *g, Node *n)
{
    Node *p = n->arg[0] ? n->arg[0]->def : NULL, *m;
    Shape y = n->res[0]->shape;
    int i;

    if (op_info[n->op].family != FAM_map || n->nres > 1 || !p || p->op != OP_expand ||
        !is_const(p->arg[0]) || val_count(p->arg[0]) != 1 ||
        !shape_same(n->arg[0]->shape, y))
        return;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i] && val_count(n->arg[i]) != 1)
            return;
    edit_arg(g, n, 0, p->arg[0]);
    m = edit_after(g, n, OP_expand);
    attr_set_shape(g, m, A_shape, y);
    node_infer(g, n);
    node_infer(g, m);
}

void pass_fold(Graph *g)
{
    Node *n, *next;

    for (n = g->first; n; n = next) {
        hoist_expand(g, n);
        next = n->next;
        if (is_foldable(g, n))
            fold(g, n);
    }
}
