/* Tiles of rows: matrix products, what is computed by element or along rows,
 * and reductions. */
#include "ir/attend.h"
#include "ir/tile.h"

#include <string.h>

/* --- matrix products --- */

static bool transposed(const Node *n, int i)
{
    return attr_int(n, i ? A_transb : A_transa) != 0;
}

static int64_t batches(const Val *v)
{
    return shape_product(v->shape, 0, v->shape.rank - 2);
}

/* Weights in halves are not cut. */
void matmul_axes(const Node *n, int64_t len[NCUT])
{
    const Val *y = n->res[0];
    int64_t a = batches(n->arg[0]), b = batches(n->arg[1]), all = batches(y);

    len[CUT_row] = y->shape.dim[y->shape.rank - 2];
    len[CUT_channel] = y->shape.dim[y->shape.rank - 1];
    if ((a == all || a == 1) && (b == all || b == 1))
        len[CUT_batch] = all;
    else
        len[CUT_row] = len[CUT_channel] = 1;
    if (n->op == OP_pmatmul)
        len[CUT_channel] = 1;
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
        *p = piece_of(v, (first * rows + r) * columns, nr * columns, nb,
                      rows * columns);
        return true;
    }
    *p = piece_of(v, (first * rows + r) * columns + q, nq, nb * nr, columns);
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
    cut_arg(c, i, s, p);
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
    cut_arg(c, i, s, piece_of(v, r * columns + q, s.dim[rank - 1],
                              rows > 1 ? c->len[CUT_row] : 1, columns));
}

static bool cut_product(Cutter *c)
{
    const Val *y = c->n->res[0];
    Shape s;
    Piece p;
    int i;

    if (!cut_side(c, 0) || !cut_side(c, 1) ||
        !take_matrices(c, y, c->at[CUT_row], c->len[CUT_row],
                       c->at[CUT_channel], c->len[CUT_channel], &s, &p))
        return false;
    cut_res(c, s, p);
    for (i = 2; i < c->n->narg; i++)
        if (c->n->arg[i])
            cut_beside(c, i);
    return true;
}

bool cut_matmul(Cutter *c)
{
    const Shape y = c->n->res[0]->shape;
    int64_t len[NCUT];
    Cutter all = *c;

    if (c->n->op != OP_pmatmul)
        return cut_product(c);
    memcpy(len, c->len, sizeof len);
    len[CUT_channel] = y.dim[y.rank - 1];
    all.len = len;
    return cut_product(&all);
}

void rowmatmul_axes(const Node *n, int64_t len[NCUT])
{
    len[CUT_channel] = n->arg[1]->shape.dim[0];
}

bool cut_rowmatmul(Cutter *c)
{
    const Val *w = c->n->arg[1], *r = node_arg(c->n, "r"), *y = c->n->res[0];
    int64_t at = c->at[CUT_channel], len = c->len[CUT_channel];
    int64_t row = w->shape.dim[1];
    Shape s = y->shape;

    s.dim[s.rank - 1] = len;
    cut_arg(c, 1, SHAPE(len, row), piece_of(w, at * row, len * row, 1, 0));
    if (r)
        cut_arg(c, 2, s, piece_of(r, at, len, 1, 0));
    cut_res(c, s, piece_of(y, at, len, 1, 0));
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

void lines_axes(const Node *n, int64_t len[NCUT])
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
    *what = piece_of(v, c->at[CUT_row] * inner, c->len[CUT_row] * inner, 1, 0);
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
    cut_arg(c, i, s, piece_all(v));
}

bool cut_rows(Cutter *c)
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
        cut_arg(c, i, s, what);
    }
    s = cut_lines(c, c->n->res[0], p, &what);
    cut_res(c, s, what);
    if (rowwise)
        attr_set_int(&c->g, c->t->node, A_axis, 1);
    return true;
}

/* --- attention --- */

