/* What a kernel is told of its node: the numbers of kern/dims.def.
 *
 * Axes are collapsed as far as operands allow: two neighbours are one axis
 * when every operand walks them as one.  Kernels then see few, long axes, the
 * innermost last.  All numbers must fit 32 bits, as on the chips; a node that
 * is too large for that is refused by name. */
#include "ir/dims.h"

#include <string.h>

#define I(name) {#name, 'I', 1, offsetof(S, name)},
#define A(name, n) {#name, 'A', n, offsetof(S, name)},
#define F(name) {#name, 'F', 1, offsetof(S, name)},
#define FAMILY(name, ...)                                              \
    static const Field *name##_fields(int *n)                          \
    {                                                                  \
        typedef struct name##_dims S;                                  \
        static const Field field[] = {__VA_ARGS__};                    \
                                                                       \
        *n = (int)LEN(field);                                          \
        return field;                                                  \
    }
#include "kern/dims.def"

enum {
#define I(name)
#define A(name, n)
#define F(name)
#define FAMILY(name, ...) D_##name,
#include "kern/dims.def"
    NDIMS
};

/* Which dims struct a family of operators is told. */
static const int struct_of[NFAM] = {
    [FAM_map] = D_map, [FAM_conv] = D_conv, [FAM_convt] = D_convt,
    [FAM_pool] = D_pool, [FAM_matmul] = D_matmul, [FAM_row] = D_row,
    [FAM_reduce] = D_reduce, [FAM_reshape] = -1, [FAM_transpose] = D_copy,
    [FAM_slice] = D_copy, [FAM_expand] = D_copy, [FAM_concat] = D_copy,
    [FAM_pad] = D_pad, [FAM_gather] = D_gather, [FAM_gatherelem] = D_elements,
    [FAM_gathernd] = D_nd, [FAM_scatterelem] = D_elements,
    [FAM_scatternd] = D_nd, [FAM_taps] = D_taps,
    [FAM_topk] = D_topk, [FAM_poolat] = D_pool, [FAM_dft] = D_dft,
    [FAM_grid] = D_grid, [FAM_nms] = D_nms, [FAM_group] = D_group,
    [FAM_pack] = D_pack, [FAM_attend] = D_attend,
    [FAM_qattend] = D_qattend, [FAM_rotate] = D_rotate,
    [FAM_gate] = D_gate,
    [FAM_pconv] = D_pconv, [FAM_pinterleave] = D_pinterleave,
    [FAM_windows] = D_copy,
    [FAM_exchange] = D_exchange, [FAM_rowmatmul] = D_rowmatmul,
    [FAM_shares] = D_shares, [FAM_weigh] = D_weigh,
};

