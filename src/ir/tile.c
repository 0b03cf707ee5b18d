/* A node cut into tiles: what a part of its result reads of every operand.
 *
 * Each family says along which axes of its result it may be cut.  A tile is a
 * node like any other, over values of the tile's shapes, so that whatever asks
 * a node something (kernels' heads, dims_fill) can ask a tile.  Convolutions
 * and pools are cut only channels-last, where rows of an image are one run;
 * convolutions of groups into whole groups, or within one. */
#include "ir/ir.h"

#include <string.h>

enum { WIDE = 8192, FOUR = 4 };

typedef struct Cutter {
    Graph g; /* whose memory the tile is made in */
    const Node *n;
    int part;                /* of a concat: the argument */
    const int64_t *at, *len; /* by axis */
    Tile *t;
} Cutter;

static int bytes_of(const Val *v)
{
    return type_info[v->type].bytes;
}

static Piece piece(const Val *v, int64_t off, int64_t row, int64_t rows,
                   int64_t stride)
{
    int64_t b = bytes_of(v);

    if (rows == 1 || row == stride)
        return (Piece){off * b, row * rows * b, 1, row * rows * b};
    return (Piece){off * b, row * b, rows, stride * b};
}

Piece piece_all(const Val *v)
{
    return piece(v, 0, val_count(v), 1, 0);
}

int64_t piece_bytes(Piece p)
{
    return p.row * p.rows;
}

bool piece_same(Piece a, Piece b)
{
    return a.off == b.off && a.row == b.row && a.rows == b.rows &&
           (a.rows == 1 || a.stride == b.stride);
}

/* A value of the tile: v's type, range and name, another shape.  Constants
 * stay constants: heads ask for that. */
static Val *cut_val(Cutter *c, const Val *v, Shape s)
{
    Val *u = NEW(c->g.mem, Val);

    *u = *v;
    u->shape = s;
    u->def = NULL;
    return u;
}

static void take_arg(Cutter *c, int i, Shape s, Piece p)
{
    c->t->node->arg[i] = cut_val(c, c->n->arg[i], s);
    c->t->in[i] = p;
}

static void take_res(Cutter *c, Shape s, Piece p)
{
    c->t->node->res[0] = cut_val(c, c->n->res[0], s);
    c->t->node->res[0]->def = c->t->node;
    c->t->out[0] = p;
}

/* Operand i, of one element for each channel, or for all. */
static void take_channels(Cutter *c, int i)
{
    const Val *v = c->n->arg[i];
    Shape s = v->shape;

    if (val_count(v) <= 1)
        return;
    s.dim[s.rank - 1] = c->len[CUT_channel];
    take_arg(c, i, s, piece(v, c->at[CUT_channel], c->len[CUT_channel], 1, 0));
}

static void take_epilogue(Cutter *c, const char *names[], size_t count)
{
    bool optional;
    size_t i;
    int k;

    for (i = 0; i < count; i++) {
        k = op_arg(c->n->op, names[i], &optional);
        if (k >= 0 && k < c->n->narg && c->n->arg[k])
            take_channels(c, k);
    }
}

/* --- images: convolutions and pools --- */

/* Channels of x, and of the result, that belong together: of a group; of a
 * pool: one each. */
static int64_t channels_in(const Node *n)
{
    const Val *w = n->narg > 1 ? n->arg[1] : NULL;

    return op_info[n->op].family == FAM_pool
               ? 1 : w->shape.dim[w->shape.rank - 1];
}

static int64_t groups_of(const Node *n)
{
    const Val *x = n->arg[0];

    return op_info[n->op].family == FAM_pool
               ? x->shape.dim[x->shape.rank - 1] : attr_int(n, A_group);
}

static int64_t channels_out(const Node *n)
{
    const Val *y = n->res[0];

    return y->shape.dim[y->shape.rank - 1] / groups_of(n);
}

/* Of a picture, all channels. */
static int64_t row_bytes(const Val *v)
{
    return v->shape.dim[2] * v->shape.dim[3] * bytes_of(v);
}

/* Of one picture columns are cut where a single row of few channels is long: so
 * many bytes are read and written for it. */
