/* The operands of a concat get the type of its result, for it is made by
 * copying them there, or by making them there in the first place:
 *
 *     y = concat a b : s32[8]            a2 = cast a to=s32 : s32[4]
 *     (a is s8, b s32)             ->    y  = concat a2 b : s32[8]
 *
 * An image around which a convolution pads with a number that its type does
 * not hold gets a type that does.
 *
 * Biases of products get the type of others' of that operator, if that adds
 * less than an instance of a kernel has: such differ by types.
 *
 * Not a choice of the user, and last: what has settled by then stays. */
#include "pass/pass.h"

enum { BIAS = 2, BIASES = 512 };

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

/* The bias of n, of op, if it is a constant of type t. */
static Val *bias_of(const Node *n, OpCode op, Type t)
{
    Val *v = n->op == op ? arg_of(n, BIAS) : NULL;

    return v && is_const(v) && v->type == t ? v : NULL;
}

static void widen_biases(Graph *g, OpCode op, Type from, Type to)
{
    int64_t wide = 0, narrow = 0;
    Node *n;
    Val *v;

    for (n = g->first; n; n = n->next) {
        wide += bias_of(n, op, to) != NULL;
        if ((v = bias_of(n, op, from)) != NULL)
            narrow += val_count(v);
    }
    if (!wide || narrow > BIASES)
        return;
    for (n = g->first; n; n = n->next)
        if ((v = bias_of(n, op, from)) != NULL)
            edit_arg(g, n, BIAS, widened_const(g, v, to));
}

/* n's image, if it pads with what the image's type does not hold. */
static void widen_padded(Graph *g, Node *n)
{
    Val *x = n->arg[0];
    int64_t v;

    if (n->op != OP_conv)
        return;
    v = attr_int(n, A_padvalue);
    if (val_is_int(x) && !nothing_padded(n) &&
        (v < type_info[x->type].lo || v > type_info[x->type].hi))
        edit_arg(g, n, 0, widened(g, n, x, type_for(MIN(x->lo, v),
                                                    MAX(x->hi, v))));
}

void pass_widen(Graph *g)
{
    Node *n;
    int i;

    widen_biases(g, OP_conv, T_s16, T_s32);
    widen_biases(g, OP_matmul, T_s16, T_s32);

    for (n = g->first; n; n = n->next)
        widen_padded(g, n);
    for (n = g->first; n; n = n->next)
        for (i = 0; n->op == OP_concat && i < n->narg; i++)
            if (n->arg[i]->type != n->res[0]->type)
                edit_arg(g, n, i,
                         widened(g, n, n->arg[i], n->res[0]->type));
}
