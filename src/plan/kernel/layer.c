/* A layer in the place of another. */
#include "plan/kernel/layer.h"

/* Does operand `name`, if it has more than one element, have one for each
 * column? It may have one for each row, and these be as many. */
static bool is_of_columns(const Node *n, const char *name)
{
    const Val *v = node_arg(n, name);

    return !v || val_count(v) == 1 ||
           v->shape.dim[v->shape.rank - 1] == val_count(v);
}

bool layer_follows_columns(const Node *n)
{
    return is_of_columns(n, "bias") && is_of_columns(n, "mul") &&
           is_of_columns(n, "add") && is_of_columns(n, "shifts");
}

bool layer_is_product(const Node *n)
{
    return n->op == OP_matmul && n->arg[1]->shape.rank == 2 &&
           n->arg[0]->shape.rank >= 2 && !attr_int(n, A_transa) &&
           !attr_has(n, A_count) && layer_follows_columns(n);
}

Val *layer_reshaped(Graph *g, Node *n, Val *x, Shape s)
{
    Node *y = graph_node(g, n, OP_reshape, n->name, 1, &x);

    attr_set_shape(g, y, A_shape, s);
    y->origin = n->origin;
    node_infer(g, y);
    return y->res[0];
}

static void swap_names(const char **a, const char **b)
{
    const char *c = *a;

    *a = *b;
    *b = c;
}

void layer_replace(Graph *g, Node *n, Node *y, Val *now)
{
    Val *was = n->res[0];

    now->scale = was->scale;
    now->zero = was->zero;
    swap_names(&y->name, &n->name);
    if (!val_is_output(g, was)) /* else graph_replace does */
        swap_names(&now->name, &was->name);
    graph_replace(g, was, now);
    node_remove(g, n);
}

void layer_undo(Graph *g, Node *before, Node *n)
{
    while (n->prev != before)
        node_remove(g, n->prev);
}