bool cut_columns(const Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];
    Family f = op_info[n->op].family;
    int64_t rows;

    if ((f != FAM_conv && f != FAM_pool) || y->shape.rank != 4 ||
        y->shape.dim[0] != 1)
        return false;
    rows = f == FAM_pool ? attr_at(n, A_kernel, 0, 1)
                         : n->arg[1]->shape.dim[1];
    if (row_bytes(x) * rows + row_bytes(y) <= WIDE || !attr_int(n, A_last))
        return false;
    return rows * x->shape.dim[2] * channels_in(n) *
               MIN(FOUR, groups_of(n)) * bytes_of(x) +
               y->shape.dim[2] * MIN(FOUR, y->shape.dim[3]) * bytes_of(y) >
           WIDE;
}

static void image_axes(const Node *n, int64_t len[NCUT])
{
    Shape y = n->res[0]->shape;

    if (!attr_int(n, A_last))
        return;
    len[CUT_batch] = cut_columns(n) ? y.dim[2] : y.dim[0];
    len[CUT_row] = y.dim[1];
    len[CUT_channel] = y.dim[y.rank - 1];
}

/* The groups that the tile's channels come from: whole ones, or a part of
 * one. */
static bool take_groups(const Cutter *c, int64_t *first, int64_t *count)
{
    int64_t m = channels_out(c->n), at = c->at[CUT_channel];
    int64_t len = c->len[CUT_channel];

    *first = at / m;
    *count = MAX(1, len / m);
    return (at % m == 0 && len % m == 0) || at % m + len <= m;
}

/* Elements of x along an axis (0: rows, 1: columns) from the first that a
 * window touches to the last. */
static int64_t window_of(const Node *n, int axis)
{
    int64_t k = op_info[n->op].family == FAM_pool
                    ? attr_at(n, A_kernel, axis, 1)
                    : n->arg[1]->shape.dim[1 + axis];

    return (k - 1) * attr_at(n, A_dilation, axis, 1) + 1;
}

static void set_pads(Cutter *c, int axis, const int64_t pad[2])
{
    int64_t list[4];
    int i, spatial = c->n->arg[0]->shape.rank - 2;

    for (i = 0; i < 2 * spatial; i++)
        list[i] = attr_at(c->t->node, A_pad, i, 0);
    list[axis] = pad[0];
    list[spatial + axis] = pad[1];
    attr_set_list(&c->g, c->t->node, A_pad, 2 * spatial, list);
}

/* The rows or columns [*lo, *hi) of x that the windows of len of the result
 * touch, from `at` on; the padding that is left at both ends becomes the
 * tile's. */
static bool take_span(Cutter *c, int axis, int64_t at, int64_t len,
                      int64_t *lo, int64_t *hi)
{
    int64_t step = attr_at(c->n, A_stride, axis, 1), pad[2];
    int64_t all = c->n->arg[0]->shape.dim[1 + axis];
    int spatial = c->n->arg[0]->shape.rank - 2;

    *lo = 0;
    *hi = all;
    if (len == c->n->res[0]->shape.dim[1 + axis])
        return true;
    *lo = at * step - attr_at(c->n, A_pad, axis, 0);
    *hi = *lo + (len - 1) * step + window_of(c->n, axis);
    pad[0] = MAX(0, -*lo);
    pad[1] = MIN(MAX(0, *hi - all), attr_at(c->n, A_pad, spatial + axis, 0));
    *lo = MAX(0, *lo);
    *hi = MIN(all, *hi);
    set_pads(c, axis, pad);
    return *lo < *hi;
}

/* Of an image: pictures, rows and columns, from the first on. */
typedef struct Part {
    bool columns; /* these may be some of all */
    int64_t b, nb, r, nr, q, nq;
} Part;

/* These of v, channels [ch, ch + nc). */
static bool take_image(const Val *v, Part t, int64_t ch, int64_t nc, Shape *s,
                       Piece *p)
{
    int rank = v->shape.rank;
    int64_t h = v->shape.dim[1], all = v->shape.dim[rank - 1];
    int64_t line = shape_product(v->shape, 2, rank), pixels = line / all;
    int64_t off = (t.b * h + t.r) * line + t.q * all + ch;

    *s = v->shape;
    s->dim[0] = t.nb;
    s->dim[1] = t.nr;
    if (t.nq < pixels)
        s->dim[2] = t.nq;
    s->dim[rank - 1] = nc;
    if (t.nq < pixels && nc == all)
        *p = piece(v, off, t.nq * all, t.nr, line);
    else
        *p = piece(v, off, nc, t.nb * t.nr * t.nq, all);
    return (t.nb == 1 || t.nr == h) &&
           (t.nq == pixels || nc == all || t.nr == 1);
}

