/* Attention of one row over a cache becomes one operator:
 *
 *     s = matmul q k m0 a0 transb=1   ->   y = iattend q k v scale scores
 *     t = requant s m1 a1                      powers parts
 *     e = isoftmax t
 *     w = requant e m2 a2
 *     y = matmul w v m3 a3
 *
 * Scores are bytes, so what is made of them, and of weights, are tables:
 * nothing between is ever in memory, and one call has all of a head.  Either
 * requant may be absent. */
#include "pass/pass.h"

enum { BYTES = 256, GREATEST = 127, LEAST = -128 };

typedef struct Attention {
    Node *sum, *after, *soft, *before, *score; /* from the result on */
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

static bool is_product(const Node *n, bool transposed)
{
    return n && n->op == OP_matmul && !node_arg(n, "bias") && is_scaling(n) &&
           !attr_int(n, A_transa) &&
           (attr_int(n, A_transb) != 0) == transposed &&
           n->arg[0]->type == T_s8 && n->arg[1]->type == T_s8;
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

static bool within_bytes(const Val *v)
{
    return v->lo >= LEAST && v->hi <= GREATEST;
}

static bool find_attention(Node *n, Attention *a)
{
    Val *v;

    if (!is_product(n, false))
        return false;
    a->sum = n;
    v = n->arg[0];
    a->after = take_requant(&v);
    a->soft = sole_producer(v);
    if (!a->soft || a->soft->op != OP_isoftmax ||
        attr_int(a->soft, A_hi) < 1 || attr_int(a->soft, A_hi) >= BYTES)
        return false;
    v = a->soft->arg[0];
    if (!within_bytes(v))
        return false;
    a->before = take_requant(&v);
    a->score = sole_producer(v);
    return is_product(a->score, true) && within_bytes(v);
}

/* One row of q; the same heads and rows of k and v. */
static bool same_rows(const Attention *a)
{
    Shape q = a->score->arg[0]->shape, k = a->score->arg[1]->shape;
    Shape v = a->sum->arg[1]->shape;
    int i, last = q.rank - 2;

    if (q.rank != k.rank || q.rank != v.rank || q.dim[last] != 1 ||
        !size_same(size_at(k, last), size_at(v, last)) ||
        !size_same(product_rows(a->score), product_rows(a->sum)))
        return false;
    for (i = 0; i < last; i++)
        if (!size_same(size_at(q, i), size_at(k, i)) ||
            !size_same(size_at(q, i), size_at(v, i)))
            return false;
    return true;
}

/* The power of t below the greatest score; -1: too large. */
static int64_t power(const Node *n, int64_t t)
{
    int64_t b = attr_int(n, A_p1), log2 = attr_int(n, A_p3), z, p;

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

/* By score + 128, and by its distance from the greatest + 255. */
static Val *score_table(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i;

    for (i = 0; i < BYTES; i++) {
        x[i] = MIN(MAX(i + LEAST, attr_int(a->score, A_lo)),
                   attr_int(a->score, A_hi));
        if (a->before)
            x[i] = scaled(a->before, x[i]);
    }
    return table_of(g, "scores", BYTES, T_s8, x);
}

static Val *power_table(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i;

    for (i = 0; i < BYTES; i++) {
        x[i] = power(a->soft, BYTES - 1 - i);
        if (x[i] < 0)
            return NULL;
    }
    return table_of(g, "powers", BYTES, T_s32, x);
}

/* By the weight that the softmax gives. */
static Val *part_table(Graph *g, const Attention *a)
{
    int64_t x[BYTES], i, hi = attr_int(a->soft, A_hi);

    for (i = 0; i < BYTES; i++)
        x[i] = a->after ? scaled(a->after, MIN(i, hi)) : MIN(i, hi);
    return table_of(g, "parts", BYTES, a->sum->arg[0]->type, x);
}

static Val *scale_table(Graph *g, const Attention *a)
{
    int64_t x[4] = {
        val_int(node_arg(a->score, "mul"), 0),
        val_int(node_arg(a->score, "add"), 0),
        val_int(node_arg(a->sum, "mul"), 0),
        val_int(node_arg(a->sum, "add"), 0),
    };
    int i;

    for (i = 0; i < 4; i++)
        if (x[i] < INT32_MIN || x[i] > INT32_MAX)
            return NULL;
    return table_of(g, "scale", 4, T_s32, x);
}

static void put_attributes(Graph *g, Node *n, const Attention *a)
{
    Shape count = {.rank = 1};

    if (attr_has(a->score, A_count) || attr_has(a->sum, A_count)) {
        shape_put(&count, 0, product_rows(a->score));
        attr_set_shape(g, n, A_count, count);
    }
    attr_set_int(g, n, A_shift, attr_int(a->sum, A_shift));
    attr_set_int(g, n, A_lo, attr_int(a->sum, A_lo));
    attr_set_int(g, n, A_hi, attr_int(a->sum, A_hi));
    attr_set_int(g, n, A_p0, attr_int(a->score, A_shift));
    attr_set_int(g, n, A_p1, attr_int(a->soft, A_hi));
}

static void join(Graph *g, const Attention *a)
{
    Val *power = power_table(g, a), *scale = scale_table(g, a);
    Node *n, *sum = a->sum;

    if (!power || !scale)
        return;
    n = edit_node(g, sum, OP_iattend, sum, 7, (Val *[]){
        a->score->arg[0], a->score->arg[1], sum->arg[1], scale,
        score_table(g, a), power, part_table(g, a),
    });
    put_attributes(g, n, a);
    node_infer(g, n);
    if (!val_is_output(g, sum->res[0]))
        edit_name(n->res[0], sum->res[0]);
    edit_replace(g, sum->res[0], n->res[0]);
    edit_drop(g, sum);
}

void pass_attend(Graph *g)
{
    Node *n, *prev;
    Attention a;

    for (n = g->last; n && g->exact; n = prev) {
        prev = n->prev;
        if (find_attention(n, &a) && same_rows(&a)) {
            join(g, &a);
            prev = g->last; /* what fed it is gone */
        }
    }
}