/* Whole heads; rows of heads: rows of q, and elements of whole heads. */
void heads_axes(const Node *n, int64_t len[NCUT])
{
    Shape y = n->res[0]->shape;
    AttendSide q;

    if (!attr_int(n, A_p2)) {
        len[CUT_row] = shape_product(y, 0, y.rank - 2);
        return;
    }
    if (attr_int(n, A_p2) != 7)
        return;
    q = attend_side(n, 3);
    len[CUT_row] = q.rows;
    len[CUT_channel] = q.heads * q.width;
}

/* Of rows of heads those that the tile has. */
static void take_heads(const Cutter *c, int i, int64_t from, int64_t rows,
                       Shape *s, Piece *p)
{
    const Val *v = i < 3 ? c->n->arg[i] : c->n->res[0];
    AttendSide of = attend_side(c->n, i);
    int64_t e = attend_side(c->n, 3).width;
    int64_t heads = c->len[CUT_channel] / e, head = c->at[CUT_channel] / e;

    if (of.heads == 1) /* perhaps of all */
        heads = 1, head = 0;
    *s = SHAPE(1, rows, heads, of.width);
    *p = piece_of(v, from * of.row + head * of.head, heads * of.width, rows,
                  of.row);
}

/* Of the mask, if there is one, so many heads and rows, or the one for all. */
static void cut_mask(Cutter *c, int64_t head, int64_t heads, int64_t row,
                     int64_t rows)
{
    const Val *v = node_arg(c->n, "mask");
    AttendMask m;

    if (!v)
        return;
    m = attend_mask(c->n);
    if (m.heads == 1)
        head = 0, heads = 1;
    if (m.rows == 1)
        row = 0, rows = 1;
    cut_arg(c, c->n->narg - 1, SHAPE(heads, rows, m.keys),
            piece_of(v, head * m.head + row * m.row, rows * m.keys, heads,
                     m.head));
}

static bool cut_rows_of_heads(Cutter *c)
{
    Shape s;
    Piece p;
    int i;

    for (i = 0; i < 3; i++) {
        take_heads(c, i, i ? 0 : c->at[CUT_row],
                   i ? attend_side(c->n, i).rows : c->len[CUT_row], &s, &p);
        cut_arg(c, i, s, p);
    }
    take_heads(c, 3, c->at[CUT_row], c->len[CUT_row], &s, &p);
    cut_res(c, s, p);
    cut_mask(c, c->at[CUT_channel] / s.dim[3], s.dim[2], c->at[CUT_row],
             c->len[CUT_row]);
    return true;
}

/* Tables and scales are those of all heads. */
bool cut_heads(Cutter *c)
{
    int p = c->n->res[0]->shape.rank - 2, i;
    Piece what;
    Shape s;

    if (attr_int(c->n, A_p2))
        return cut_rows_of_heads(c);
    for (i = 0; i < 3; i++) {
        s = cut_lines(c, c->n->arg[i], p, &what);
        cut_arg(c, i, s, what);
    }
    s = cut_lines(c, c->n->res[0], p, &what);
    cut_res(c, s, what);
    cut_mask(c, c->at[CUT_row], c->len[CUT_row], 0, attend_side(c->n, 0).rows);
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

void reduce_axes(const Node *n, int64_t len[NCUT])
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
    Shape s = p ? cut_joined(v, 0, p, c->len[CUT_row]) : v->shape;

    tile_axes(c->n, 0, whole);
    if (c->len[CUT_channel] < whole[CUT_channel]) {
        nc = s.dim[s.rank - 1] = c->len[CUT_channel];
        all = whole[CUT_channel];
    }
    *what = piece_of(v, c->at[CUT_row] * inner + c->at[CUT_channel], nc,
                     c->len[CUT_row] * (inner / all), all);
    return s;
}

bool cut_reduce(Cutter *c)
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
    cut_arg(c, 0, s, what);
    s = cut_part(c, c->n->res[0], p, &what);
    cut_res(c, s, what);
    if (c->len[CUT_channel] < whole[CUT_channel])
        cut_epilogue(c, epilogue, LEN(epilogue));
    attr_set_list(&c->g, c->t->node, A_axes, k, axes);
    return true;
}