/* The tile's part of the result, all channels. */
static Part part_of(const Cutter *c)
{
    const Val *y = c->n->res[0];
    int rank = y->shape.rank;
    Part t = {.columns = cut_columns(c->n),
              .b = c->at[CUT_batch], .nb = c->len[CUT_batch],
              .r = c->at[CUT_row], .nr = c->len[CUT_row],
              .nq = shape_product(y->shape, 2, rank - 1)};

    if (t.columns) {
        t.q = t.b;
        t.nq = t.nb;
        t.b = 0;
        t.nb = 1;
    }
    return t;
}

static bool cut_image(Cutter *c, int64_t group, int64_t groups)
{
    static const char *epilogue[] = {"b", "mul", "add", "shifts"};
    const Val *x = c->n->arg[0];
    int64_t each = channels_in(c->n), end;
    Part y = part_of(c), from = y;
    Shape s;
    Piece p;

    if (!take_span(c, 0, y.r, y.nr, &from.r, &end))
        return false;
    from.nr = end - from.r;
    from.nq = shape_product(x->shape, 2, x->shape.rank - 1);
    if (y.columns) {
        if (!take_span(c, 1, y.q, y.nq, &from.q, &end))
            return false;
        from.nq = end - from.q;
    }
    if (!take_image(x, from, group * each, groups * each, &s, &p))
        return false;
    take_arg(c, 0, s, p);
    if (!take_image(c->n->res[0], y, c->at[CUT_channel], c->len[CUT_channel],
                    &s, &p))
        return false;
    take_res(c, s, p);
    take_epilogue(c, epilogue, LEN(epilogue));
    return true;
}

static bool cut_pool(Cutter *c)
{
    return cut_image(c, c->at[CUT_channel], c->len[CUT_channel]);
}

static bool cut_conv(Cutter *c)
{
    const Val *w = c->n->arg[1];
    int64_t each = shape_product(w->shape, 1, w->shape.rank), group, groups;
    Shape s = w->shape;

    if (!take_groups(c, &group, &groups))
        return false;
    s.dim[0] = c->len[CUT_channel];
    take_arg(c, 1, s, piece(w, c->at[CUT_channel] * each,
                            c->len[CUT_channel] * each, 1, 0));
    attr_set_int(&c->g, c->t->node, A_group, groups);
    return cut_image(c, group, groups);
}

/* --- matrix products --- */

static bool transposed(const Node *n, int i)
{
    return attr_int(n, i ? A_transb : A_transa) != 0;
}

static int64_t batches(const Val *v)
{
    return shape_product(v->shape, 0, v->shape.rank - 2);
}

static void matmul_axes(const Node *n, int64_t len[NCUT])
{
    const Val *y = n->res[0];
    int64_t a = batches(n->arg[0]), b = batches(n->arg[1]), all = batches(y);

    len[CUT_row] = y->shape.dim[y->shape.rank - 2];
    len[CUT_channel] = y->shape.dim[y->shape.rank - 1];
    if ((a == all || a == 1) && (b == all || b == 1))
        len[CUT_batch] = all;
    else
        len[CUT_row] = len[CUT_channel] = 1;
}

/* Of each matrix of v: rows [r, r + nr), columns [q, q + nq). */
static bool take_matrices(const Cutter *c, const Val *v, int64_t r, int64_t nr,
                          int64_t q, int64_t nq, Shape *s, Piece *p)
{
    int64_t rows = v->shape.dim[v->shape.rank - 2];
    int64_t columns = v->shape.dim[v->shape.rank - 1], b = batches(v);
    int64_t first = b > 1 ? c->at[CUT_batch] : 0;
    int64_t nb = b > 1 ? c->len[CUT_batch] : 1;

    *s = SHAPE(nb, nr, nq);
    if (nq == columns) {
        *p = piece(v, (first * rows + r) * columns, nr * columns, nb,
                   rows * columns);
        return true;
    }
    *p = piece(v, (first * rows + r) * columns + q, nq, nb * nr, columns);
    return nb == 1 || nr == rows;
}

static bool cut_side(Cutter *c, int i)
{
    const Val *v = c->n->arg[i];
    int64_t rows = v->shape.dim[v->shape.rank - 2];
    int64_t columns = v->shape.dim[v->shape.rank - 1];
    int axis = i ? CUT_channel : CUT_row;
    Shape s;
    Piece p;

    if (i ? transposed(c->n, 1) : !transposed(c->n, 0)) {
        if (!take_matrices(c, v, c->at[axis], c->len[axis], 0, columns, &s,
                           &p))
            return false;
    } else if (!take_matrices(c, v, 0, rows, c->at[axis], c->len[axis], &s,
                              &p)) {
        return false;
    }
    take_arg(c, i, s, p);
    return true;
}

