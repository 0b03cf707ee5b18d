/* Weights of q and k of an attention become one matrix for each head (Wiese et
 * al., Optimizing the deployment of tiny Transformers on low-power MCUs, 2025,
 * equations 3 to 9), and x takes the place of k:
 *
 *     q = matmul x wq bq, reshape, transpose
 *     k = matmul x wk bk, reshape, transpose
 *     s = matmul q k
 *  ->
 *     q = matmul x (wq wk') (bq wk'), reshape, transpose
 *     s = matmul q x'
 *
 * What bk adds is the same for all keys of a row of s, and what is added so
 * changes nothing behind a softmax.  The pass does so where it is fewer
 * products: of S rows of E elements, in heads of P, 2 S E P + S S P before,
 * S E E + S S E then.
 *
 * Of integers, whose q and k were requantized, the same becomes floats between
 * a dequantize of x and a quantize of the scores, on the grid that they had:
 * what rounding and clipping did to q and k is done no more. */
#include "pass/pass.h"

#include <math.h>

/* A side of the product: heads of P of the product of x by weights. */
typedef struct Side {
    const Node *product;
    const Node *requant; /* behind it; NULL: it is of floats */
    int64_t rows, heads, width; /* S, H, P */
} Side;

/* Is v, if there, a constant, of floats or of integers? */
static bool is_given(const Val *v, bool floats)
{
    return !v || (is_const(v) && (v->type == T_f32) == floats);
}

/* (v mul + add) >> shift by constants: of one number, or of columns each. */
static bool is_plain(const Node *n, int64_t columns)
{
    int i;

    if (n->op != OP_requant || n->narg > 3)
        return false;
    for (i = 1; i < 3; i++)
        if (!is_const(n->arg[i]) || (val_count(n->arg[i]) != 1 &&
            (columns == 1 || val_count(n->arg[i]) != columns)))
            return false;
    return true;
}

/* The product that a side is; between, of integers, its requantization. */
static bool find_product(Val *y, int64_t columns, Side *s)
{
    const Node *n = sole_producer(y);

    s->requant = n && is_plain(n, columns) ? n : NULL;
    s->product = s->requant ? sole_producer(n->arg[0]) : n;
    return s->product && s->product->op == OP_matmul &&
           !node_arg(s->product, "mul") && !attr_int(s->product, A_transa) &&
           !attr_has(s->product, A_count);
}

/* Is v made of rows of heads by this order of axes? */
static bool find_side(const Val *v, const int64_t perm[4], Side *s)
{
    const Node *n = v->def, *split;
    const Val *x, *w;
    Shape y;
    bool floats;
    int i;

    if (!n || n->op != OP_transpose || v->shape.rank != 4 || v->nuse != 1)
        return false;
    for (i = 0; i < 4; i++)
        if (attr_at(n, A_perm, i, -1) != perm[i])
            return false;
    split = sole_producer(n->arg[0]);
    if (!split || split->op != OP_reshape)
        return false;
    y = split->res[0]->shape;
    s->rows = y.dim[1], s->heads = y.dim[2], s->width = y.dim[3];
    if (!find_product(split->arg[0], s->heads * s->width, s))
        return false;
    x = s->product->arg[0];
    w = s->product->arg[1];
    floats = !s->requant;
    return y.dim[0] == 1 && !shape_varies(y) && (x->type == T_f32) == floats &&
           w->shape.rank == 2 && is_given(w, floats) &&
           is_given(node_arg(s->product, "bias"), floats) &&
           val_count(x) == s->rows * x->shape.dim[x->shape.rank - 1];
}

/* The first that reads v, and as which operand; NULL: nobody. */
static const Node *reader(const Graph *g, const Val *v, int *operand)
{
    const Node *n;

    for (n = g->first; n; n = n->next)
        for (*operand = 0; *operand < n->narg; ++*operand)
            if (n->arg[*operand] == v)
                return n;
    return NULL;
}

/* Is it a softmax along the last axis? */
static bool is_softmax(const Node *n)
{
    if (n->op == OP_softmax)
        return attr_int(n, A_axis) == n->arg[0]->shape.rank - 1;
    return n->op == OP_isoftmax || n->op == OP_itamax ||
           n->op == OP_qsoftmax || n->op == OP_powers;
}

/* Is a value read by a softmax alone, perhaps multiplied by a number or with
 * something added before? */
static bool meets_softmax(const Graph *g, const Val *v)
{
    int i;
    const Node *n = reader(g, v, &i);

    if (!n || v->nuse != 1 || val_is_output(g, v))
        return false;
    if (is_softmax(n))
        return i == 0;
    if (n->op == OP_add || n->op == OP_dequantize || is_plain(n, 1) ||
        ((n->op == OP_mul || (n->op == OP_div && i == 0)) &&
         val_count(n->arg[!i]) == 1))
        return meets_softmax(g, n->res[0]);
    return false;
}

/* What element c of an operand of a requantization is, per shift. */
static double shifted(const Node *requant, int operand, int64_t c)
{
    const Val *v = requant->arg[operand];

    return ldexp(val_num(v, val_count(v) > 1 ? c : 0),
                 -(int)attr_int(requant, A_shift));
}

/* Element (e, c) of the weights of a product, [E][H P] or transposed. */
static double weight(const Side *s, int64_t e, int64_t c)
{
    const Val *w = s->product->arg[1];
    bool columns = attr_int(s->product, A_transb) != 0;

    return val_num(w, columns ? c * w->shape.dim[1] + e
                              : e * w->shape.dim[1] + c) *
           (s->requant ? shifted(s->requant, 1, c) : 1);
}

