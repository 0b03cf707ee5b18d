/* Bytes without a sign, for accelerators that take no others (NE16):
 *
 *     y = conv x w b mul add    ->    y' = conv x w b mul (add + 128 << shift)
 *     z = conv y v c mul add    ->    z  = conv y' v (c - 128 sums of v) ...
 *
 * y' is y + 128.  Sums, and so their rounding, are what they were. */
#include "plan/kernel/layer.h"

enum { OFFSET = 128, MOST_READERS = 8 };

typedef struct Flip {
    Graph *g;
    Val *v;                   /* s8, to be u8 */
    Node *reader[MOST_READERS];
    int n;
} Flip;

static int shift_at(const Node *n, int64_t i)
{
    const Val *v = node_arg(n, "shifts");

    return (int)(v ? layer_element(v, i) : attr_int(n, A_shift));
}

/* ---- what can be offset ---- */

/* Has the result an addend, or a zero point, that can be more?  And bounds, or
 * the type would not follow. */
static bool makes_bytes(const Node *n)
{
    if (n->op == OP_quantize)
        return n->narg == 3 && layer_is_const(n->arg[2]) && !node_varies(n);
    return n->nres == 1 && attr_has(n, A_lo) && attr_has(n, A_hi) &&
           !node_varies(n) &&
           (n->op == OP_wadd ? layer_is_const(n->arg[2])
                             : layer_is_const(node_arg(n, "mul")) &&
                               layer_is_const(node_arg(n, "add")) &&
                               (!node_arg(n, "shifts") ||
                                layer_is_const(node_arg(n, "shifts"))));
}

/* Is n a product with constants of which v is but the other operand? */
static bool is_product_of(const Node *n, const Val *v)
{
    int i;

    if ((n->op != OP_conv && !(n->op == OP_matmul && layer_is_product(n))) ||
        n->arg[0] != v || !layer_is_const(n->arg[1]) || n->narg < 3 ||
        (n->arg[2] && !layer_is_const(n->arg[2])) || node_varies(n))
        return false;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i] == v)
            return false;
    return true;
}

static bool may_take(const Node *n, const Val *v)
{
    return is_product_of(n, v) ||
           (n->op == OP_wadd && n->arg[2] != v && layer_is_const(n->arg[2]));
}

/* All who read v may take it, and one of them is a product. */
static bool may_flip(Flip *f)
{
    bool product = false;
    Node *n;
    int i;

    f->n = 0;
    if (f->v->type != T_s8 || !f->v->def || !makes_bytes(f->v->def) ||
        val_is_output(f->g, f->v))
        return false;
    for (n = f->g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] == f->v) {
                if (f->n == MOST_READERS || !may_take(n, f->v))
                    return false;
                product |= n->op != OP_wadd;
                if (!f->n || f->reader[f->n - 1] != n)
                    f->reader[f->n++] = n;
            }
    return product;
}

/* ---- offsets ---- */

/* A constant of these elements: of t, if that holds them, else of 64 bits. */
static Val *const_of(Graph *g, const char *name, Type t, Shape s,
                     const int64_t *x)
{
    int64_t n = shape_count(s), i;
    bool fits = true;
    Val *v;

    for (i = 0; i < n; i++)
        fits &= x[i] >= type_info[t].lo && x[i] <= type_info[t].hi;
    v = graph_const(g, name, fits ? t : T_s64, s, NULL);
    for (i = 0; i < n; i++)
        val_set(v, i, x[i]);
    val_range(v);
    return v;
}

/* add of n with so many more of results. */
static void more_add(Graph *g, Node *n, int operand, int64_t more)
{
    const Val *add = n->arg[operand], *shifts = node_arg(n, "shifts");
    const Val *wide = shifts && val_count(shifts) > val_count(add) ? shifts
                                                                   : add;
    int64_t count = val_count(wide), *x = NEWN(g->mem, int64_t, count + 1), i;

    for (i = 0; i < count; i++)
        x[i] = layer_element(add, i) + (more << shift_at(n, i));
    n->arg[operand] = const_of(g, add->name, add->type, wide->shape, x);
}

