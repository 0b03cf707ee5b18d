/* A product whose columns are read in parts, as packed weights of q, k and v
 * make it, becomes a product for each part:
 *
 *     p = matmul x w m a           q = matmul x wq mq aq
 *     r = reshape p                rq = reshape q
 *     t = transpose r        ->    tq = transpose rq
 *     q = slice t                  k = matmul x wk mk ak
 *     k = slice t                  ...
 *
 * So nothing is copied, and each lies as what reads it wants it.  Of one row
 * the opposite pays (siblings.c), of floats neither. */
#include "pass/pass.h"

enum { MOST = 8 }; /* nodes between a product and its slices, and slices */

/* Places of an axis, in their order. */
typedef struct Part {
    int axis;
    int64_t n, *list;
} Part;

typedef struct Slices {
    Node *chain[MOST];      /* from the product on; all slices read the last */
    Node *slice[MOST];
    Part part[MOST][MOST];  /* of each slice, of each node's result */
    int len, count;
} Slices;

/* The one axis along which a slice takes but a part. */
static bool part_of_slice(Graph *g, const Node *n, Part *p)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int64_t i;
    int k;

    p->axis = -1;
    for (k = 0; k < x.rank; k++)
        if (x.dim[k] != y.dim[k]) {
            if (p->axis >= 0)
                return false;
            p->axis = k;
        }
    if (p->axis < 0 || shape_varies(x) || shape_varies(y))
        return false;
    p->n = y.dim[p->axis];
    p->list = NEWN(g->mem, int64_t, p->n);
    for (i = 0; i < p->n; i++)
        p->list[i] = attr_at(n, A_start, p->axis, 0) +
                     i * slice_step(n, p->axis);
    return true;
}

/* The places of axis `from` of x that a reshape makes these places of an axis
 * of y of, `outer` times `inner` for each; false: it does not alone. */
static bool part_of_axis(Graph *g, Shape x, int from, Shape y, Part of, Part *p)
{
    int64_t outer = shape_product(y, 0, of.axis), i, k;
    int64_t inner = shape_product(y, of.axis + 1, y.rank);
    int64_t before = shape_product(x, 0, from);
    int64_t behind = shape_product(x, from + 1, x.rank);

    if (outer % before || inner % behind)
        return false;
    outer /= before, inner /= behind;
    if (x.dim[from] != outer * y.dim[of.axis] * inner)
        return false;
    *p = (Part){from, outer * of.n * inner, NULL};
    p->list = NEWN(g->mem, int64_t, p->n);
    for (i = 0; i < p->n; i++) {
        k = i / inner;
        p->list[i] = (k / of.n * y.dim[of.axis] + of.list[k % of.n]) * inner +
                     i % inner;
    }
    return true;
}

static bool part_before_reshape(Graph *g, const Node *n, Part of, Part *p)
{
    Shape x = n->arg[0]->shape;
    int k;

    for (k = 0; k < x.rank; k++)
        if (part_of_axis(g, x, k, n->res[0]->shape, of, p))
            return true;
    return false;
}

/* The part of what n reads that makes this part of its result. */
static bool part_before(Graph *g, const Node *n, Part of, Part *p)
{
    if (n->op == OP_reshape)
        return part_before_reshape(g, n, of, p);
    *p = of;
    if (n->op == OP_transpose)
        p->axis = (int)attr_at(n, A_perm, of.axis, -1);
    return true;
}

/* Constants of a requantization broadcast to what it reads. */
static bool is_link(const Node *n)
{
    int i;

    if (n->op != OP_reshape && n->op != OP_transpose && n->op != OP_requant)
        return false;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i] && !is_const(n->arg[i]))
            return false;
    return !shape_varies(n->res[0]->shape);
}

static bool find_parts(Graph *g, Slices *p, int s)
{
    int i = p->len - 1;

    if (!part_of_slice(g, p->slice[s], &p->part[s][i]))
        return false;
    for (; i > 0; i--)
        if (!part_before(g, p->chain[i], p->part[s][i], &p->part[s][i - 1]))
            return false;
    return p->part[s][0].axis == p->chain[0]->res[0]->shape.rank - 1;
}

/* Who read v, as many as there is room for. */
static int readers(const Val *v, Node *first, Node *reader[MOST])
{
    Node *n;
    int i, count = 0;

    for (n = first; n && count < v->nuse && count < MOST; n = n->next)
        for (i = 0; i < n->narg && count < MOST; i++)
            if (n->arg[i] == v)
                reader[count++] = n;
    return count;
}

/* From a product down to what its slices read. */
static bool find_slices(Node *n, Slices *p)
{
    Val *v;
    int i;

    for (p->len = 0; p->len < MOST; n = p->slice[0]) {
        p->chain[p->len++] = n;
        v = n->res[0];
        p->count = readers(v, n->next, p->slice);
        if (p->count != v->nuse || !p->count)
            return false;
        if (p->count > 1)
            break;
        if (!is_link(p->slice[0]))
            return false;
    }
    for (i = 0; i < p->count; i++)
        if (p->slice[i]->op != OP_slice)
            return false;
    return p->count > 1;
}

static bool find_packed(Graph *g, Node *n, Slices *p)
{
    int64_t columns = 0;
    int i;

    if (!columns_apart(n) || shape_varies(n->res[0]->shape) ||
        val_count(n->res[0]) == columns_count(n) || !find_slices(n, p))
        return false;
    for (i = 0; i < p->count; i++) {
        if (!find_parts(g, p, i))
            return false;
        columns += p->part[i][0].n;
    }
    return columns <= columns_count(n);
}

/* A node of the chain, of a part of what it reads. */
static Val *link_part(Graph *g, Node *at, const Node *n, Val *x, Part part)
{
    Shape y = n->res[0]->shape;
    Val *arg[NARG] = {x};
    Node *some;
    int i, from_end = y.rank - 1 - part.axis;

    for (i = 1; i < n->narg; i++) {
        arg[i] = n->arg[i];
        if (arg[i] && dim_from_end(arg[i], from_end) > 1)
            arg[i] = const_pick(g, arg[i], arg[i]->shape.rank - 1 - from_end,
                                part.n, part.list);
    }
    some = edit_node(g, at, n->op, n, n->narg, arg);
    attr_copy(g, some, n);
    y.dim[part.axis] = part.n;
    if (n->op == OP_reshape)
        attr_set_shape(g, some, A_shape, y);
    node_infer(g, some);
    return some->res[0];
}

static void take_part(Graph *g, const Slices *p, int s)
{
    Node *n = p->slice[s];
    Part of = p->part[s][0];
    Val *v = columns_some(g, n, p->chain[0], of.n, of.list)->res[0];
    int i;

    for (i = 1; i < p->len; i++)
        v = link_part(g, n, p->chain[i], v, p->part[s][i]);
    if (!val_is_output(g, n->res[0]))
        edit_name(v, n->res[0]);
    edit_replace(g, n->res[0], v);
    edit_drop(g, n);
}

void pass_split(Graph *g)
{
    Slices p;
    Node *n, *next;
    int i;

    for (n = g->first; n && g->exact; n = next) {
        next = n->next;
        if (!find_packed(g, n, &p))
            continue;
        for (i = 0; i < p.count; i++)
            take_part(g, &p, i);
        next = g->first; /* what was behind may be gone */
    }
}
