/* Attention over the rows of a cache, and the rotation that goes before: shapes
 * of results, and what kernels are told (kern/dims.def). */
#include "ir/attend.h"
#include "ir/dims.h"

enum { TABLE = 256, LEAST = -128 };

static void wants_elements(const Node *n, const char *name, int64_t count)
{
    const Val *v = node_arg(n, name);

    if (val_count(v) != count)
        err_node(n, "operand %s has shape %s: %lld elements were wanted", name,
                 shape_text(v->shape), (long long)count);
}

static void wants_within(const Node *n, const char *name, int64_t lo,
                         int64_t hi)
{
    const Val *v = node_arg(n, name);

    if (v->lo < lo || v->hi > hi)
        err_node(n, "operand %s has values of %lld to %lld, %lld to %lld were "
                 "wanted", name, (long long)v->lo, (long long)v->hi,
                 (long long)lo, (long long)hi);
}

/* Weights are parts of a greatest one. */
static void check_parts(const Node *n, int greatest)
{
    int64_t most = attr_int(n, A_p1);

    if (node_arg(n, "parts"))
        wants_elements(n, "parts", TABLE);
    wants_within(n, "powers", 0, INT32_MAX);
    if (most < 1 || most > greatest)
        err_node(n, "p1 %lld: a weight of 1 to %d was wanted",
                 (long long)most, greatest);
}

bool attend_has_quotients(const Node *n)
{
    int64_t mode = attr_int(n, A_mode);

    return n->op == OP_iattend &&
           (mode == ATTEND_QUOTIENTS || mode == ATTEND_HIDES);
}

/* The zero point of q, k or v, operand i. */
static int64_t zero_point(const Node *n, int i)
{
    return attr_at(n, A_zero, i, 0);
}

/* Of a row that is not all hidden the sum of powers is that of its greatest
 * element at least, by p4 too. */
static void check_greatest(const Node *n)
{
    const Val *powers = node_arg(n, "powers");
    int64_t p4 = attr_int(n, A_p4), greatest;

    if (!powers->data)
        return;
    greatest = val_int(powers, TABLE - 1);
    if ((p4 ? greatest * p4 >> 26 : greatest) < 1)
        err_node(n, "mode %d, powers[%d] %lld, p4 %lld: a power of 1 or more, "
                 "by p4 / 2^26, was wanted", ATTEND_HIDES, TABLE - 1,
                 (long long)greatest, (long long)p4);
}

/* Or quotients of a greatest one, of operands with zero points. */
static void check_quotients(const Node *n)
{
    int64_t mode = attr_int(n, A_mode);
    const int64_t *zero;
    int i, len = attr_list(n, A_zero, &zero);

    check_parts(n, TABLE);
    if (node_arg(n, "parts"))
        err_node(n, "mode %lld, and parts", (long long)mode);
    if (mode == ATTEND_HIDES && !node_arg(n, "mask"))
        err_node(n, "mode %d: a mask was wanted", ATTEND_HIDES);
    if (attr_int(n, A_p3) < 0 || attr_int(n, A_p3) > UINT8_MAX)
        err_node(n, "p3 %lld: a weight of 0 to %d was wanted",
                 (long long)attr_int(n, A_p3), UINT8_MAX);
    if (attr_int(n, A_p4) < 0 || attr_int(n, A_p4) >= 1 << 28)
        err_node(n, "p4 %lld: a factor of at most 28 bits was wanted",
                 (long long)attr_int(n, A_p4));
    if (mode == ATTEND_HIDES)
        check_greatest(n);
    if (attr_int(n, A_shift) < 1 || attr_int(n, A_p0) < 1)
        err_node(n, "mode %lld: shifts of 1 or more were wanted",
                 (long long)mode);
    if (len && len != 3)
        err_node(n, "zero has %d elements: those of q, k and v were wanted",
                 len);
    for (i = 0; i < len; i++)
        if (zero[i] < LEAST || zero[i] >= TABLE)
            err_node(n, "zero %lld: %d to %d was wanted", (long long)zero[i],
                     LEAST, TABLE - 1);
}

