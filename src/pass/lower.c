/* Padding and repetition that an operator can do itself:
 *
 *     z = pad x pad=0,0,1,1,0,0,1,1
 *     y = conv z w                  ->    y = conv x w pad=1,1,1,1
 *
 *     z = expand b shape=8,16
 *     y = add x z                   ->    y = add x b
 *
 * A convolution pads with one integer value (float ones with 0), so its own
 * padding must have the same.  A maximum ignores its padding, so the value
 * padded must be one that never wins: no greater than any element, and no
 * window of padding alone.  A mean or sum over all spatial axes of integers
 * becomes a pool, which has an epilogue per channel; a gather of evenly spaced
 * constant places a slice.  Axes are counted from the front. */
#include "pass/pass.h"

#include <math.h>

static bool only_spatial(const Node *pad)
{
    int rank = pad->arg[0]->shape.rank;

    return attr_int(pad, A_mode) == 0 && attr_at(pad, A_pad, 0, 0) == 0 &&
           attr_at(pad, A_pad, 1, 0) == 0 &&
           attr_at(pad, A_pad, rank, 0) == 0 &&
           attr_at(pad, A_pad, rank + 1, 0) == 0;
}

static bool conv_pads(Graph *g, Node *n, const Node *pad)
{
    int64_t value = attr_int(pad, A_p0);

    if (!val_is_int(n->arg[0]))
        return attr_num(pad, A_alpha) == 0;
    if (!nothing_padded(n))
        return value == attr_int(n, A_padvalue);
    if (value)
        attr_set_int(g, n, A_padvalue, value);
    return true;
}

static bool sum_pads(const Node *n, const Node *pad)
{
    return attr_int(n, A_ceil) == 0 &&
           (val_is_int(n->arg[0]) ? attr_int(pad, A_p0) == 0
                                  : attr_num(pad, A_alpha) == 0);
}

/* The mean counts what pad added, so it must count all padding or have had
 * none. */
static bool avgpool_pads(Graph *g, Node *n, const Node *pad)
{
    if (!sum_pads(n, pad) ||
        (!attr_int(n, A_countpad) && !nothing_padded(n)))
        return false;
    attr_set_int(g, n, A_countpad, 1);
    return true;
}

static bool maxpool_pads(const Node *n, const Node *pad)
{
    const Val *x = pad->arg[0];
    int i, spatial = x->shape.rank - 2;
    double lo, hi;

    for (i = 0; i < spatial; i++) {
        int64_t reach = (attr_at(n, A_kernel, i, 1) - 1) *
                        attr_at(n, A_dilation, i, 1);

        if (attr_at(n, A_pad, i, 0) + attr_at(pad, A_pad, 2 + i, 0) > reach ||
            attr_at(n, A_pad, spatial + i, 0) +
                attr_at(pad, A_pad, x->shape.rank + 2 + i, 0) > reach)
            return false;
    }
    if (attr_int(n, A_ceil) || attr_int(n, A_dilation) > 1)
        return false;
    if (val_is_int(x))
        return attr_int(pad, A_p0) <= x->lo;
    float_bounds(x, &lo, &hi);
    return attr_num(pad, A_alpha) <= lo;
}

static bool may_pad(Graph *g, Node *n, const Node *pad)
{
    switch (n->op) {
    case OP_conv: return conv_pads(g, n, pad);
    case OP_maxpool: return maxpool_pads(n, pad);
    case OP_avgpool: return avgpool_pads(g, n, pad);
    case OP_sumpool: return sum_pads(n, pad);
    default: return false;
    }
}

static void lower_pad(Graph *g, Node *n)
{
    Node *p = sole_producer(n->arg[0]);
    int64_t pad[2 * RANK];
    int i, spatial = n->arg[0]->shape.rank - 2;

    if (!p || p->op != OP_pad || attr_int(n, A_last) || !only_spatial(p) ||
        !may_pad(g, n, p))
        return;
    for (i = 0; i < spatial; i++) {
        pad[i] = attr_at(n, A_pad, i, 0) + attr_at(p, A_pad, 2 + i, 0);
        pad[spatial + i] = attr_at(n, A_pad, spatial + i, 0) +
                           attr_at(p, A_pad, spatial + 4 + i, 0);
    }
    attr_set_list(g, n, A_pad, 2 * spatial, pad);
    edit_arg(g, n, 0, p->arg[0]);
}

/* How many of n's operands decide together on its shape. */
static int nbroadcast(const Node *n)
{
    int mi = op_operand(n->op, "mul");

    if (n->op == OP_matmul)
        return 2;
    if (op_info[n->op].family != FAM_map || n->op == OP_quantize ||
        n->op == OP_dequantize || n->op == OP_inonorm)
        return 0;
    return mi < 0 ? n->narg : mi;
}

