/* Tiles of images: convolutions and pools. */
#include "ir/tile.h"

enum { WIDE = 8192, FOUR = 4 };

/* Channels of x, and of the result, that belong together: of a group; of a
 * pool: one each. */
static int64_t channels_in(const Node *n)
{
    const Val *x = n->arg[0], *w = n->narg > 1 ? n->arg[1] : NULL;

    switch (op_info[n->op].family) {
    case FAM_pool: return 1;
    case FAM_pconv:
        return x->shape.dim[x->shape.rank - 1] / attr_int(n, A_group);
    default: return w->shape.dim[w->shape.rank - 1];
    }
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

/* Elements of a window along an axis (0: rows, 1: columns). */
static int64_t window_size(const Node *n, int axis)
{
    return op_info[n->op].family == FAM_conv
               ? n->arg[1]->shape.dim[1 + axis]
               : attr_at(n, A_kernel, axis, 1);
}

/* Of a picture, all channels. */
static int64_t row_bytes(const Val *v)
{
    return v->shape.dim[2] * v->shape.dim[3] * type_info[v->type].bytes;
}

/* Of one picture columns are cut where a single row of few channels is long: so
 * many bytes are read and written for it. */
bool cut_columns(const Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];
    Family f = op_info[n->op].family;
    int64_t rows;

    if ((f != FAM_conv && f != FAM_pool && f != FAM_pconv) || y->shape.rank != 4 ||
        y->shape.dim[0] != 1)
        return false;
    rows = window_size(n, 0);
    if (row_bytes(x) * rows + row_bytes(y) <= WIDE || !attr_int(n, A_last))
        return false;
    return rows * x->shape.dim[2] * channels_in(n) *
               MIN(FOUR, groups_of(n)) * type_info[x->type].bytes +
               y->shape.dim[2] * MIN(FOUR, y->shape.dim[3]) *
               type_info[y->type].bytes >
           WIDE;
}

void image_axes(const Node *n, int64_t len[NCUT])
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
    return (window_size(n, axis) - 1) * attr_at(n, A_dilation, axis, 1) + 1;
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
        *p = piece_of(v, off, t.nq * all, t.nr, line);
    else
        *p = piece_of(v, off, nc, t.nb * t.nr * t.nq, all);
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
    cut_arg(c, 0, s, p);
    if (!take_image(c->n->res[0], y, c->at[CUT_channel], c->len[CUT_channel],
                    &s, &p))
        return false;
    cut_res(c, s, p);
    cut_epilogue(c, epilogue, LEN(epilogue));
    return true;
}

bool cut_pool(Cutter *c)
{
    return cut_image(c, c->at[CUT_channel], c->len[CUT_channel]);
}

bool cut_conv(Cutter *c)
{
    const Val *w = c->n->arg[1];
    int64_t each = shape_product(w->shape, 1, w->shape.rank), group, groups;
    Shape s = w->shape;

    if (!take_groups(c, &group, &groups))
        return false;
    s.dim[0] = c->len[CUT_channel];
    cut_arg(c, 1, s, piece_of(w, c->at[CUT_channel] * each,
                              c->len[CUT_channel] * each, 1, 0));
    attr_set_int(&c->g, c->t->node, A_group, groups);
    return cut_image(c, group, groups);
}

/* Words are cut by output channels, or by whole tiles of groups. */
bool cut_pconv(Cutter *c)
{
    const Val *w = c->n->arg[1];
    int64_t each = w->shape.dim[1], at = c->at[CUT_channel];
    int64_t len = c->len[CUT_channel], tile = attr_at(c->n, A_count, 0, 1);
    int64_t group, groups;
    Shape s = w->shape;

    if (!take_groups(c, &group, &groups))
        return false;
    if (attr_int(c->n, A_group) > 1) {
        if (at % tile || groups < 2)
            return false;
        at /= tile;
        len = (len + tile - 1) / tile;
    }
    s.dim[0] = len;
    cut_arg(c, 1, s, piece_of(w, at * each, len * each, 1, 0));
    attr_set_int(&c->g, c->t->node, A_group, groups);
    return cut_image(c, group, groups);
}