/* Or powers as they are. */
static void check_weights(const Node *n)
{
    int64_t shift = attr_int(n, A_shift);
    const Val *scale = node_arg(n, "scale");

    if (attend_has_quotients(n)) {
        check_quotients(n);
        return;
    }
    if (attr_list(n, A_zero, &(const int64_t *){NULL}))
        err_node(n, "zero points: mode %d was wanted", ATTEND_QUOTIENTS);
    if (!node_arg(n, "parts")) {
        wants_within(n, "powers", 0, UINT8_MAX);
        if (shift < 1 || (scale->data && val_int(scale, 2) < 0))
            err_node(n, "shift %lld: without parts 1 to 62 was wanted, and a "
                     "third scale of 0 or more", (long long)shift);
        return;
    }
    check_parts(n, TABLE - 1);
}

static void check_tables(const Node *n)
{
    int64_t shift = attr_int(n, A_p0);

    wants_elements(n, "scale", 4);
    wants_elements(n, "scores", TABLE);
    wants_elements(n, "powers", TABLE);
    wants_within(n, "scores", INT8_MIN, INT8_MAX);
    check_weights(n);
    if (shift < 0 || shift > 62)
        err_node(n, "p0 %lld: a shift of at most 62 was wanted",
                 (long long)shift);
    if (!attr_has(n, A_lo) || !attr_has(n, A_hi))
        err_node(n, "lo and hi are wanted");
}

/* Do q, k and v have the same axes, but for the last two? */
static bool same_heads(Shape a, Shape b)
{
    int i;

    if (a.rank != b.rank || a.rank < 2)
        return false;
    for (i = 0; i < a.rank - 2; i++)
        if (!size_same(size_at(a, i), size_at(b, i)))
            return false;
    return true;
}

bool attend_rows_first(const Node *n, int i)
{
    return (attr_int(n, A_p2) >> (i < 3 ? i : 0) & 1) != 0;
}

AttendSide attend_side(const Node *n, int i)
{
    Shape s = (i < 3 ? n->arg[i] : n->res[0])->shape;
    int64_t width = s.dim[s.rank - 1], rows = s.dim[s.rank - 2], heads;

    if (!attend_rows_first(n, i)) {
        heads = shape_product(s, 0, s.rank - 2);
        return (AttendSide){heads, rows, width, width, rows * width};
    }
    heads = s.dim[s.rank - 2];
    return (AttendSide){heads, s.dim[s.rank - 3], width, heads * width, width};
}

/* A value of rows of heads is one batch, and of a fixed size. */
static void check_side(const Node *n, int i)
{
    Shape s = n->arg[i]->shape;

    if (attend_rows_first(n, i) &&
        (s.rank < 3 || shape_varies(s) || shape_product(s, 0, s.rank - 3) != 1))
        err_node(n, "%s has shape %s: rows of heads were wanted",
                 n->arg[i]->name, shape_text(s));
}

/* Has k or v the heads of q, or one for all of them? */
static bool serves(AttendSide of, AttendSide q)
{
    return of.heads == q.heads || of.heads == 1;
}

/* Heads and rows, wherever they are. */
static bool sides_meet(const Node *n)
{
    AttendSide q, k, v;
    int i;

    for (i = 0; i < 3; i++)
        check_side(n, i);
    q = attend_side(n, 0);
    k = attend_side(n, 1);
    v = attend_side(n, 2);
    return serves(k, q) && serves(v, q) && q.width == k.width &&
           k.rows == v.rows;
}

static bool operands_meet(const Node *n)
{
    Shape q = n->arg[0]->shape, k = n->arg[1]->shape, v = n->arg[2]->shape;

    if (attr_int(n, A_p2))
        return q.rank > 1 && k.rank > 1 && v.rank > 1 && sides_meet(n);
    return same_heads(q, k) && same_heads(q, v) &&
           q.dim[q.rank - 1] == k.dim[q.rank - 1] &&
           size_same(size_at(k, q.rank - 2), size_at(v, q.rank - 2));
}

AttendMask attend_mask(const Node *n)
{
    const Val *v = node_arg(n, "mask");
    int r = v->shape.rank;
    int64_t keys = r ? v->shape.dim[r - 1] : 1;
    int64_t rows = r > 1 ? v->shape.dim[r - 2] : 1;
    int64_t heads = r > 2 ? shape_product(v->shape, 0, r - 2) : 1;

    return (AttendMask){heads, rows, keys, rows > 1 ? keys : 0,
                        heads > 1 ? rows * keys : 0};
}

/* One, or so many? */
static bool one_or(int64_t n, int64_t all)
{
    return n == 1 || n == all;
}

