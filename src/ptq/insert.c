/* Where integers are to be: quantize and dequantize go behind values.
 *
 *     y = conv x w b                  xd = dequantize xq sx zx
 *     z = clip y flo=0         ->     wd = dequantize wq sw
 *                                     y = conv xd wd bd
 *                                     z = clip y flo=0
 *                                     zq = quantize z sz zz
 *
 * No grid stands
 *
 *   behind what only moves elements: it has the grid of what it moves
 *   between a sum and the factors, addends and clips behind it: one epilogue
 *   within a tree of elementwise operators over one value: one table
 *
 * Weights have a scale a channel, of symmetric bytes; biases are integers of
 * 32 bits on the grid of the products.  What a normalization reads has 16
 * bits: its mean and root are of all of a row. */
#include "ptq/calib.h"

#include <math.h>
#include <string.h>

/* Weights that are bytes now: several may read them. */
typedef struct Bytes {
    const Val *from;
    int axis;
    Val *ints, *scale;
} Bytes;

typedef struct Grids {
    Graph *q;
    Graph *g;            /* the float graph, of the same names */
    Seen **seen;         /* by id of g */
    const PtqOpts *o;
    Arena *mem;
    Val **root;          /* by id of q: an elementwise tree's leaf */
    bool *sum;           /* an epilogue may follow */
    bool *joins;         /* its one reader is of the same epilogue */
    const Seen **x;      /* of what a node's weights meet, by id of q */
    Node ***reader;
    int *nreader;
    int n, nbytes;
    Inserted *list;
    Bytes *bytes;
} Grids;

/* --- what operators are --- */

static bool is_float(const Val *v)
{
    return v && v->type == T_f32;
}

static bool moves(const Node *n)
{
    switch (n->op) {
    case OP_reshape: case OP_transpose: case OP_slice: case OP_expand:
    case OP_gather: case OP_gatherelem: case OP_gathernd: case OP_maxpool:
    case OP_rmax: case OP_rmin:
        return !n->arg[0]->data;
    case OP_pad:
        return attr_int(n, A_mode) || attr_num(n, A_alpha) == 0;
    default:
        return false;
    }
}

static bool has_weights(const Node *n)
{
    return n->op == OP_conv || n->op == OP_convt || n->op == OP_matmul;
}

static bool sums(const Node *n)
{
    switch (n->op) {
    case OP_conv: case OP_convt: case OP_matmul: case OP_avgpool:
    case OP_mean: case OP_sum: case OP_sumpool:
        return true;
    case OP_add: case OP_sub: case OP_mul:
        return n->narg == 2 && !n->arg[0]->data && !n->arg[1]->data;
    default:
        return false;
    }
}

static bool normalizes(const Node *n)
{
    return n->op == OP_layernorm || n->op == OP_rmsnorm;
}

/* Do integers take its place, with a grid before and behind? */
static bool known(const Node *n)
{
    return sums(n) || moves(n) || normalizes(n) || n->op == OP_softmax ||
           n->op == OP_concat || (op_info[n->op].family == FAM_map &&
                                  n->op != OP_cast && n->op != OP_where);
}

/* The operand that is not constant, of a factor, an addend or a clip. */
static Val *epilogue_of(const Node *n)
{
    int i;

    if (n->op == OP_clip)
        return n->arg[0];
    if ((n->op != OP_add && n->op != OP_sub && n->op != OP_mul) ||
        n->narg != 2)
        return NULL;
    i = n->arg[0]->data ? 1 : 0;
    return !n->arg[i]->data && n->arg[1 - i]->data &&
           shape_same(n->arg[i]->shape, n->res[0]->shape) ? n->arg[i] : NULL;
}

/* --- what belongs together --- */

static bool one_reader(const Grids *d, const Val *v)
{
    return d->nreader[v->id] == 1 && !val_is_output(d->q, v);
}

/* The leaf of an elementwise tree; NULL: n is none, or has several. */
static Val *leaf(const Grids *d, const Node *n)
{
    Val *at = NULL, *v;
    int i;

    if (op_info[n->op].family != FAM_map || n->op == OP_cast)
        return NULL;
    for (i = 0; i < n->narg; i++) {
        v = n->arg[i];
        if (!v || (v->data && val_count(v) == 1 && is_float(v)))
            continue;
        if (v->data || !is_float(v) || (at && d->root[v->id] != at) ||
            !shape_same(v->shape, n->res[0]->shape))
            return NULL;
        at = d->root[v->id];
    }
    return at;
}

