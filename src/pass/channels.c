/* What if a layer had more or fewer channels?  They are changed in a graph
 * whose passes are done, so that it can be planned and run; its results are
 * then of no use.  New channels are copies of old ones.
 *
 * Channels are tied to those of what reads them, and so on, as far as these
 * are operators that keep them apart, up to constants: every constant on such
 * an axis gets the new size.  Where they end in an input, an output, or in an
 * operator that mixes them with other axes, nothing is changed. */
#include "pass/pass.h"

typedef struct Ties {
    Graph *g;
    int *axis;      /* by Val.id: the axis whose size changes; -1: none */
    int64_t old, n; /* its size, and the new one */
    bool put;       /* constants are changed, not values marked */
    bool more;      /* a value was marked */
    const char *no; /* why nothing can be changed; NULL: it can */
} Ties;

/* The axis of channels of what convolutions and pools take and give. */
static int channel_axis(const Node *n, const Val *v)
{
    return attr_int(n, A_last) ? v->shape.rank - 1 : 1;
}

static void refuse(Ties *t, const Node *n, const char *why)
{
    if (!t->no)
        t->no = arena_fmt(t->g->mem, "'%s' (%s) %s", n->name,
                          op_info[n->op].name, why);
}

static bool marked(Ties *t, const Node *n, const Val *v, int axis)
{
    if (!v || is_const(v) || t->axis[v->id] < 0)
        return false;
    if (t->axis[v->id] != axis)
        refuse(t, n, "mixes channels with other axes");
    return true;
}

static void mark(Ties *t, const Node *n, const Val *v, int axis)
{
    if (is_const(v) || t->put || marked(t, n, v, axis))
        return;
    if (v->shape.dim[axis] != t->old)
        refuse(t, n, "has other channels there");
    t->axis[v->id] = axis;
    t->more = true;
}

/* Operand i has as many places on the axis; a constant gets the new size. */
static void tie(Ties *t, Node *n, int i, int axis)
{
    Val *v = arg_of(n, i);
    int64_t *list, k;

    if (!v || axis < 0 || v->shape.dim[axis] == 1)
        return;
    mark(t, n, v, axis);
    if (!t->put || !is_const(v))
        return;
    list = NEWN(t->g->mem, int64_t, (size_t)t->n);
    for (k = 0; k < t->n; k++)
        list[k] = k % t->old;
    edit_arg(t->g, n, i, const_pick(t->g, v, axis, t->n, list));
}

/* An operand with a number a channel, of any rank, or one for all. */
static void tie_vector(Ties *t, Node *n, int i)
{
    const Val *v = arg_of(n, i);
    int k;

    for (k = 0; v && k < v->shape.rank; k++)
        if (v->shape.dim[k] == t->old && val_count(v) == t->old) {
            tie(t, n, i, k);
            return;
        }
    if (v && val_count(v) > 1)
        refuse(t, n, "has numbers that are not one a channel");
}

static void tie_vectors(Ties *t, Node *n, int from)
{
    int i;

    for (i = from; i < n->narg; i++)
        tie_vector(t, n, i);
}

static void visit_conv(Ties *t, Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1], *y = n->res[0];
    int axis = channel_axis(n, x);
    bool in = marked(t, n, x, axis), out = marked(t, n, y, axis);
    int64_t c = in ? t->old : x->shape.dim[axis];
    int64_t group = attr_int(n, A_group);

    if (!in && !out)
        return;
    if (!is_const(w) ||
        (group > 1 && (group != c || w->shape.dim[0] != c))) {
        refuse(t, n, "has groups of channels, or weights that are computed");
        return;
    }
    if (group > 1) {
        tie(t, n, 0, axis);
        mark(t, n, y, axis);
        if (t->put)
            attr_set_int(t->g, n, A_group, t->n);
    }
    if (in && group == 1)
        tie(t, n, 1, axis);
    if (out || group > 1) {
        tie(t, n, 1, 0);
        tie_vectors(t, n, 2);
    }
}

static void visit_matmul(Ties *t, Node *n)
{
    const Val *a = n->arg[0], *b = n->arg[1], *y = n->res[0];
    bool in = marked(t, n, a, a->shape.rank - 1);
    bool out = marked(t, n, y, y->shape.rank - 1);
    int swapped = attr_int(n, A_transb) != 0;

    if (!in && !out && (is_const(b) || t->axis[b->id] < 0))
        return;
    if (!is_const(b) || b->shape.rank != 2 || attr_int(n, A_transa)) {
        refuse(t, n, "multiplies two values, or transposed ones");
        return;
    }
    if (in)
        tie(t, n, 1, swapped);
    if (out) {
        tie(t, n, 1, !swapped);
        tie_vectors(t, n, 2);
    }
}

static void visit_pool(Ties *t, Node *n)
{
    int axis = channel_axis(n, n->arg[0]);
    bool in = marked(t, n, n->arg[0], axis);

    if (marked(t, n, n->res[0], axis) || in) {
        tie(t, n, 0, axis);
        mark(t, n, n->res[0], axis);
        tie_vectors(t, n, 1);
    }
}

static void visit_map(Ties *t, Node *n)
{
    const Val *y = n->res[0];
    int axis = t->axis[y->id], i, less;

    for (i = 0; i < n->narg && axis < 0; i++)
        if (n->arg[i] && !is_const(n->arg[i]) && t->axis[n->arg[i]->id] >= 0)
            axis = t->axis[n->arg[i]->id] + y->shape.rank -
                   n->arg[i]->shape.rank;
    if (axis < 0)
        return;
    for (i = 0; i < n->narg; i++) {
        less = n->arg[i] ? y->shape.rank - n->arg[i]->shape.rank : 0;
        tie(t, n, i, axis - less);
    }
    mark(t, n, y, axis);
}

