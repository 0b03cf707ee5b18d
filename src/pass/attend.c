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
 *     u = min t mask
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
#include "ir/attend.h"
#include "pass/pass.h"

enum { BYTES = 256, GREATEST = 127, LEAST = -128, MANY = 4096 };

typedef struct Attention {
    Node *end;          /* the sum, or what divides it by that of weights */
    Node *sum, *after, *soft, *masked, *before, *score; /* from there on */
    Val *mask;
    Val *q, *k, *v;
    int64_t zero[3];    /* their zero points */
    bool one_key;       /* k has one head for all of q */
    int64_t group;      /* heads of q that share one of k and of v, or 1 */
    int64_t rows_first; /* p2 */
    Node *last;         /* whose result becomes that of the operator */
} Attention;

/* Is the operand absent, or a single constant number? */
static bool is_number(const Val *v)
{
    return !v || (is_const(v) && val_count(v) == 1);
}

/* clip((x * mul + add) >> shift, lo, hi) with the same numbers for all x. */
static bool is_scaling(const Node *n)
{
    const Val *mul = node_arg(n, "mul");

    return mul && is_number(mul) && is_number(node_arg(n, "add")) &&
           !node_arg(n, "shifts") && !attr_int(n, A_round) &&
           attr_has(n, A_lo) && attr_has(n, A_hi);
}

/* A product of bytes, the left side perhaps without a sign. */
static bool is_plain(const Node *n, bool any_sign)
{
    return n && n->op == OP_matmul && !node_arg(n, "bias") &&
           !attr_int(n, A_transa) &&
           (n->arg[0]->type == T_s8 || (any_sign && n->arg[0]->type == T_u8)) &&
           n->arg[1]->type == T_s8;
}

static bool is_product(const Node *n, bool any_sign)
{
    return is_plain(n, any_sign) && is_scaling(n);
}

static bool is_transposed(const Node *n)
{
    return attr_int(n, A_transb) != 0;
}

static int64_t scaled(const Node *n, int64_t x)
{
    int64_t y = (x * val_int(node_arg(n, "mul"), 0) +
                 val_int(node_arg(n, "add"), 0)) >> attr_int(n, A_shift);

    return MIN(MAX(y, attr_int(n, A_lo)), attr_int(n, A_hi));
}

/* The requant that v alone is read through, or none; *v becomes its operand. */
static Node *take_requant(Val **v)
{
    Node *n = sole_producer(*v);

    if (!n || n->op != OP_requant || !is_scaling(n))
        return NULL;
    *v = n->arg[0];
    return n;
}

static bool is_divided(const Attention *a)
{
    return a->soft->op == OP_powers;
}

/* Are weights rounded quotients? */
static bool is_rational(const Attention *a)
{
    return a->soft->op == OP_qsoftmax;
}

static bool within_bytes(const Val *v)
{
    return v->lo >= LEAST && v->hi <= GREATEST;
}

/* Is m a mask of scores y: of each element of a row, and of each row and head,
 * or the same for all? */
static bool is_mask(const Val *m, Shape y)
{
    int i;

    if (m->type != T_s8 || m->shape.rank > y.rank || shape_varies(m->shape) ||
        dim_from_end(m, 0) != y.dim[y.rank - 1])
        return false;
    for (i = 1; i < m->shape.rank; i++)
        if (dim_from_end(m, i) != 1 &&
            dim_from_end(m, i) != y.dim[y.rank - 1 - i])
            return false;
    return true;
}

/* Is v scores: a product, perhaps scaled, of this shape? */
static bool is_scores(Val *v, Shape s)
{
    Node *n;

    take_requant(&v);
    n = sole_producer(v);
    return n && n->op == OP_matmul && shape_same(v->shape, s);
}

/* Does n add to bytes, or, where weights are divided once a row, bound them? */
static bool masks(const Attention *a, const Node *n)
{
    if (n->op == OP_min)
        return is_divided(a);
    return n->op == OP_add && !node_arg(n, "mul") &&
           attr_has(n, A_lo) && attr_int(n, A_lo) == LEAST &&
           attr_has(n, A_hi) && attr_int(n, A_hi) == GREATEST;
}

