/* Attention becomes one operator:
 *
 *     s = matmul q k m0 a0 transb=1   ->   y = iattend q k v scale scores
 *     t = requant s m1 a1                      powers parts mask
 *     u = add t mask
 *     e = isoftmax u
 *     w = requant e m2 a2
 *     y = matmul w v m3 a3
 *
 * Scores are bytes, so what is made of them, and of weights, are tables:
 * nothing between is ever in memory, and one call has all of a head.  Either
 * requant may be absent, and add.  Or weights are divided once a row, as
 * `quantize` has it (src/ptq/attend.c), and there are no parts; a mask may
 * bound scores there:
 *
 *     u = min t mask, or min (add t bias) mask
 *     w = powers u t
 *     y = mul (matmul w v) (div c (sum w)) 1 a3
 *
 * Or networks with QuantizeLinear have rounded quotients for weights, and zero
 * points that are taken from both sides of products; then q, k and v are what
 * those are taken from:
 *
 *     s = matmul (sub q z) (sub k z) m0 a0 transb=1
 *     w = qsoftmax s t
 *     y = matmul (sub w lo) (sub v z) m3 a3
 *
 * Of one row, over a cache, by the pass attend; of many by the passes prompt
 * and few, which leave out transpositions of heads too: kernels are told how
 * rows and heads lie (p2).  Where heads of q share one of k and of v, their
 * rows are those of one head. */
#include "pass/attention.h"

#include <math.h>

enum { FEW = 3, MANY = 4096 };

/* One row of q; the same heads and rows of k and v. */
static bool same_rows(const Attention *a)
{
    Shape q = a->score->arg[0]->shape, k = a->score->arg[1]->shape;
    Shape v = a->sum->arg[1]->shape;
    int i, last = q.rank - 2;

    if (!attention_is_transposed(a->score) || attention_is_transposed(a->sum) ||
        q.rank != k.rank || q.rank != v.rank || q.dim[last] != 1 ||
        !size_same(size_at(k, last), size_at(v, last)) ||
        !size_same(product_rows(a->score), product_rows(a->sum)))
        return false;
    for (i = 0; i < last; i++)
        if (!size_same(size_at(q, i), size_at(k, i)) ||
            !size_same(size_at(q, i), size_at(v, i)))
            return false;
    return true;
}

/* That of each of a row of equals. */
static int64_t even_weight(const Attention *a)
{
    Shape y = a->score->res[0]->shape;
    double levels = (double)attr_int(a->soft, A_p2);
    double by = (double)attr_int(a->soft, A_p1);

    levels *= by > 0 ? 0x1p26 / by : 1;
    return MIN((int64_t)rint(levels / (double)y.dim[y.rank - 1]), BYTES - 1);
}

static void put_quotients(Graph *g, Node *n, const Attention *a)
{
    attr_set_int(g, n, A_mode, a->hides ? ATTEND_HIDES : ATTEND_QUOTIENTS);
    attr_set_int(g, n, A_p1, attr_int(a->soft, A_p2));
    if (attr_int(a->soft, A_p1))
        attr_set_int(g, n, A_p4, attr_int(a->soft, A_p1));
    if (a->hides && a->far == -INT16_MAX)
        attr_set_int(g, n, A_p3, even_weight(a));
    if (a->zero[0] || a->zero[1] || a->zero[2])
        attr_set_list(g, n, A_zero, 3, a->zero);
}

static void put_attributes(Graph *g, Node *n, const Attention *a)
{
    int64_t above = attention_above(a->end->res[0]);
    Shape count = {.rank = 1};

    if (attr_has(a->score, A_count) || attr_has(a->sum, A_count)) {
        shape_put(&count, 0, product_rows(a->score));
        attr_set_shape(g, n, A_count, count);
    }
    attr_set_int(g, n, A_shift, attr_int(a->end, A_shift));
    attr_set_int(g, n, A_lo, attr_int(a->end, A_lo) - above);
    attr_set_int(g, n, A_hi, attr_int(a->end, A_hi) - above);
    attr_set_int(g, n, A_p0, attr_int(a->score, A_shift));
    if (attention_rounds(a))
        put_quotients(g, n, a);
    else if (!attention_divides(a))
        attr_set_int(g, n, A_p1, attr_int(a->soft, A_hi));
    if (a->rows_first)
        attr_set_int(g, n, A_p2, a->rows_first);
    if (!attention_rounds(a) && a->masked && a->masked->op == OP_min)
        attr_set_int(g, n, A_mode, a->bias ? ATTEND_BOTH : ATTEND_BOUND);
}

