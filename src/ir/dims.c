/* What a kernel is told of its node: the numbers of kern/dims.def.
 *
 * Axes are collapsed as far as operands allow: two neighbours are one axis
 * when every operand walks them as one.  Kernels then see few, long axes, the
 * innermost last.  All numbers must fit 32 bits, as on the chips; a node that
 * is too large for that is refused by name. */
#include "ir/ir.h"

#include <math.h>
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
    [FAM_pconv] = D_pconv, [FAM_windows] = D_copy,
    [FAM_exchange] = D_exchange,
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

static void dense(Shape s, int64_t stride[RANK])
{
    int64_t p = 1;
    int i;

    for (i = s.rank - 1; i >= 0; i--) {
        stride[i] = p;
        p *= s.dim[i];
    }
}

/* --- nests: axes with a stride per operand --- */

/* A length now; and far away, where it meets no other by chance: what axes are
 * joined must be the same at every value of a run-time number (number.c). */
typedef struct Len {
    int64_t n;
    uint64_t far;
} Len;

static Len len_const(int64_t n)
{
    return (Len){n, (uint64_t)n};
}

static Len len_times(Len a, Len b)
{
    return (Len){a.n * b.n, a.far * b.far};
}

static Len len_of(Shape s, int i)
{
    return (Len){s.dim[i], dim_anywhere(s, i)};
}

static void dense_lens(Shape s, Len stride[RANK])
{
    Len p = len_const(1);
    int i;

    for (i = s.rank - 1; i >= 0; i--) {
        stride[i] = p;
        p = len_times(p, len_of(s, i));
    }
}

static void put_lens(Shape s, Len n[RANK])
{
    int i;

    for (i = 0; i < s.rank; i++)
        n[i] = len_of(s, i);
}

enum { WALKERS = 5 };

typedef struct Nest {
    int rank, nwalk;
    Len n[RANK];
    Len s[WALKERS][RANK];
} Nest;

/* Operand w walks the axes of y as broadcasting has it. */
static void nest_broadcast(Nest *t, int w, const Val *v)
{
    Len stride[RANK];
    int i, skip = t->rank - v->shape.rank;

    dense_lens(v->shape, stride);
    for (i = 0; i < v->shape.rank; i++)
        t->s[w][i + skip] = size_is(size_at(v->shape, i), 1) ? len_const(0)
                                                             : stride[i];
}

static void nest_drop(Nest *t, int axis)
{
    int i, w;

    t->rank--;
    for (i = axis; i < t->rank; i++) {
        t->n[i] = t->n[i + 1];
        for (w = 0; w < t->nwalk; w++)
            t->s[w][i] = t->s[w][i + 1];
    }
}

/* Do all operands walk axis and the next as one? */
static bool nest_one(const Nest *t, int axis)
{
    int w;

    for (w = 0; w < t->nwalk; w++)
        if (t->s[w][axis].far != t->s[w][axis + 1].far * t->n[axis + 1].far)
            return false;
    return true;
}

/* keep: the last axis stays on its own. */
static void nest_collapse(Nest *t, bool keep)
{
    int i, last = keep ? t->rank - 1 : t->rank;

    for (i = t->rank - 1; i >= 0; i--)
        if (t->n[i].far == 1 && i != last) {
            nest_drop(t, i);
            last--;
        }
    for (i = last - 2; i >= 0; i--) {
        if (!nest_one(t, i))
            continue;
        t->n[i + 1] = len_times(t->n[i + 1], t->n[i]);
        nest_drop(t, i);
    }
}

/* nest_drop removed axis i and its larger neighbour took its place: sizes to
 * the end of an array of len, ones before. */
static void put_sizes(const Node *n, const Nest *t, int len, int32_t *to)
{
    int i;

    if (t->rank > len)
        err_node(n, "%d axes that cannot be joined: at most %d are supported",
                 t->rank, len);
    for (i = 0; i < len; i++)
        to[i] = i < len - t->rank ? 1 : dims_32(n, t->n[i - len + t->rank].n);
}

static void put_strides(const Node *n, const Nest *t, int w, int len,
                        int32_t *to)
{
    int i;

    for (i = 0; i < len; i++)
        to[i] = i < len - t->rank
                    ? 0 : dims_32(n, t->s[w][i - len + t->rank].n);
}

/* --- constants that several families share --- */

/* Bounds as kernels are told them: within the result's type, in which some
 * have them, but for the extremes of 32 bits, which are none. */
