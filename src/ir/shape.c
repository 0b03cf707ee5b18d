/* The shape of a result, a rule per family.
 *
 * The rules hold in front form and in kernel form alike; what does not agree
 * is the user's fault and named with its node. */
#include "ir/ir.h"

#include <string.h>

const char *shape_text(Shape s)
{
    static char text[4][RANK * 60 + 3];
    static int turn;
    char *p = text[turn = (turn + 1) % 4];
    size_t n = 1;
    int i;

    strcpy(p, "[");
    for (i = 0; i < s.rank; i++)
        n += (size_t)snprintf(p + n, sizeof *text - n, i ? ",%.58s" : "%.58s",
                              size_text(size_at(s, i)));
    strcpy(p + n, "]");
    return p;
}

bool shape_fits(Shape s, Shape into)
{
    int i, skip = into.rank - s.rank;

    if (skip < 0)
        return false;
    for (i = 0; i < s.rank; i++)
        if (!size_is(size_at(s, i), 1) &&
            !size_same(size_at(s, i), size_at(into, i + skip)))
            return false;
    return true;
}

static Shape broadcast(const Node *n, Shape a, Shape b)
{
    Shape y = a.rank >= b.rank ? a : b;
    Size p, q;
    int i;

    for (i = 1; i <= y.rank; i++) {
        p = i <= a.rank ? size_at(a, a.rank - i) : size_const(1);
        q = i <= b.rank ? size_at(b, b.rank - i) : size_const(1);
        if (!size_same(p, q) && !size_is(p, 1) && !size_is(q, 1))
            err_node(n, "shapes %s and %s do not broadcast: sizes %s and "
                     "%s, counted from the end at %d", shape_text(a),
                     shape_text(b), size_text(p), size_text(q), i);
        shape_put(&y, y.rank - i, size_is(p, 1) ? q : p);
    }
    return y;
}

static int axis_of(const Node *n, int64_t axis, int rank)
{
    if (axis < -rank || axis >= rank)
        err_node(n, "axis %lld of a tensor of %d dimensions",
                 (long long)axis, rank);
    return (int)(axis < 0 ? axis + rank : axis);
}

int node_axis(const Node *n, int rank)
{
    return axis_of(n, attr_int(n, A_axis), rank);
}

/* bias, mul, add of matmul: broadcast to the matrix y, the same for batches */
static void check_matrix(const Node *n, const char *name, Shape y)
{
    const Val *v = node_arg(n, name);
    Shape m = {.rank = 2}, s;

    if (!v)
        return;
    shape_put(&m, 0, size_at(y, y.rank - 2));
    shape_put(&m, 1, size_at(y, y.rank - 1));
    for (s = v->shape; s.rank > 2 && size_is(size_at(s, 0), 1); s.rank--) {
        memmove(s.dim, s.dim + 1, (RANK - 1) * sizeof *s.dim);
        memmove(s.vary, s.vary + 1, (RANK - 1) * sizeof *s.vary);
    }
    if (!shape_fits(s, m))
        err_node(n, "operand %s has shape %s, which does not broadcast to %s",
                 name, shape_text(v->shape), shape_text(m));
}

static void take_batches(Shape s, Shape *batch)
{
    *batch = s;
    batch->rank -= 2;
}

Size product_rows(const Node *n)
{
    Shape b = n->arg[1]->shape;

    return attr_size(n, A_count, 0, size_at(b, b.rank - 2));
}

/* Weights in halves are pairs of rows of fours. */
static void check_halves(const Node *n)
{
    Shape b = n->arg[1]->shape;

    if (b.rank < 2 || b.dim[b.rank - 2] % 2 || b.dim[b.rank - 1] % 4 ||
        !attr_int(n, A_transb))
        err_node(n, "weights of shape %s%s, an even number of rows of fours, "
                 "transposed, was wanted", shape_text(b),
                 attr_int(n, A_transb) ? " transposed" : "");
}

