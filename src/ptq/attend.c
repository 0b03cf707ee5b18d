/* What a softmax weighs is divided once a row, not each weight of it:
 *
 *     x = requant s m a              x = requant s m' a'
 *     u = qsoftmax x exp             w = powers x exp'
 *     p = matmul u v            ->   p = matmul w v
 *     y = requant p n b              r = div c (sum w)
 *                                    y = mul p r 1 b'
 *
 * Weights have 8 bits below the greatest of their row, not below its sum: more
 * where a row is flat.  Scores are scaled by a factor of so few bits that their
 * products have 32, as the kernels of iattend want; the table has steps of that
 * factor, so nothing is lost.  What bounds scores is at an end of their grid,
 * so it stays.  The passes that look for attention (src/pass/attend.c) know
 * both. */
#include "ptq/calib.h"

#include <math.h>

enum {
    GREATEST = 255,      /* weight */
    OVER_BITS = 30,      /* of c: a sum of weights has 8 at least */
    LEAST_FACTOR = 256,  /* of scores */
    FEW = 3,             /* rows, that clusters have no such kernel for */
};

/* clip((x * mul + half) >> shift) + zero: the requantization of one grid. */
typedef struct Scaling {
    double factor; /* mul / 2^shift */
    int64_t zero;
} Scaling;

static bool is_byte(const Node *n)
{
    return attr_has(n, A_lo) && attr_int(n, A_lo) >= INT8_MIN &&
           attr_has(n, A_hi) && attr_int(n, A_hi) <= INT8_MAX;
}

static bool scaling_of(const Node *n, Scaling *s)
{
    const Val *mul = n->narg > 1 ? n->arg[1] : NULL;
    const Val *add = n->narg > 2 ? n->arg[2] : NULL;
    int64_t shift = attr_int(n, A_shift), half;

    if (n->op != OP_requant || n->narg > 3 || !mul || !add || !mul->data ||
        !add->data || val_count(mul) != 1 || val_count(add) != 1 ||
        shift < 1 || attr_int(n, A_round) || !is_byte(n))
        return false;
    half = INT64_C(1) << (shift - 1);
    s->factor = ldexp((double)val_int(mul, 0), -(int)shift);
    s->zero = val_int(add, 0) >> shift;
    return val_int(mul, 0) > 0 && s->zero >= INT8_MIN &&
           s->zero <= INT8_MAX &&
           val_int(add, 0) - s->zero * 2 * half == half;
}

/* What makes v, if n alone reads it. */
static Node *maker(const Graph *g, const Val *v)
{
    return v->def && v->def->nres == 1 && only_reader(g, v) ? v->def : NULL;
}

static bool is_product(const Node *n)
{
    return n && n->op == OP_matmul && n->narg == 2 &&
           n->arg[1]->type == T_s8 && !attr_int(n, A_transa);
}

/* --- scores --- */

/* mul / 2^shift, about s->factor, by which sums of `depth` products of two
 * bytes have 31 bits; false: it has too few. */
static bool short_factor(const Scaling *s, int64_t depth, int64_t *mul,
                         int *shift)
{
    double most = (double)depth * 0x1p15, one;

    for (*shift = 22; *shift > 0; (*shift)--) {
        one = ldexp(1, *shift);
        *mul = llrint(s->factor * one);
        if (2 * (double)*mul < one && (double)(*mul + 1) * most +
            (fabs((double)s->zero) + 1) * one < 0x1p30)
            break;
    }
    return *mul >= LEAST_FACTOR;
}

/* What scales scores of bytes x, which may be bounded (mask.c), have a bias, or
 * both; NULL: another reads them too. */
static Node *scaled(const Graph *g, const Val *x)
{
    const Node *n = x->def;
    Node *of;
    int i;

    if (!n || (n->op != OP_min && n->op != OP_add))
        return x->def;
    for (i = 0; i < 2; i++) {
        of = maker(g, n->arg[i]);
        if (of && of->op == OP_requant)
            return of;
        if (of && of->op == OP_add && n->op == OP_min)
            return scaled(g, n->arg[i]);
    }
    return NULL;
}

/* Scales x, scores of bytes, by few bits; returns its step. */
static double shorten(Graph *g, Val *x)
{
    Node *n = scaled(g, x), *sum;
    Shape q;
    Scaling s;
    int64_t mul;
    int shift;

    if (!n || !scaling_of(n, &s) || !is_product(sum = maker(g, n->arg[0])) ||
        sum->arg[0]->type != T_s8)
        return x->scale;
    q = sum->arg[0]->shape;
    if (!short_factor(&s, q.dim[q.rank - 1], &mul, &shift))
        return x->scale;
    n->arg[1] = graph_const_int(g, T_s32, mul);
    n->arg[2] = graph_const_int(g, T_s32, (2 * s.zero + 1) *
                                          (INT64_C(1) << (shift - 1)));
    attr_set_int(g, n, A_shift, shift);
    x->scale *= s.factor / ldexp((double)mul, -shift);
    n->res[0]->scale = x->scale;
    return x->scale;
}

/* --- weights --- */

static Val *power_table(Graph *g, double step)
{
    Val *t = graph_const(g, "exp", T_u8, SHAPE(GREATEST + 1), NULL);
    int64_t d;

    for (d = 0; d <= GREATEST; d++)
        val_set(t, d, llrint(GREATEST * exp(-(double)d * step)));
    val_range(t);
    return t;
}

static Node *node(Graph *g, Node *at, OpCode op, int n, Val *a, Val *b)
{
    return graph_node(g, at, op, NULL, n, (Val *[]){a, b});
}