static int32_t told_bound(const Node *n, AttrCode c)
{
    int64_t v = MIN(MAX(attr_int(n, c), INT32_MIN), INT32_MAX);
    const TypeInfo *t = &type_info[n->res[0]->type];

    if (t->kind == FLOAT || v == INT32_MIN || v == INT32_MAX)
        return (int32_t)v;
    return (int32_t)MIN(MAX(v, t->lo), t->hi);
}

static int32_t low(const Node *n)
{
    return told_bound(n, A_lo);
}

static int32_t high(const Node *n)
{
    return told_bound(n, A_hi);
}

static int32_t channel_stride(const Node *n, const char *name)
{
    const Val *v = node_arg(n, name);

    return v && (val_count(v) > 1 || shape_varies(v->shape));
}

/* Of shifts that differ the least. */
static int32_t shift_of(const Node *n)
{
    const Val *v = node_arg(n, "shifts");

    return (int32_t)(v ? v->lo : attr_int(n, A_shift));
}

#define PUT_CLIP(d, node)                                              \
    ((d)->shift = shift_of(node),                                      \
     (d)->lo = low(node), (d)->hi = high(node),                        \
     (d)->flo = (float)attr_num(node, A_flo),                          \
     (d)->fhi = (float)attr_num(node, A_fhi))

#define PUT_EPILOGUE(d, node)                                          \
    (PUT_CLIP(d, node), (d)->mulc = channel_stride(node, "mul"),       \
     (d)->addc = channel_stride(node, "add"))

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

    put_lens(y->shape, t.n);
    for (i = 0; i < n->narg && i < 3; i++)
        if (n->arg[i] && (mul < 0 || i < mul))
            nest_broadcast(&t, i, n->arg[i]);
    for (i = 0; mul >= 0 && i < 2; i++) {
        e = node_arg(n, i ? "add" : "mul");
        if (e)
            nest_broadcast(&t, 3 + i, e);
    }
    nest_collapse(&t, false);
    put_sizes(n, &t, 6, d->n);
    put_strides(n, &t, 0, 6, d->s0);
    put_strides(n, &t, 1, 6, d->s1);
    put_strides(n, &t, 2, 6, d->s2);
    put_strides(n, &t, 3, 6, d->sm);
    put_strides(n, &t, 4, 6, d->sa);
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

/* Sizes and strides of an image: batch, channels, rows, columns.  A tensor
 * with one spatial axis is an image of one row. */
typedef struct Image {
    int32_t n, c, h, w, sn, sc, sh, sw;
} Image;

static Image image_of(const Node *n, const Val *v)
{
    bool last = attr_int(n, A_last), flat = v->shape.rank == 3;
    int c = last ? v->shape.rank - 1 : 1, w = last ? c - 1 : v->shape.rank - 1;
    const int64_t *dim = v->shape.dim;
    int64_t s[RANK];
    Image m;

    dense(v->shape, s);
    m.n = dims_32(n, dim[0]);
    m.sn = dims_32(n, s[0]);
    m.c = dims_32(n, dim[c]);
    m.sc = dims_32(n, s[c]);
    m.w = dims_32(n, dim[w]);
    m.sw = dims_32(n, s[w]);
    m.h = flat ? 1 : dims_32(n, dim[w - 1]);
    m.sh = flat ? 0 : dims_32(n, s[w - 1]);
    return m;
}

/* The window's numbers, spatial axis 0 being rows unless there is one only. */
#define PUT_WINDOW(d, node, flat)                                      \
    ((d)->sh = (flat) ? 1 : spatial(node, A_stride, 0, 1),             \
     (d)->sw = spatial(node, A_stride, !(flat), 1),                    \
     (d)->dh = (flat) ? 1 : spatial(node, A_dilation, 0, 1),           \
     (d)->dw = spatial(node, A_dilation, !(flat), 1),                  \
     (d)->ph = (flat) ? 0 : spatial(node, A_pad, 0, 0),                \
     (d)->pw = spatial(node, A_pad, !(flat), 0))

#define PUT_IMAGES(d, x, y)                                            \
    ((d)->n = (x).n, (d)->h = (x).h, (d)->w = (x).w, (d)->oh = (y).h,  \
     (d)->ow = (y).w, (d)->xn = (x).sn, (d)->xh = (x).sh,              \
     (d)->xw = (x).sw, (d)->xc = (x).sc, (d)->yn = (y).sn,             \
     (d)->yh = (y).sh, (d)->yw = (y).sw, (d)->yc = (y).sc)

