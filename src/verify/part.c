/* What a tile computes, by what its kernel is told.
 *
 * The part begins where the piece of the result does.  From there on the
 * node's own meaning says which element of an operand each step of the
 * kernel's loops must meet, and the memory must hold just that.  The numbers
 * that are no distances must be those of the node. */
#include "verify/part.h"

/* Sets w->first from the piece. */
static bool find_first(Work *w)
{
    const Val *y = w->n->res[0];
    Piece p = w->s->out_piece[0];
    int64_t at = p.off / w->eb;
    int i;

    if (p.off < 0 || p.off % w->eb || p.row % w->eb || p.stride % w->eb ||
        p.row < 1 || p.rows < 1 || p.stride < p.row || p.rows > val_count(y) ||
        p.stride > val_bytes(y) ||
        p.off + (p.rows - 1) * p.stride + p.row > val_bytes(y))
        return wrong(w->c, "node %s: no piece of %s", w->n->name, y->name);
    for (i = y->shape.rank - 1; i >= 0; i--) {
        w->first[i] = at % y->shape.dim[i];
        at /= y->shape.dim[i];
    }
    return true;
}

bool part_check(Work *w)
{
    if (!find_first(w))
        return false;
    switch (op_info[w->n->op].family) {
    case FAM_conv: case FAM_pconv:
        return part_conv(w);
    case FAM_pool:
        return part_pool(w);
    case FAM_matmul:
        return part_matmul(w);
    case FAM_rowmatmul:
        return part_rowmatmul(w);
    case FAM_map:
        return part_map(w);
    case FAM_row:
        return part_row(w);
    case FAM_attend:
        return part_attend(w);
    case FAM_reduce:
        return part_reduce(w);
    case FAM_transpose: case FAM_slice: case FAM_expand: case FAM_concat:
    case FAM_windows:
        return part_copy(w);
    case FAM_pad:
        return part_pad(w);
    case FAM_gather:
        return part_gather(w);
    default:
        return part_wrong(w);
    }
}
