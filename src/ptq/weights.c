/* Weights and biases of integers.
 *
 * Weights have a scale a channel, and are symmetric, of 8 bits or of 4.  Scales
 * are chosen such that factors of requantization, scale of x times that of w by
 * that of y, have few bits, for products of 32 bits are quicker.  Where
 * it is known what they meet (meet.c) they are rounded so that sums lose least
 * (round.c), else to the nearest.  What rounding adds to a channel in the mean
 * goes into its bias; biases are integers of 32 bits on the grid of the
 * products. */
#include "ptq/calib.h"

#include <math.h>

/* Bits of a factor of requantization at most and at least, and of sums of
 * products by weights, in multiples of what factors are multiples of; bytes
 * multiply these by up to 2^7. */
enum { FACTOR_BITS = 15, LEAST_BITS = 7, SUM_BITS = 22 };

/* Weights that are integers now: several may read them. */
typedef struct Ints {
    const Val *from;
    int axis;
    Val *ints, *scale;
} Ints;

typedef struct Matrices {
    Graph *q, *g; /* with grids, of the same names; the float graph */
    Seen **seen;  /* by id of g */
    const Met *met;
    const PtqOpts *o;
    Arena *mem;
    int n;
    Ints *ints;
    PtqWeights *list;
} Matrices;

/* Element k of weights is of row k / inner % count. */
typedef struct Rows {
    int64_t n, inner, count, len;
} Rows;

/* The axis of the weights that has a scale each; -1: one for all. */
static int channel_axis(const Node *n, const Val *w)
{
    if (n->op == OP_conv)
        return 0;
    if (n->op == OP_convt)
        return attr_int(n, A_group) == 1 ? 1 : -1;
    return w->shape.rank != 2 || n->arg[1] != w ? -1
           : attr_int(n, A_transb) ? 0 : 1;
}

static Val *dequantized(Graph *q, Node *at, Val *ints, Val *scale)
{
    Val *arg[2] = {ints, scale};
    Node *n = graph_node(q, at, OP_dequantize, NULL, 2, arg);

    node_infer(q, n);
    return n->res[0];
}

static Val *scales(Graph *q, Shape w, int axis)
{
    Shape s = {.rank = axis < 0 ? 0 : w.rank};
    int i;

    for (i = 0; i < s.rank; i++)
        s.dim[i] = i == axis ? w.dim[i] : 1;
    return graph_const(q, "scale", T_f32, s, NULL);
}

static Rows rows_of(const Val *w, int axis)
{
    Rows r = {val_count(w), MAX(val_count(w), 1), 1, val_count(w)};

    if (axis >= 0) {
        r.inner = shape_product(w->shape, axis + 1, w->shape.rank);
        r.count = w->shape.dim[axis];
        r.len = r.n / MAX(r.count, 1);
    }
    return r;
}

/* Where each element lies among the rows. */
static int64_t *places(Arena *a, const Rows *r)
{
    int64_t *to = NEWN(a, int64_t, (size_t)r->n + 1), k, c;
    int64_t *next = NEWN(a, int64_t, (size_t)r->count + 1);

    for (k = 0; k < r->n; k++) {
        c = k / r->inner % r->count;
        to[k] = c * r->len + next[c]++;
    }
    return to;
}

/* To the nearest, the scale being that of least error. */
static void nearest(const Rows *r, const float *rows, int most, float *q,
                    float *scale)
{
    int64_t c, k;

    for (c = 0; c < r->count; c++) {
        scale[c] = scale_of_weights(rows + c * r->len, r->len, 1, most);
        for (k = c * r->len; k < (c + 1) * r->len; k++)
            q[k] = fminf(fmaxf(rintf(rows[k] / scale[c]), (float)-most),
                         (float)most);
    }
}

/* The power of two that factors of requantization are multiples of, such that
 * those have 16 bits at most, and they times sums 31; 0: that is too coarse.
 * per: scale of x by that of y. */
static double unit_of(const Rows *r, const float *rows, int most, double per)
{
    double top = 0, all = 0, sum, bits;
    int64_t c, k;

    for (c = 0; c < r->count; c++, all = fmax(all, sum))
        for (k = c * r->len, sum = 0; k < (c + 1) * r->len; k++) {
            sum += fabs((double)rows[k]) * per;
            top = fmax(top, fabs((double)rows[k]) * per * 1.1 / most);
        }
    bits = fmax(ceil(log2(top)) - FACTOR_BITS, ceil(log2(all)) - SUM_BITS);
    return top > 0 && log2(top) - bits >= LEAST_BITS ? ldexp(1, (int)bits) : 0;
}

