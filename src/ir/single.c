/* Families of one operator each: the shape of the result, and what kernels
 * are told (kern/dims.def). */
#include "ir/dims.h"
#include "kern/matmul/scales.h"

#include <string.h>

static int64_t attr_within(const Node *n, AttrCode c, int64_t lo, int64_t hi)
{
    int64_t v = attr_int(n, c);

    if (v < lo || v > hi)
        err_node(n, "%s is %lld, %lld to %lld was wanted", attr_info[c].name,
                 (long long)v, (long long)lo, (long long)hi);
    return v;
}

static Shape shape_ranked(const Node *n, int i, int least, int most)
{
    Shape s = n->arg[i]->shape;

    if (s.rank < least || s.rank > most)
        err_node(n, "'%s' has shape %s: %d to %d dimensions were wanted",
                 n->arg[i]->name, shape_text(s), least, most);
    return s;
}

/* --- topk --- */

Shape shape_topk(const Node *n)
{
    Shape y = shape_ranked(n, 0, 1, RANK);

    attr_within(n, A_mode, 0, 1);
    y.dim[y.rank - 1] = attr_within(n, A_p0, 1, y.dim[y.rank - 1]);
    return y;
}

void fill_topk(const Node *n, struct topk_dims *d)
{
    Shape x = n->arg[0]->shape;

    d->rows = dims_32(n, shape_product(x, 0, x.rank - 1));
    d->n = dims_32(n, x.dim[x.rank - 1]);
    d->k = dims_32(n, attr_int(n, A_p0));
    d->mode = (int32_t)attr_int(n, A_mode);
}

/* --- dft --- */

Shape shape_dft(const Node *n)
{
    Shape x = shape_ranked(n, 0, 2, RANK), w = shape_ranked(n, 1, 2, 2);
    const Val *v = node_arg(n, "v");
    int64_t c = x.dim[x.rank - 1], len = x.dim[x.rank - 2], step;

    if (c != 1 && c != 2)
        err_node(n, "the last axis of %s has %lld numbers: 1 (real) or 2 "
                 "(complex) were wanted", shape_text(x), (long long)c);
    if (w.dim[0] < 1 || w.dim[1] != 2)
        err_node(n, "the table of a turn has shape %s: [n,2] was wanted",
                 shape_text(w));
    if (v && val_count(v) != w.dim[0])
        err_node(n, "a window of %lld elements for a transform of %lld",
                 (long long)val_count(v), (long long)w.dim[0]);
    step = attr_within(n, A_p1, 0, INT32_MAX);
    attr_within(n, A_mode, 0, 1);
    x.dim[x.rank - 1] = 2;
    x.dim[x.rank - 2] = attr_within(n, A_p0, 1, w.dim[0]);
    if (!step)
        return x;
    if (len < w.dim[0] || x.rank == RANK)
        err_node(n, "no window of %lld elements in %s", (long long)w.dim[0],
                 shape_text(n->arg[0]->shape));
    memmove(x.dim + x.rank - 1, x.dim + x.rank - 2, 2 * sizeof *x.dim);
    x.dim[x.rank++ - 2] = (len - w.dim[0]) / step + 1;
    return x;
}

/* Products that an element of a transform of length n takes: p in a step of p
 * parts, one where they are two. */
static int32_t products(int64_t n)
{
    int64_t p = 2, sum = 0;

    while (n > 1)
        if (n % p)
            p = p * p > n ? n : p + 1;
        else
            sum += p == 2 ? 1 : p, n /= p;
    return (int32_t)sum;
}

void fill_dft(const Node *n, struct dft_dims *d)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;

    d->rows = dims_32(n, shape_product(x, 0, x.rank - 2));
    d->len = dims_32(n, x.dim[x.rank - 2]);
    d->c = dims_32(n, x.dim[x.rank - 1]);
    d->step = (int32_t)attr_int(n, A_p1);
    d->frames = d->step ? dims_32(n, y.dim[y.rank - 3]) : 1;
    d->n = dims_32(n, n->arg[1]->shape.dim[0]);
    d->out = dims_32(n, y.dim[y.rank - 2]);
    d->mode = (int32_t)attr_int(n, A_mode);
    d->ways = products(d->n);
}

/* --- gridsample --- */