static int32_t spatial(const Node *n, AttrCode c, int i, int64_t none)
{
    return (int32_t)attr_at(n, c, i, none);
}

static void fill_conv(const Node *n, struct conv_dims *d)
{
    Image x = image_of(n, n->arg[0]), w = image_of(n, n->arg[1]);
    Image y = image_of(n, n->res[0]);

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, n->arg[0]->shape.rank == 3);
    PUT_EPILOGUE(d, n);
    d->g = (int32_t)attr_int(n, A_group);
    d->c = w.c;
    d->m = w.n / d->g;
    d->kh = w.h;
    d->kw = w.w;
    d->wm = w.sn;
    d->wh = w.sh;
    d->ww = w.sw;
    d->wc = w.sc;
    d->padv = dims_32(n, attr_int(n, A_padvalue));
}

static void fill_pconv(const Node *n, struct pconv_dims *d)
{
    Image x = image_of(n, n->arg[0]), y = image_of(n, n->res[0]);
    Shape w = n->arg[1]->shape;

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, n->arg[0]->shape.rank == 3);
    PUT_EPILOGUE(d, n);
    d->g = (int32_t)attr_int(n, A_group);
    d->c = x.c / d->g;
    d->m = y.c / d->g;
    d->kh = n->arg[0]->shape.rank == 3 ? 1 : spatial(n, A_kernel, 0, 1);
    d->kw = spatial(n, A_kernel, n->arg[0]->shape.rank - 3, 1);
    d->wm = dims_32(n, w.dim[1]);
    d->padv = dims_32(n, attr_int(n, A_padvalue));
    d->bits = (int32_t)attr_int(n, A_p1);
    d->less = dims_32(n, attr_int(n, A_p0));
    d->tile = spatial(n, A_count, 0, 1);
    d->word = (int32_t)attr_int(n, A_p2);
    d->mode = (int32_t)attr_int(n, A_mode);
    d->port = (int32_t)attr_int(n, A_p3);
    d->lo = (int32_t)MAX(attr_int(n, A_lo), INT32_MIN);
    d->hi = (int32_t)MIN(attr_int(n, A_hi), INT32_MAX);
}

static void fill_convt(const Node *n, struct convt_dims *d)
{
    Image x = image_of(n, n->arg[0]), w = image_of(n, n->arg[1]);
    Image y = image_of(n, n->res[0]);

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, n->arg[0]->shape.rank == 3);
    PUT_EPILOGUE(d, n);
    d->g = (int32_t)attr_int(n, A_group);
    d->c = x.c / d->g;
    d->m = w.c;
    d->kh = w.h;
    d->kw = w.w;
    d->wc = w.sn;
    d->wm = w.sc;
    d->wh = w.sh;
    d->ww = w.sw;
}

static void fill_pool(const Node *n, struct pool_dims *d)
{
    Image x = image_of(n, n->arg[0]), y = image_of(n, n->res[0]);
    bool flat = n->arg[0]->shape.rank == 3;

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, flat);
    PUT_EPILOGUE(d, n);
    d->c = x.c;
    d->kh = flat ? 1 : spatial(n, A_kernel, 0, 1);
    d->kw = spatial(n, A_kernel, !flat, 1);
    d->phe = flat ? 0 : spatial(n, A_pad, 2, 0);
    d->pwe = spatial(n, A_pad, flat ? 1 : 3, 0);
    d->countpad = (int32_t)attr_int(n, A_countpad);
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
    put_lens(n->res[0]->shape, t.n);
    nest_broadcast(&t, 0, &a);
    nest_broadcast(&t, 1, &b);
    nest_collapse(&t, false);
    put_sizes(n, &t, 3, d->nb);
    for (i = 0; i < t.rank; i++) {
        t.s[0][i].n *= as;
        t.s[1][i].n *= bs;
    }
    put_strides(n, &t, 0, 3, d->ab);
    put_strides(n, &t, 1, 3, d->bb);
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
    d->lo = low(n);
    d->hi = high(n);
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
    dense_lens(x, stride);
    for (i = 0; i < x.rank; i++) {
        nest_add(set[i] ? &go : &stay, len_of(x, i), stride[i]);
        if (set[i])
            count *= x.dim[i];
    }
    PUT_EPILOGUE(d, n);
    nest_collapse(&stay, d->mulc || d->addc);
    nest_collapse(&go, false);
    put_sizes(n, &stay, 6, d->n);
    put_strides(n, &stay, 0, 6, d->xs);
    put_sizes(n, &go, 6, d->m);
    put_strides(n, &go, 0, 6, d->ms);
    d->count = dims_32(n, count);
    d->mode = dims_32(n, attr_int(n, A_mode));
}