static Shape shape_matmul(const Node *n)
{
    Shape a = n->arg[0]->shape, b = n->arg[1]->shape, ab, bb, y;
    bool ta = attr_int(n, A_transa), tb = attr_int(n, A_transb);
    Size columns, rows, some;

    if (a.rank < 2 || b.rank < 2)
        err_node(n, "operands have shapes %s and %s: at least 2 dimensions "
                 "were wanted", shape_text(a), shape_text(b));
    if (n->op == OP_pmatmul)
        check_halves(n);
    some = product_rows(n);
    if (some.n < 0 || some.n > b.dim[b.rank - 2])
        err_node(n, "count is %lld of %lld rows", (long long)some.n,
                 (long long)b.dim[b.rank - 2]);
    columns = size_at(a, a.rank - (ta ? 2 : 1));
    rows = tb ? size_at(b, b.rank - 1) : some;
    if (!size_same(columns, rows))
        err_node(n, "cannot multiply %s%s by %s%s: %s columns meet %s "
                 "rows", shape_text(a), ta ? " transposed" : "", shape_text(b),
                 tb ? " transposed" : "", size_text(columns), size_text(rows));
    take_batches(a, &ab);
    take_batches(b, &bb);
    y = broadcast(n, ab, bb);
    shape_put(&y, y.rank++, size_at(a, a.rank - (ta ? 1 : 2)));
    shape_put(&y, y.rank++, tb ? some : size_at(b, b.rank - 1));
    check_matrix(n, "bias", y);
    check_matrix(n, "mul", y);
    check_matrix(n, "add", y);
    check_matrix(n, "shifts", y);
    return y;
}

static void check_fits(const Node *n, const Val *v, Shape y)
{
    if (v && !shape_fits(v->shape, y))
        err_node(n, "operand '%s' of shape %s does not broadcast to %s",
                 v->name, shape_text(v->shape), shape_text(y));
}

/* Operands that follow the shape of x and never widen it. */
static int map_followers(const Node *n)
{
    int i;
    bool optional;

    if (n->op == OP_quantize || n->op == OP_dequantize)
        return 1;
    i = op_arg(n->op, "mul", &optional);
    return i < 0 ? n->narg : i;
}

static Shape shape_map(const Node *n)
{
    Shape y = n->arg[0]->shape;
    int i, follow = map_followers(n);

    for (i = 1; i < n->narg; i++) {
        if (!n->arg[i])
            continue;
        if (i < follow)
            y = broadcast(n, y, n->arg[i]->shape);
        else
            check_fits(n, n->arg[i], y);
    }
    return y;
}

/* The tables of a qsoftmax: every difference of two bytes, or two curves; of a
 * qlogsoftmax: two of differences; of powers: one. */
static void check_tables(const Node *n)
{
    bool is_log = n->op == OP_qlogsoftmax;
    bool bytes = n->op != OP_qsoftmax || attr_int(n, A_p0);
    bool hides = n->op == OP_qsoftmax && attr_int(n, A_p2);
    int64_t want = bytes ? 256 : 513;
    int i, narg = bytes && !is_log ? 2 : 3;

    for (i = 1; i < narg; i++)
        if (i >= n->narg || !n->arg[i] || val_count(n->arg[i]) != want)
            err_node(n, "operand %d has %lld elements, %lld were wanted",
                     i + 1, i < n->narg && n->arg[i]
                         ? (long long)val_count(n->arg[i]) : 0,
                     (long long)want);
    if (bytes && n->arg[0]->hi - n->arg[0]->lo > (hides ? UINT16_MAX : 255))
        err_node(n, "operand x has values of %lld to %lld: bytes were wanted",
                 (long long)n->arg[0]->lo, (long long)n->arg[0]->hi);
    if (attr_int(n, A_p0) < 0 || attr_int(n, A_p0) > 16)
        err_node(n, "p0, the bits of the result, is %lld: 0 to 16 was wanted",
                 (long long)attr_int(n, A_p0));
    if (n->op == OP_qsoftmax && (attr_int(n, A_p2) < 0 ||
                                 attr_int(n, A_p2) > (bytes ? 256 : 0)))
        err_node(n, "p2, the levels of the result, is %lld: 0 to 256 of bytes "
                 "was wanted", (long long)attr_int(n, A_p2));
    if (hides && (attr_int(n, A_p1) < 0 || attr_int(n, A_p1) >= 1 << 28))
        err_node(n, "p1, a factor of levels, is %lld: at most 28 bits were "
                 "wanted", (long long)attr_int(n, A_p1));
    if (!bytes && attr_int(n, A_shift) < 1)
        err_node(n, "shift is %lld, at least 1 was wanted",
                 (long long)attr_int(n, A_shift));
    for (i = 1; i < narg; i++)
        if (n->arg[i]->lo < 0 && bytes)
            err_node(n, "operand '%s' has values below 0", n->arg[i]->name);
}