static void look(Grids *d, Node *n)
{
    Val *y = n->res[0], *x = epilogue_of(n), *at;

    d->root[y->id] = y;
    if (x && d->sum[x->id] && one_reader(d, x)) {
        d->sum[y->id] = n->op != OP_clip;
        d->joins[x->id] = true;
        return;
    }
    at = leaf(d, n);
    if (at)
        d->root[y->id] = at;
    else if (sums(n))
        d->sum[y->id] = true;
}

static void look_at_all(Grids *d)
{
    size_t n = (size_t)graph_nval(d->q) + 1;
    Node *k;
    Val *v;
    int i;

    graph_number(d->q);
    d->root = NEWN(d->mem, Val *, n);
    d->sum = NEWN(d->mem, bool, n);
    d->joins = NEWN(d->mem, bool, n);
    d->reader = NEWN(d->mem, Node **, n);
    d->nreader = NEWN(d->mem, int, n);
    for (v = d->q->vals; v; v = v->next)
        d->root[v->id] = v;
    for (k = d->q->first; k; k = k->next)
        for (i = 0; i < k->narg; i++) {
            if (!(v = k->arg[i]))
                continue;
            GROW(d->mem, d->reader[v->id], (size_t)d->nreader[v->id]);
            d->reader[v->id][d->nreader[v->id]++] = k;
        }
    for (k = d->q->first; k; k = k->next)
        look(d, k);
}

/* Within a tree: all who read it are of the same tree. */
static bool inside(const Grids *d, const Val *v)
{
    int i;

    if (d->root[v->id] == v || val_is_output(d->q, v))
        return false;
    for (i = 0; i < d->nreader[v->id]; i++)
        if (d->root[d->reader[v->id][i]->res[0]->id] != d->root[v->id])
            return false;
    return true;
}

static bool wants_grid(const Grids *d, const Val *v)
{
    int i;
    bool any = v->def && known(v->def);

    if (!is_float(v) || v->data || d->joins[v->id] || inside(d, v) ||
        (v->def && moves(v->def)))
        return false;
    for (i = 0; i < d->nreader[v->id]; i++)
        any |= known(d->reader[v->id][i]);
    return any;
}

/* Does what reads v, moved or not, say yes? */
static bool read_by(const Grids *d, const Val *v, bool (*is)(const Node *n))
{
    int i;

    for (i = 0; i < d->nreader[v->id]; i++) {
        const Node *n = d->reader[v->id][i];

        if (is(n) || (moves(n) && read_by(d, n->res[0], is)))
            return true;
    }
    return false;
}

static const Seen *seen_of(const Grids *d, const Val *v)
{
    const Val *of = graph_find(d->g, v->name);
    static const Seen none;

    return of && d->seen[of->id] ? d->seen[of->id] : &none;
}

static Steps choose(const Grids *d, const Val *v)
{
    Type t = read_by(d, v, normalizes) && !read_by(d, v, has_weights)
             ? T_s16 : T_s8;
    const Val *of = v;

    if (v->def && v->def->op == OP_softmax)
        return read_by(d, v, has_weights) ? (Steps){1.0f / 256, 0, T_u8}
                                          : (Steps){1.0f / 256, -128, T_s8};
    if (one_reader(d, v) && d->reader[v->id][0]->op == OP_concat)
        of = d->reader[v->id][0]->res[0];
    return steps_of(seen_of(d, of), t, d->o->by);
}

/* --- values --- */

static void put_grid(Grids *d, Val *v, Steps s)
{
    Graph *q = d->q;
    Val *arg[3] = {NULL, graph_const_f32(q, s.scale),
                   graph_const_int(q, s.type, s.zero)};
    Node *at = v->def ? v->def->next : q->first, *to, *from;
    Inserted *x;

    GROW(d->mem, d->list, (size_t)d->n);
    x = &d->list[d->n++];
    x->name = v->name;
    x->op = !v->def ? "input" : v->def->origin ? v->def->origin
                              : op_info[v->def->op].name;
    x->steps = s;
    to = graph_node(q, at, OP_quantize, arena_fmt(d->mem, "%s.int", v->name),
                    3, arg);
    from = graph_node(q, at, OP_dequantize, NULL, 3, arg);
    graph_replace(q, v, from->res[0]);
    to->arg[0] = v;
    attr_set_int(q, to, A_to, s.type);
    node_infer(q, to);
    from->arg[0] = to->res[0];
    node_infer(q, from);
    x->integer = to->res[0]->name;
}