/* Bias, mul or add: of rows, of columns, of both or of neither. */
static void cut_beside(Cutter *c, int i)
{
    const Val *v = c->n->arg[i];
    int rank = v->shape.rank;
    int64_t columns = rank >= 1 ? v->shape.dim[rank - 1] : 1;
    int64_t rows = rank >= 2 ? v->shape.dim[rank - 2] : 1;
    int64_t q = columns > 1 ? c->at[CUT_channel] : 0;
    int64_t r = rows > 1 ? c->at[CUT_row] : 0;
    Shape s = v->shape;

    if (val_count(v) <= 1)
        return;
    if (columns > 1)
        s.dim[rank - 1] = c->len[CUT_channel];
    if (rows > 1)
        s.dim[rank - 2] = c->len[CUT_row];
    take_arg(c, i, s, piece(v, r * columns + q, s.dim[rank - 1],
                            rows > 1 ? c->len[CUT_row] : 1, columns));
}

static bool cut_matmul(Cutter *c)
{
    const Val *y = c->n->res[0];
    Shape s;
    Piece p;
    int i;

    if (!cut_side(c, 0) || !cut_side(c, 1) ||
        !take_matrices(c, y, c->at[CUT_row], c->len[CUT_row],
                       c->at[CUT_channel], c->len[CUT_channel], &s, &p))
        return false;
    take_res(c, s, p);
    for (i = 2; i < c->n->narg; i++)
        if (c->n->arg[i])
            cut_beside(c, i);
    return true;
}

/* --- elementwise, and along rows --- */

/* Does v have the first p axes of y, or none of them? */
static bool has_axes(const Val *v, Shape y, int p, bool *none)
{
    int i, skip = y.rank - v->shape.rank;
    bool all = true;

    *none = true;
    for (i = 0; i < p; i++) {
        int64_t d = i < skip ? 1 : v->shape.dim[i - skip];

        all &= d == y.dim[i];
        *none &= d == 1;
    }
    return all || *none;
}

/* How many of the first axes are walked as one by every operand. */
static int map_axes(const Node *n)
{
    Shape y = n->res[0]->shape;
    bool none;
    int i, p;

    for (p = y.rank; p > 0; p--) {
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] && !has_axes(n->arg[i], y, p, &none))
                break;
        if (i == n->narg)
            break;
    }
    return p;
}

static int leading_axes(const Node *n)
{
    return op_info[n->op].family == FAM_row ? n->res[0]->shape.rank - 1
                                            : map_axes(n);
}

static void lines_axes(const Node *n, int64_t len[NCUT])
{
    len[CUT_row] = shape_product(n->res[0]->shape, 0, leading_axes(n));
}

/* Lines [at, at + len) of the first p axes of the result, which become one. */
static Shape cut_lines(const Cutter *c, const Val *v, int p, Piece *what)
{
    int own = MAX(0, p - (c->n->res[0]->shape.rank - v->shape.rank));
    int64_t inner = shape_product(v->shape, own, v->shape.rank);
    Shape s = {.rank = 1 + v->shape.rank - own, .dim = {c->len[CUT_row]}};
    int i;

    for (i = own; i < v->shape.rank; i++)
        s.dim[1 + i - own] = v->shape.dim[i];
    *what = piece(v, c->at[CUT_row] * inner, c->len[CUT_row] * inner, 1, 0);
    return s;
}

/* An operand that has none of the p axes, with as many as the tile has. */
static void keep_arg(Cutter *c, int i, int p)
{
    const Val *v = c->n->arg[i];
    int skip = MAX(0, p - (c->n->res[0]->shape.rank - v->shape.rank));
    Shape s = {.rank = v->shape.rank - skip};
    int k;

    for (k = 0; k < s.rank; k++)
        s.dim[k] = v->shape.dim[k + skip];
    take_arg(c, i, s, piece_all(v));
}

