/* Which values have their channels last.
 *
 * Kernels of convolutions and pools are faster with the channels of a place
 * side by side, but ONNX has them on axis 1, and turning a tensor costs time.
 * Each node that can work either way gets a label, first or last: what it
 * costs is a convolution's penalty for working with channels first, and for
 * every value one transposition if its maker's label is not that of some
 * reader.  The cheapest labelling is a minimum cut (cut.c; source: first,
 * sink: last), exact for the whole network at once:
 *
 *     x  ->  transpose  ->  [ conv  add  maxpool  conv  concat ]  ->  ...
 *
 * Borders that cost nothing fall out of the same sum: one channel, one place,
 * a transposition the user had there already, or a flattening in front of a
 * matrix product (or an unflattening behind one), whose constant rows (or
 * columns) are permuted instead. */
#include "pass/pass.h"

#include <string.h>

enum {
    TURN = 8, /* cycles to move an element in a transposition; one for all of
                 the tensor where that is a reshape */
    STEP = 6, /* cycles more for a product with channels first, as the heads of
                 the kernels have it */
};

typedef struct Layout {
    Graph *g;
    Arena *mem;
    Cut *cut;
    int *in, *out;  /* labels by Node.id: of what it reads and makes */
    int *makes;     /* label by Val.id of its maker */
    int *first, *last; /* by Val.id: reached if some reader wants that */
    Val **turned;   /* by Val.id: the value with its channels last, or NULL */
    Node **reader;  /* by Val.id: the only reader, or NULL */
} Layout;

static bool has_channels(const Val *v)
{
    return (v->shape.rank == 3 || v->shape.rank == 4) && val_count(v);
}

static bool turns_free(const Val *v)
{
    int64_t perm[RANK];

    perm_to_last(perm, v->shape.rank);
    return perm_keeps_order(perm, v->shape);
}

static int64_t turn_cost(const Val *v)
{
    return turns_free(v) ? 1 : TURN * val_count(v);
}

/* --- what can work with channels last --- */

/* An operand whose layout is the node's: not a constant, not a scalar. */
static bool follows(const Node *n, int i)
{
    const Val *v = n->arg[i];

    if (!v || is_const(v))
        return false;
    return op_info[n->op].family != FAM_map || val_count(v) != 1;
}

static bool operands_follow(const Node *n)
{
    int i, rank = n->res[0]->shape.rank;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        if (v && (v->shape.rank > rank ||
                  (follows(n, i) && v->shape.rank < rank)))
            return false;
    }
    return n->nres == 1 && has_channels(n->res[0]);
}

static bool constants_but_x(const Node *n)
{
    int i;

    for (i = 1; i < n->narg; i++)
        if (n->arg[i] && !is_const(n->arg[i]))
            return false;
    return !attr_int(n, A_last);
}

/* A reshape of the spatial axes alone keeps its channels where they are. */
static bool keeps_channels(const Node *n)
{
    const Shape *x = &n->arg[0]->shape, *y = &n->res[0]->shape;

    return has_channels(n->arg[0]) && has_channels(n->res[0]) &&
           x->dim[0] == y->dim[0] && x->dim[1] == y->dim[1];
}

/* Reducing leaves the other axes in one order, wherever the channels are. */
static bool reduces_alike(const Node *n)
{
    bool set[RANK], spatial = true;
    int i;

    node_axes(n, set);
    for (i = 2; i < n->arg[0]->shape.rank; i++)
        spatial &= set[i];
    return has_channels(n->arg[0]) && (set[1] || spatial) &&
           (!has_epilogue(n) || (val_count(n->arg[1]) == 1 &&
                                 val_count(n->arg[2]) == 1));
}

/* Scales per channel would need their axis moved. */
static bool is_map(const Node *n)
{
    if (n->op == OP_quantize || n->op == OP_dequantize)
        return is_const(n->arg[1]) && val_count(n->arg[1]) == 1;
    return op_info[n->op].family == FAM_map;
}

/* Looks every element up in a constant. */
static bool is_table(const Node *n)
{
    return is_const(n->arg[0]) && n->arg[0]->shape.rank == 1 &&
           operands_follow(n);
}