/* A row whose sums of squares have 62 bits, shifted, and results 23 places. */
static void check_norm(const Node *n, int64_t len)
{
    int64_t p0 = attr_int(n, A_p0), p1 = attr_int(n, A_p1);

    if (n->arg[0]->hi - n->arg[0]->lo > 255 || len > 4095)
        err_node(n, "rows of %lld elements of %lld to %lld: at most 4095 bytes "
                 "were wanted", (long long)len, (long long)n->arg[0]->lo,
                 (long long)n->arg[0]->hi);
    if (p0 < 0 || p0 > 24 || p0 & 1 || p1 < 0 || p1 > INT32_MAX)
        err_node(n, "p0 %lld, p1 %lld: an even shift of at most 24 and an "
                 "addend of 31 bits were wanted", (long long)p0, (long long)p1);
    if (attr_int(n, A_shift) < 0 || attr_int(n, A_shift) > 62)
        err_node(n, "shift is %lld, 0 to 62 was wanted",
                 (long long)attr_int(n, A_shift));
}

/* A factor for each root that a row of x can have. */
static void check_roots(const Node *n)
{
    const Val *x = n->arg[0], *t = n->narg > 1 ? n->arg[1] : NULL;
    double most = (double)MAX(-x->lo, x->hi);
    int64_t count = t ? val_count(t) : 0;

    if ((double)count * (double)count + 2.0 * (double)count < most * most + 1)
        err_node(n, "operand 2 has %lld elements: of x of %lld to %lld a factor "
                 "for each root from 1 on was wanted", (long long)count,
                 (long long)x->lo, (long long)x->hi);
    if (attr_int(n, A_shift) < 0 || attr_int(n, A_shift) > 62)
        err_node(n, "shift is %lld, 0 to 62 was wanted",
                 (long long)attr_int(n, A_shift));
}

static Shape shape_row(const Node *n)
{
    Shape y = n->arg[0]->shape;
    int i, axis = node_axis(n, y.rank);
    int64_t len = y.dim[axis], group = attr_int(n, A_p0);
    bool shares = n->op == OP_isoftmax || n->op == OP_itamax ||
                  n->op == OP_itapartial;
    bool tables = n->op == OP_qsoftmax || n->op == OP_qlogsoftmax ||
                  n->op == OP_powers;

    for (i = 1; i < n->narg && !tables && n->op != OP_rootscale; i++)
        if (n->arg[i] && val_count(n->arg[i]) != len)
            err_node(n, "operand '%s' has %lld elements, %lld were wanted: "
                     "one per element of a row", n->arg[i]->name,
                     (long long)val_count(n->arg[i]), (long long)len);
    if (tables)
        check_tables(n);
    if (n->op == OP_rootscale)
        check_roots(n);
    if (n->op == OP_qlayernorm)
        check_norm(n, len);
    if (n->op == OP_itapartial && (group < 1 || len % group))
        err_node(n, "rows of %lld elements cannot be split into groups of "
                 "%lld", (long long)len, (long long)group);
    if (shares && (attr_int(n, A_hi) < 0 || attr_int(n, A_hi) > UINT16_MAX))
        err_node(n, "hi, the greatest result, is %lld: 0 to %d was wanted",
                 (long long)attr_int(n, A_hi), UINT16_MAX);
    if (n->op == OP_isoftmax && attr_int(n, A_p3) < 1)
        err_node(n, "log2 is %lld, at least 1 was wanted",
                 (long long)attr_int(n, A_p3));
    return y;
}

