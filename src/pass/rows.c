/* Operators along rows have their row on the last axis:
 *
 *     y = softmax x axis=1          a = transpose x perm=0,2,3,1
 *                                   b = softmax a axis=-1
 *                             ->    y = transpose b perm=0,3,1,2
 *
 * or a reshape where the axes in between have one element. */
#include "pass/pass.h"

static void to_last(Graph *g, Node *n, int axis)
{
    Val *x = n->arg[0];
    int64_t go[RANK], back[RANK];
    int i, rank = x->shape.rank;
    Node *m;

    for (i = 0; i < rank; i++)
        go[i] = i < axis ? i : i < rank - 1 ? i + 1 : axis;
    for (i = 0; i < rank; i++)
        back[go[i]] = i;
    edit_arg(g, n, 0, edit_transpose(g, n, n, x, go));
    attr_set_int(g, n, A_axis, -1);
    m = edit_after(g, n, OP_transpose);
    node_infer(g, n);
    attr_set_list(g, m, A_perm, rank, back);
    node_infer(g, m);
}

void pass_rows(Graph *g)
{
    Node *n, *next;

    for (n = g->first; n; n = next) {
        int rank, axis;

        next = n->next;
        if (op_info[n->op].family != FAM_row)
            continue;
        rank = n->arg[0]->shape.rank;
        axis = node_axis(n, rank);
        if (axis < rank - 1)
            to_last(g, n, axis);
        else if (op_takes(n->op, "axis"))
            attr_set_int(g, n, A_axis, -1);
    }
}