/* The addition of a mask that v alone is read through, or its minimum with one;
 * *v becomes what is masked. */
static Node *take_mask(Attention *a, Val **v)
{
    Node *n = sole_producer(*v);
    Shape y = (*v)->shape;
    int i;

    if (!n || !masks(a, n) || y.rank < 2 || shape_varies(y))
        return NULL;
    for (i = 0; i < 2; i++)
        if (n->arg[!i]->type == T_s8 && is_mask(n->arg[i], y) &&
            is_scores(n->arg[!i], y))
            break;
    if (i == 2)
        return NULL;
    a->mask = n->arg[i];
    *v = n->arg[!i];
    return n;
}

static bool find_softmax(Attention *a, bool many)
{
    Val *v = a->sum->arg[0];

    a->after = take_requant(&v);
    a->soft = sole_producer(v);
    return is_product(a->sum, many) && a->soft &&
           (a->soft->op == OP_isoftmax || a->soft->op == OP_itamax) &&
           attr_int(a->soft, A_hi) >= 1 && attr_int(a->soft, A_hi) < BYTES;
}

/* Is d a number divided by the sums of rows of w? */
static bool is_share(const Node *d, const Val *w)
{
    const Node *sum = d && d->op == OP_div ? sole_producer(d->arg[1]) : NULL;
    Shape s = w->shape, y;
    int i;

    if (!sum || sum->op != OP_sum || sum->narg != 1 || sum->arg[0] != w ||
        !is_const(d->arg[0]) || !is_number(d->arg[0]) ||
        val_int(d->arg[0], 0) < 0 || val_int(d->arg[0], 0) > INT32_MAX)
        return false;
    y = sum->res[0]->shape;
    for (i = 0; i < s.rank - 1; i++)
        if (y.rank != s.rank || y.dim[i] != s.dim[i])
            return false;
    return y.dim[s.rank - 1] == 1;
}

/* What is added to results that are rounded to a multiple of 2^shift. */
static int64_t zero_of(const Node *n)
{
    return val_int(node_arg(n, "add"), 0) >> attr_int(n, A_shift);
}

static bool is_rounded(const Node *n)
{
    int64_t one = INT64_C(1) << attr_int(n, A_shift);

    return is_scaling(n) && node_arg(n, "add") && one > 1 &&
           val_int(node_arg(n, "add"), 0) - zero_of(n) * one == one / 2;
}

/* Weights that are divided behind the product. */
static bool find_powers(Attention *a)
{
    Node *n = a->end;

    if (n->op != OP_mul || !is_rounded(n) ||
        val_int(node_arg(n, "mul"), 0) != 1)
        return false;
    a->sum = sole_producer(n->arg[0]);
    if (!is_plain(a->sum, true) || node_arg(a->sum, "mul"))
        return false;
    a->soft = a->sum->arg[0]->def;
    return a->soft && a->soft->op == OP_powers &&
           a->soft->res[0]->nuse == 2 && is_const(a->soft->arg[1]) &&
           a->soft->res[0]->lo >= 0 && a->soft->res[0]->hi < BYTES &&
           is_share(sole_producer(n->arg[1]), a->soft->res[0]);
}

static bool is_byte(const Val *v)
{
    return v->type == T_s8 || v->type == T_u8;
}

static Val *reshaped(Graph *g, const Attention *a, Val *v, Shape s)
{
    Node *n = edit_node(g, a->end, OP_reshape, a->score, 1, &v);

    attr_set_shape(g, n, A_shape, s);
    node_infer(g, n);
    return n->res[0];
}