const DimsInfo *dims_of(OpCode op)
{
    static DimsInfo info[NDIMS];
    int i = struct_of[op_info[op].family];

    if (!info[0].name) {
#define I(name)
#define A(name, n)
#define F(name)
#define FAMILY(id, ...)                                                \
        info[D_##id].name = #id;                                       \
        info[D_##id].size = (int)sizeof(struct id##_dims);             \
        info[D_##id].field = id##_fields(&info[D_##id].nfield);
#include "kern/dims.def"
    }
    return i < 0 ? NULL : &info[i];
}

int32_t dims_32(const Node *n, int64_t v)
{
    if (v > INT32_MAX || v < INT32_MIN)
        err_node(n, "a length or constant of %lld: 32 bits are supported",
                 (long long)v);
    return (int32_t)v;
}

void dims_dense(Shape s, int64_t stride[RANK])
{
    int64_t p = 1;
    int i;

    for (i = s.rank - 1; i >= 0; i--) {
        stride[i] = p;
        p *= s.dim[i];
    }
}

/* --- constants that several families share --- */

int32_t dims_bound(const Node *n, AttrCode c)
{
    int64_t v = MIN(MAX(attr_int(n, c), INT32_MIN), INT32_MAX);
    const TypeInfo *t = &type_info[n->res[0]->type];

    if (t->kind == FLOAT || v == INT32_MIN || v == INT32_MAX)
        return (int32_t)v;
    return (int32_t)MIN(MAX(v, t->lo), t->hi);
}

int32_t dims_channel_stride(const Node *n, const char *name)
{
    const Val *v = node_arg(n, name);

    return v && (val_count(v) > 1 || shape_varies(v->shape));
}

int32_t dims_shift(const Node *n)
{
    const Val *v = node_arg(n, "shifts");

    return (int32_t)(v ? v->lo : attr_int(n, A_shift));
}

/* quantize saturates at the bounds of its type. */
static void put_bounds(const Node *n, struct map_dims *d)
{
    const TypeInfo *t = &type_info[n->res[0]->type];

    d->lo = (int32_t)t->lo; /* infer.c takes no wider ones */
    d->hi = (int32_t)t->hi;
}

/* --- a function per family --- */

static void fill_map(const Node *n, struct map_dims *d)
{
    const Val *y = n->res[0], *e;
    Nest t = {.rank = y->shape.rank, .nwalk = WALKERS};
    bool optional;
    int i, mul = op_arg(n->op, "mul", &optional);

    nest_lens(y->shape, t.n);
    for (i = 0; i < n->narg && i < 3; i++)
        if (n->arg[i] && (mul < 0 || i < mul))
            nest_broadcast(&t, i, n->arg[i]);
    for (i = 0; mul >= 0 && i < 2; i++) {
        e = node_arg(n, i ? "add" : "mul");
        if (e)
            nest_broadcast(&t, 3 + i, e);
    }
    nest_collapse(&t, false);
    nest_sizes(n, &t, 6, d->n);
    nest_strides(n, &t, 0, 6, d->s0);
    nest_strides(n, &t, 1, 6, d->s1);
    nest_strides(n, &t, 2, 6, d->s2);
    nest_strides(n, &t, 3, 6, d->sm);
    nest_strides(n, &t, 4, 6, d->sa);
    PUT_CLIP(d, n);
    if (n->op == OP_quantize)
        put_bounds(n, d);
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->p1 = dims_32(n, attr_int(n, A_p1));
    d->p2 = dims_32(n, attr_int(n, A_p2));
    d->alpha = (float)attr_num(n, A_alpha);
    d->beta = (float)attr_num(n, A_beta);
    d->mode = dims_32(n, attr_int(n, A_mode));
}

/* Strides of bias, mul or add over rows and columns. */
static void matrix_strides(const Node *n, const char *name, int32_t *rows,
                           int32_t *columns)
{
    const Val *v = node_arg(n, name);
    int rank = v ? v->shape.rank : 0;

    *rows = *columns = 0;
    if (rank >= 1 && !size_is(size_at(v->shape, rank - 1), 1))
        *columns = 1;
    if (rank >= 2 && !size_is(size_at(v->shape, rank - 2), 1))
        *rows = dims_32(n, v->shape.dim[rank - 1]);
}

/* Batches of a and b, in elements of each. */
static void fill_batches(const Node *n, struct matmul_dims *d)
{
    Val a = *n->arg[0], b = *n->arg[1];
    Nest t = {.rank = n->res[0]->shape.rank - 2, .nwalk = 2};
    int64_t as = shape_product(a.shape, a.shape.rank - 2, a.shape.rank);
    int64_t bs = shape_product(b.shape, b.shape.rank - 2, b.shape.rank);
    int i;

    a.shape.rank -= 2;
    b.shape.rank -= 2;
    nest_lens(n->res[0]->shape, t.n);
    nest_broadcast(&t, 0, &a);
    nest_broadcast(&t, 1, &b);
    nest_collapse(&t, false);
    nest_sizes(n, &t, 3, d->nb);
    for (i = 0; i < t.rank; i++) {
        t.s[0][i].n *= as;
        t.s[1][i].n *= bs;
    }
    nest_strides(n, &t, 0, 3, d->ab);
    nest_strides(n, &t, 1, 3, d->bb);
}

static void fill_matmul(const Node *n, struct matmul_dims *d)
{
    Shape a = n->arg[0]->shape, b = n->arg[1]->shape;
    bool ta = attr_int(n, A_transa), tb = attr_int(n, A_transb);
    int32_t arow = dims_32(n, a.dim[a.rank - 1]), brow;

    brow = dims_32(n, b.dim[b.rank - 1]);
    d->m = dims_32(n, a.dim[a.rank - (ta ? 1 : 2)]);
    d->k = dims_32(n, a.dim[a.rank - (ta ? 2 : 1)]);
    d->n = dims_32(n, tb ? product_rows(n).n : b.dim[b.rank - 1]);
    d->am = ta ? 1 : arow;
    d->ak = ta ? arow : 1;
    d->bk = tb ? 1 : brow;
    d->bn = tb ? brow : 1;
    matrix_strides(n, "bias", &d->biasm, &d->biasn);
    matrix_strides(n, "mul", &d->mulm, &d->muln);
    matrix_strides(n, "add", &d->addm, &d->addn);
    fill_batches(n, d);
    PUT_CLIP(d, n);
}

static void fill_row(const Node *n, struct row_dims *d)
{
    Shape x = n->arg[0]->shape;

    if (node_axis(n, x.rank) != x.rank - 1)
        die("node '%s' (%s) works along axis %d: not in kernel form", n->name,
            op_info[n->op].name, node_axis(n, x.rank));
    d->n = dims_32(n, x.dim[x.rank - 1]);
    d->rows = dims_32(n, shape_product(x, 0, x.rank - 1));
    d->eps = (float)attr_num(n, A_eps);
    d->alpha = (float)attr_num(n, A_alpha);
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->p1 = dims_32(n, attr_int(n, A_p1));
    d->p2 = dims_32(n, attr_int(n, A_p2));
    d->p3 = dims_32(n, attr_int(n, A_p3));
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_bound(n, A_lo);
    d->hi = dims_bound(n, A_hi);
    d->exclusive = (int32_t)attr_int(n, A_exclusive);
    d->reverse = (int32_t)attr_int(n, A_reverse);
}

static void nest_add(Nest *t, Len n, Len stride)
{
    t->n[t->rank] = n;
    t->s[0][t->rank++] = stride;
}

/* Axes that stay and axes that go, each a nest over x. */
static void fill_reduce(const Node *n, struct reduce_dims *d)
{
    Shape x = n->arg[0]->shape;
    Nest stay = {.nwalk = 1}, go = {.nwalk = 1};
    int64_t count = 1;
    Len stride[RANK];
    bool set[RANK];
    int i;

    node_axes(n, set);
    nest_dense(x, stride);
    for (i = 0; i < x.rank; i++) {
        nest_add(set[i] ? &go : &stay, len_of(x, i), stride[i]);
        if (set[i])
            count *= x.dim[i];
    }
    PUT_EPILOGUE(d, n);
    nest_collapse(&stay, d->mulc || d->addc);
    nest_collapse(&go, false);
    nest_sizes(n, &stay, 6, d->n);
    nest_strides(n, &stay, 0, 6, d->xs);
    nest_sizes(n, &go, 6, d->m);
    nest_strides(n, &go, 0, 6, d->ms);
    d->count = dims_32(n, count);
    d->mode = dims_32(n, attr_int(n, A_mode));
}

/* The range before the result is clipped. */
static Range range_unclipped(const Node *n)
{
    Attr lo = {.code = A_lo, .i = INT64_MIN};
    Attr hi = {.code = A_hi, .i = INT64_MAX};
    Node open = *n;

    lo.next = &hi;
    hi.next = n->attr;
    open.attr = &lo;
    return range_infer(&open, &open.acc, &open.scaled);
}

/* To kernels the extremes of 32 bits mean no bound; one that is there, or
 * beyond, and would be met they cannot be told. */
static void check_clip(const Node *n)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);
    Range r;

    if (!val_is_int(n->res[0]) ||
        op_info[n->op].family == FAM_exchange || /* a range, no bound */
        ((!attr_has(n, A_lo) || lo > INT32_MIN) &&
         (!attr_has(n, A_hi) || hi < INT32_MAX)))
        return;
    r = range_unclipped(n);
    if ((r.lo < lo && lo <= INT32_MIN) || (r.hi > hi && hi >= INT32_MAX))
        err_node(n, "values of %lld to %lld are clipped to %lld .. %lld: "
                 "kernels clip to less than 32 bits", (long long)r.lo,
                 (long long)r.hi, (long long)lo, (long long)hi);
}

void dims_fill(const Node *n, Dims *d)
{
    check_clip(n);
    dims_fill_wide(n, d);
}

void dims_fill_wide(const Node *n, Dims *d)
{
    memset(d, 0, sizeof *d);
    switch (op_info[n->op].family) {
    case FAM_map: fill_map(n, &d->map); break;
    case FAM_conv: fill_conv(n, &d->conv); break;
    case FAM_convt: fill_convt(n, &d->convt); break;
    case FAM_pool: fill_pool(n, &d->pool); break;
    case FAM_matmul: fill_matmul(n, &d->matmul); break;
    case FAM_row: fill_row(n, &d->row); break;
    case FAM_reduce: fill_reduce(n, &d->reduce); break;
    case FAM_transpose: fill_transpose(n, &d->copy); break;
    case FAM_slice: fill_slice(n, &d->copy); break;
    case FAM_expand: fill_expand(n, &d->copy); break;
    case FAM_windows: fill_windows(n, &d->copy); break;
    case FAM_concat: dims_fill_concat(n, 0, d); break;
    case FAM_pad: fill_pad(n, &d->pad); break;
    case FAM_gather: fill_gather(n, &d->gather); break;
    case FAM_gatherelem: case FAM_scatterelem:
        fill_elements(n, &d->elements);
        break;
    case FAM_gathernd: case FAM_scatternd: fill_nd(n, &d->nd); break;
    case FAM_taps: fill_taps(n, &d->taps); break;
    case FAM_topk: fill_topk(n, &d->topk); break;
    case FAM_poolat: fill_pool(n, &d->pool); break;
    case FAM_dft: fill_dft(n, &d->dft); break;
    case FAM_grid: fill_grid(n, &d->grid); break;
    case FAM_nms: fill_nms(n, &d->nms); break;
    case FAM_group: fill_group(n, &d->group); break;
    case FAM_attend: fill_attend(n, &d->attend); break;
    case FAM_qattend: fill_qattend(n, &d->qattend); break;
    case FAM_rotate: fill_rotate(n, &d->rotate); break;
    case FAM_gate: fill_gate(n, &d->gate); break;
    case FAM_pack: fill_pack(n, &d->pack); break;
    case FAM_pconv: fill_pconv(n, &d->pconv); break;
    case FAM_pinterleave: fill_pinterleave(n, &d->pinterleave); break;
    case FAM_exchange: fill_exchange(n, &d->exchange); break;
    case FAM_rowmatmul: fill_rowmatmul(n, &d->rowmatmul); break;
    case FAM_shares: fill_shares(n, &d->shares); break;
    case FAM_weigh: fill_weigh(n, &d->weigh); break;
    case FAM_reshape: case NFAM: break;
    }
}

int64_t node_macs(const Node *n)
{
    const Shape *x, *w;
    int64_t m;

    if (n->op == OP_iattend)
        return macs_attend(n);
    if (n->op == OP_qattend)
        return macs_qattend(n);
    if (n->op == OP_pconv || n->op == OP_pinterleave) {
        x = &n->arg[0]->shape;
        m = x->dim[x->rank - 1] / attr_int(n, A_group);
        if (!attr_has(n, A_step)) /* else each element is multiplied once */
            m *= attr_at(n, A_kernel, 0, 1) * attr_at(n, A_kernel, 1, 1);
        return sat_mul(val_count(n->res[0]) / (n->op == OP_pconv ? 1 : 2), m);
    }
    if (n->op != OP_conv && n->op != OP_convt && n->op != OP_matmul &&
        n->op != OP_pmatmul && n->op != OP_groupmatmul &&
        n->op != OP_rowmatmul)
        return 0;
    x = &n->arg[0]->shape;
    w = &n->arg[1]->shape;
    if (n->op == OP_groupmatmul || n->op == OP_rowmatmul)
        return sat_mul(val_count(n->res[0]), x->dim[x->rank - 1]);
    if (op_info[n->op].family == FAM_matmul)
        return sat_mul(val_count(n->res[0]),
                       x->dim[x->rank - (attr_int(n, A_transa) ? 2 : 1)]);
    m = val_count(n->arg[1]) / MAX(w->dim[0], 1);
    return sat_mul(val_count(n->op == OP_conv ? n->res[0] : n->arg[0]), m);
}

int64_t graph_macs(const Graph *g)
{
    const Node *n;
    int64_t sum = 0;

    for (n = g->first; n; n = n->next)
        sum += node_macs(n);
    return sum;
}
