/* The operands of a concat get the type of its result, for it is made by
 * copying them there, or by making them there in the first place:
 *
 *     y = concat a b : s32[8]            a2 = cast a to=s32 : s32[4]
 *     (a is s8, b s32)             ->    y  = concat a2 b : s32[8]
 *
 * Not a choice of the user, and last: what has settled by then stays. */
#include "pass/pass.h"

static Val *widened_const(Graph *g, const Val *v, Type t)
{
    Val *y = graph_const(g, v->name, t, v->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        val_set(y, i, val_int(v, i));
    y->lo = v->lo;
    y->hi = v->hi;
    return y;
}

static Val *widened(Graph *g, Node *at, Val *v, Type t)
{
    Node *n;

    if (is_const(v))
        return widened_const(g, v, t);
    n = edit_node(g, at, OP_cast, at, 1, &v);
    attr_set_int(g, n, A_to, t);
    node_infer(g, n);
    return n->res[0];
}

void pass_widen(Graph *g)
{
    Node *n;
    int i;

    for (n = g->first; n; n = n->next)
        for (i = 0; n->op == OP_concat && i < n->narg; i++)
            if (n->arg[i]->type != n->res[0]->type)
                edit_arg(g, n, i,
                         widened(g, n, n->arg[i], n->res[0]->type));
}