/* By what the rows of each group meet. */
static void by_met(Arena *a, const Rows *r, float *rows, const Met *m,
                   int bits, double per, float *q, float *scale)
{
    int64_t each = r->count / m->groups, g, c, k;
    double unit = per > 0 ? unit_of(r, rows, bits == 4 ? 7 : 127, per) : 0;
    double by = unit > 0 ? per : 1;

    for (k = 0; k < r->n; k++)
        rows[k] = (float)((double)rows[k] * by);
    for (g = 0; g < m->groups; g++) {
        const double *h = m->h + g * m->k * m->k;
        const float *from = rows + g * each * r->len;
        Rounded y = round_rows(a, from, each, m->k, bits, m->k, h, unit);

        for (c = 0; c < each; c++)
            scale[g * each + c] = (float)((double)half_value(y.scale[c]) / by);
        for (k = 0; k < each * m->k; k++)
            q[g * each * r->len + k] = (float)y.w[k];
    }
    for (k = 0; k < r->n; k++)
        rows[k] = (float)((double)rows[k] / by);
}

/* dB: of the sums, on what the weights meet. */
static double sqnr(const Rows *r, const float *rows, const float *q,
                   const float *scale, const Met *m)
{
    int64_t per = r->count / m->groups, c, j, l;
    double signal = 0, noise = 0;

    for (c = 0; c < r->count; c++) {
        const double *h = m->h + c / per * m->k * m->k;
        const float *w = rows + c * r->len, *i = q + c * r->len;

        for (j = 0; j < m->k; j++) {
            double ws = 0, ds = 0;

            for (l = 0; l < m->k; l++) {
                ws += (double)w[l] * h[j * m->k + l];
                ds += (double)(w[l] - i[l] * scale[c]) * h[j * m->k + l];
            }
            signal += ws * (double)w[j];
            noise += ds * (double)(w[j] - i[j] * scale[c]);
        }
    }
    return noise > 0 ? 10 * log10(signal / noise) : INFINITY;
}

static void note(Matrices *d, const Val *w, const char *op, int bits,
                 double db)
{
    GROW(d->mem, d->list, (size_t)d->n);
    d->list[d->n] = (PtqWeights){.name = w->name, .op = op, .bits = bits,
                                 .count = val_count(w), .sqnr = db,
                                 .share = NAN};
}

/* The scale of v, through what moves it; 0: it has none. */
static float grid_above(const Val *v)
{
    const Node *n = v->def;

    for (; n && moves(n); n = n->arg[0]->def)
        ;
    return n && n->op == OP_dequantize && val_count(n->arg[1]) == 1
           ? (float)val_num(n->arg[1], 0) : 0;
}

/* The scale of what v becomes behind addends and clips; 0: that is not one. */
static float grid_below(const Graph *q, const Val *v)
{
    const Node *n;

    while ((n = only_reader(q, v))) {
        if (n->op == OP_quantize)
            return (float)val_num(n->arg[1], 0);
        if (n->op != OP_clip && n->op != OP_add)
            return 0;
        v = n->res[0];
    }
    return 0;
}

/* The scale of what n reads by that of what it makes; 0: they have none. */
static double factor_of(const Graph *q, const Node *n)
{
    float x = grid_above(n->arg[0]), y = grid_below(q, n->res[0]);

    return x > 0 && y > 0 ? (double)x / (double)y : 0;
}

/* Integers of w, with their scales. */
static Val *quantized(Matrices *d, const Node *n, const Val *w, int axis,
                      Val **scale)
{
    Arena *a = arena_new();
    Graph *q = d->q;
    Val *y = graph_const(q, w->name, T_s8, w->shape, NULL);
    int bits = mix_four(&d->o->mix, w->name) ? 4 : 8;
    Rows r = rows_of(w, axis);
    const Met *m = met_find(d->met, w->name);
    float *rows = NEWN(a, float, (size_t)r.n + 1);
    float *ints = NEWN(a, float, (size_t)r.n + 1), *by;
    int64_t *at = places(a, &r), k;

    *scale = scales(q, w->shape, axis);
    by = (*scale)->data;
    for (k = 0; k < r.n; k++)
        rows[at[k]] = ((const float *)w->data)[k];
    if (m && (m->k != r.len || r.count % m->groups))
        m = NULL;
    if (m && !d->o->nearest)
        by_met(a, &r, rows, m, bits, factor_of(q, n), ints, by);
    else
        nearest(&r, rows, bits == 4 ? 7 : 127, ints, by);
    for (k = 0; k < r.n; k++)
        val_set(y, k, (int64_t)ints[at[k]]);
    note(d, w, n->origin ? n->origin : op_info[n->op].name, bits,
         m ? sqnr(&r, rows, ints, by, m) : NAN);
    arena_end(a);
    return y;
}

static Val *weights_of(Matrices *d, Node *n, const Val *w, Val **scale)
{
    int axis = channel_axis(n, w), i = 0;
    Ints *b;

    while (i < d->n && (d->ints[i].from != w || d->ints[i].axis != axis))
        i++;
    if (i == d->n) {
        GROW(d->mem, d->ints, (size_t)i);
        b = &d->ints[i];
        b->from = w;
        b->axis = axis;
        b->ints = quantized(d, n, w, axis, &b->scale);
        d->n++;
    }
    *scale = d->ints[i].scale;
    return dequantized(d->q, n, d->ints[i].ints, *scale);
}