static bool cut_rows(Cutter *c)
{
    int i, p = leading_axes(c->n);
    bool rowwise = op_info[c->n->op].family == FAM_row, none;
    Shape y = c->n->res[0]->shape, s;
    Piece what;

    for (i = 0; i < c->n->narg; i++) {
        if (!c->n->arg[i] || (rowwise && i))
            continue;
        has_axes(c->n->arg[i], y, p, &none);
        if (none && !(shape_product(y, 0, p) == 1 &&
                      c->n->arg[i]->shape.rank == y.rank)) {
            keep_arg(c, i, p);
            continue;
        }
        s = cut_lines(c, c->n->arg[i], p, &what);
        take_arg(c, i, s, what);
    }
    s = cut_lines(c, c->n->res[0], p, &what);
    take_res(c, s, what);
    if (rowwise)
        attr_set_int(&c->g, c->t->node, A_axis, 1);
    return true;
}

/* --- data that is moved: by the outermost axis that is longer than 1 --- */

static int long_axis(Shape s)
{
    int i = 0;

    while (i < s.rank - 1 && s.dim[i] == 1)
        i++;
    return i;
}

static void long_axes(const Node *n, int64_t len[NCUT])
{
    Shape y = n->res[0]->shape;

    len[CUT_row] = y.dim[long_axis(y)];
}

static void take_long(Cutter *c)
{
    const Val *y = c->n->res[0];
    int axis = long_axis(y->shape);
    int64_t each = shape_product(y->shape, axis + 1, y->shape.rank);
    Shape s = y->shape;

    s.dim[axis] = c->len[CUT_row];
    take_res(c, s, piece(y, c->at[CUT_row] * each, c->len[CUT_row] * each, 1,
                         0));
}

/* Operand 0: len elements of an axis from lo on, `before` elements being
 * skipped that the axes before it count. */
static void take_along(Cutter *c, int axis, int64_t before, int64_t lo,
                       int64_t len)
{
    const Val *x = c->n->arg[0];
    int64_t each = shape_product(x->shape, axis + 1, x->shape.rank);
    Shape s = x->shape;
    int i;

    for (i = 0; i < axis; i++)
        s.dim[i] = 1;
    s.dim[axis] = len;
    take_arg(c, 0, s, piece(x, before + lo * each, len * each, 1, 0));
}

static bool cut_transpose(Cutter *c)
{
    const Val *x = c->n->arg[0], *y = c->n->res[0];
    int to = long_axis(y->shape);
    int axis = (int)attr_at(c->n, A_perm, to, y->shape.rank - 1 - to);
    int64_t outer = shape_product(x->shape, 0, axis);
    int64_t inner = shape_product(x->shape, axis + 1, x->shape.rank);
    Shape s = x->shape;

    s.dim[axis] = c->len[CUT_row];
    take_arg(c, 0, s, piece(x, c->at[CUT_row] * inner,
                            c->len[CUT_row] * inner, outer,
                            x->shape.dim[axis] * inner));
    take_long(c);
    return true;
}

static bool cut_slice(Cutter *c)
{
    const Val *x = c->n->arg[0], *y = c->n->res[0];
    int axis = long_axis(y->shape), rank = x->shape.rank, i;
    int64_t start[RANK], step[RANK], before = 0, lo, span;

    for (i = 0; i < rank; i++) {
        start[i] = attr_at(c->n, A_start, i, 0);
        step[i] = slice_step(c->n, i);
        if (i < axis) {
            before += start[i] * shape_product(x->shape, i + 1, rank);
            start[i] = 0;
        }
    }
    lo = start[axis] + c->at[CUT_row] * step[axis];
    span = (c->len[CUT_row] - 1) * step[axis];
    start[axis] = MAX(0, -span);
    take_along(c, axis, before, lo + MIN(0, span), MAX(span, -span) + 1);
    take_long(c);
    attr_set_list(&c->g, c->t->node, A_start, rank, start);
    attr_set_list(&c->g, c->t->node, A_step, rank, step);
    attr_set_list(&c->g, c->t->node, A_count, rank,
                  c->t->node->res[0]->shape.dim);
    return true;
}

static bool cut_expand(Cutter *c)
{
    const Val *x = c->n->arg[0], *y = c->n->res[0];
    int axis = long_axis(y->shape) - (y->shape.rank - x->shape.rank);
    const Shape *s;

    if (axis >= 0 && x->shape.dim[axis] > 1)
        take_along(c, axis, 0, c->at[CUT_row], c->len[CUT_row]);
    take_long(c);
    s = &c->t->node->res[0]->shape;
    attr_set_list(&c->g, c->t->node, A_shape, s->rank, s->dim);
    return true;
}