/* What v, a side, is less a zero point, which is noted; or v. */
static Val *zero_less(Graph *g, const Attention *a, Val *v, int64_t *zero)
{
    const Node *n = v->def;
    Val *x;

    if (is_byte(v) || !n)
        return v;
    if (n->op == OP_reshape) {
        x = zero_less(g, a, n->arg[0], zero);
        return x == n->arg[0] ? v : reshaped(g, a, x, v->shape);
    }
    if (n->op != OP_sub || !is_byte(n->arg[0]) || node_arg(n, "mul") ||
        !is_const(n->arg[1]) || !is_number(n->arg[1]))
        return v;
    *zero = val_int(n->arg[1], 0);
    return n->arg[0];
}

static void take_zeros(Graph *g, Attention *a)
{
    a->q = zero_less(g, a, a->q, &a->zero[0]);
    a->k = zero_less(g, a, a->k, &a->zero[1]);
    a->v = zero_less(g, a, a->v, &a->zero[2]);
}

static bool is_rounded_product(const Node *n)
{
    return n && n->op == OP_matmul && !node_arg(n, "bias") &&
           !attr_int(n, A_transa) && is_rounded(n) && is_byte(n->res[0]);
}

/* A softmax whose least weight is 0, once the zero point is taken from it. */
static bool find_quotients(Attention *a)
{
    Val *v = a->sum->arg[0];
    int64_t zero = 0, levels;
    Node *n = sole_producer(v);

    if (n && n->op == OP_sub && is_const(n->arg[1]) && is_number(n->arg[1])) {
        zero = val_int(n->arg[1], 0);
        v = n->arg[0];
    }
    a->soft = n = sole_producer(v);
    if (!n || n->op != OP_qsoftmax || !is_byte(n->arg[0]) ||
        !is_const(n->arg[1]))
        return false;
    levels = attr_int(n, A_p2);
    return levels > 0 && levels <= BYTES && attr_int(n, A_lo) == zero &&
           attr_int(n, A_hi) - zero >= MIN(levels, BYTES - 1);
}

/* The look-up of bytes that v alone is read through, or none. */
static Node *take_table(Val **v)
{
    Node *n = sole_producer(*v);

    if (!n || n->op != OP_gather || !is_byte(*v) || !is_byte(n->arg[1]) ||
        !is_const(n->arg[0]) || n->arg[0]->shape.rank != 1 ||
        val_count(n->arg[0]) != BYTES)
        return NULL;
    *v = n->arg[1];
    return n;
}

static bool find_rational(Graph *g, Attention *a)
{
    Val *v;

    if (!is_rounded_product(a->sum) || !find_quotients(a))
        return false;
    v = a->soft->arg[0];
    a->before = take_requant(&v);
    if (!a->before)
        a->before = take_table(&v);
    a->score = sole_producer(v);
    if (!is_rounded_product(a->score))
        return false;
    a->q = a->score->arg[0];
    a->k = a->score->arg[1];
    a->v = a->sum->arg[1];
    take_zeros(g, a);
    return true;
}

static bool find_attention(Graph *g, Node *n, Attention *a, bool many)
{
    Val *v;

    *a = (Attention){.end = n, .sum = n, .last = n, .group = 1};
    if (many && find_rational(g, a))
        return true;
    if (is_plain(n, many) ? !find_softmax(a, many) : !find_powers(a))
        return false;
    v = a->soft->arg[0];
    if (!within_bytes(v))
        return false;
    if (many)
        a->masked = take_mask(a, &v);
    a->before = take_requant(&v);
    a->score = sole_producer(v);
    if (!is_product(a->score, false) || !within_bytes(v))
        return false;
    a->q = a->score->arg[0];
    a->k = a->score->arg[1];
    a->v = a->sum->arg[1];
    return true;
}

