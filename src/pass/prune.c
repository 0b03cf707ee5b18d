/* Leaves channels of a node's operands and result away.
 *
 * What a dropped input channel gave to a product is the same for every place,
 * or dead.c would not have dropped it, and goes into the bias:
 *
 *     bias[m] += value of the channel  *  sum of its weights for m */
#include "pass/pass.h"

typedef struct Pruning {
    Graph *g;
    const Chans *all;  /* by Val.id */
    const Keep *keep;  /* by Val.id */
} Pruning;

/* v without the dropped places of the axis, of which it has all or one. */
static Val *pick(const Pruning *p, Val *v, int axis, const Keep *k)
{
    if (!k->list || axis < 0 || v->shape.dim[axis] == 1)
        return v;
    return const_pick(p->g, v, axis, k->n, k->list);
}

static void pick_arg(const Pruning *p, Node *n, int i, int axis, const Keep *k)
{
    if (is_const(arg_of(n, i)))
        edit_arg(p->g, n, i, pick(p, n->arg[i], axis, k));
}

/* An operand with one number per channel, or one for all, of any shape. */
static void pick_vector(const Pruning *p, Node *n, int i, const Keep *k)
{
    Val *v = arg_of(n, i);
    int64_t count = v ? val_count(v) : 0;

    if (!k->list || !is_const(v) || count < 2)
        return;
    v = const_as(p->g, v, shape_of(1, &count));
    edit_arg(p->g, n, i, const_pick(p->g, v, 0, k->n, k->list));
}