/* Padding that mirrors reads from elsewhere. */
static void pad_axes(const Node *n, int64_t len[NCUT])
{
    if (!attr_int(n, A_mode) && val_count(n->arg[0]))
        long_axes(n, len);
}

static bool cut_pad(Cutter *c)
{
    const Val *x = c->n->arg[0], *y = c->n->res[0];
    int axis = long_axis(y->shape), rank = x->shape.rank, i;
    int64_t pad[2 * RANK], d = x->shape.dim[axis], lo, hi;

    for (i = 0; i < 2 * rank; i++)
        pad[i] = attr_at(c->n, A_pad, i, 0);
    lo = c->at[CUT_row] - pad[axis];
    hi = lo + c->len[CUT_row];
    pad[axis] = MAX(0, -lo);
    pad[rank + axis] = MAX(0, hi - d);
    lo = MAX(0, lo);
    hi = MIN(d, hi);
    if (lo >= hi)
        return false;
    take_along(c, axis, 0, lo, hi - lo);
    take_long(c);
    attr_set_list(&c->g, c->t->node, A_pad, 2 * rank, pad);
    return true;
}

/* Of a table by the indices; of several, by table. */
static void gather_axes(const Node *n, int64_t len[NCUT])
{
    Shape x = n->arg[0]->shape;
    int64_t outer = shape_product(x, 0, node_axis(n, x.rank));

    len[CUT_row] = outer > 1 ? outer : val_count(n->arg[1]);
}

/* Axes [from, to) of v become one of len elements. */
static Shape joined(const Val *v, int from, int to, int64_t len)
{
    Shape s = {.rank = v->shape.rank - (to - from) + 1};
    int i;

    for (i = 0; i < from; i++)
        s.dim[i] = v->shape.dim[i];
    s.dim[from] = len;
    for (i = from + 1; i < s.rank; i++)
        s.dim[i] = v->shape.dim[i + to - from - 1];
    return s;
}

static bool cut_gather(Cutter *c)
{
    const Val *x = c->n->arg[0], *i = c->n->arg[1], *y = c->n->res[0];
    int64_t at = c->at[CUT_row], len = c->len[CUT_row], each;
    int axis = node_axis(c->n, x->shape.rank);

    if (shape_product(x->shape, 0, axis) > 1) {
        each = shape_product(x->shape, axis, x->shape.rank);
        take_arg(c, 0, joined(x, 0, axis, len),
                 piece(x, at * each, len * each, 1, 0));
        each = shape_product(y->shape, axis, y->shape.rank);
        take_res(c, joined(y, 0, axis, len),
                 piece(y, at * each, len * each, 1, 0));
        attr_set_int(&c->g, c->t->node, A_axis, 1);
        return true;
    }
    if (!i->shape.rank)
        return false;
    take_arg(c, 1, SHAPE(len), piece(i, at, len, 1, 0));
    each = shape_product(x->shape, axis + 1, x->shape.rank);
    take_res(c, joined(y, axis, axis + i->shape.rank, len),
             piece(y, at * each, len * each, 1, 0));
    return true;
}

/* --- reductions: by the first axes that stay, and by the last --- */

static bool by_element(const Node *n, const char *name)
{
    const Val *v = node_arg(n, name);

    return v && val_count(v) > 1;
}

/* How many of the first axes stay; the last axis of the result not among them
 * where an epilogue goes along it. */
static int first_axes(const Node *n)
{
    bool set[RANK];
    int p = 0, rank = n->arg[0]->shape.rank;

    node_axes(n, set);
    while (p < rank && !set[p])
        p++;
    if (by_element(n, "mul") || by_element(n, "add"))
        p = MIN(p, n->res[0]->shape.rank - 1);
    return p;
}

static void reduce_axes(const Node *n, int64_t len[NCUT])
{
    Shape x = n->arg[0]->shape;
    bool set[RANK];
    int p = first_axes(n);

    node_axes(n, set);
    len[CUT_row] = shape_product(x, 0, p);
    if (p < x.rank && !set[x.rank - 1])
        len[CUT_channel] = x.dim[x.rank - 1];
}

/* Lines of the first p axes, which become one; of each, `nc` of every `all`
 * elements. */