static void more_zero(Graph *g, Node *n)
{
    const Val *zero = n->arg[2];
    int64_t count = val_count(zero), *x = NEWN(g->mem, int64_t, count + 1), i;

    for (i = 0; i < count; i++)
        x[i] = val_int(zero, i) + OFFSET;
    n->arg[2] = const_of(g, zero->name, T_u8, zero->shape, x);
    attr_set_int(g, n, A_to, T_u8);
}

static void offset_result(Graph *g, Node *n)
{
    bool optional;

    if (n->op == OP_quantize) {
        more_zero(g, n);
        return;
    }
    more_add(g, n, n->op == OP_wadd ? 2 : op_arg(n->op, "add", &optional),
             OFFSET);
    attr_set_int(g, n, A_lo, attr_int(n, A_lo) + OFFSET);
    attr_set_int(g, n, A_hi, attr_int(n, A_hi) + OFFSET);
}

/* The sum of the weights of result channel o, of m. */
static int64_t weight_sum(const Val *w, bool across, int64_t o, int64_t m)
{
    int64_t each = val_count(w) / m, sum = 0, i;

    for (i = 0; i < each; i++)
        sum += val_int(w, across ? i * m + o : o * each + i);
    return sum;
}

Val *unsigned_bias(Graph *g, const Val *w, bool across, const Val *bias)
{
    int64_t m = w->shape.dim[across], *x = NEWN(g->mem, int64_t, m + 1), o;

    for (o = 0; o < m; o++)
        x[o] = layer_element(bias, o) - OFFSET * weight_sum(w, across, o, m);
    return const_of(g, w->name, bias ? bias->type : T_s32, SHAPE(m), x);
}

static void offset_product(Graph *g, Node *n)
{
    bool across = n->op == OP_matmul && !attr_int(n, A_transb);

    n->arg[2] = unsigned_bias(g, n->arg[1], across, n->arg[2]);
    if (n->op == OP_conv)
        attr_set_int(g, n, A_padvalue, attr_int(n, A_padvalue) + OFFSET);
}

static void offset_sum(Graph *g, Node *n, const Val *v)
{
    const Val *c = n->arg[2];
    int64_t by = (n->arg[0] == v ? attr_int(n, A_p0) : 0) +
                 (n->arg[1] == v ? attr_int(n, A_p1) : 0);
    int64_t count = val_count(c), *x = NEWN(g->mem, int64_t, count + 1), i;

    for (i = 0; i < count; i++)
        x[i] = val_int(c, i) - OFFSET * by;
    n->arg[2] = const_of(g, c->name, c->type, c->shape, x);
}

Val *unsigned_value(Graph *g, Node *at, Val *v)
{
    Val *arg[3] = {v, graph_const_int(g, T_u8, 1),
                   graph_const_int(g, T_u8, OFFSET)};
    Node *n = graph_node(g, at, OP_requant, at->name, 3, arg);

    attr_set_int(g, n, A_lo, 0);
    attr_set_int(g, n, A_hi, 2 * OFFSET - 1);
    n->origin = at->origin;
    node_infer(g, n);
    return n->res[0];
}

static void flip(const Flip *f)
{
    int i;

    offset_result(f->g, f->v->def);
    f->v->zero += OFFSET;
    for (i = 0; i < f->n; i++)
        if (f->reader[i]->op == OP_wadd)
            offset_sum(f->g, f->reader[i], f->v);
        else
            offset_product(f->g, f->reader[i]);
}

bool unsigned_can_be(Graph *g, Val *v)
{
    Flip f = {.g = g, .v = v};

    return may_flip(&f);
}

void unsign_layers(Graph *g)
{
    Flip f = {.g = g};
    Node *n;

    for (n = g->first; n; n = n->next) {
        f.v = n->res[0];
        if (may_flip(&f))
            flip(&f);
    }
    graph_infer(g);
}