/* Reads and makes with one label. */
static bool is_flexible(const Node *n)
{
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_convt: case FAM_pool:
        return constants_but_x(n);
    case FAM_concat: case FAM_pad: case FAM_slice: case FAM_expand:
        return operands_follow(n);
    case FAM_row:
        return operands_follow(n) && op_takes(n->op, "axis");
    case FAM_reduce:
        return attr_int(n, A_keep) && reduces_alike(n);
    case FAM_reshape:
        return keeps_channels(n);
    case FAM_gather:
        return is_table(n);
    default:
        return is_map(n) && operands_follow(n);
    }
}

/* A reduction that drops axes, whose result is the same either way. */
static bool is_drain(const Node *n)
{
    return op_info[n->op].family == FAM_reduce && !attr_int(n, A_keep) &&
           reduces_alike(n);
}

/* reshape [n,c,h,w] -> [n,chw], then a product with constant rows */
static bool is_flatten(const Layout *l, const Node *n)
{
    const Shape *x = &n->arg[0]->shape, *y = &n->res[0]->shape;
    const Node *m = l->reader[n->res[0]->id];

    return n->op == OP_reshape && has_channels(n->arg[0]) && y->rank == 2 &&
           y->dim[0] == x->dim[0] && m && m->op == OP_matmul &&
           m->arg[0] == n->res[0] && !attr_int(m, A_transa) &&
           is_const(m->arg[1]) && m->arg[1]->shape.rank == 2;
}

/* a product with constant columns, then reshape [n,chw] -> [n,c,h,w] */
static bool is_unflatten(const Node *n)
{
    const Shape *x = &n->arg[0]->shape, *y = &n->res[0]->shape;
    const Node *m = sole_producer(n->arg[0]);
    int i;

    if (n->op != OP_reshape || !has_channels(n->res[0]) || x->rank != 2 ||
        y->dim[0] != x->dim[0] || !m || m->op != OP_matmul)
        return false;
    for (i = 1; i < m->narg; i++)
        if (m->arg[i] && !is_const(m->arg[i]))
            return false;
    return m->arg[1]->shape.rank == 2;
}

static bool is_turn(const Node *n, void (*make)(int64_t *, int))
{
    const int64_t *perm;
    int64_t want[RANK];
    int rank = attr_list(n, A_perm, &perm);

    if (n->op != OP_transpose || (rank != 3 && rank != 4))
        return false;
    make(want, rank);
    return !memcmp(perm, want, (size_t)rank * sizeof *perm);
}

/* --- the costs --- */

static void cost_first(Layout *l, int label, int64_t cost)
{
    cut_edge(l->cut, label, CUT_SINK, cost);
}

static void cost_last(Layout *l, int label, int64_t cost)
{
    cut_edge(l->cut, CUT_SOURCE, label, cost);
}

/* What working with the wrong layout costs the node itself. */
static void cost_node(Layout *l, const Node *n)
{
    const Val *x = n->arg[0];
    int rank = x->shape.rank, label = l->in[n->id], axis;

    switch (op_info[n->op].family) {
    case FAM_conv:
        cost_first(l, label, STEP * node_macs(n));
        break;
    case FAM_convt:
        cost_first(l, label, node_macs(n) / 4);
        break;
    case FAM_pool:
        cost_first(l, label, STEP * val_count(n->res[0]) *
                                 attr_at(n, A_kernel, 0, 1) *
                                 attr_at(n, A_kernel, 1, 1));
        break;
    case FAM_row:
        axis = node_axis(n, rank);
        if (axis != rank - 1)
            cost_first(l, label, 2 * TURN * val_count(x));
        if (axis != 1)
            cost_last(l, label, 2 * TURN * val_count(x));
        break;
    default:
        break;
    }
}

static void label_node(Layout *l, const Node *n)
{
    int *in = &l->in[n->id], *out = &l->out[n->id];

    *in = *out = CUT_SOURCE;
    if (is_flexible(n)) {
        *in = *out = cut_node(l->cut);
        cost_node(l, n);
    } else if (is_drain(n) || is_flatten(l, n)) {
        *in = cut_node(l->cut);
    } else if (is_unflatten(n)) {
        *out = cut_node(l->cut);
    } else if (is_turn(n, perm_to_last)) {
        *in = cut_node(l->cut);
        cost_first(l, *in, turn_cost(n->arg[0]));
    } else if (is_turn(n, perm_to_first)) {
        *out = cut_node(l->cut);
        cost_first(l, *out, turn_cost(n->res[0]));
    }
}