Shape shape_grid(const Node *n)
{
    Shape x = shape_ranked(n, 0, 3, 5), g = n->arg[1]->shape;

    if (g.rank != x.rank || g.dim[0] != x.dim[0] ||
        g.dim[g.rank - 1] != x.rank - 2 || !shape_product(x, 2, x.rank))
        err_node(n, "a grid of shape %s for %s: [N,..,%d] was wanted",
                 shape_text(g), shape_text(x), x.rank - 2);
    attr_within(n, A_mode, 0, 2);
    attr_within(n, A_p0, 0, 2);
    attr_within(n, A_p1, 0, 1);
    memcpy(x.dim + 2, g.dim + 1, (size_t)(x.rank - 2) * sizeof *x.dim);
    return x;
}

void fill_grid(const Node *n, struct grid_dims *d)
{
    static const int32_t taps[] = {2, 1, 4};
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int i, at;

    d->n = dims_32(n, x.dim[0]);
    d->c = dims_32(n, x.dim[1]);
    d->axes = x.rank - 2;
    d->mode = (int32_t)attr_int(n, A_mode);
    d->pads = (int32_t)attr_int(n, A_p0);
    d->corners = (int32_t)attr_int(n, A_p1);
    d->taps = 1;
    for (i = 0; i < 3; i++) {
        at = x.rank - 3 + i;
        d->size[i] = at < 2 ? 1 : dims_32(n, x.dim[at]);
        d->to[i] = at < 2 ? 1 : dims_32(n, y.dim[at]);
        d->taps *= at < 2 ? 1 : taps[d->mode];
    }
}

/* --- nms --- */

Shape shape_nms(const Node *n)
{
    Shape b = shape_ranked(n, 0, 3, 3), s = shape_ranked(n, 1, 3, 3);
    int64_t most = attr_within(n, A_p0, 1, INT32_MAX);

    if (b.dim[2] != 4 || s.dim[0] != b.dim[0] || s.dim[2] != b.dim[1])
        err_node(n, "boxes of shape %s and scores %s: [batches,boxes,4] and "
                 "[batches,classes,boxes] were wanted", shape_text(b),
                 shape_text(s));
    attr_within(n, A_mode, 0, 1);
    return SHAPE(s.dim[0] * s.dim[1] * MIN(most, s.dim[2]), 3);
}

void fill_nms(const Node *n, struct nms_dims *d)
{
    Shape s = n->arg[1]->shape;

    d->batches = dims_32(n, s.dim[0]);
    d->classes = dims_32(n, s.dim[1]);
    d->boxes = dims_32(n, s.dim[2]);
    d->rows = dims_32(n, n->res[0]->shape.dim[0]);
    d->most = dims_32(n, attr_int(n, A_p0));
    d->center = (int32_t)attr_int(n, A_mode);
    d->iou = (float)attr_num(n, A_alpha);
    d->score = (float)attr_num(n, A_beta);
}

/* --- groupmatmul --- */

Shape shape_group(const Node *n)
{
    Shape x = shape_ranked(n, 0, 1, RANK), w = shape_ranked(n, 1, 2, 2);
    Shape s = shape_ranked(n, 2, 2, 2);
    int64_t g = attr_within(n, A_p0, 1, INT32_MAX), k;

    k = attr_within(n, A_mode, 0, 7) & 2 ? 2 * w.dim[1] : w.dim[1];
    if (attr_int(n, A_mode) & 4 && (w.dim[0] % 4 || k % 2))
        err_node(n, "weights of shape %s are not of four rows each and an even "
                 "number of columns", shape_text(w));
    if (x.dim[x.rank - 1] != k || s.dim[0] != w.dim[0] ||
        s.dim[1] != (k + g - 1) / g)
        err_node(n, "%s by weights of shape %s in groups of %lld with scales "
                 "of shape %s", shape_text(x), shape_text(w), (long long)g,
                 shape_text(s));
    x.dim[x.rank - 1] = w.dim[0];
    return x;
}

void fill_group(const Node *n, struct group_dims *d)
{
    Shape x = n->arg[0]->shape, w = n->arg[1]->shape;

    d->rows = dims_32(n, shape_product(x, 0, x.rank - 1));
    d->m = dims_32(n, w.dim[0]);
    d->k = dims_32(n, x.dim[x.rank - 1]);
    d->g = dims_32(n, MIN(attr_int(n, A_p0), d->k));
    d->mode = (int32_t)attr_int(n, A_mode);
}

/* --- rowmatmul --- */

