/* Products with constant matrices, some columns of whose results are computed
 * alone. */
#include "pass/pass.h"

/* The axis of the matrix along which columns of the result lie. */
static int column_axis(const Node *n)
{
    return attr_int(n, A_transb) ? 0 : 1;
}

int64_t columns_count(const Node *n)
{
    return n->arg[1]->shape.dim[column_axis(n)];
}

/* Is an operand one number, or one for each column? */
static bool is_by_column(const Node *n, const Val *v)
{
    return !v || (is_const(v) && (val_count(v) == 1 ||
                                  (val_count(v) == columns_count(n) &&
                                   dim_from_end(v, 0) == val_count(v))));
}

bool columns_apart(const Node *n)
{
    int i;

    if (!n || n->op != OP_matmul || !is_const(n->arg[1]) ||
        n->arg[1]->shape.rank != 2 || attr_int(n, A_transa) ||
        attr_has(n, A_count))
        return false;
    for (i = 2; i < n->narg; i++)
        if (!is_by_column(n, n->arg[i]))
            return false;
    return true;
}

Node *columns_some(Graph *g, Node *at, const Node *n, int64_t count,
                   const int64_t *list)
{
    Val *arg[NARG];
    Node *part;
    int i;

    for (i = 0; i < n->narg; i++) {
        arg[i] = n->arg[i];
        if (i == 1)
            arg[i] = const_pick(g, arg[i], column_axis(n), count, list);
        else if (i > 1 && arg[i] && val_count(arg[i]) > 1)
            arg[i] = const_pick(g, arg[i], arg[i]->shape.rank - 1, count, list);
    }
    part = edit_node(g, at, OP_matmul, n, n->narg, arg);
    attr_copy(g, part, n);
    node_infer(g, part);
    return part;
}