void node_axes(const Node *n, bool set[RANK])
{
    int rank = n->arg[0]->shape.rank, i, len;
    const int64_t *axes;

    len = attr_list(n, A_axes, &axes);
    for (i = 0; i < RANK; i++)
        set[i] = !len && i < rank;
    for (i = 0; i < len; i++)
        set[axis_of(n, axes[i], rank)] = true;
}

static Shape shape_reduce(const Node *n)
{
    Shape x = n->arg[0]->shape, y = {.rank = 0};
    bool set[RANK];
    int i, count = 0;

    node_axes(n, set);
    for (i = 0; i < x.rank; i++) {
        count += set[i];
        if (set[i] && !x.dim[i])
            err_node(n, "axis %d to be reduced has no elements", i);
        if (!set[i])
            shape_put(&y, y.rank++, size_at(x, i));
        else if (attr_int(n, A_keep))
            shape_put(&y, y.rank++, size_const(1));
    }
    if ((n->op == OP_argmax || n->op == OP_argmin) && count != 1)
        err_node(n, "one axis was wanted, %d are given", count);
    check_epilogue(n, row_length(y));
    return y;
}

static Shape attr_shape(const Node *n)
{
    const int64_t *dim;
    int i, len = attr_list(n, A_shape, &dim);
    Shape s = shape_of(len, dim);

    for (i = 0; i < len; i++) {
        if (dim[i] < 0)
            err_node(n, "size %lld of axis %d is negative",
                     (long long)dim[i], i);
        shape_put(&s, i, attr_size(n, A_shape, i, size_const(0)));
    }
    return s;
}

static Shape shape_reshape(const Node *n)
{
    Shape x = n->arg[0]->shape, y = attr_shape(n);

    if (shape_count(x) != shape_count(y))
        err_node(n, "%s has %lld elements, %s would have %lld", shape_text(x),
                 (long long)shape_count(x), shape_text(y),
                 (long long)shape_count(y));
    if (!shapes_as_many(x, y))
        err_node(n, "%s has as many elements as %s at one value of a run-time "
                 "number only", shape_text(x), shape_text(y));
    return y;
}

static Shape shape_transpose(const Node *n)
{
    Shape x = n->arg[0]->shape, y = x;
    const int64_t *perm;
    bool seen[RANK] = {false};
    int i, len = attr_list(n, A_perm, &perm);

    if (len && len != x.rank)
        err_node(n, "perm has %d numbers for %d axes", len, x.rank);
    for (i = 0; i < x.rank; i++) {
        int64_t p = len ? perm[i] : x.rank - 1 - i;

        if (p < 0 || p >= x.rank || seen[p])
            err_node(n, "perm is not a permutation: axis %lld", (long long)p);
        seen[p] = true;
        shape_put(&y, i, size_at(x, (int)p));
    }
    return y;
}

int64_t row_length(Shape s)
{
    return s.rank ? s.dim[s.rank - 1] : 1;
}

int64_t slice_step(const Node *n, int axis)
{
    Size count = size_at(n->res[0]->shape, axis);

    return count.n > 1 || count.vary.num ? attr_at(n, A_step, axis, 1) : 1;
}

/* Is element start + (count - 1) * step within d? */
static bool slice_inside(int64_t d, int64_t start, int64_t step, int64_t count)
{
    int64_t end;

    return !count ||
           (start >= 0 && start < d && count > 0 &&
            !__builtin_mul_overflow(count - 1, step, &end) &&
            !__builtin_add_overflow(end, start, &end) && end >= 0 && end < d);
}