Shape shape_rowmatmul(const Node *n)
{
    Shape a = shape_ranked(n, 0, 1, RANK), w = shape_ranked(n, 1, 2, 2);
    const Val *r = node_arg(n, "r");
    int64_t k = a.dim[a.rank - 1];

    if (n->arg[1]->type != T_s8 || shape_product(a, 0, a.rank) != k ||
        w.dim[1] != k + ROW_SCALES)
        err_node(n, "%s by weights of type %s and shape %s; one row by s8[n,%lld]"
                 " was wanted", shape_text(a), type_info[n->arg[1]->type].name,
                 shape_text(w), (long long)k + ROW_SCALES);
    a.dim[a.rank - 1] = w.dim[0];
    if (r && !shape_same(r->shape, a))
        err_node(n, "%s is added to %s", shape_text(r->shape), shape_text(a));
    attr_within(n, A_p0, INT32_MIN, INT32_MAX);
    attr_within(n, A_p1, INT32_MIN, INT32_MAX);
    attr_within(n, A_p2, 0, SHIFT_MAX);
    attr_within(n, A_p3, INT32_MIN, INT32_MAX);
    return a;
}

void fill_rowmatmul(const Node *n, struct rowmatmul_dims *d)
{
    Shape w = n->arg[1]->shape;

    d->n = dims_32(n, w.dim[0]);
    d->k = dims_32(n, w.dim[1] - ROW_SCALES);
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_bound(n, A_lo);
    d->hi = dims_bound(n, A_hi);
    d->p0 = (int32_t)attr_int(n, A_p0);
    d->p1 = (int32_t)attr_int(n, A_p1);
    d->p2 = (int32_t)attr_int(n, A_p2);
    d->p3 = (int32_t)attr_int(n, A_p3);
}

/* --- pack --- */

enum { MOST_CODE = 32 }; /* bits */

/* Bits as far apart as step says, and how many parts the last axis has. */
static const int64_t *pack_steps(const Node *n, int *parts)
{
    int rank = n->arg[0]->shape.rank, len, i;
    const int64_t *step, *cut;

    *parts = attr_list(n, A_count, &cut) + 1;
    len = attr_list(n, A_step, &step);
    if (*parts > 3 || len != rank + *parts)
        err_node(n, "step has %d numbers and count %d; for %d axes rank + "
                 "count + 1 was wanted, count at most 2", len, *parts - 1, rank);
    for (i = 0; i < len; i++)
        if (step[i] < 0 || step[i] > INT32_MAX)
            err_node(n, "step %lld", (long long)step[i]);
    for (i = 0; i < *parts - 1; i++)
        if (cut[i] < 1 || cut[i] > INT32_MAX || (i && cut[0] % cut[1]))
            err_node(n, "the last axis in parts of %lld", (long long)cut[i]);
    return step;
}

/* Element j of the last axis: its place in each part. */
static void pack_parts(const Node *n, int32_t part[2])
{
    part[0] = (int32_t)attr_at(n, A_count, 0, INT32_MAX);
    part[1] = (int32_t)attr_at(n, A_count, 1, INT32_MAX);
}

/* The furthest place of an element of the last axis, of parts so far apart. */
static double pack_last(const Node *n, int64_t len, const int64_t *step,
                        int parts)
{
    int64_t at[3] = {0}, j;
    int32_t part[2];
    double most = 0, place;

    pack_parts(n, part);
    at[0] = parts > 1 ? step[0] : 0;
    at[1] = parts > 2 ? step[1] : 0;
    at[2] = step[parts - 1];
    for (j = 0; j < len; j++) {
        place = (double)(j / part[0]) * (double)at[0] +
                (double)(j % part[0] / part[1]) * (double)at[1] +
                (double)(j % part[0] % part[1]) * (double)at[2];
        most = place > most ? place : most;
    }
    return most;
}

/* The bit behind the last that an element can have; a double, as no product is
 * too large for one, and what any shape has is exact. */
static double pack_end(const Node *n)
{
    Shape x = n->arg[0]->shape;
    int parts, i, last = x.rank - 1;
    const int64_t *step = pack_steps(n, &parts);
    double end = 1 + (double)(attr_int(n, A_p1) - 1) *
                         (double)step[last + parts];

    for (i = 0; i < last; i++)
        end += (double)(x.dim[i] - 1) * (double)step[i];
    return end + pack_last(n, x.dim[last], step + last, parts);
}