static void put_bias(Graph *q, Node *n, const Val *scale)
{
    const Val *b = n->arg[2];
    float x = grid_above(n->arg[0]);
    Val *ints, *by;
    int64_t i, count = val_count(b), m = val_count(scale);
    double v;

    if (!(x > 0) || (m != 1 && m != count))
        return;
    ints = graph_const(q, b->name, T_s32, b->shape, NULL);
    by = graph_const(q, "scale", T_f32, b->shape, NULL);
    for (i = 0; i < count; i++) {
        float s = x * ((const float *)scale->data)[m == 1 ? 0 : i];

        v = rint(val_num(b, i) / (double)s);
        if (!(fabs(v) < 0x1p30))
            return;
        val_set(ints, i, (int64_t)v);
        ((float *)by->data)[i] = s;
    }
    n->arg[2] = dequantized(q, n, ints, by);
}

/* Which channel of x an element of the weights meets, and which of y. */
static void meets(const Node *n, const Val *w, int64_t k, int64_t *in,
                  int64_t *out)
{
    Shape s = w->shape;
    int64_t inner, groups;

    if (n->op == OP_conv) {
        inner = shape_product(s, 2, s.rank);
        groups = attr_int(n, A_group);
        *out = k / inner / s.dim[1];
        *in = *out / MAX(s.dim[0] / groups, 1) * s.dim[1] +
              k / inner % s.dim[1];
    } else if (attr_int(n, A_transb)) {
        *out = k / s.dim[1];
        *in = k % s.dim[1];
    } else {
        *out = k % s.dim[1];
        *in = k / s.dim[1];
    }
}

/* The bias, with what the rounding of weights takes from the mean of each
 * channel; b may be absent. */
static Val *corrected(Matrices *d, const Node *n, const Val *w, const Val *wi,
                      const Val *scale, Val *b, const Seen *x)
{
    int64_t m = n->op == OP_conv || attr_int(n, A_transb) ? w->shape.dim[0]
                : w->shape.dim[1], k, in, out, i;
    double *off = NEWN(d->mem, double, (size_t)MAX(m, 1));
    Val *y;

    if (b && (!b->data || val_count(b) != m))
        return b;
    for (k = 0; k < val_count(w); k++) {
        meets(n, w, k, &in, &out);
        off[out] += (val_num(w, k) - (double)val_int(wi, k) *
                     val_num(scale, out)) * x->sum[in] / (double)x->rows;
    }
    y = graph_const(d->q, b ? b->name : "bias", T_f32,
                    b ? b->shape : SHAPE(m), NULL);
    for (i = 0; i < m; i++)
        ((float *)y->data)[i] = (float)((b ? val_num(b, i) : 0) + off[i]);
    return y;
}

/* What n reads in the float graph. */
static const Seen *seen_of(const Matrices *d, const Node *n)
{
    const Val *y = graph_find(d->g, n->res[0]->name);
    const Seen *x = y && y->def && y->def->op == n->op
                    ? d->seen[y->def->arg[0]->id] : NULL;

    return x && x->sum && x->rows ? x : NULL;
}

static void correct(Matrices *d, Node *n, const Val *w, const Val *scale)
{
    const Seen *x = seen_of(d, n);
    Val *b = n->narg > 2 ? n->arg[2] : NULL;

    if (d->o->keep_bias || !x || n->arg[1]->data || val_count(scale) < 2)
        return;
    n->arg[2] = corrected(d, n, w, n->arg[1]->def->arg[0], scale, b, x);
    n->narg = MAX(n->narg, 3);
}

static void put_weights(Matrices *d, Node *n)
{
    Graph *q = d->q;
    Val *w, *scale = NULL, *second = n->arg[1];
    int i;

    if (n->res[0]->type != T_f32)
        return;
    for (i = 0; i < 2; i++) {
        w = n->arg[i];
        if (w->data && w->type == T_f32 && !n->arg[1 - i]->data &&
            mix_has(&d->o->mix, w->name))
            n->arg[i] = weights_of(d, n, w, &scale);
    }
    if (scale && n->arg[1] != second && n->op != OP_convt)
        correct(d, n, second, scale);
    if (scale && n->narg > 2 && n->arg[2] && n->arg[2]->data)
        put_bias(q, n, scale);
}

int insert_weights(Graph *q, Graph *g, Seen **seen, const Met *met,
                   const PtqOpts *o, PtqWeights **list)
{
    Matrices d = {.q = q, .g = g, .seen = seen, .met = met, .o = o,
                  .mem = q->mem};
    Node *n;

    for (n = q->first; n; n = n->next)
        if (has_weights(n))
            put_weights(&d, n);
    *list = d.list;
    return d.n;
}