/* An element for each row of k, of each row of q and head, or of all. */
static void check_mask(const Node *n)
{
    const Val *v = node_arg(n, "mask");
    AttendSide q = attend_side(n, 0);
    AttendMask m;

    if (!v)
        return;
    m = attend_mask(n);
    if (m.keys != attend_side(n, 1).rows || !one_or(m.rows, q.rows) ||
        !one_or(m.heads, q.heads))
        err_node(n, "mask has shape %s: %lld heads of %lld rows of %lld "
                 "were wanted", shape_text(v->shape), (long long)q.heads,
                 (long long)q.rows, (long long)attend_side(n, 1).rows);
    wants_within(n, "mask", INT8_MIN, INT8_MAX);
    if (attr_has(n, A_count))
        err_node(n, "a mask, and a count of rows");
}

Shape shape_attend(const Node *n)
{
    Shape q = n->arg[0]->shape, k = n->arg[1]->shape, v = n->arg[2]->shape;
    int64_t rows;
    Size some;

    if (attr_int(n, A_p2) < 0 || attr_int(n, A_p2) > 7)
        err_node(n, "p2 %lld: 0 to 7 was wanted",
                 (long long)attr_int(n, A_p2));
    if (attr_int(n, A_mode) < 0 || attr_int(n, A_mode) > ATTEND_BOTH)
        err_node(n, "mode %lld: 0 to %d was wanted",
                 (long long)attr_int(n, A_mode), ATTEND_BOTH);
    if (!operands_meet(n))
        err_node(n, "q has shape %s, k %s, v %s", shape_text(q), shape_text(k),
                 shape_text(v));
    rows = attend_side(n, 1).rows;
    some = attr_size(n, A_count, 0,
                     size_at(k, k.rank - 2 - attend_rows_first(n, 1)));
    if (some.n < 0 || some.n > rows)
        err_node(n, "count is %lld of %lld rows", (long long)some.n,
                 (long long)rows);
    check_tables(n);
    check_mask(n);
    shape_put(&q, q.rank - 1, size_at(v, v.rank - 1));
    return q;
}

/* From a head of k or v to that of the next head of q. */
static int64_t next_head(AttendSide of, AttendSide q)
{
    return of.heads == q.heads ? of.head : 0;
}

/* How far below the greatest score powers, constants, are 0. */
static int32_t reach_of(const Val *powers)
{
    int32_t i = 0;

    while (i < TABLE && !val_int(powers, i))
        i++;
    return TABLE - i;
}

/* What a mask of -128 hides, by constant tables. */
static void fill_hidden(const Node *n, struct attend_dims *d)
{
    const Val *scores = node_arg(n, "scores"), *powers = node_arg(n, "powers");
    const Val *parts = node_arg(n, "parts");

    d->hidden = 0;
    d->reach = TABLE + 1;
    if (!node_arg(n, "mask") || !scores->data || !powers->data ||
        (parts && (!parts->data || val_int(parts, 0))))
        return;
    d->hidden = attr_int(n, A_mode) >= ATTEND_BOUND ? LEAST
                : (int32_t)MAX(scores->hi + LEAST, LEAST);
    d->reach = reach_of(powers);
}

/* Is element i of the operand i - `zero`, a constant? */
static bool is_same(const Node *n, const char *name, int64_t zero)
{
    const Val *v = node_arg(n, name);
    int64_t i;

    if (!v || !v->data)
        return false;
    for (i = 0; i < TABLE; i++)
        if (val_int(v, i) != i - zero)
            return false;
    return true;
}

/* Are weights, by constant tables, those of itamax? */
static bool are_halves(const Node *n)
{
    const Val *powers = node_arg(n, "powers"), *parts = node_arg(n, "parts");
    int64_t i, most = attr_int(n, A_p1);

    if (!parts || !parts->data || !powers->data)
        return false;
    for (i = 0; i < TABLE; i++)
        if (val_int(powers, TABLE - 1 - i) != TABLE >> ((i + 16) >> 5) ||
            (i <= most && val_int(parts, i) != i))
            return false;
    return true;
}