Shape shape_pack(const Node *n)
{
    Shape x = shape_ranked(n, 0, 1, RANK), y = {0};
    int64_t bits = attr_within(n, A_p1, 1, MOST_CODE);
    int64_t p0 = attr_within(n, A_p0, INT32_MIN, INT32_MAX);
    const Val *v = n->arg[0];
    const int64_t *shape;
    int i, len = attr_list(n, A_shape, &shape);

    attr_within(n, A_p2, INT32_MIN, INT32_MAX);
    attr_within(n, A_p3, 0, INT32_MAX);
    if (v->lo + p0 < 0 || v->hi + p0 >= 1LL << bits)
        err_node(n, "codes from %lld to %lld do not fit %d bits",
                 (long long)(v->lo + p0), (long long)(v->hi + p0), (int)bits);
    if (len < 1 || len > RANK)
        err_node(n, "shape has %d numbers", len);
    for (y.rank = len, i = 0; i < len; i++)
        y.dim[i] = shape[i];
    if (shape_count(x) && pack_end(n) > 8 * (double)shape_count(y))
        err_node(n, "%.0f bits are more than shape %s has", pack_end(n),
                 shape_text(y));
    return y;
}

void fill_pack(const Node *n, struct pack_dims *d)
{
    Shape x = n->arg[0]->shape;
    int parts, i;
    const int64_t *step = pack_steps(n, &parts);

    for (i = 0; i < RANK; i++) {
        int a = i - (RANK - x.rank);

        d->n[i] = a < 0 ? 1 : dims_32(n, x.dim[a]);
        d->ys[i] = a < 0 || i == RANK - 1 ? 0 : (int32_t)step[a];
    }
    pack_parts(n, d->part);
    for (i = 0; i < parts; i++)
        d->ps[parts == 3 || (parts == 2 && !i) ? i : 2] =
            (int32_t)step[x.rank - 1 + i];
    d->bits = (int32_t)attr_int(n, A_p1);
    d->by = (int32_t)step[x.rank - 1 + parts];
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->p2 = dims_32(n, attr_int(n, A_p2));
    d->p3 = dims_32(n, attr_int(n, A_p3));
    d->size = dims_32(n, val_count(n->res[0]));
}

/* --- exchange --- */

/* Elements that a chip has of an axis of `len`. */
static int64_t chip_share(const Node *n, int64_t len)
{
    int64_t chips = attr_int(n, A_p2), chip = attr_int(n, A_p1);
    int64_t parts = attr_int(n, A_p3);

    return ((chip + 1) * parts / chips - chip * parts / chips) * (len / parts);
}

/* Stages end with every chip alone; or all are in a ring. */
static void check_stages(const Node *n, int64_t chips)
{
    const int64_t *step;
    int i, count = attr_list(n, A_step, &step);

    if (count == 1 && !step[0])
        return;
    for (i = 0; i < count; chips = step[i++])
        if (step[i] < 1 || step[i] >= chips || chips % step[i])
            err_node(n, "step %lld does not part %lld chips",
                     (long long)step[i], (long long)chips);
    if (count && chips != 1)
        err_node(n, "the last of its steps is %lld, not 1", (long long)chips);
}

bool exchange_moves(OpCode op)
{
    return op == OP_allgather || op == OP_gathersend || op == OP_gathertake ||
           op == OP_halo;
}

bool exchange_begins(OpCode op)
{
    return op == OP_partsend || op == OP_gathersend;
}

bool exchange_ends(OpCode op)
{
    return op == OP_parttake || op == OP_gathertake;
}

/* Rows of a halo that x has are those of which some are sent on. */
static int64_t halo_rows(const Node *n, int64_t share)
{
    int64_t before = attr_at(n, A_start, HALO_before, 0);
    int64_t after = attr_at(n, A_start, HALO_after, 0);
    int64_t more = sat_add(before, after), all = sat_add(more, share);

    if (MIN(before, after) < 0 || all > INT32_MAX ||
        attr_at(n, A_start, HALO_up, 0) > share ||
        attr_at(n, A_start, HALO_down, 0) > share)
        err_node(n, "no chip has %lld rows to give, or room for %lld more",
                 (long long)share, (long long)more);
    return all;
}

/* What is sent of a share beside work is a piece of it, on all chips alike. */
static bool is_piece(const Node *n)
{
    return n->op == OP_gathersend || n->op == OP_gathertake;
}