/* Would n have the same shape with v as its operand k? */
static bool still_fills(const Node *n, int k, const Val *v)
{
    Shape y = n->res[0]->shape;
    int first = n->op == OP_matmul ? 2 : 0, rank = v->shape.rank, d, i;

    for (i = 0; i < nbroadcast(n); i++)
        if (n->arg[i] && i != k)
            rank = MAX(rank, n->arg[i]->shape.rank);
    for (d = 0; d < first; d++)
        if (dim_from_end(v, d) != dim_from_end(n->arg[k], d))
            return false;
    for (d = first; d < y.rank; d++) {
        int64_t size = dim_from_end(v, d);

        for (i = 0; i < nbroadcast(n); i++)
            if (n->arg[i] && i != k)
                size = MAX(size, dim_from_end(n->arg[i], d));
        if (size != y.dim[y.rank - 1 - d])
            return false;
    }
    return v->shape.rank >= first && rank == y.rank;
}

static void lower_expand(Graph *g, Node *n)
{
    int i, count = nbroadcast(n);

    for (i = 0; i < count && count > 1; i++) {
        Node *p = n->arg[i] ? n->arg[i]->def : NULL;

        if (p && p->op == OP_expand && still_fills(n, i, p->arg[0]))
            edit_arg(g, n, i, p->arg[0]);
    }
}

/* The indices are start, start + step, ...: of a constant, from the front. */
static bool is_progression(const Val *i, int64_t len, int64_t *start,
                           int64_t *step)
{
    int64_t k, n = is_const(i) ? val_count(i) : 0, at;

    for (k = 0; k < n; k++) {
        at = val_int(i, k);
        at += at < 0 ? len : 0;
        if (k == 0)
            *start = at;
        else if (k == 1)
            *step = at - *start;
        else if (at != *start + k * *step)
            return false;
        if (at < 0 || at >= len)
            return false;
    }
    return n > 0 && *step != 0;
}

/* gather x {2,3}  ->  slice x start=2, and a reshape for the axes of i */
static void lower_gather(Graph *g, Node *n)
{
    Val *x = n->arg[0];
    Shape y = n->res[0]->shape, s = x->shape;
    int axis = node_axis(n, s.rank), i;
    int64_t start[RANK] = {0}, step[RANK];
    Node *m;

    for (i = 0; i < s.rank; i++)
        step[i] = 1;
    if (is_const(x) ||
        !is_progression(n->arg[1], s.dim[axis], &start[axis], &step[axis]))
        return;
    s.dim[axis] = val_count(n->arg[1]);
    edit_arg(g, n, 1, NULL);
    n->narg = 1;
    n->op = OP_slice;
    n->attr = NULL;
    attr_set_list(g, n, A_start, s.rank, start);
    attr_set_list(g, n, A_step, s.rank, step);
    attr_set_shape(g, n, A_count, s);
    if (shape_same(s, y))
        return;
    m = edit_after(g, n, OP_reshape);
    node_infer(g, n);
    attr_set_shape(g, m, A_shape, y);
    node_infer(g, m);
}

static void count_axes(Graph *g, Node *n)
{
    bool set[RANK];
    int64_t axes[RANK];
    int i, k = 0;

    node_axes(n, set);
    for (i = 0; i < n->arg[0]->shape.rank; i++)
        if (set[i])
            axes[k++] = i;
    attr_set_list(g, n, A_axes, k, axes);
}

/* mean x axes=2,3  ->  avgpool x kernel=h,w */
static void lower_reduce(Graph *g, Node *n)
{
    Val *x = n->arg[0];
    Shape y = n->res[0]->shape;
    const int64_t *axes;

    if (x->shape.rank)
        count_axes(g, n);
    if ((n->op != OP_mean && n->op != OP_sum) || !val_is_int(x) || !g->exact ||
        x->shape.rank != 4 || has_epilogue(n) || has_clip(n) ||
        attr_list(n, A_axes, &axes) != 2 || axes[0] != 2 || axes[1] != 3 ||
        shape_varies(x->shape) ||
        MAX(x->shape.dim[2], x->shape.dim[3]) >= 1 << 20)
        return;
    n->op = n->op == OP_mean ? OP_avgpool : OP_sumpool;
    n->attr = NULL;
    attr_set_list(g, n, A_kernel, 2, x->shape.dim + 2);
    node_infer(g, n);
    if (y.rank != 4) {
        Node *m = edit_after(g, n, OP_reshape);

        attr_set_shape(g, m, A_shape, y);
        node_infer(g, m);
    }
}

void pass_lower(Graph *g)
{
    Node *n, *next;

    for (n = g->first; n; n = next) {
        next = n->next;
        lower_expand(g, n);
        if (op_info[n->op].family == FAM_reduce)
            lower_reduce(g, n);
        if (n->op == OP_gather)
            lower_gather(g, n);
        if (op_takes(n->op, "axis") && n->arg[0]->shape.rank)
            attr_set_int(g, n, A_axis, node_axis(n, n->arg[0]->shape.rank));
        if (op_info[n->op].family == FAM_conv ||
            op_info[n->op].family == FAM_pool)
            lower_pad(g, n);
        node_infer(g, n);
    }
}
