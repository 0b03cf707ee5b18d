/* Tiles of data that is moved. */
#include "ir/tile.h"

/* --- data that is moved: by the outermost axis that is longer than 1 --- */

static int long_axis(Shape s)
{
    int i = 0;

    while (i < s.rank - 1 && s.dim[i] == 1)
        i++;
    return i;
}

void long_axes(const Node *n, int64_t len[NCUT])
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
    cut_res(c, s, piece_of(y, c->at[CUT_row] * each, c->len[CUT_row] * each, 1,
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
    cut_arg(c, 0, s, piece_of(x, before + lo * each, len * each, 1, 0));
}

bool cut_transpose(Cutter *c)
{
    const Val *x = c->n->arg[0], *y = c->n->res[0];
    int to = long_axis(y->shape);
    int axis = (int)attr_at(c->n, A_perm, to, y->shape.rank - 1 - to);
    int64_t outer = shape_product(x->shape, 0, axis);
    int64_t inner = shape_product(x->shape, axis + 1, x->shape.rank);
    Shape s = x->shape;

    s.dim[axis] = c->len[CUT_row];
    cut_arg(c, 0, s, piece_of(x, c->at[CUT_row] * inner,
                              c->len[CUT_row] * inner, outer,
                            x->shape.dim[axis] * inner));
    take_long(c);
    return true;
}

bool cut_slice(Cutter *c)
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

bool cut_expand(Cutter *c)
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
void pad_axes(const Node *n, int64_t len[NCUT])
{
    if (!attr_int(n, A_mode) && val_count(n->arg[0]))
        long_axes(n, len);
}

bool cut_pad(Cutter *c)
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
void gather_axes(const Node *n, int64_t len[NCUT])
{
    Shape x = n->arg[0]->shape;
    int64_t outer = shape_product(x, 0, node_axis(n, x.rank));

    len[CUT_row] = outer > 1 ? outer : val_count(n->arg[1]);
}

bool cut_gather(Cutter *c)
{
    const Val *x = c->n->arg[0], *i = c->n->arg[1], *y = c->n->res[0];
    int64_t at = c->at[CUT_row], len = c->len[CUT_row], each;
    int axis = node_axis(c->n, x->shape.rank);

    if (shape_product(x->shape, 0, axis) > 1) {
        each = shape_product(x->shape, axis, x->shape.rank);
        cut_arg(c, 0, cut_joined(x, 0, axis, len),
                piece_of(x, at * each, len * each, 1, 0));
        each = shape_product(y->shape, axis, y->shape.rank);
        cut_res(c, cut_joined(y, 0, axis, len),
                piece_of(y, at * each, len * each, 1, 0));
        attr_set_int(&c->g, c->t->node, A_axis, 1);
        return true;
    }
    if (!i->shape.rank)
        return false;
    cut_arg(c, 1, SHAPE(len), piece_of(i, at, len, 1, 0));
    each = shape_product(x->shape, axis + 1, x->shape.rank);
    cut_res(c, cut_joined(y, axis, axis + i->shape.rank, len),
            piece_of(y, at * each, len * each, 1, 0));
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
void concat_axes(const Node *n, int part, int64_t len[NCUT])
{
    int64_t row, rows = concat_rows(n, part, &row);

    len[CUT_row] = MAX(1, rows > 1 ? rows : row);
}

/* The tile is a concat of one: a copy. */
bool cut_concat(Cutter *c)
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
    c->t->in[0] = piece_of(x, from, rows * row, 1, 0);
    t->narg = 1;
    t->arg[0] = cut_val(c, x, SHAPE(rows, row));
    cut_res(c, SHAPE(rows, row), piece_of(y, before, row, rows, apart));
    attr_set_int(&c->g, t, A_axis, 1);
    return true;
}