static Val *expanded(Graph *g, const Attention *a, Val *v, Shape s)
{
    Node *n = edit_node(g, a->end, OP_expand, a->score, 1, &v);

    attr_set_shape(g, n, A_shape, s);
    node_infer(g, n);
    return n->res[0];
}

/* A mask with an element for each row of k, of all rows of q or each, of all
 * heads or each: those that share one of k are one, with the rows of all. */
static Val *whole_mask(Graph *g, const Attention *a)
{
    Shape y = a->score->res[0]->shape;
    int64_t m = y.dim[y.rank - 2], n = y.dim[y.rank - 1];
    int64_t heads = shape_product(y, 0, y.rank - 2);
    int64_t rows = dim_from_end(a->mask, 1), of = val_count(a->mask) / n / rows;

    if ((of == 1 && (rows == 1 || a->group == 1)) ||
        (of == heads && a->group == 1))
        return a->mask;
    if (of == 1)
        return attention_reshaped(g, a, expanded(g, a, attention_reshaped(
            g, a, a->mask, SHAPE(1, m, n)), SHAPE(a->group, m, n)),
            SHAPE(a->group * m, n));
    return attention_reshaped(g, a, of == heads && rows == m
                              ? a->mask : expanded(g, a, a->mask, y),
                    SHAPE(heads / a->group, m * a->group, n));
}

/* Heads of so many rows, those of heads that share one of k as one's. */
static Val *heads_of_group(Graph *g, const Attention *a, Val *v, int64_t group)
{
    Shape s = v->shape;

    return attention_reshaped(g, a, v, SHAPE(
        1, shape_product(s, 0, s.rank - 2) / group,
        s.dim[s.rank - 2] * group, s.dim[s.rank - 1]));
}

/* x + by, a byte again. */
static Val *moved(Graph *g, const Attention *a, Node *at, Val *x, int64_t by)
{
    Node *n = edit_node(g, at, OP_add, a->score, 2,
                        (Val *[]){x, graph_const_int(g, T_s16, by)});

    node_infer(g, n);
    return n->res[0];
}

/* Bytes with a sign. */
static void sign_sides(Graph *g, Attention *a)
{
    Val **side[] = {&a->q, &a->k, &a->v};
    int i;

    for (i = 0; i < 3; i++)
        if (attention_above(*side[i])) {
            *side[i] = moved(g, a, a->end, *side[i], LEAST);
            a->zero[i] += LEAST;
        }
}

/* A bias and a bound, in one: the less, as a bias is more than the least. */
static void join_bias(Graph *g, Attention *a)
{
    void *res[NRES] = {NULL};
    Node *n;

    if (!a->bias)
        return;
    n = edit_node(g, a->end, OP_min, a->score, 2, (Val *[]){a->bias, a->mask});
    node_infer(g, n);
    a->mask = n->res[0];
    if (!is_const(n->arg[1]) || !node_can_eval(n))
        return;
    node_eval(g->mem, n, (void *[]){n->arg[0]->data, n->arg[1]->data}, res);
    a->mask = graph_const(g, "mask", n->res[0]->type, n->res[0]->shape, res[0]);
    val_range(a->mask);
}

/* A bound as bytes with a sign. */
static void sign_mask(Graph *g, Attention *a)
{
    int64_t less = attention_above(a->bytes), i;
    Val *m = a->mask, *y;
    Node *n;

    if (!m || !attention_rounds(a) || (m->type == T_s8 && !less))
        return;
    if (is_const(m)) {
        y = graph_const(g, "mask", T_s8, m->shape, NULL);
        for (i = 0; i < val_count(m); i++)
            val_set(y, i, MIN(MAX(val_int(m, i) - less, LEAST), GREATEST));
        val_range(y);
        a->mask = y;
    } else if (a->hides) {
        n = edit_node(g, a->end, OP_clip, a->score, 1, &m);
        attr_set_int(g, n, A_lo, LEAST);
        attr_set_int(g, n, A_hi, GREATEST);
        node_infer(g, n);
        a->mask = n->res[0];
    } else {
        a->mask = moved(g, a, a->end, m, -less);
    }
}

static void shape_sides(Graph *g, Attention *a)
{
    Shape k = a->k->shape;

    if (a->one_key)
        a->k = attention_reshaped(g, a, a->k, SHAPE(1, k.dim[k.rank - 2], 1,
                                          k.dim[k.rank - 1]));
    if (a->group > 1) {
        a->q = heads_of_group(g, a, a->q, a->group);
        a->k = heads_of_group(g, a, a->k, 1);
        a->v = heads_of_group(g, a, a->v, 1);
    }
    if (a->mask)
        a->mask = whole_mask(g, a);
}