/* c divided by the sum of each row of weights. */
static Val *row_factor(Graph *g, Node *at, Val *w, int64_t c)
{
    Node *sum = node(g, at, OP_sum, 1, w, NULL), *n;

    attr_set_list(g, sum, A_axes, 1, (int64_t[]){w->shape.rank - 1});
    attr_set_int(g, sum, A_keep, 1);
    node_infer(g, sum);
    n = node(g, at, OP_div, 2, graph_const_int(g, T_s32, c), sum->res[0]);
    node_infer(g, n);
    return n->res[0];
}

/* y takes the place of the requantization n, with its name and grid. */
static void replace(Graph *g, Node *n, Node *by)
{
    Val *old = n->res[0], *y = by->res[0];
    const char *name = old->name;

    attr_set_int(g, by, A_lo, attr_int(n, A_lo));
    attr_set_int(g, by, A_hi, attr_int(n, A_hi));
    by->origin = n->origin;
    node_infer(g, by);
    y->scale = old->scale;
    y->zero = old->zero;
    val_rename(g, old, "unread");
    graph_replace(g, old, y);
    val_rename(g, y, name);
}

/* soft, which `sum` alone reads, and that `end`. */
static void divide_rows(Graph *g, Node *soft, Node *sum, Node *end,
                        const Scaling *s)
{
    /* the softmax's results have steps of 1 / 256 */
    int bits, shift;
    double c = frexp(s->factor * 256, &bits);
    Node *w, *y;
    Val *r;

    shift = OVER_BITS - bits;
    w = node(g, soft, OP_powers, 2, soft->arg[0],
             power_table(g, shorten(g, soft->arg[0])));
    w->origin = soft->origin;
    node_infer(g, w);
    sum->arg[0] = w->res[0];
    r = row_factor(g, end, w->res[0], llrint(ldexp(c, OVER_BITS)));
    y = graph_node(g, end, OP_mul, NULL, 4, (Val *[]){
        sum->res[0], r, graph_const_int(g, T_s32, 1),
        graph_const_int(g, T_s64, (2 * s->zero + 1) *
                                  (INT64_C(1) << (shift - 1)))});
    attr_set_int(g, y, A_shift, shift);
    replace(g, end, y);
}

/* A bias of bytes, where n adds one to bytes and scales them no more; what it
 * makes the least of all scores is left to *bound, NULL if that is nothing.
 * Else NULL. */
static Val *bias_of(Graph *g, const Node *n, Val **bound)
{
    const Val *mul = n->arg[1], *add = n->arg[2];
    int64_t shift = attr_int(n, A_shift), i;
    bool hides = false;
    Val *v, *b;

    *bound = NULL;
    if (n->narg > 3 || !mul || !add || !mul->data || !add->data ||
        val_count(mul) != 1 || val_int(mul, 0) != INT64_C(1) << shift ||
        val_count(add) == 1 || n->arg[0]->type != T_s8 ||
        attr_int(n, A_lo) != INT8_MIN || attr_int(n, A_hi) != INT8_MAX)
        return NULL;
    v = graph_const(g, "bias", T_s32, add->shape, NULL);
    b = graph_const(g, "bound", T_s32, add->shape, NULL);
    for (i = 0; i < val_count(v); i++) {
        int64_t x = MAX(INT32_MIN, MIN(val_int(add, i) >> shift, INT32_MAX));
        bool far = x < INT8_MIN && x <= INT8_MIN - n->arg[0]->hi;

        hides |= far;
        val_set(v, i, far ? 0 : x);
        val_set(b, i, far ? INT8_MIN : INT8_MAX);
    }
    val_narrow(v);
    val_narrow(b);
    *bound = hides ? b : NULL;
    return v->type == T_s8 ? v : NULL;
}

/* What a softmax reads becomes a sum of bytes, where it is one. */
static void add_bias(Graph *g, Node *n)
{
    Node *y;
    Val *bias, *bound;

    if (n->op != OP_requant || attr_int(n, A_round) || n->narg < 3 ||
        !(bias = bias_of(g, n, &bound)))
        return;
    y = node(g, n, OP_add, 2, n->arg[0], bias);
    if (bound) {
        attr_set_int(g, y, A_lo, INT8_MIN);
        attr_set_int(g, y, A_hi, INT8_MAX);
        node_infer(g, y);
        y = node(g, n, OP_min, 2, y->res[0], bound);
    }
    replace(g, n, y);
    if (bound) {
        attr_drop(y, A_lo);
        attr_drop(y, A_hi);
    }
}

/* What makes the scores that n, a minimum, bounds; or n. */
static Node *above_bound(Node *n)
{
    return n->op == OP_min && n->arg[0]->def ? n->arg[0]->def : n;
}

static bool has_rows(const Node *soft)
{
    Shape s = soft->res[0]->shape;

    return s.rank > 1 && s.dim[s.rank - 2] > FEW;
}

void lower_attention(Graph *g)
{
    Node *n, *next, *sum, *soft;
    Scaling s;

    for (n = g->first; n; n = n->next)
        if (n->op == OP_qsoftmax && n->arg[0]->def && has_rows(n))
            add_bias(g, above_bound(n->arg[0]->def));
    graph_sweep(g); /* what it took the place of reads scores no more */
    for (n = g->first; n; n = next) {
        next = n->next;
        if (!scaling_of(n, &s) || s.factor * 256 > 32 ||
            s.factor * 256 < 1.0 / 32 || !is_product(sum = maker(g, n->arg[0])))
            continue;
        soft = maker(g, sum->arg[0]);
        if (soft && soft->op == OP_qsoftmax && attr_int(soft, A_p0) == 8 &&
            has_rows(soft) && !attr_int(soft, A_lo) &&
            soft->arg[0]->scale > 0)
            divide_rows(g, soft, sum, n, &s);
    }
    graph_sweep(g);
    graph_infer(g);
}