static Shape cut_part(const Cutter *c, const Val *v, int p, Piece *what)
{
    int rank = v->shape.rank;
    int64_t inner = shape_product(v->shape, p, rank), all = inner, nc = inner;
    int64_t whole[NCUT];
    Shape s = p ? joined(v, 0, p, c->len[CUT_row]) : v->shape;

    tile_axes(c->n, 0, whole);
    if (c->len[CUT_channel] < whole[CUT_channel]) {
        nc = s.dim[s.rank - 1] = c->len[CUT_channel];
        all = whole[CUT_channel];
    }
    *what = piece(v, c->at[CUT_row] * inner + c->at[CUT_channel], nc,
                  c->len[CUT_row] * (inner / all), all);
    return s;
}

static bool cut_reduce(Cutter *c)
{
    static const char *epilogue[] = {"mul", "add", "shifts"};
    int64_t whole[NCUT], axes[RANK];
    int i, k = 0, p = first_axes(c->n);
    bool set[RANK];
    Shape s;
    Piece what;

    tile_axes(c->n, 0, whole);
    node_axes(c->n, set);
    for (i = 0; i < c->n->arg[0]->shape.rank; i++)
        if (set[i])
            axes[k++] = p ? i - p + 1 : i;
    s = cut_part(c, c->n->arg[0], p, &what);
    take_arg(c, 0, s, what);
    s = cut_part(c, c->n->res[0], p, &what);
    take_res(c, s, what);
    if (c->len[CUT_channel] < whole[CUT_channel])
        take_epilogue(c, epilogue, LEN(epilogue));
    attr_set_list(&c->g, c->t->node, A_axes, k, axes);
    return true;
}

/* --- concats: copies of one argument --- */

/* Rows of the argument, and elements of one. */
static int64_t concat_rows(const Node *n, int part, int64_t *row)
{
    Shape x = n->arg[part]->shape;
    int axis = node_axis(n, x.rank);

    *row = shape_product(x, axis, x.rank);
    return shape_product(x, 0, axis);
}

/* Elements of a row of the result before it. */
static int64_t concat_before(const Node *n, int part)
{
    int i, rank = n->arg[part]->shape.rank, axis = node_axis(n, rank);
    int64_t sum = 0;

    for (i = 0; i < part; i++)
        sum += shape_product(n->arg[i]->shape, axis, rank);
    return sum;
}

/* Into rows, or if there is one, within it. */
static void concat_axes(const Node *n, int part, int64_t len[NCUT])
{
    int64_t row, rows = concat_rows(n, part, &row);

    len[CUT_row] = MAX(1, rows > 1 ? rows : row);
}

/* The tile is a concat of one: a copy. */
static bool cut_concat(Cutter *c)
{
    const Val *x = c->n->arg[c->part], *y = c->n->res[0];
    int64_t row, rows = concat_rows(c->n, c->part, &row);
    int64_t before = concat_before(c->n, c->part);
    int64_t apart, from = c->at[CUT_row], len = c->len[CUT_row];
    Node *t = c->t->node;

    if (!val_count(x))
        return false;
    apart = val_count(y) / rows;
    if (rows == 1) {
        row = len;
        before += from;
    } else {
        rows = len;
        before += from * apart;
        from *= row;
    }
    c->t->in[0] = piece(x, from, rows * row, 1, 0);
    t->narg = 1;
    t->arg[0] = cut_val(c, x, SHAPE(rows, row));
    take_res(c, SHAPE(rows, row), piece(y, before, row, rows, apart));
    attr_set_int(&c->g, t, A_axis, 1);
    return true;
}

/* --- by family --- */

void tile_axes(const Node *n, int part, int64_t len[NCUT])
{
    int i;

    for (i = 0; i < NCUT; i++)
        len[i] = 1;
    if (n->nres != 1 || !val_count(n->res[0]) || !n->res[0]->shape.rank)
        return;
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_pool:
        image_axes(n, len);
        break;
    case FAM_matmul:
        matmul_axes(n, len);
        break;
    case FAM_map: case FAM_row:
        lines_axes(n, len);
        break;
    case FAM_transpose: case FAM_slice: case FAM_expand:
        long_axes(n, len);
        break;
    case FAM_pad:
        pad_axes(n, len);
        break;
    case FAM_concat:
        concat_axes(n, part, len);
        break;
    case FAM_gather:
        gather_axes(n, len);
        break;
    case FAM_reduce:
        reduce_axes(n, len);
        break;
    default:
        break;
    }
}