void fill_attend(const Node *n, struct attend_dims *d)
{
    AttendSide q = attend_side(n, 0), k = attend_side(n, 1);
    AttendSide v = attend_side(n, 2), y = attend_side(n, 3);
    Shape s = n->arg[1]->shape;

    d->heads = dims_32(n, q.heads);
    d->m = dims_32(n, q.rows);
    d->d = dims_32(n, q.width);
    d->e = dims_32(n, v.width);
    d->n = dims_32(n, attr_size(n, A_count, 0, size_at(
        s, s.rank - 2 - attend_rows_first(n, 1))).n);
    d->rows = dims_32(n, v.rows);
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_32(n, attr_int(n, A_lo));
    d->hi = dims_32(n, attr_int(n, A_hi));
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->p1 = dims_32(n, attr_int(n, A_p1));
    d->most = dims_32(n, node_arg(n, "powers")->hi);
    d->bound = attr_int(n, A_mode) == ATTEND_BOUND || attend_has_quotients(n);
    d->both = attr_int(n, A_mode) == ATTEND_BOTH;
    d->quotients = attend_has_quotients(n);
    d->hides = attr_int(n, A_mode) == ATTEND_HIDES;
    d->p4 = dims_32(n, attr_int(n, A_p4));
    d->none = dims_32(n, attr_int(n, A_p3));
    d->qzero = dims_32(n, zero_point(n, 0));
    d->kzero = dims_32(n, zero_point(n, 1));
    d->vzero = dims_32(n, zero_point(n, 2));
    if (node_arg(n, "mask")) {
        d->mrow = dims_32(n, attend_mask(n).row);
        d->mhead = dims_32(n, attend_mask(n).head);
    }
    fill_hidden(n, d);
    d->halves = are_halves(n);
    d->same_scores = is_same(n, "scores", -LEAST);
    d->same_parts = is_same(n, "parts", 0);
    d->qrow = dims_32(n, q.row), d->qhead = dims_32(n, q.head);
    d->krow = dims_32(n, k.row), d->khead = dims_32(n, next_head(k, q));
    d->vrow = dims_32(n, v.row), d->vhead = dims_32(n, next_head(v, q));
    d->yrow = dims_32(n, y.row), d->yhead = dims_32(n, y.head);
}

/* --- weights, and weighted sums that are divided --- */

static void wants_bounds(const Node *n, int64_t shift);

/* Rows of a mask, of which one is for as many rows of x; 0: it is no mask of
 * theirs. */
static int64_t mask_rows(const Val *mask, Shape x)
{
    int64_t n = x.dim[x.rank - 1], rows = val_count(mask) / n;

    return rows && val_count(mask) == rows * n && !(shape_count(x) / n % rows)
               ? rows : 0;
}

Shape shape_weigh(const Node *n)
{
    Shape x = n->arg[0]->shape;
    const Val *mask = node_arg(n, "mask");
    int64_t row = x.rank ? x.dim[x.rank - 1] : 0;

    if (!row || shape_varies(x))
        err_node(n, "x has shape %s: rows were wanted", shape_text(x));
    wants_within(n, "x", INT8_MIN, INT8_MAX);
    wants_elements(n, "scores", TABLE);
    wants_elements(n, "powers", TABLE);
    wants_within(n, "scores", INT8_MIN, INT8_MAX);
    check_parts(n, TABLE - 1);
    if (mask && !mask_rows(mask, x))
        err_node(n, "mask has shape %s: rows of %lld elements were wanted, of "
                 "which one is for one or several of %lld rows",
                 shape_text(mask->shape), (long long)row,
                 (long long)(shape_count(x) / row));
    if (mask)
        wants_within(n, "mask", INT8_MIN, INT8_MAX);
    return x;
}

/* Is each element of a table, a constant, at most twice a later one and 1? */
static bool rises(const Val *table)
{
    int64_t i, most = 0;

    for (i = 0; table->data && i < TABLE; i++) {
        if (most > 2 * val_int(table, i) + 1)
            return false;
        most = MAX(most, val_int(table, i));
    }
    return table->data;
}

/* How often a table of scores halves x, truncating; -1: it is another. */
static int32_t halvings_of(const Val *scores)
{
    int64_t i, x;
    int by;

    for (by = 0; scores->data && by < 8; by++) {
        for (i = 0, x = LEAST; i < TABLE && val_int(scores, i) == x / (1 << by);
             i++, x++)
            ;
        if (i == TABLE)
            return by;
    }
    return -1;
}