/* --- weights and biases --- */

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

/* Bytes of w, with their scales: element k is of channel k / inner % count. */
static Val *quantized(Graph *q, const Val *w, int axis, Val **scale)
{
    Val *y = graph_const(q, w->name, T_s8, w->shape, NULL);
    int64_t n = val_count(w), i, c, k;
    int64_t inner = axis < 0 ? n : shape_product(w->shape, axis + 1,
                                                 w->shape.rank);
    int64_t count = axis < 0 ? 1 : w->shape.dim[axis];
    const float *from = w->data;
    float *row = NEWN(q->mem, float, (size_t)n + 1), *by;

    *scale = scales(q, w->shape, axis);
    by = (*scale)->data;
    for (c = 0; c < count; c++) {
        for (i = k = 0; i < n; i++)
            if (i / inner % count == c)
                row[k++] = from[i];
        by[c] = scale_of_weights(row, k, 1, 127);
    }
    for (i = 0; i < n; i++) {
        float v = rintf(from[i] / by[i / inner % count]);

        val_set(y, i, (int64_t)fminf(fmaxf(v, -127), 127));
    }
    return y;
}

static Val *weights_of(Grids *d, Node *n, const Val *w, Val **scale)
{
    int axis = channel_axis(n, w), i = 0;
    Bytes *b;

    while (i < d->nbytes && (d->bytes[i].from != w ||
                             d->bytes[i].axis != axis))
        i++;
    if (i == d->nbytes) {
        GROW(d->mem, d->bytes, (size_t)i);
        b = &d->bytes[d->nbytes++];
        b->from = w;
        b->axis = axis;
        b->ints = quantized(d->q, w, axis, &b->scale);
    }
    *scale = d->bytes[i].scale;
    return dequantized(d->q, n, d->bytes[i].ints, *scale);
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
static Val *corrected(Grids *d, const Node *n, const Val *w, const Val *wi,
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

static void correct(Grids *d, Node *n, const Val *w, const Val *scale)
{
    const Seen *x = d->x[n->id];
    Val *b = n->narg > 2 ? n->arg[2] : NULL;

    if (d->o->keep_bias || !x || !x->rows || n->arg[1]->data ||
        val_count(scale) < 2)
        return;
    n->arg[2] = corrected(d, n, w, n->arg[1]->def->arg[0], scale, b, x);
    n->narg = MAX(n->narg, 3);
}

static void put_weights(Grids *d, Node *n)
{
    Graph *q = d->q;
    Val *w, *scale = NULL, *second = n->arg[1];
    int i;

    if (!is_float(n->res[0]))
        return;
    for (i = 0; i < 2; i++) {
        w = n->arg[i];
        if (w->data && is_float(w) && !n->arg[1 - i]->data)
            n->arg[i] = weights_of(d, n, w, &scale);
    }
    if (scale && n->arg[1] != second && n->op != OP_convt)
        correct(d, n, second, scale);
    if (scale && n->narg > 2 && n->arg[2] && n->arg[2]->data)
        put_bias(q, n, scale);
}

int insert_grids(Graph *q, Graph *g, Seen **seen, const PtqOpts *o,
                 Inserted **list)
{
    Grids d = {.q = q, .g = g, .seen = seen, .o = o, .mem = q->mem};
    Val *v, **wanted = NULL;
    Steps *s = NULL;
    Node *n;
    int i, count = 0;

    look_at_all(&d);
    d.x = NEWN(d.mem, const Seen *, (size_t)graph_nval(q) + 1);
    for (n = q->first; n; n = n->next) {
        const Seen *x = has_weights(n) ? seen_of(&d, n->arg[0]) : NULL;

        d.x[n->id] = x && x->sum ? x : NULL;
    }
    wanted = NEWN(d.mem, Val *, (size_t)graph_nval(q) + 1);
    s = NEWN(d.mem, Steps, (size_t)graph_nval(q) + 1);
    for (v = q->vals; v; v = v->next)
        if (wants_grid(&d, v)) {
            wanted[v->id] = v;
            s[v->id] = choose(&d, v);
        }
    count = graph_nval(q);
    for (i = 0; i < count; i++)
        if (wanted[i])
            put_grid(&d, wanted[i], s[i]);
    for (n = q->first; n; n = n->next)
        if (has_weights(n))
            put_weights(&d, n);
    *list = d.list;
    return d.n;
}