static bool cut(Cutter *c)
{
    switch (op_info[c->n->op].family) {
    case FAM_conv:
        return cut_conv(c);
    case FAM_pool:
        return cut_pool(c);
    case FAM_matmul:
        return cut_matmul(c);
    case FAM_map: case FAM_row:
        return cut_rows(c);
    case FAM_transpose:
        return cut_transpose(c);
    case FAM_slice:
        return cut_slice(c);
    case FAM_expand:
        return cut_expand(c);
    case FAM_pad:
        return cut_pad(c);
    case FAM_concat:
        return cut_concat(c);
    case FAM_gather:
        return cut_gather(c);
    case FAM_reduce:
        return cut_reduce(c);
    default:
        die("%s has no tiles", op_info[c->n->op].name);
    }
}

static Node *copy_node(Arena *mem, const Node *n)
{
    Node *t = NEW(mem, Node);

    *t = *n;
    t->arg = NEWN(mem, Val *, n->narg + 1);
    memcpy(t->arg, n->arg, (size_t)n->narg * sizeof *t->arg);
    t->prev = t->next = NULL;
    return t;
}

static void take_whole(const Node *n, Tile *t)
{
    int i;

    for (i = 0; i < n->narg && i < NARG; i++)
        t->in[i] = n->arg[i] ? piece_all(n->arg[i]) : (Piece){0};
    for (i = 0; i < n->nres; i++)
        t->out[i] = piece_all(n->res[i]);
}

bool tile_make(Arena *mem, const Node *n, int part, const int64_t at[NCUT],
               const int64_t len[NCUT], Tile *t)
{
    Cutter c = {.g = {.mem = mem}, .n = n, .part = part, .at = at, .len = len,
                .t = t};
    int64_t all[NCUT];

    tile_axes(n, part, all);
    t->node = copy_node(mem, n);
    take_whole(n, t);
    if (!memcmp(all, len, sizeof all) && n->op != OP_concat)
        return true;
    t->node->attr = NULL;
    attr_copy(&c.g, t->node, n);
    return cut(&c);
}

bool tile_tells(const Node *n, unsigned in_place, bool out_place)
{
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_pool:
        return !(in_place & ~1u);
    case FAM_matmul:
        return !(in_place & ~3u) && !out_place;
    default:
        return !in_place && !out_place;
    }
}

/* Strides of images: of the whole value where it lies in place. */
#define PUT_STRIDES(to, as, v)                                         \
    ((to)->v##n = (as)->v##n, (to)->v##h = (as)->v##h,                 \
     (to)->v##w = (as)->v##w, (to)->v##c = (as)->v##c)

static void stride_conv(const Dims *w, bool x, bool y, Dims *d)
{
    if (x)
        PUT_STRIDES(&d->conv, &w->conv, x);
    if (y)
        PUT_STRIDES(&d->conv, &w->conv, y);
}

static void stride_pool(const Dims *w, bool x, bool y, Dims *d)
{
    if (x)
        PUT_STRIDES(&d->pool, &w->pool, x);
    if (y)
        PUT_STRIDES(&d->pool, &w->pool, y);
}

static void stride_matmul(const Dims *w, bool a, bool b, Dims *d)
{
    if (a) {
        d->matmul.am = w->matmul.am;
        d->matmul.ak = w->matmul.ak;
        memcpy(d->matmul.ab, w->matmul.ab, sizeof d->matmul.ab);
    }
    if (b) {
        d->matmul.bk = w->matmul.bk;
        d->matmul.bn = w->matmul.bn;
        memcpy(d->matmul.bb, w->matmul.bb, sizeof d->matmul.bb);
    }
}

bool tile_dims(const Node *n, const Tile *t, unsigned in_place,
               bool out_place, Dims *d)
{
    Family f = op_info[n->op].family;
    bool y = out_place && t->out[0].rows > 1;
    unsigned far = 0;
    Dims w;
    int i;

    for (i = 0; i < t->node->narg; i++)
        if (n->arg[i] && t->in[i].rows > 1)
            far |= 1u << i & in_place;
    memset(d, 0, sizeof *d);
    dims_fill(t->node, d);
    if (!far && !y)
        return true;
    memset(&w, 0, sizeof w);
    dims_fill(n, &w);
    if (f == FAM_conv)
        stride_conv(&w, far & 1, y, d);
    if (f == FAM_pool)
        stride_pool(&w, far & 1, y, d);
    if (f == FAM_matmul)
        stride_matmul(&w, far & 1, far & 2, d);
    return tile_tells(n, far, y);
}