static Shape shape_slice(const Node *n)
{
    Shape y = n->arg[0]->shape;
    int i;

    for (i = 0; i < y.rank; i++) {
        int64_t start = attr_at(n, A_start, i, 0);
        int64_t step = attr_at(n, A_step, i, 1);
        Size all = attr_size(n, A_count, i, size_at(y, i));
        int64_t count = all.n;

        if (!step || !slice_inside(y.dim[i], start, step, count))
            err_node(n, "axis %d of %lld elements: %lld from %lld by steps of "
                     "%lld", i, (long long)y.dim[i], (long long)count,
                     (long long)start, (long long)step);
        shape_put(&y, i, all);
    }
    return y;
}

static Shape shape_expand(const Node *n)
{
    Shape y = attr_shape(n);

    check_fits(n, n->arg[0], y);
    return y;
}

static Shape shape_concat(const Node *n)
{
    Shape y = n->arg[0]->shape, s;
    int i, k, axis = node_axis(n, y.rank);

    for (i = 1; i < n->narg; i++) {
        s = n->arg[i]->shape;
        for (k = 0; k < y.rank && s.rank == y.rank; k++)
            if (k != axis && !size_same(size_at(s, k), size_at(y, k)))
                break;
        if (s.rank != y.rank || k < y.rank)
            err_node(n, "cannot join %s and %s ('%s') along axis %d",
                     shape_text(n->arg[0]->shape), shape_text(s),
                     n->arg[i]->name, axis);
        shape_put(&y, axis, size_add(n, size_at(y, axis), size_at(s, axis)));
    }
    return y;
}

static void check_mirror(const Node *n, int i, int64_t d, int64_t pad)
{
    int64_t mode = attr_int(n, A_mode);

    if (mode < 0 || mode > 3)
        err_node(n, "padding mode %lld", (long long)mode);
    if ((mode == 1 && pad >= d && pad) || (mode > 1 && !d && pad))
        err_node(n, "axis %d has %lld elements, too few to pad %lld from them",
                 i, (long long)d, (long long)pad);
}

static Shape shape_pad(const Node *n)
{
    Shape y = n->arg[0]->shape;
    const int64_t *pad;
    int i, len = attr_list(n, A_pad, &pad);

    if (len != 2 * y.rank)
        err_node(n, "pad has %d numbers, %d were wanted: before and after "
                 "each axis", len, 2 * y.rank);
    for (i = 0; i < y.rank; i++) {
        int64_t b = pad[i], e = pad[i + y.rank];

        if (b < 0 || e < 0 || b > INT32_MAX || e > INT32_MAX)
            err_node(n, "axis %d is padded by %lld and %lld; to cut elements "
                     "off is slice", i, (long long)b, (long long)e);
        check_mirror(n, i, y.dim[i], MAX(b, e));
        y.dim[i] += b + e;
    }
    return y;
}

/* to gets count dimensions of from, beginning at `at` */
static void append(const Node *n, Shape *to, Shape from, int at, int count)
{
    int i;

    if (to->rank + count > RANK)
        err_node(n, "the result would have %d dimensions, at most %d are "
                 "supported", to->rank + count, RANK);
    for (i = 0; i < count; i++)
        shape_put(to, to->rank++, size_at(from, at + i));
}

static Shape shape_gather(const Node *n)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape, y = {.rank = 0};
    int axis = node_axis(n, x.rank);

    append(n, &y, x, 0, axis);
    append(n, &y, i, 0, i.rank);
    append(n, &y, x, axis + 1, x.rank - axis - 1);
    return y;
}

/* Indices of one element each: as x but for the axis, and nowhere larger. */
static void check_elements(const Node *n, Shape x, Shape i)
{
    int k, axis = node_axis(n, x.rank);

    if (i.rank != x.rank)
        err_node(n, "indices have shape %s for a tensor of shape %s: as many "
                 "dimensions were wanted", shape_text(i), shape_text(x));
    for (k = 0; k < x.rank; k++)
        if (k != axis && i.dim[k] > x.dim[k])
            err_node(n, "indices of shape %s reach outside %s", shape_text(i),
                     shape_text(x));
}

static Shape shape_gatherelem(const Node *n)
{
    check_elements(n, n->arg[0]->shape, n->arg[1]->shape);
    return n->arg[1]->shape;
}