/* t walks x in walker 0 and y in walker 1. */
static void put_copy(const Node *n, Nest *t, int64_t xo, int64_t yo,
                     struct copy_dims *d)
{
    nest_collapse(t, false);
    put_sizes(n, t, 8, d->n);
    put_strides(n, t, 0, 8, d->xs);
    put_strides(n, t, 1, 8, d->ys);
    d->xo = dims_32(n, xo);
    d->yo = dims_32(n, yo);
}

static void fill_transpose(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};
    Len xs[RANK];
    int i;

    dense_lens(n->arg[0]->shape, xs);
    dense_lens(y, t.s[1]);
    for (i = 0; i < y.rank; i++) {
        t.n[i] = len_of(y, i);
        t.s[0][i] = xs[attr_at(n, A_perm, i, y.rank - 1 - i)];
    }
    put_copy(n, &t, 0, 0, d);
}

static void fill_slice(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};
    int64_t xo = 0;
    Len xs[RANK];
    int i;

    dense_lens(n->arg[0]->shape, xs);
    dense_lens(y, t.s[1]);
    for (i = 0; i < y.rank; i++) {
        t.n[i] = len_of(y, i);
        t.s[0][i] = len_times(xs[i], len_const(slice_step(n, i)));
        xo += xs[i].n * attr_at(n, A_start, i, 0);
    }
    put_copy(n, &t, xo, 0, d);
}

static void fill_windows(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};
    Len xs[RANK];
    int i;

    dense_lens(n->arg[0]->shape, xs);
    dense_lens(y, t.s[1]);
    put_lens(y, t.n);
    t.s[0][0] = xs[0];
    t.s[0][5] = xs[3];
    for (i = 0; i < 2; i++) {
        t.s[0][1 + i] = len_times(xs[1 + i],
                                  len_const(attr_at(n, A_stride, i, 1)));
        t.s[0][3 + i] = len_times(xs[1 + i],
                                  len_const(attr_at(n, A_dilation, i, 1)));
    }
    put_copy(n, &t, 0, 0, d);
}

static void fill_expand(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};

    put_lens(y, t.n);
    nest_broadcast(&t, 0, n->arg[0]);
    dense_lens(y, t.s[1]);
    put_copy(n, &t, 0, 0, d);
}

void dims_fill_concat(const Node *n, int i, Dims *d)
{
    Shape x = n->arg[i]->shape, y = n->res[0]->shape;
    Nest t = {.rank = x.rank, .nwalk = 2};
    int k, axis = node_axis(n, y.rank);
    int64_t before = 0;

    memset(d, 0, sizeof *d);
    for (k = 0; k < i; k++)
        before += n->arg[k]->shape.dim[axis];
    put_lens(x, t.n);
    dense_lens(x, t.s[0]);
    dense_lens(y, t.s[1]);
    put_copy(n, &t, 0, before * t.s[1][axis].n, &d->copy);
}

void dims_fill_part(const Node *n, int i, Dims *d)
{
    memset(d, 0, sizeof *d);
    if (n->op == OP_concat)
        dims_fill_concat(n, i, d);
    else
        dims_fill(n, d);
}

/* An axis that is not padded joins the one before. */
static void fill_pad(const Node *n, struct pad_dims *d)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int64_t before[RANK], inner;
    int i, k, rank = x.rank;
    bool constant = !attr_int(n, A_mode);

    for (i = 0; i < rank; i++)
        before[i] = attr_at(n, A_pad, i, 0);
    for (i = rank - 2; i >= 0; i--) {
        if (x.dim[i + 1] != y.dim[i + 1] ||
            (!constant && x.dim[i] != y.dim[i]))
            continue;
        inner = x.dim[i + 1];
        x.dim[i] *= inner;
        y.dim[i] *= inner;
        before[i] *= inner;
        for (k = i + 1; k + 1 < rank; k++) {
            x.dim[k] = x.dim[k + 1];
            y.dim[k] = y.dim[k + 1];
            before[k] = before[k + 1];
        }
        rank--;
    }
    for (i = 0; i < 8; i++) {
        k = i - 8 + rank;
        d->n[i] = k < 0 ? 1 : dims_32(n, y.dim[k]);
        d->xn[i] = k < 0 ? 1 : dims_32(n, x.dim[k]);
        d->before[i] = k < 0 ? 0 : dims_32(n, before[k]);
    }
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->alpha = (float)attr_num(n, A_alpha);
    d->mode = (int32_t)attr_int(n, A_mode);
}