/* The reader with this label of v: one turn serves all that want it. */
static void cost_read(Layout *l, const Val *v, int label)
{
    int from = l->makes[v->id];
    int64_t cost = has_channels(v) ? turn_cost(v) : 0;

    if (!l->first[v->id]) {
        l->first[v->id] = cut_node(l->cut);
        l->last[v->id] = cut_node(l->cut);
        cut_edge(l->cut, l->first[v->id], from, cost);
        cut_edge(l->cut, from, l->last[v->id], cost);
    }
    cut_edge(l->cut, label, l->first[v->id], CUT_NEVER);
    cut_edge(l->cut, l->last[v->id], label, CUT_NEVER);
}

static void cost_all(Layout *l)
{
    Node *n;
    int i;

    for (n = l->g->first; n; n = n->next) {
        label_node(l, n);
        for (i = 0; i < n->nres; i++)
            l->makes[n->res[i]->id] = l->out[n->id];
    }
    for (n = l->g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] && !is_const(n->arg[i]))
                cost_read(l, n->arg[i],
                          follows(n, i) ? l->in[n->id] : CUT_SOURCE);
    for (i = 0; i < l->g->nout; i++)
        cost_read(l, l->g->out[i], CUT_SOURCE);
}

/* --- turning --- */

static Val *turned(Layout *l, Node *at, Val *v)
{
    int64_t perm[RANK];

    perm_to_last(perm, v->shape.rank);
    if (is_const(v))
        return const_transpose(l->g, v, perm);
    if (!l->turned[v->id])
        l->turned[v->id] = edit_transpose(l->g, at, at, v, perm);
    return l->turned[v->id];
}

/* perm's inverse applied to an axis: where axis 0.. of NCHW lies in NHWC. */
static int64_t turned_axis(int64_t axis, int rank)
{
    return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1;
}

/* Reorders a list of one number per axis, or of two. */
static void turn_list(Graph *g, Node *n, AttrCode c, int rank)
{
    int64_t perm[RANK];
    int i;

    for (i = 0; i < rank; i++)
        perm[i] = turned_axis(i, rank);
    renumber_list(g, n, c, perm, rank);
}

static void turn_axes(Graph *g, Node *n, int rank)
{
    const int64_t *old;
    int64_t list[RANK];
    bool set[RANK];
    int i, len = attr_list(n, A_axes, &old);

    node_axes(n, set);
    for (i = len = 0; i < rank; i++)
        if (set[i])
            list[len++] = turned_axis(i, rank);
    attr_set_list(g, n, A_axes, len, list);
}

static void turn_attrs(Graph *g, Node *n, int rank)
{
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_convt: case FAM_pool:
        attr_set_int(g, n, A_last, 1);
        break;
    case FAM_concat: case FAM_row:
        attr_set_int(g, n, A_axis, turned_axis(node_axis(n, rank), rank));
        break;
    case FAM_pad:
        turn_list(g, n, A_pad, rank);
        break;
    case FAM_slice:
        turn_list(g, n, A_start, rank);
        turn_list(g, n, A_step, rank);
        turn_list(g, n, A_count, rank);
        break;
    case FAM_expand:
        turn_list(g, n, A_shape, rank);
        break;
    case FAM_reshape:
        turn_list(g, n, A_shape, n->res[0]->shape.rank);
        break;
    case FAM_reduce:
        turn_axes(g, n, rank);
        break;
    default:
        break;
    }
}

/* Constants that follow the layout: weights, and operands of maps. */
static void turn_consts(Layout *l, Node *n)
{
    int i, rank = n->res[0]->shape.rank;
    Family f = op_info[n->op].family;

    for (i = 0; i < n->narg; i++) {
        Val *v = n->arg[i];

        if (!is_const(v))
            continue;
        if ((f == FAM_conv || f == FAM_convt) ? i == 1 : f == FAM_concat)
            edit_arg(l->g, n, i, turned(l, n, v));
        else if (f == FAM_map && val_count(v) > 1)
            edit_arg(l->g, n, i,
                     turned(l, n, const_at_rank(l->g, v, rank)));
    }
}