static Shape shape_scatterelem(const Node *n)
{
    check_elements(n, n->arg[0]->shape, n->arg[1]->shape);
    if (!shape_same(n->arg[1]->shape, n->arg[2]->shape))
        err_node(n, "indices have shape %s, updates %s",
                 shape_text(n->arg[1]->shape), shape_text(n->arg[2]->shape));
    return n->arg[0]->shape;
}

/* y of gathernd, u of scatternd: i without its last axis, then what the
 * index tuples leave of x. */
static Shape shape_nd(const Node *n, int64_t batch)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape, y = {.rank = 0};
    int64_t k = i.rank ? i.dim[i.rank - 1] : 0;
    int b;

    if (!i.rank || batch < 0 || batch >= i.rank || k < 1 ||
        k > x.rank - batch)
        err_node(n, "index tuples of shape %s do not fit %s", shape_text(i),
                 shape_text(x));
    for (b = 0; b < batch; b++)
        if (i.dim[b] != x.dim[b])
            err_node(n, "batch axis %d is %lld in indices and %lld in data", b,
                     (long long)i.dim[b], (long long)x.dim[b]);
    append(n, &y, i, 0, i.rank - 1);
    append(n, &y, x, (int)(batch + k), (int)(x.rank - batch - k));
    return y;
}

static Shape shape_gathernd(const Node *n)
{
    return shape_nd(n, attr_int(n, A_p0));
}

static Shape shape_scatternd(const Node *n)
{
    Shape u = shape_nd(n, 0);

    if (!shape_same(u, n->arg[2]->shape))
        err_node(n, "updates have shape %s, %s was wanted",
                 shape_text(n->arg[2]->shape), shape_text(u));
    return n->arg[0]->shape;
}

static Shape shape_taps(const Node *n)
{
    Shape y = n->arg[0]->shape, i = n->arg[1]->shape;

    if (i.rank != 2 || !shape_same(i, n->arg[2]->shape))
        err_node(n, "indices have shape %s and weights %s: [n,taps] was wanted "
                 "for both", shape_text(i), shape_text(n->arg[2]->shape));
    shape_put(&y, node_axis(n, y.rank), size_at(i, 0));
    return y;
}

Shape shape_infer(const Node *n)
{
    static Shape (*const rule[NFAM])(const Node *) = {
        [FAM_map] = shape_map, [FAM_conv] = shape_conv,
        [FAM_convt] = shape_convt, [FAM_pool] = shape_pool,
        [FAM_matmul] = shape_matmul, [FAM_row] = shape_row,
        [FAM_reduce] = shape_reduce, [FAM_reshape] = shape_reshape,
        [FAM_transpose] = shape_transpose, [FAM_slice] = shape_slice,
        [FAM_expand] = shape_expand, [FAM_concat] = shape_concat,
        [FAM_pad] = shape_pad, [FAM_gather] = shape_gather,
        [FAM_gatherelem] = shape_gatherelem,
        [FAM_gathernd] = shape_gathernd,
        [FAM_scatterelem] = shape_scatterelem,
        [FAM_scatternd] = shape_scatternd, [FAM_taps] = shape_taps,
        [FAM_topk] = shape_topk, [FAM_poolat] = shape_pool,
        [FAM_dft] = shape_dft, [FAM_grid] = shape_grid,
        [FAM_nms] = shape_nms, [FAM_group] = shape_group,
        [FAM_attend] = shape_attend, [FAM_qattend] = shape_qattend,
        [FAM_rotate] = shape_rotate, [FAM_gate] = shape_gate,
        [FAM_pack] = shape_pack,
        [FAM_pconv] = shape_pconv,
        [FAM_pinterleave] = shape_pinterleave, [FAM_windows] = shape_windows,
        [FAM_exchange] = shape_exchange, [FAM_rowmatmul] = shape_rowmatmul,
        [FAM_shares] = shape_shares, [FAM_weigh] = shape_weigh,
    };

    return rule[op_info[n->op].family](n);
}