static void fill_gather(const Node *n, struct gather_dims *d)
{
    Shape x = n->arg[0]->shape;
    int axis = node_axis(n, x.rank);

    d->outer = dims_32(n, shape_product(x, 0, axis));
    d->n = dims_32(n, val_count(n->arg[1]));
    d->inner = dims_32(n, shape_product(x, axis + 1, x.rank));
    d->len = dims_32(n, x.dim[axis]);
}

static void fill_elements(const Node *n, struct elements_dims *d)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape;
    int64_t stride[RANK];
    int k, at;

    dense(x, stride);
    for (k = 0; k < 8; k++) {
        at = k - 8 + x.rank;
        d->n[k] = at < 0 ? 1 : dims_32(n, i.dim[at]);
        d->xn[k] = at < 0 ? 1 : dims_32(n, x.dim[at]);
        d->xs[k] = at < 0 ? 0 : dims_32(n, stride[at]);
    }
    d->axis = node_axis(n, x.rank) + 8 - x.rank;
    d->mode = dims_32(n, attr_int(n, A_mode));
}

static void fill_nd(const Node *n, struct nd_dims *d)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape;
    int batch = (int)attr_int(n, A_p0), k = (int)i.dim[i.rank - 1], j;
    int64_t stride[RANK];

    dense(x, stride);
    d->batch = dims_32(n, shape_product(x, 0, batch));
    d->count = dims_32(n, shape_product(i, batch, i.rank - 1));
    d->k = k;
    d->inner = dims_32(n, shape_product(x, batch + k, x.rank));
    for (j = 0; j < k; j++) {
        d->len[j] = dims_32(n, x.dim[batch + j]);
        d->stride[j] = dims_32(n, stride[batch + j]);
    }
    d->xbatch = dims_32(n, shape_product(x, batch, x.rank));
    d->mode = dims_32(n, attr_int(n, A_mode));
}

static void fill_taps(const Node *n, struct taps_dims *d)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape;
    int axis = node_axis(n, x.rank);

    d->outer = dims_32(n, shape_product(x, 0, axis));
    d->n = dims_32(n, i.dim[0]);
    d->inner = dims_32(n, shape_product(x, axis + 1, x.rank));
    d->len = dims_32(n, x.dim[axis]);
    d->taps = dims_32(n, i.dim[1]);
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
    case FAM_pack: fill_pack(n, &d->pack); break;
    case FAM_pconv: fill_pconv(n, &d->pconv); break;
    case FAM_exchange: fill_exchange(n, &d->exchange); break;
    case FAM_reshape: case NFAM: break;
    }
}

int64_t node_macs(const Node *n)
{
    const Shape *x, *w;
    int64_t m;

    if (n->op == OP_iattend)
        return macs_attend(n);
    if (n->op == OP_pconv) {
        x = &n->arg[0]->shape;
        m = x->dim[x->rank - 1] / attr_int(n, A_group);
        return sat_mul(val_count(n->res[0]), m * attr_at(n, A_kernel, 0, 1) *
                                             attr_at(n, A_kernel, 1, 1));
    }
    if (n->op != OP_conv && n->op != OP_convt && n->op != OP_matmul &&
        n->op != OP_groupmatmul)
        return 0;
    x = &n->arg[0]->shape;
    w = &n->arg[1]->shape;
    if (n->op == OP_groupmatmul)
        return sat_mul(val_count(n->res[0]), x->dim[x->rank - 1]);
    if (n->op == OP_matmul)
        return sat_mul(val_count(n->res[0]),
                       x->dim[x->rank - (attr_int(n, A_transa) ? 2 : 1)]);
    m = val_count(n->arg[1]) / MAX(w->dim[0], 1);
    return sat_mul(val_count(n->op == OP_conv ? n->res[0] : n->arg[0]), m);
}
