/* What an operator works along lies on the last axis: the rows of softmax and
 * its like,
 *
 *     y = softmax x axis=1          a = transpose x perm=0,2,3,1
 *                                   b = softmax a axis=-1
 *                             ->    y = transpose b perm=0,3,1,2
 *
 * (or a reshape where the axes in between have one element), and the depth of
 * a matrix product in its constant operand, which costs nothing at run time
 * and lets kernels walk both operands in steps of one. */
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

/* matmul x w  ->  matmul x v transb=1, of the constant w transposed */
static void columns_to_rows(Graph *g, Node *n)
{
    Val *b = n->arg[1];
    int64_t perm[RANK];
    int i, rank = b->shape.rank;

    if (!is_const(b) || attr_int(n, A_transb))
        return;
    for (i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    edit_arg(g, n, 1, const_transpose(g, b, perm));
    attr_set_int(g, n, A_transb, 1);
}

void pass_rows(Graph *g)
{
    Node *n, *next;
    int rank;

    for (n = g->first; n; n = next) {
        next = n->next;
        rank = n->arg[0]->shape.rank;
        if (n->op == OP_matmul)
            columns_to_rows(g, n);
        else if (op_info[n->op].family != FAM_row)
            continue;
        else if (node_axis(n, rank) < rank - 1)
            to_last(g, n, node_axis(n, rank));
        else if (op_takes(n->op, "axis"))
            attr_set_int(g, n, A_axis, -1);
    }
}