void fill_weigh(const Node *n, struct weigh_dims *d)
{
    Shape x = n->arg[0]->shape;
    const Val *mask = node_arg(n, "mask"), *scores = node_arg(n, "scores");
    const Val *powers = node_arg(n, "powers");

    d->rows = dims_32(n, shape_product(x, 0, x.rank - 1));
    d->n = dims_32(n, x.dim[x.rank - 1]);
    d->p1 = dims_32(n, attr_int(n, A_p1));
    d->most = dims_32(n, powers->hi);
    d->same_parts = is_same(n, "parts", 0);
    d->halvings = halvings_of(scores);
    d->rising = scores->data && rises(powers);
    if (d->rising) {
        d->hidden = (int32_t)MAX(scores->hi + LEAST, LEAST);
        d->reach = reach_of(powers);
    }
    d->mrow = mask ? d->n : 0;
    d->each = mask ? d->rows / dims_32(n, mask_rows(mask, x)) : 1;
}

Shape shape_shares(const Node *n)
{
    Shape x = n->arg[0]->shape, w = n->arg[1]->shape;
    const Val *scale = n->arg[2];
    int i;

    if (x.rank < 1 || w.rank != x.rank || !w.dim[w.rank - 1] ||
        shape_varies(x) || shape_varies(w))
        err_node(n, "x has shape %s, w %s: rows of sums and of weights were "
                 "wanted", shape_text(x), shape_text(w));
    for (i = 0; i < x.rank - 1; i++)
        if (x.dim[i] != w.dim[i])
            err_node(n, "x has shape %s, w %s: as many rows were wanted",
                     shape_text(x), shape_text(w));
    wants_elements(n, "scale", 2);
    wants_within(n, "w", 0, UINT8_MAX);
    wants_bounds(n, attr_int(n, A_shift));
    if (scale->data && val_int(scale, 0) < 0)
        err_node(n, "scale %lld: 0 or more was wanted",
                 (long long)val_int(scale, 0));
    return x;
}

void fill_shares(const Node *n, struct shares_dims *d)
{
    Shape x = n->arg[0]->shape, w = n->arg[1]->shape;

    d->rows = dims_32(n, shape_product(x, 0, x.rank - 1));
    d->e = dims_32(n, x.dim[x.rank - 1]);
    d->n = dims_32(n, w.dim[w.rank - 1]);
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_32(n, attr_int(n, A_lo));
    d->hi = dims_32(n, attr_int(n, A_hi));
}

int64_t macs_attend(const Node *n)
{
    struct attend_dims d;

    fill_attend(n, &d);
    return (int64_t)d.heads * d.m * d.n * ((int64_t)d.d + d.e);
}

/* --- of tokens, each of which sees one row more --- */

static void wants_bounds(const Node *n, int64_t shift)
{
    if (shift < 1 || shift > 62)
        err_node(n, "shift %lld: 1 to 62 was wanted", (long long)shift);
    if (!attr_has(n, A_lo) || !attr_has(n, A_hi))
        err_node(n, "lo and hi are wanted");
}

static void check_qattend(const Node *n)
{
    int64_t mul = attr_int(n, A_p0), shift = attr_int(n, A_p1);
    const Val *table = node_arg(n, "powers");

    wants_bounds(n, attr_int(n, A_shift));
    wants_within(n, "powers", 0, INT16_MAX);
    if (table->shape.rank != 1 || !val_count(table))
        err_node(n, "powers have shape %s: a list was wanted",
                 shape_text(table->shape));
    if (mul < 0 || mul > INT32_MAX || shift < 0 || shift > 62 ||
        attr_int(n, A_p2) < 0 || attr_int(n, A_p2) > INT32_MAX)
        err_node(n, "p0 %lld, p1 %lld, p2 %lld: numbers of 31 bits, a shift "
                 "of at most 62 were wanted", (long long)mul,
                 (long long)shift, (long long)attr_int(n, A_p2));
}

/* Of q, the first that count. */
static int64_t heads_of(const Node *n)
{
    int64_t some = attr_int(n, A_p3);

    return some ? some : n->arg[0]->shape.dim[1];
}