/* One row of q; the same heads and rows of k and v. */
static bool same_rows(const Attention *a)
{
    Shape q = a->score->arg[0]->shape, k = a->score->arg[1]->shape;
    Shape v = a->sum->arg[1]->shape;
    int i, last = q.rank - 2;

    if (!is_transposed(a->score) || is_transposed(a->sum) ||
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

/* The power of t below the greatest score; -1: too large.  That of itamax is
 * 256 halved so often, at most eight times, that nothing is lost: its weights,
 * floor(256 hi / sum) halved as often, are floor(power hi / sum) too. */
static int64_t power(const Node *n, int64_t t)
{
    int64_t b = attr_int(n, A_p1), log2 = attr_int(n, A_p3), z, p;

    if (n->op == OP_itamax)
        return BYTES >> ((t + 16) >> 5);
    if (log2 < 1)
        return -1;
    z = t / log2;
    p = z * log2 - t + b;
    p = (attr_int(n, A_p0) * p * p + attr_int(n, A_p2)) >> MIN(z, 31);
    return p <= INT32_MAX ? p : -1;
}

static Val *table_of(Graph *g, const char *name, int64_t n, Type t,
                     const int64_t *value)
{
    Val *v = const_vector(g, name, n, t);
    int64_t i;

    for (i = 0; i < n; i++)
        val_set(v, i, value[i]);
    val_range(v);
    return v;
}

/* How far the bytes of a type without sign are above those with one. */
static int64_t above(const Val *v)
{
    return v->type == T_u8 ? -LEAST : 0;
}

/* By score + 128, and by its distance from the greatest + 255. */
static Val *score_table(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, less = above(a->score->res[0]);

    for (i = 0; i < BYTES; i++) {
        x[i] = MIN(MAX(i + LEAST + less, attr_int(a->score, A_lo)),
                   attr_int(a->score, A_hi));
        if (a->before && a->before->op == OP_gather)
            x[i] = val_int(a->before->arg[0], x[i] & (BYTES - 1));
        else if (a->before)
            x[i] = scaled(a->before, x[i]);
        x[i] -= above(a->soft->arg[0]);
    }
    return table_of(g, "scores", BYTES, T_s8, x);
}

static Val *power_table(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, below;

    for (i = 0; i < BYTES; i++) {
        below = BYTES - 1 - i;
        x[i] = is_divided(a) || is_rational(a)
               ? val_int(a->soft->arg[1], below) : power(a->soft, below);
        if (x[i] < 0)
            return NULL;
    }
    return table_of(g, "powers", BYTES, is_divided(a) ? T_u8 : T_s32, x);
}

/* By the weight that the softmax gives. */
static Val *part_table(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, hi = attr_int(a->soft, A_hi);

    if (is_divided(a) || is_rational(a))
        return NULL;
    for (i = 0; i < BYTES; i++)
        x[i] = a->after ? scaled(a->after, MIN(i, hi)) : MIN(i, hi);
    return table_of(g, "parts", BYTES, a->sum->arg[0]->type, x);
}

static Val *scale_table(Graph *g, const Attention *a)
{
    int64_t x[4] = {
        val_int(node_arg(a->score, "mul"), 0),
        val_int(node_arg(a->score, "add"), 0),
    };
    int i;

    if (is_rational(a)) {
        x[1] = zero_of(a->score) - above(a->score->res[0]);
        x[2] = val_int(node_arg(a->sum, "mul"), 0);
        x[3] = zero_of(a->sum) - above(a->sum->res[0]);
    } else if (is_divided(a)) {
        x[2] = val_int(a->end->arg[1]->def->arg[0], 0);
        x[3] = zero_of(a->end);
    } else {
        x[2] = val_int(node_arg(a->sum, "mul"), 0);
        x[3] = val_int(node_arg(a->sum, "add"), 0);
    }
    for (i = 0; i < 4; i++)
        if (x[i] < INT32_MIN || x[i] > INT32_MAX)
            return NULL;
    return table_of(g, "scale", 4, T_s32, x);
}

static void put_quotients(Graph *g, Node *n, const Attention *a)
{
    attr_set_int(g, n, A_mode, ATTEND_QUOTIENTS);
    attr_set_int(g, n, A_p1, attr_int(a->soft, A_p2));
    if (a->zero[0] || a->zero[1] || a->zero[2])
        attr_set_list(g, n, A_zero, 3, a->zero);
}

static void put_attributes(Graph *g, Node *n, const Attention *a)
{
    Shape count = {.rank = 1};

    if (attr_has(a->score, A_count) || attr_has(a->sum, A_count)) {
        shape_put(&count, 0, product_rows(a->score));
        attr_set_shape(g, n, A_count, count);
    }
    attr_set_int(g, n, A_shift, attr_int(a->end, A_shift));
    attr_set_int(g, n, A_lo, attr_int(a->end, A_lo) - above(a->end->res[0]));
    attr_set_int(g, n, A_hi, attr_int(a->end, A_hi) - above(a->end->res[0]));
    attr_set_int(g, n, A_p0, attr_int(a->score, A_shift));
    if (is_rational(a))
        put_quotients(g, n, a);
    else if (!is_divided(a))
        attr_set_int(g, n, A_p1, attr_int(a->soft, A_hi));
    if (a->rows_first)
        attr_set_int(g, n, A_p2, a->rows_first);
    if (a->masked && a->masked->op == OP_min)
        attr_set_int(g, n, A_mode, ATTEND_BOUND);
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
        return reshaped(g, a, expanded(g, a, reshaped(
            g, a, a->mask, SHAPE(1, m, n)), SHAPE(a->group, m, n)),
            SHAPE(a->group * m, n));
    return reshaped(g, a, of == heads && rows == m
                              ? a->mask : expanded(g, a, a->mask, y),
                    SHAPE(heads / a->group, m * a->group, n));
}

/* Heads of so many rows, those of heads that share one of k as one's. */
static Val *heads_of_group(Graph *g, const Attention *a, Val *v, int64_t group)
{
    Shape s = v->shape;

    return reshaped(g, a, v, SHAPE(
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
        if (above(*side[i])) {
            *side[i] = moved(g, a, a->end, *side[i], LEAST);
            a->zero[i] += LEAST;
        }
}

static void shape_sides(Graph *g, Attention *a)
{
    Shape k = a->k->shape;

    if (a->one_key)
        a->k = reshaped(g, a, a->k, SHAPE(1, k.dim[k.rank - 2], 1,
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
    Val *power = power_table(g, a), *scale = scale_table(g, a), *parts, *y;
    Node *n, *last = a->last;

    if (!power || !scale)
        return;
    sign_sides(g, a);
    shape_sides(g, a);
    parts = part_table(g, a);
    n = edit_node(g, last, OP_iattend, a->sum, a->mask ? 8 : parts ? 7 : 6,
                  (Val *[]){a->q, a->k, a->v, scale, score_table(g, a), power,
                            parts, a->mask});
    put_attributes(g, n, a);
    node_infer(g, n);
    y = n->res[0];
    if (above(a->end->res[0]))
        y = moved(g, a, last, y, -LEAST);
    if (a->group > 1)
        y = reshaped(g, a, y, last->res[0]->shape);
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
        if (find_attention(g, n, &a, false) && same_rows(&a)) {
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
    Val *k = rows_of_heads(a->k, !is_transposed(a->score));
    Val *v = rows_of_heads(a->v, is_transposed(a->sum));

    if (a->one_key && is_transposed(a->score))
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
    if (!is_transposed(a->score))
        a->k = turned(g, a, a->k);
    if (is_transposed(a->sum))
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
           (is_rational(a) ? n < MANY :
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
        (a->end->res[0]->type != T_s8 && !is_rational(a)) || shape_varies(y) ||
        heads_of(a->q) != heads || heads_of(a->sum->res[0]) != heads)
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
    take_zeros(g, a);
    return is_byte(a->q) && is_byte(a->k) && is_byte(a->v);
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
        if (find_attention(g, back ? back->arg[0]->def : n, &a, true) &&
            (!divided || is_divided(&a) || is_rational(&a)) &&
            fits_words(&a, least, greatest) &&
            sides_meet(&a) && (find_rows(&a, back) || (!back && !a.one_key)) &&
            are_bytes(g, &a)) {
            turn_sides(g, &a);
            join(g, &a);
            prev = g->last;
        }
    }
}

enum { FEW = 3 };

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