static void join(Graph *g, Attention *a)
{
    Val *powers = attention_powers(g, a), *scale = attention_scale(g, a);
    Val *parts, *y;
    Node *n, *last = a->last;

    if (!powers || !scale)
        return;
    sign_sides(g, a);
    join_bias(g, a);
    sign_mask(g, a);
    shape_sides(g, a);
    parts = attention_parts(g, a);
    n = edit_node(g, last, OP_iattend, a->sum, a->mask ? 8 : parts ? 7 : 6,
                  (Val *[]){a->q, a->k, a->v, scale, attention_scores(g, a),
                            powers, parts, a->mask});
    put_attributes(g, n, a);
    node_infer(g, n);
    y = n->res[0];
    if (attention_above(a->end->res[0]))
        y = moved(g, a, last, y, -LEAST);
    if (a->group > 1)
        y = attention_reshaped(g, a, y, last->res[0]->shape);
    if (!val_is_output(g, last->res[0]))
        edit_name(y, last->res[0]);
    edit_replace(g, last->res[0], y);
    edit_drop(g, last);
}

void pass_attend(Graph *g)
{
    Node *n, *prev;
    Attention a;

    for (n = g->last; n && g->exact; n = prev) {
        prev = n->prev;
        if (attention_find(g, n, &a, false) && same_rows(&a)) {
            join(g, &a);
            prev = g->last; /* what fed it is gone */
        }
    }
}

/* --- of many rows --- */

/* Does n make of x[..,a,b,c] y[..,b,a,c], or, to columns, y[..,b,c,a]; with but
 * one batch? */
static bool swaps_heads(const Node *n, bool columns)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int i, r = x.rank;
    int64_t to[3] = {r - 2, columns ? r - 1 : r - 3, columns ? r - 3 : r - 1};

    if (n->op != OP_transpose || r < 3 || y.rank != r || shape_varies(x) ||
        shape_product(x, 0, r - 3) != 1)
        return false;
    for (i = 0; i < 3; i++)
        if (attr_at(n, A_perm, r - 3 + i, -1) != to[i])
            return false;
    return true;
}

/* A side of a product: what it is transposed from, or NULL. */
static Val *rows_of_heads(Val *v, bool columns)
{
    return v->def && swaps_heads(v->def, columns) ? v->def->arg[0] : NULL;
}

/* v with its last two axes changed. */
static Val *turned(Graph *g, const Attention *a, Val *v)
{
    int rank = v->shape.rank, i;
    Node *t = v->def && v->def->op == OP_transpose ? v->def : NULL;
    int64_t perm[RANK], swap[RANK];

    for (i = 0; i < rank; i++)
        swap[i] = i;
    swap[rank - 1] = rank - 2, swap[rank - 2] = rank - 1;
    for (i = 0; i < rank; i++)
        perm[i] = t ? attr_at(t, A_perm, (int)swap[i], -1) : swap[i];
    return edit_transpose(g, a->end, a->score, t ? t->arg[0] : v, perm);
}

/* All sides as rows of heads; false: as heads of rows. */
static bool find_rows(Attention *a, Node *back)
{
    Val *q = rows_of_heads(a->q, false);
    Val *k = rows_of_heads(a->k, !attention_is_transposed(a->score));
    Val *v = rows_of_heads(a->v, attention_is_transposed(a->sum));

    if (a->one_key && attention_is_transposed(a->score))
        k = a->k;
    if (!back || !q || !k || !v || a->group > 1)
        return false;
    a->q = q, a->k = k, a->v = v;
    a->rows_first = ATTEND_ROWS_FIRST;
    a->last = back;
    return true;
}

/* Rows of k and v lie as those of heads do. */
static void turn_sides(Graph *g, Attention *a)
{
    if (a->rows_first)
        return;
    if (!attention_is_transposed(a->score))
        a->k = turned(g, a, a->k);
    if (attention_is_transposed(a->sum))
        a->v = turned(g, a, a->v);
}

/* The greatest of sums of n products of two bytes, scaled, has 31 bits. */
static bool is_short(const Node *n, int64_t count)
{
    int64_t mul = val_int(node_arg(n, "mul"), 0);
    int64_t add = val_int(node_arg(n, "add"), 0), most = count << 15;

    return mul >= 0 && mul < INT32_MAX / most && add > INT32_MIN / 2 &&
           add < INT32_MAX - mul * most && attr_int(n, A_shift) < 32;
}

/* n powers and their sum, of 32 bits. */
static bool are_short(const Node *soft, int64_t n)
{
    int64_t b = attr_int(soft, A_p1), log2 = attr_int(soft, A_p3);
    int64_t most = MAX(b * b, (log2 - b) * (log2 - b)) *
                   attr_int(soft, A_p0) + attr_int(soft, A_p2);

    if (soft->op == OP_powers || soft->op == OP_itamax)
        return n < 1 << 16;
    return most > 0 && most < 1 << 23 && most * n <= INT32_MAX &&
           most * attr_int(soft, A_hi) <= INT32_MAX;
}