/* Is input channel i of x left away? */
static bool dropped(const Keep *k, int64_t i)
{
    int64_t lo = 0, hi = k->n, mid;

    while (k->list && lo < hi) {
        mid = (lo + hi) / 2;
        if (k->list[mid] == i)
            return false;
        if (k->list[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return k->list;
}

/* Sums what dropped channels give to each output channel; element (m, i, t) of
 * the weights is at m * sm + i * si + t. */
static Val *constant_part(const Pruning *p, const Node *n, int64_t nout,
                          int64_t sm, int64_t si, int64_t taps)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    const Chans *in = &p->all[x->id];
    bool whole = val_is_int(x);
    Val *sum = const_vector(p->g, n->name, nout, whole ? T_s64 : T_f32);
    int64_t m, i, t;

    for (i = 0; i < in->n; i++) {
        if (!dropped(&p->keep[x->id], i) || !span_fixed(x, in->span[i]))
            continue;
        for (m = 0; m < nout; m++)
            for (t = 0; t < taps; t++) {
                int64_t at = m * sm + i * si + t;

                if (whole)
                    val_set(sum, m, val_int(sum, m) +
                                        in->span[i].lo * val_int(w, at));
                else
                    ((float *)sum->data)[m] +=
                        (float)(in->span[i].real * val_num(w, at));
            }
    }
    return whole ? const_settle(p->g, sum) : sum;
}

static void add_bias(const Pruning *p, Node *n, Val *part, const Keep *k)
{
    Val *b = arg_of(n, 2);

    if (all_equal(part, 0))
        return;
    part = pick(p, part, 0, k);
    edit_arg(p->g, n, 2, b ? const_op(p->g, b, part, '+') : part);
}

static void prune_conv(const Pruning *p, Node *n)
{
    const Val *w = n->arg[1];
    const Keep *kx = &p->keep[n->arg[0]->id], *ky = &p->keep[n->res[0]->id];
    int64_t m = w->shape.dim[0], c = w->shape.dim[1];
    int64_t taps = val_count(w) / MAX(m * c, 1);
    const Keep all = {NULL, 0};
    Val *part = NULL;

    if (attr_int(n, A_group) > 1) {
        if (kx->list)
            attr_set_int(p->g, n, A_group, kx->n);
        kx = &all;
    } else if (kx->list) {
        part = constant_part(p, n, m, c * taps, taps, taps);
    }
    pick_arg(p, n, 1, 0, ky);
    pick_arg(p, n, 1, 1, kx);
    pick_vector(p, n, 2, ky);
    pick_vector(p, n, 3, ky);
    pick_vector(p, n, 4, ky);
    pick_vector(p, n, 5, ky);
    if (part)
        add_bias(p, n, part, ky);
}

/* Dropped channels of its input are zero or have no weights: no bias. */
static void prune_convt(const Pruning *p, Node *n)
{
    const Keep *kx = &p->keep[n->arg[0]->id], *ky = &p->keep[n->res[0]->id];

    if (attr_int(n, A_group) > 1)
        return;
    pick_arg(p, n, 1, 0, kx);
    pick_arg(p, n, 1, 1, ky);
    pick_vector(p, n, 2, ky);
    pick_vector(p, n, 3, ky);
    pick_vector(p, n, 4, ky);
    pick_vector(p, n, 5, ky);
}

static void prune_matmul(const Pruning *p, Node *n)
{
    const Keep *kx = &p->keep[n->arg[0]->id], *ky = &p->keep[n->res[0]->id];
    int swapped = attr_int(n, A_transb) != 0, i;
    int64_t cols = n->arg[1]->shape.dim[!swapped];
    int64_t rows = n->arg[1]->shape.dim[swapped];
    Val *part = NULL;

    if (kx->list)
        part = constant_part(p, n, cols, swapped ? rows : 1,
                             swapped ? 1 : cols, 1);
    pick_arg(p, n, 1, swapped, kx);
    pick_arg(p, n, 1, !swapped, ky);
    for (i = 2; i < n->narg; i++)
        if (n->arg[i])
            pick_arg(p, n, i, n->arg[i]->shape.rank - 1, ky);
    if (part)
        add_bias(p, n, part, ky);
}

static void prune_map(const Pruning *p, Node *n)
{
    const Val *y = n->res[0];
    int axis = p->all[y->id].axis, i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            pick_arg(p, n, i, axis - (y->shape.rank - n->arg[i]->shape.rank),
                     &p->keep[y->id]);
}

/* Constant operands lose the places that the result loses there. */
static void prune_concat(const Pruning *p, Node *n)
{
    const Val *y = n->res[0];
    const Keep *k = &p->keep[y->id];
    int axis = p->all[y->id].axis, i;
    bool along = node_axis(n, y->shape.rank) == axis;
    int64_t at = 0, from = 0, j, size;

    for (i = 0; i < n->narg; i++, at += size) {
        Keep part = *k;
        int64_t *list;

        size = is_const(n->arg[i]) || p->all[n->arg[i]->id].axis < 0
                   ? n->arg[i]->shape.dim[axis] : p->all[n->arg[i]->id].n;
        if (along && k->list) {
            list = NEWN(p->g->mem, int64_t, (size_t)MAX(size, 1));
            part = (Keep){list, 0};
            for (j = from; j < k->n && k->list[j] < at + size; j++)
                list[part.n++] = k->list[j] - at;
            from = j;
        }
        pick_arg(p, n, i, axis, &part);
    }
}

/* The size of the channel axis in a list with one number per axis. */
static void prune_list(const Pruning *p, Node *n, AttrCode c)
{
    const Val *y = n->res[0];
    const int64_t *old;
    int64_t list[2 * RANK];
    int i, len = attr_list(n, c, &old);

    for (i = 0; i < len; i++)
        list[i] = i == p->all[y->id].axis ? p->keep[y->id].n : old[i];
    if (len && p->keep[y->id].list)
        attr_set_list(p->g, n, c, len, list);
}

/* n with the channels of its operands and result that are kept; all it reads
 * has been pruned already.  Then it is inferred again. */
void prune(Graph *g, Node *n, const Chans *all, const Keep *keep)
{
    Pruning p = {g, all, keep};
    const Keep *k = &keep[n->res[0]->id];

    switch (op_info[n->op].family) {
    case FAM_conv: prune_conv(&p, n); break;
    case FAM_convt: prune_convt(&p, n); break;
    case FAM_matmul: prune_matmul(&p, n); break;
    case FAM_pool:
        pick_vector(&p, n, 1, k);
        pick_vector(&p, n, 2, k);
        pick_vector(&p, n, 3, k);
        break;
    case FAM_map:
        if (k->list)
            prune_map(&p, n);
        break;
    case FAM_concat:
        if (k->list)
            prune_concat(&p, n);
        break;
    case FAM_reshape: prune_list(&p, n, A_shape); break;
    case FAM_slice: prune_list(&p, n, A_count); break;
    default: break;
    }
    node_infer(g, n);
}
