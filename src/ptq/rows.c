/* Softmax and normalizations between integers: those of integers.
 *
 *     qsoftmax           of exact quotients: one that divides once a row
 *     layernorm          ilayernorm: x less its mean, times w, by the root of
 *                        the variance; w, b on the grid of the result
 *     rmsnorm            irmsnorm, on a finer grid, and a requantization
 *
 * Bytes are multiplied before they are normalized, lest mean and root be as
 * coarse as they are. */
#include "ptq/calib.h"

#include <math.h>

enum { MORE = 128 };  /* of bytes */
enum { FINER = 256 }; /* irmsnorm's result */
enum { LEVELS = 256 }; /* of a softmax's weights */

typedef struct Row {
    Graph *g;
    Node *at;        /* the quantize */
    Node *n;         /* what it quantizes */
    Val *x;          /* integers that n reads */
    double x_scale;
    int64_t x_zero;
    double scale;    /* of the result */
    int64_t zero;
    Type to;
} Row;

static bool uniform(const Node *n, double *scale, int64_t *zero)
{
    const Val *s = n->arg[1], *z = n->narg > 2 ? n->arg[2] : NULL;

    if (!s->data || val_count(s) != 1 || (z && (!z->data ||
                                                val_count(z) != 1)))
        return false;
    *scale = val_num(s, 0);
    *zero = z ? val_int(z, 0) : 0;
    return true;
}

static bool is_row(Graph *g, Node *q, Row *r)
{
    const Node *d;

    if (q->op != OP_quantize || !(r->n = q->arg[0]->def) ||
        op_info[r->n->op].family != FAM_row ||
        !(d = r->n->arg[0]->def) || d->op != OP_dequantize)
        return false;
    r->g = g;
    r->at = q;
    r->x = d->arg[0];
    r->to = (Type)attr_int(q, A_to);
    return node_axis(r->n, r->x->shape.rank) == r->x->shape.rank - 1 &&
           uniform(q, &r->scale, &r->zero) &&
           uniform(d, &r->x_scale, &r->x_zero);
}

static Node *node(const Row *r, OpCode op, int n, Val *a, Val *b, Val *c)
{
    Val *arg[3] = {a, b, c};

    return graph_node(r->g, r->at, op, NULL, n, arg);
}

static void bounds(const Row *r, Node *n)
{
    attr_set_int(r->g, n, A_lo, type_info[r->to].lo);
    attr_set_int(r->g, n, A_hi, type_info[r->to].hi);
}

/* y takes the place of the quantize, and its name. */
static void replace(const Row *r, Node *n)
{
    Val *y = n->res[0];
    const char *name = r->at->res[0]->name;

    node_infer(r->g, n);
    n->origin = r->n->origin;
    y->scale = r->scale;
    y->zero = r->zero;
    val_rename(r->g, r->at->res[0], "unread");
    graph_replace(r->g, r->at->res[0], y);
    val_rename(r->g, y, name);
}

/* x with bits enough for a mean, less its zero point. */
static Val *wide(Row *r)
{
    Node *n;
    Val *x = r->x;

    if (r->x_zero) {
        n = node(r, OP_sub, 2, x, graph_const_int(r->g, T_s16, r->x_zero),
                 NULL);
        node_infer(r->g, n);
        x = n->res[0];
    }
    if (type_info[r->x->type].bytes == 1) {
        n = node(r, OP_mul, 2, x, graph_const_int(r->g, T_s16, MORE), NULL);
        node_infer(r->g, n);
        x = n->res[0];
    }
    return x;
}

/* w / scale * 2^shift of a row, w being 1 where it is absent; *shift is the
 * greatest by which all have 14 bits: times a difference of 16 they fit 32. */
static Val *factors(const Row *r, const Val *w, double scale, int *shift)
{
    int64_t len = row_length(r->x->shape), i;
    Val *y = graph_const(r->g, "factor", T_s32, SHAPE(len), NULL);
    double top = 0;
    int e;

    for (i = 0; i < len; i++)
        top = fmax(top, fabs(w ? val_num(w, i) : 1) / scale);
    frexp(top, &e);
    *shift = MAX(0, MIN(14 - e, 20));
    for (i = 0; i < len; i++)
        val_set(y, i, llrint(ldexp((w ? val_num(w, i) : 1) / scale, *shift)));
    val_narrow(y);
    return y;
}

static const Val *operand(const Row *r, int i)
{
    return i < r->n->narg ? r->n->arg[i] : NULL;
}

static bool of_rows(const Row *r, const Val *v)
{
    return !v || (v->data && val_count(v) == row_length(r->x->shape));
}

/* The integer normalizations have no epsilon.  Rows whose deviation is a
 * twentieth of the greatest value there can be would be off by a hundredth. */
static bool small_epsilon(const Row *r)
{
    double most = r->x_scale * 0.05 * (double)type_info[r->x->type].hi;

    return attr_num(r->n, A_eps) < 0.02 * most * most;
}

static void row_layernorm(Row *r)
{
    const Val *w = operand(r, 1), *b = operand(r, 2);
    int64_t len = row_length(r->x->shape), i;
    Val *by, *add = graph_const(r->g, "addend", T_s64, SHAPE(len), NULL);
    int shift;
    Node *n;

    if (!of_rows(r, w) || !of_rows(r, b) || !small_epsilon(r))
        return;
    by = factors(r, w, r->scale, &shift);
    for (i = 0; i < len; i++)
        val_set(add, i, llrint(ldexp((b ? val_num(b, i) : 0) / r->scale +
                                     (double)r->zero + 0.5, shift)));
    val_narrow(add);
    n = node(r, OP_ilayernorm, 3, wide(r), by, add);
    attr_set_int(r->g, n, A_shift, shift);
    bounds(r, n);
    replace(r, n);
}

static void row_rmsnorm(Row *r)
{
    const Val *w = operand(r, 1);
    int shift;
    Val *by;
    Node *n;

    if (!of_rows(r, w) || !small_epsilon(r))
        return;
    by = factors(r, w, r->scale / FINER, &shift);
    n = node(r, OP_irmsnorm, 2, wide(r), by, NULL);
    attr_set_int(r->g, n, A_shift, shift);
    attr_set_int(r->g, n, A_lo, -FINER * 256);
    attr_set_int(r->g, n, A_hi, FINER * 256);
    node_infer(r->g, n);
    n = node(r, OP_requant, 3, n->res[0], graph_const_int(r->g, T_s32, 1),
             graph_const_int(r->g, T_s32, FINER / 2 + FINER * r->zero));
    attr_set_int(r->g, n, A_shift, 8);
    bounds(r, n);
    replace(r, n);
}

void lower_rows(Graph *g)
{
    Node *n, *next;
    Row r;

    for (n = g->first; n; n = next) {
        next = n->next;
        if (n->op == OP_qsoftmax && attr_int(n, A_p2) == LEVELS &&
            !attr_int(n, A_p1))
            attr_drop(n, A_p2);
        if (!is_row(g, n, &r))
            continue;
        if (r.n->op == OP_layernorm)
            row_layernorm(&r);
        else if (r.n->op == OP_rmsnorm)
            row_rmsnorm(&r);
    }
    graph_sweep(g);
    graph_infer(g);
}