/* From the axis of one side of a node of one operand to the other's. */
static void visit_moved(Ties *t, Node *n, const int *to, int rank)
{
    const Val *x = n->arg[0], *y = n->res[0];
    int i, at = t->axis[x->id];

    for (i = 0; i < rank && at < 0; i++)
        if (t->axis[y->id] >= 0 && to[i] == t->axis[y->id])
            at = i;
    if (at < 0 && t->axis[y->id] < 0)
        return;
    if (at < 0 || to[at] < 0) {
        refuse(t, n, "mixes channels with other axes");
        return;
    }
    tie(t, n, 0, at);
    mark(t, n, y, to[at]);
}

static void visit_transpose(Ties *t, Node *n)
{
    int to[RANK], i, rank = n->res[0]->shape.rank;

    for (i = 0; i < rank; i++)
        to[attr_at(n, A_perm, i, rank - 1 - i)] = i;
    visit_moved(t, n, to, rank);
}

/* An axis stays one if there is as much in front of it as before. */
static void visit_reshape(Ties *t, Node *n)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int64_t shape[2 * RANK];
    int to[RANK], i, k, at = t->axis[n->arg[0]->id];

    if (at >= 0)
        x.dim[at] = t->old;
    for (i = 0; i < x.rank; i++) {
        to[i] = -1;
        for (k = 0; k < y.rank && x.dim[i] > 1; k++)
            if (x.dim[i] == y.dim[k] &&
                shape_product(x, 0, i) == shape_product(y, 0, k))
                to[i] = k;
    }
    visit_moved(t, n, to, x.rank);
    if (!t->put || t->axis[n->res[0]->id] < 0)
        return;
    for (i = 0; i < y.rank; i++)
        shape[i] = i == t->axis[n->res[0]->id] ? t->n : y.dim[i];
    attr_set_list(t->g, n, A_shape, y.rank, shape);
}

static void visit_other(Ties *t, Node *n)
{
    int i;

    for (i = 0; i < n->narg + n->nres; i++) {
        const Val *v = i < n->narg ? n->arg[i] : n->res[i - n->narg];

        if (v && !is_const(v) && t->axis[v->id] >= 0)
            refuse(t, n, "is no operator that keeps channels apart");
    }
}

static void visit(Ties *t, Node *n)
{
    switch (op_info[n->op].family) {
    case FAM_conv: visit_conv(t, n); break;
    case FAM_matmul: visit_matmul(t, n); break;
    case FAM_pool: visit_pool(t, n); break;
    case FAM_map: visit_map(t, n); break;
    case FAM_transpose: visit_transpose(t, n); break;
    case FAM_reshape: visit_reshape(t, n); break;
    default: visit_other(t, n); break;
    }
}

/* All that has the channels of v. */
static Ties ties_of(Graph *g, Val *v, int axis)
{
    Ties t = {.g = g, .old = v->shape.dim[axis], .more = true};
    int i, n = graph_nval(g);
    Node *k;

    graph_uses(g);
    graph_number(g);
    t.axis = NEWN(g->mem, int, (size_t)n + 1);
    for (i = 0; i < n; i++)
        t.axis[i] = -1;
    t.axis[v->id] = axis;
    while (t.more && !t.no) {
        t.more = false;
        for (k = g->first; k && !t.no; k = k->next)
            visit(&t, k);
    }
    for (i = 0; i < g->nin + g->nout && !t.no; i++) {
        const Val *end = i < g->nin ? g->in[i] : g->out[i - g->nin];

        if (t.axis[end->id] >= 0)
            t.no = arena_fmt(g->mem, "'%s' is an %s of the network, whose "
                             "shape is not ours to change", end->name,
                             i < g->nin ? "input" : "output");
    }
    return t;
}

static int result_axis(const Node *n)
{
    switch (op_info[n->op].family) {
    case FAM_conv: return channel_axis(n, n->res[0]);
    case FAM_matmul: return n->res[0]->shape.rank - 1;
    default: return -1;
    }
}

int64_t channels_of(const Node *n)
{
    int axis = result_axis(n);

    return axis < 0 ? 0 : n->res[0]->shape.dim[axis];
}

Node *channels_maker(Graph *g, Node *n)
{
    int axis = result_axis(n);
    Node *k;
    Ties t;

    if (axis < 0 || is_const(n->arg[0]))
        return NULL;
    if (op_info[n->op].family == FAM_matmul)
        axis = n->arg[0]->shape.rank - 1;
    t = ties_of(g, n->arg[0], axis);
    for (k = g->first; k && !t.no; k = k->next)
        if (result_axis(k) >= 0 && attr_int(k, A_group) <= 1 &&
            t.axis[k->res[0]->id] == result_axis(k))
            return k;
    return NULL;
}

const char *channels_set(Graph *g, Node *n, int64_t count)
{
    Ties t;
    Node *k;

    if (result_axis(n) < 0)
        return "it has no weights, so its channels are those of others";
    t = ties_of(g, n->res[0], result_axis(n));
    if (t.no)
        return t.no;
    t.n = count;
    t.put = true;
    for (k = g->first; k; k = k->next) {
        visit(&t, k);
        node_infer(g, k);
    }
    graph_check(g, "channels");
    return NULL;
}