/* n makes its result with channels last now; others find it as it was. */
static void turn_back(Layout *l, Node *n)
{
    Val *r = n->res[0];
    Node *m = edit_after(l->g, n, OP_transpose);
    int64_t back[RANK];

    node_infer(l->g, n);
    perm_to_first(back, r->shape.rank);
    attr_set_list(l->g, m, A_perm, r->shape.rank, back);
    node_infer(l->g, m);
    l->turned[r->id] = n->res[0];
}

static void turn_node(Layout *l, Node *n)
{
    int i;

    turn_attrs(l->g, n, n->arg[0]->shape.rank);
    for (i = 0; i < n->narg; i++)
        if (follows(n, i))
            edit_arg(l->g, n, i, turned(l, n, n->arg[i]));
    turn_consts(l, n);
    turn_back(l, n);
}

static void turn_drain(Layout *l, Node *n)
{
    turn_axes(l->g, n, n->arg[0]->shape.rank);
    edit_arg(l->g, n, 0, turned(l, n, n->arg[0]));
    node_infer(l->g, n);
}

/* An axis that counts by channel and place counts by place and channel. */
static Val *regroup(Graph *g, Val *v, int axis, const Val *image)
{
    int64_t c = image->shape.dim[1], perm[RANK];
    Shape cube = v->shape;
    int i;

    if (!is_const(v) || v->shape.dim[axis] == 1)
        return v;
    for (i = cube.rank++; i > axis; i--)
        cube.dim[i] = v->shape.dim[i - 1];
    cube.dim[axis] = c;
    cube.dim[axis + 1] = v->shape.dim[axis] / c;
    for (i = 0; i < cube.rank; i++)
        perm[i] = i;
    perm[axis] = axis + 1;
    perm[axis + 1] = axis;
    return const_as(g, const_transpose(g, const_as(g, v, cube), perm),
                    v->shape);
}

static void turn_flatten(Layout *l, Node *n)
{
    Node *m = l->reader[n->res[0]->id];

    edit_arg(l->g, m, 1, regroup(l->g, m->arg[1], attr_int(m, A_transb) != 0,
                                 n->arg[0]));
    edit_arg(l->g, n, 0, turned(l, n, n->arg[0]));
}

static void turn_unflatten(Layout *l, Node *n)
{
    Node *m = n->arg[0]->def;
    int i;

    edit_arg(l->g, m, 1, regroup(l->g, m->arg[1], !attr_int(m, A_transb),
                                 n->res[0]));
    for (i = 2; i < m->narg; i++)
        if (m->arg[i] && m->arg[i]->shape.rank)
            edit_arg(l->g, m, i, regroup(l->g, m->arg[i],
                                         m->arg[i]->shape.rank - 1,
                                         n->res[0]));
    turn_list(l->g, n, A_shape, n->res[0]->shape.rank);
    turn_back(l, n);
}

static void turn_all(Layout *l)
{
    Node *n, *next;

    for (n = l->g->first; n; n = next) {
        bool in = cut_is_sink(l->cut, l->in[n->id]);
        bool out = cut_is_sink(l->cut, l->out[n->id]);

        next = n->next;
        if (in && out)
            turn_node(l, n);
        else if (in && op_info[n->op].family == FAM_reduce)
            turn_drain(l, n);
        else if (in && n->op == OP_reshape)
            turn_flatten(l, n);
        else if (out && n->op == OP_reshape)
            turn_unflatten(l, n);
    }
}

static void find_readers(Layout *l)
{
    Node *n;
    int i;

    for (n = l->g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i])
                l->reader[n->arg[i]->id] = n->arg[i]->nuse == 1 ? n : NULL;
}

void pass_layout(Graph *g)
{
    Arena *a = arena_new();
    Layout l = {.g = g, .mem = a, .cut = cut_new(a)};
    size_t nval, nnode;

    graph_number(g);
    nval = (size_t)graph_nval(g) + 1;
    nnode = (size_t)(g->last ? g->last->id : 0) + 1;
    l.in = NEWN(a, int, nnode);
    l.out = NEWN(a, int, nnode);
    l.makes = NEWN(a, int, nval);
    l.first = NEWN(a, int, nval);
    l.last = NEWN(a, int, nval);
    l.turned = NEWN(a, Val *, nval);
    l.reader = NEWN(a, Node *, nval);
    find_readers(&l);
    cost_all(&l);
    cut_solve(l.cut);
    turn_all(&l);
    arena_end(a);
}
