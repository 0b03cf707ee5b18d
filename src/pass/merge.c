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
 * changes nothing behind a softmax.  Only of floats, and where it is fewer
 * products: S rows of E elements, in heads of P, 2 S E P + S S P before,
 * S E E + S S E then. */
#include "pass/pass.h"

/* A side of the product: heads of P of the product of x by weights. */
typedef struct Side {
    const Node *product;
    int64_t rows, heads, width; /* S, H, P */
} Side;

static bool is_floats(const Val *v)
{
    return !v || (is_const(v) && v->type == T_f32);
}

/* Is v made of rows of heads by this order of axes? */
static bool find_side(const Val *v, const int64_t perm[4], Side *s)
{
    const Node *n = v->def, *split;
    const Val *x, *w;
    Shape y;
    int i;

    if (!n || n->op != OP_transpose || v->shape.rank != 4 || v->nuse != 1)
        return false;
    for (i = 0; i < 4; i++)
        if (attr_at(n, A_perm, i, -1) != perm[i])
            return false;
    split = sole_producer(n->arg[0]);
    if (!split || split->op != OP_reshape || !sole_producer(split->arg[0]))
        return false;
    s->product = split->arg[0]->def;
    if (s->product->op != OP_matmul || node_arg(s->product, "mul") ||
        attr_int(s->product, A_transa) || attr_has(s->product, A_count))
        return false;
    x = s->product->arg[0];
    w = s->product->arg[1];
    y = split->res[0]->shape;
    s->rows = y.dim[1], s->heads = y.dim[2], s->width = y.dim[3];
    return y.dim[0] == 1 && !shape_varies(y) && x->type == T_f32 &&
           w->shape.rank == 2 && is_const(w) && is_floats(w) &&
           is_floats(node_arg(s->product, "bias")) &&
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

/* Is a value read by a softmax alone, perhaps multiplied by a number or with
 * something added before? */
static bool meets_softmax(const Graph *g, const Val *v)
{
    int i;
    const Node *n = reader(g, v, &i);

    if (!n || v->nuse != 1 || val_is_output(g, v))
        return false;
    if (n->op == OP_softmax)
        return attr_int(n, A_axis) == v->shape.rank - 1;
    if (n->op == OP_add ||
        ((n->op == OP_mul || (n->op == OP_div && i == 0)) &&
         val_count(n->arg[!i]) == 1))
        return meets_softmax(g, n->res[0]);
    return false;
}

/* Element (e, c) of the weights of a product, [E][H P] or transposed. */
static double weight(const Side *s, int64_t e, int64_t c)
{
    const Val *w = s->product->arg[1];
    bool columns = attr_int(s->product, A_transb) != 0;

    return val_num(w, columns ? c * w->shape.dim[1] + e
                              : e * w->shape.dim[1] + c);
}

/* The sum over a head's P of what q has and of row j of k's weights; e: a row
 * of q's weights, or -1: its bias. */
static double head_sum(const Side *q, const Side *k, int64_t h, int64_t e,
                       int64_t j)
{
    const Val *bias = node_arg(q->product, "bias");
    double sum = 0;
    int64_t p, c;

    for (p = 0; p < q->width; p++) {
        c = h * q->width + p;
        sum += (e < 0 ? val_num(bias, val_count(bias) > 1 ? c : 0)
                      : weight(q, e, c)) * weight(k, j, c);
    }
    return sum;
}

/* [E][H E] of weights, or [H E] of the bias. */
static Val *merge_weights(Graph *g, const Side *q, const Side *k, int64_t n,
                          bool bias)
{
    int64_t dim[2] = {n, q->heads * n}, at = 0, e, h, j;
    Val *w = graph_const(g, q->product->arg[bias ? 2 : 1]->name, T_f32,
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

static void merge(Graph *g, Node *n, const Side *q, const Side *k)
{
    Val *x = q->product->arg[0], *left, *right;
    int64_t e = x->shape.dim[x->shape.rank - 1];
    Node *p = edit_node(g, n, OP_matmul, q->product, 3, (Val *[]){
        x, merge_weights(g, q, k, e, false),
        node_arg(q->product, "bias") ? merge_weights(g, q, k, e, true) : NULL,
    });

    node_infer(g, p);
    left = put(g, n, OP_reshape, n, p->res[0], A_shape, 4,
               (int64_t[]){1, q->rows, q->heads, e});
    left = put(g, n, OP_transpose, n, left, A_perm, 4,
               (int64_t[]){0, 2, 1, 3});
    right = put(g, n, OP_reshape, n, x, A_shape, 4,
                (int64_t[]){1, q->rows, 1, e});
    right = put(g, n, OP_transpose, n, right, A_perm, 4,
                (int64_t[]){0, 2, 3, 1});
    edit_pair(g, n, left, right);
}

static bool is_fewer(const Side *q)
{
    const Val *x = q->product->arg[0];
    int64_t e = x->shape.dim[x->shape.rank - 1], s = q->rows, p = q->width;

    return s * e * e + s * s * e < 2 * s * e * p + s * s * p;
}

void pass_merge(Graph *g)
{
    static const int64_t rows[4] = {0, 2, 1, 3}, columns[4] = {0, 2, 3, 1};
    Side q, k;
    Node *n, *next;

    for (n = g->first; n; n = next) {
        next = n->next;
        if (n->op == OP_matmul && n->res[0]->type == T_f32 &&
            !attr_int(n, A_transa) && !attr_int(n, A_transb) &&
            find_side(n->arg[0], rows, &q) &&
            find_side(n->arg[1], columns, &k) &&
            q.product->arg[0] == k.product->arg[0] && q.heads == k.heads &&
            q.rows == k.rows && is_fewer(&q) && meets_softmax(g, n->res[0]))
            merge(g, n, &q, &k);
    }
}