/* Sizes are known, rows between bounds, and what kernels compute in 32 bits is
 * within them. */
static bool fits_words(const Attention *a, int64_t least, int64_t greatest)
{
    Shape s = a->score->res[0]->shape;
    int64_t n = s.dim[s.rank - 1], m = s.dim[s.rank - 2];

    return !shape_varies(s) && m >= least && m <= greatest && n > 3 &&
           !attr_has(a->score, A_count) && !attr_has(a->sum, A_count) &&
           (attention_rounds(a) ? n < MANY :
            are_short(a->soft, n) &&
            is_short(a->score, a->q->shape.dim[a->q->shape.rank - 1]));
}

static int64_t heads_of(const Val *v)
{
    return shape_product(v->shape, 0, v->shape.rank - 2);
}

/* v, or what neighbouring heads of it repeat. */
static Val *once(Val *v)
{
    Node *n = v->def && v->def->op == OP_reshape ? v->def->arg[0]->def : v->def;
    Shape x, y, s = v->shape;
    int i, r;

    if (!n || n->op != OP_expand)
        return v;
    x = n->arg[0]->shape, y = n->res[0]->shape, r = y.rank;
    if (x.rank != r || r < 3 || x.dim[r - 3] != 1 ||
        y.dim[r - 1] != s.dim[s.rank - 1] || y.dim[r - 2] != s.dim[s.rank - 2])
        return v;
    for (i = 0; i < r; i++)
        if (i != r - 3 && x.dim[i] != y.dim[i])
            return v;
    return n->arg[0];
}

/* Has v a head for each of those of s, or for neighbours of them? */
static bool shares_heads(const Val *v, Shape s)
{
    int i;

    if (v->shape.rank != s.rank)
        return false;
    for (i = 0; i < s.rank - 2; i++)
        if (v->shape.dim[i] != s.dim[i] &&
            (i != s.rank - 3 || v->shape.dim[i] != 1))
            return false;
    return true;
}

/* The same heads, one of k for all, or one of k and of v for neighbours; of a
 * type that kernels know. */
static bool sides_meet(Attention *a)
{
    Shape s = a->score->res[0]->shape, y = a->sum->res[0]->shape;
    int64_t heads = heads_of(a->score->res[0]);
    Val *k = once(a->k), *v = once(a->v);

    if (s.rank != y.rank || !shares_heads(a->v, s) ||
        (a->end->res[0]->type != T_s8 && !attention_rounds(a)) ||
        shape_varies(y) || heads_of(a->q) != heads ||
        heads_of(a->sum->res[0]) != heads)
        return false;
    if (shares_heads(a->k, s) && heads_of(k) == heads_of(v) &&
        heads_of(k) < heads) {
        a->k = k, a->v = v;
        a->group = heads / heads_of(k);
        return true;
    }
    a->one_key = heads_of(a->k) == 1 && heads > 1;
    return heads_of(a->v) == heads &&
           (a->one_key || (shares_heads(a->k, s) && heads_of(a->k) == heads));
}

/* Zero points that are taken from rows of heads, too; are all sides bytes? */
static bool are_bytes(Graph *g, Attention *a)
{
    attention_take_zeros(g, a);
    return attention_is_byte(a->q) && attention_is_byte(a->k) &&
           attention_is_byte(a->v);
}

/* divided: of those alone that divide once a row. */
static void join_rows(Graph *g, int64_t least, int64_t greatest, bool divided)
{
    Node *n, *prev, *back;
    Attention a;

    for (n = g->last; n && g->exact; n = prev) {
        prev = n->prev;
        back = swaps_heads(n, false) ? n : NULL;
        if (back && !sole_producer(back->arg[0]))
            continue;
        if (attention_find(g, back ? back->arg[0]->def : n, &a, true) &&
            (!divided || attention_divides(&a) || attention_rounds(&a)) &&
            fits_words(&a, least, greatest) &&
            sides_meet(&a) && (find_rows(&a, back) || (!back && !a.one_key)) &&
            are_bytes(g, &a)) {
            turn_sides(g, &a);
            join(g, &a);
            prev = g->last;
        }
    }
}

void pass_prompt(Graph *g)
{
    join_rows(g, FEW + 1, INT64_MAX, false);
}

void pass_few(Graph *g)
{
    join_rows(g, 2, FEW, false);
}

void pass_divided(Graph *g)
{
    join_rows(g, 2, INT64_MAX, true);
}