Shape shape_qattend(const Node *n)
{
    Shape q = n->arg[0]->shape, k = n->arg[1]->shape, v = n->arg[2]->shape;
    int64_t heads = q.rank == 3 ? heads_of(n) : 0;
    Size some;

    if (q.rank != 3 || k.rank != 3 || v.rank != 3 || q.dim[2] != k.dim[2] ||
        k.dim[0] != v.dim[0] || k.dim[0] < 1 || heads % k.dim[0] ||
        heads < 0 || heads > q.dim[1] ||
        !size_same(size_at(k, 1), size_at(v, 1)))
        err_node(n, "q has shape %s, k %s, v %s", shape_text(q), shape_text(k),
                 shape_text(v));
    some = attr_size(n, A_count, 0, size_at(k, 1));
    if (some.n < 0 || some.n > k.dim[1])
        err_node(n, "count is %lld of %lld rows", (long long)some.n,
                 (long long)k.dim[1]);
    check_qattend(n);
    q.dim[1] = heads;
    shape_put(&q, 2, size_at(v, 2));
    return q;
}

void fill_qattend(const Node *n, struct qattend_dims *d)
{
    Shape q = n->arg[0]->shape, k = n->arg[1]->shape;

    d->tokens = dims_32(n, q.dim[0]);
    d->heads = dims_32(n, heads_of(n));
    d->step = dims_32(n, q.dim[1]);
    d->caches = dims_32(n, k.dim[0]);
    d->n = dims_32(n, attr_size(n, A_count, 0, size_at(k, 1)).n);
    d->d = dims_32(n, q.dim[2]);
    d->e = dims_32(n, n->arg[2]->shape.dim[2]);
    d->rows = dims_32(n, k.dim[1]);
    d->mul = dims_32(n, attr_int(n, A_p0));
    d->shiftn = (int32_t)attr_int(n, A_p1);
    d->over = dims_32(n, attr_int(n, A_p2));
    d->len = dims_32(n, val_count(node_arg(n, "powers")));
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_32(n, attr_int(n, A_lo));
    d->hi = dims_32(n, attr_int(n, A_hi));
}

int64_t macs_qattend(const Node *n)
{
    struct qattend_dims d;

    fill_qattend(n, &d);
    return (int64_t)d.heads * d.tokens * d.n * ((int64_t)d.d + d.e);
}

Shape shape_rotate(const Node *n)
{
    Shape x = n->arg[0]->shape;
    int64_t turned;

    if (x.rank != 3 || x.dim[2] % 2)
        err_node(n, "x has shape %s: tokens of heads of two halves were wanted",
                 shape_text(x));
    wants_elements(n, "t", x.dim[0] * x.dim[2]);
    if (n->op == OP_rotate)
        return x;
    turned = attr_at(n, A_count, 0, x.dim[1]);
    wants_elements(n, "bias", x.dim[1] * x.dim[2]);
    wants_bounds(n, attr_int(n, A_shift));
    if (turned < 0 || turned > x.dim[1])
        err_node(n, "count is %lld of %lld heads", (long long)turned,
                 (long long)x.dim[1]);
    return x;
}

void fill_rotate(const Node *n, struct rotate_dims *d)
{
    Shape x = n->arg[0]->shape;

    d->tokens = dims_32(n, x.dim[0]);
    d->heads = dims_32(n, x.dim[1]);
    d->half = dims_32(n, x.dim[2] / 2);
    if (n->op == OP_rotate)
        return;
    d->turned = dims_32(n, attr_at(n, A_count, 0, x.dim[1]));
    d->one = dims_32(n, attr_int(n, A_p0));
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_32(n, attr_int(n, A_lo));
    d->hi = dims_32(n, attr_int(n, A_hi));
}

/* --- rows that gate others --- */

Shape shape_gate(const Node *n)
{
    Shape x = n->arg[0]->shape;
    Size all;

    if (!x.rank || size_at(x, x.rank - 1).vary.num || x.dim[x.rank - 1] % 2)
        err_node(n, "x has shape %s: rows of an even number of elements were "
                 "wanted", shape_text(x));
    wants_elements(n, "table", TABLE);
    wants_within(n, "x", -TABLE / 2, TABLE - 1);
    wants_bounds(n, attr_int(n, A_shift));
    all = size_at(x, x.rank - 1);
    all.n /= 2;
    shape_put(&x, x.rank - 1, all);
    return x;
}

void fill_gate(const Node *n, struct gate_dims *d)
{
    Shape x = n->arg[0]->shape;

    d->rows = dims_32(n, shape_product(x, 0, x.rank - 1));
    d->n = dims_32(n, x.dim[x.rank - 1] / 2);
    d->mul = dims_32(n, attr_int(n, A_p0));
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_32(n, attr_int(n, A_lo));
    d->hi = dims_32(n, attr_int(n, A_hi));
}