/* What is added to column c.  A requantization rounds down. */
static double bias_of(const Side *s, int64_t c)
{
    const Val *b = node_arg(s->product, "bias");
    double v = b ? val_num(b, val_count(b) > 1 ? c : 0) : 0;

    return s->requant ? v * shifted(s->requant, 1, c) +
                        shifted(s->requant, 2, c) - 0.5 : v;
}

/* The sum over a head's P of what q has and of row j of k's weights; e: a row
 * of q's weights, or -1: its bias. */
static double head_sum(const Side *q, const Side *k, int64_t h, int64_t e,
                       int64_t j)
{
    double sum = 0;
    int64_t p, c;

    for (p = 0; p < q->width; p++) {
        c = h * q->width + p;
        sum += (e < 0 ? bias_of(q, c) : weight(q, e, c)) * weight(k, j, c);
    }
    return sum;
}

/* [E][H E] of weights, or [H E] of the bias. */
static Val *merged_weights(Graph *g, const Side *q, const Side *k, int64_t n,
                          bool bias)
{
    int64_t dim[2] = {n, q->heads * n}, at = 0, e, h, j;
    const Val *old = bias ? node_arg(q->product, "bias") : q->product->arg[1];
    Val *w = graph_const(g, old ? old->name : "bias", T_f32,
                         shape_of(bias ? 1 : 2, bias ? dim + 1 : dim), NULL);

    for (e = bias ? -1 : 0; e < (bias ? 0 : n); e++)
        for (h = 0; h < q->heads; h++)
            for (j = 0; j < n; j++)
                ((float *)w->data)[at++] = (float)head_sum(q, k, h, e, j);
    val_range(w);
    return w;
}

static Val *put(Graph *g, Node *at, OpCode op, const Node *like, Val *x,
                AttrCode code, int rank, const int64_t *list)
{
    Node *n = edit_node(g, at, op, like, 1, &x);

    attr_set_list(g, n, code, rank, list);
    node_infer(g, n);
    return n->res[0];
}

/* The scores on the grid that they had: y = (s mul + add) >> shift. */
static void put_grid(Graph *g, Node *n, Val *left, Val *right)
{
    int operand;
    const Node *old = reader(g, n->res[0], &operand);
    double step = 1 / shifted(old, 1, 0);
    Type t = old->res[0]->type;
    Node *s = edit_node(g, n, OP_matmul, n, 2, (Val *[]){left, right});
    Node *y = edit_node(g, n, OP_quantize, old, 3, (Val *[]){
        s->res[0], graph_const_f32(g, (float)step),
        graph_const_int(g, t, llround(shifted(old, 2, 0) - 0.5))});

    node_infer(g, s);
    attr_set_int(g, y, A_to, t);
    node_infer(g, y);
    edit_replace(g, old->res[0], y->res[0]);
}

static void merge(Graph *g, Node *n, const Side *q, const Side *k)
{
    Val *x = q->product->arg[0], *left, *right;
    bool bias = q->requant || node_arg(q->product, "bias");
    int64_t e = x->shape.dim[x->shape.rank - 1];
    Node *p;

    if (q->requant) {
        p = edit_node(g, n, OP_dequantize, q->product, 2,
                      (Val *[]){x, graph_const_f32(g, 1)});
        node_infer(g, p);
        x = p->res[0];
    }
    p = edit_node(g, n, OP_matmul, q->product, 3, (Val *[]){
        x, merged_weights(g, q, k, e, false),
        bias ? merged_weights(g, q, k, e, true) : NULL});
    node_infer(g, p);
    left = put(g, n, OP_reshape, n, p->res[0], A_shape, 4,
               (int64_t[]){1, q->rows, q->heads, e});
    left = put(g, n, OP_transpose, n, left, A_perm, 4,
               (int64_t[]){0, 2, 1, 3});
    right = put(g, n, OP_reshape, n, x, A_shape, 4,
                (int64_t[]){1, q->rows, 1, e});
    right = put(g, n, OP_transpose, n, right, A_perm, 4,
                (int64_t[]){0, 2, 3, 1});
    if (q->requant)
        put_grid(g, n, left, right);
    else
        edit_pair(g, n, left, right);
}

/* Are its scores floats, or bytes that clipping uses the whole of? */
static bool has_scores(const Graph *g, const Node *n, bool floats)
{
    int operand;
    const Node *r = reader(g, n->res[0], &operand);
    const TypeInfo *t;

    if (floats || !r || !is_plain(r, 1))
        return floats;
    t = &type_info[r->res[0]->type];
    return t->bytes == 1 && attr_int(r, A_lo) == t->lo &&
           attr_int(r, A_hi) == t->hi && val_num(r->arg[1], 0) > 0;
}

static bool is_fewer(const Side *q)
{
    const Val *x = q->product->arg[0];
    int64_t e = x->shape.dim[x->shape.rank - 1], s = q->rows, p = q->width;

    return s * e * e + s * s * e < 2 * s * e * p + s * s * p;
}

int merge_weights(Graph *g, bool all)
{
    static const int64_t rows[4] = {0, 2, 1, 3}, columns[4] = {0, 2, 3, 1};
    Side q, k;
    Node *n, *next;
    int count = 0;

    for (n = g->first; n; n = next) {
        next = n->next;
        if (n->op == OP_matmul && !attr_int(n, A_transa) &&
            !attr_int(n, A_transb) && find_side(n->arg[0], rows, &q) &&
            find_side(n->arg[1], columns, &k) && !q.requant == !k.requant &&
            q.product->arg[0] == k.product->arg[0] && q.heads == k.heads &&
            q.rows == k.rows && (all || is_fewer(&q)) &&
            has_scores(g, n, !q.requant) && meets_softmax(g, n->res[0])) {
            merge(g, n, &q, &k);
            count++;
        }
    }
    return count;
}

void pass_merge(Graph *g)
{
    merge_weights(g, false);
}