static void check_piece(const Node *n, Shape x, int axis, Shape y)
{
    int64_t start = attr_at(n, A_start, 0, 0);
    int64_t share = chip_share(n, y.dim[axis]);

    if (attr_int(n, A_p3) % attr_int(n, A_p2) || start < 0 ||
        x.dim[axis] < 1 || start > share - x.dim[axis])
        err_node(n, "axis %d of %s from %lld on is no piece of each chip's "
                 "%lld", axis, shape_text(x), (long long)start,
                 (long long)share);
    if (n->narg > 1 && n->arg[1] && !shape_same(n->arg[1]->shape, y))
        err_node(n, "room has shape %s: %s was wanted", shape_text(n->arg[1]->shape),
                 shape_text(y));
}

Shape shape_exchange(const Node *n)
{
    Shape y = shape_ranked(n, 0, 0, RANK);
    int64_t chips = attr_within(n, A_p2, 1, INT32_MAX), parts, len, part;
    int64_t chip = attr_within(n, A_p1, 0, chips - 1), share;
    Shape rooms = {.rank = 2};
    bool moves = exchange_moves(n->op);
    int axis;

    attr_within(n, A_p0, 0, INT32_MAX);
    check_stages(n, chips);
    if (n->op == OP_allsum)
        return y;
    axis = node_axis(n, y.rank);
    if (n->op == OP_halo && !attr_has(n, A_p3)) {
        y.dim[axis] = halo_rows(n, y.dim[axis]);
        return y;
    }
    parts = attr_within(n, A_p3, chips, INT32_MAX);
    len = moves ? attr_at(n, A_count, 0, 0) : y.dim[axis];
    part = len / parts;
    if (part < 1 || len % parts)
        err_node(n, "an axis of %lld has no %lld equal parts", (long long)len,
                 (long long)parts);
    share = chip_share(n, len);
    if (moves && !is_piece(n) && y.dim[axis] != share)
        err_node(n, "axis %d of %s is no share of chip %lld of %lld", axis,
                 shape_text(y), (long long)chip, (long long)chips);
    y.dim[axis] = n->op == OP_halo ? halo_rows(n, share)
                  : moves ? len : share;
    if (is_piece(n))
        check_piece(n, n->arg[0]->shape, axis, y);
    if (n->op != OP_partsend)
        return y;
    rooms.dim[0] = chips - 1;
    rooms.dim[1] = shape_product(y, 0, y.rank);
    return rooms;
}

static void fill_halo(const Node *n, struct exchange_dims *d, int32_t rows)
{
    d->n = rows;
    d->from = (int32_t)attr_at(n, A_start, HALO_before, 0);
    d->up = (int32_t)attr_at(n, A_start, HALO_up, 0);
    d->down = (int32_t)attr_at(n, A_start, HALO_down, 0);
    d->at = dims_32(n, attr_at(n, A_start, HALO_at, 0));
}

void fill_exchange(const Node *n, struct exchange_dims *d)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int64_t parts = attr_int(n, A_p3);
    bool moves = exchange_moves(n->op);
    int axis;

    d->tag = (int32_t)attr_int(n, A_p0);
    d->chips = dims_32(n, attr_int(n, A_p2));
    d->sum = !moves;
    d->time = dims_32(n, attr_int(n, A_time));
    d->outer = d->inner = 1;
    d->from = d->parts = d->part = d->up = d->down = d->at = 0;
    d->n = d->len = dims_32(n, val_count(n->arg[0]));
    if (n->op == OP_allsum)
        return;
    axis = node_axis(n, x.rank);
    d->outer = dims_32(n, shape_product(x, 0, axis));
    d->inner = dims_32(n, shape_product(x, axis + 1, x.rank));
    d->len = dims_32(n, (moves ? y : x).dim[axis]);
    if (n->op == OP_halo) {
        fill_halo(n, d, dims_32(n, x.dim[axis]));
        return;
    }
    d->n = (int32_t)chip_share(n, d->len);
    d->parts = (int32_t)parts;
    d->part = (int32_t)(d->len / parts);
    d->from = (int32_t)(attr_int(n, A_p1) * parts / attr_int(n, A_p2) *
                        (d->len / parts));
    if (is_piece(n)) {
        d->n = dims_32(n, x.dim[axis]);
        d->from += (int32_t)attr_at(n, A_start, 0, 0);
    }
}
