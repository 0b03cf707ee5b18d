/* Caches: a state that grows by some rows in every run.
 *
 *     number n 0 255
 *     past = input : s8[2,n,4]              past = input : s8[2,256,4]
 *     y = concat past new axis=1       ->   next = scatternd past places new
 *     output y state past                   y = slice next count=2,n+1,4
 *                                           output next state past
 *
 * The state has room for the most rows, and the new ones are written in place,
 * behind the n that are there; whoever read past or y reads that part of it.
 * The next run has n greater by so many: the application says so. */
#include "front/number.h"

#include <string.h>

typedef struct Append {
    Graph *g;
    Node *concat;
    Val *past, *fresh;
    int axis;
    Size rows, all;     /* there before, and behind */
} Append;

/* A requantization that changes no value that its operand can have. */
static bool changes_nothing(const Node *n)
{
    const Val *x = n->arg[0], *mul, *add;
    int64_t v, y, lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);
    int64_t shift = attr_int(n, A_shift);

    if (n->op != OP_requant || node_arg(n, "shifts") || node_round(n) ||
        x->lo < INT16_MIN || x->hi > INT16_MAX)
        return false;
    mul = n->arg[1];
    add = n->arg[2];
    if (!mul->data || !add->data || val_count(mul) != 1 || val_count(add) != 1)
        return false;
    for (v = x->lo; v <= x->hi; v++) {
        if (__builtin_mul_overflow(v, val_int(mul, 0), &y) ||
            __builtin_add_overflow(y, val_int(add, 0), &y))
            return false;
        y >>= shift;
        if (MAX(lo, MIN(hi, y)) != v)
            return false;
    }
    return true;
}

/* Quantizers requantize a cache behind its Concat, which would be for all rows:
 * where that changes nothing the output is what was there before. */
static void drop_requant(Graph *g, int i)
{
    Val *y = g->out[i], *s = y->state;
    Node *n = y->def;

    while (n && n->op == OP_requant && changes_nothing(n)) {
        graph_replace(g, y, n->arg[0]);
        y = g->out[i];
        y->state = s;
        n = y->def;
    }
}

static _Noreturn void no_append(const Val *s, const Val *y, const char *why)
{
    err(ERR_MODEL, "--state %s=%s: the input is %s, the output %s; %s", s->name,
        y->name, shape_text(s->shape), shape_text(y->shape), why);
}

static Append find_append(Graph *g, Val *y)
{
    Val *s = y->state;
    Node *n = y->def;
    Append a = {.g = g, .concat = n, .past = s};
    int i;

    if (!n || n->op != OP_concat || n->narg != 2 || n->arg[0] != s)
        no_append(s, y, "a state grows only as Concat(state, new rows)");
    a.fresh = n->arg[1];
    a.axis = node_axis(n, s->shape.rank);
    a.rows = size_at(s->shape, a.axis);
    a.all = size_at(y->shape, a.axis);
    if (!a.rows.vary.num || a.rows.vary.by != 1 ||
        a.fresh->shape.vary[a.axis].num)
        no_append(s, y, "a state grows only by as many rows in each run as the "
                  "first size of it is counted in");
    for (i = 0; i < s->shape.rank; i++)
        if (i != a.axis && s->shape.vary[i].num)
            no_append(s, y, "a state follows one run-time number only");
    return a;
}

static Val *slice_of(Append *a, Node *at, Val *x, int axis, Size start,
                     Size count)
{
    Shape zeros = {.rank = x->shape.rank}, ones = zeros, all = x->shape;
    Node *n = graph_node(a->g, at, OP_slice, NULL, 1, &x);
    int i;

    for (i = 0; i < ones.rank; i++)
        ones.dim[i] = 1;
    shape_put(&zeros, axis, start);
    shape_put(&all, axis, count);
    attr_set_shape(a->g, n, A_start, zeros);
    attr_set_shape(a->g, n, A_step, ones);
    attr_set_shape(a->g, n, A_count, all);
    node_infer(a->g, n);
    return n->res[0];
}

/* Where the new rows go if none is there: an index for each axis up to that
 * along which they come. */
static Val *first_places(Append *a)
{
    Shape s = a->fresh->shape;
    int k, width = a->axis + 1;
    int64_t i, j, n;
    Val *v;

    s.rank = width + 1;
    shape_put(&s, width, size_const(width));
    v = graph_const(a->g, "places", T_s32, s, NULL);
    n = val_count(v) / width;
    for (i = 0; i < n; i++)
        for (j = i, k = width - 1; k >= 0; j /= s.dim[k], k--)
            val_set(v, i * width + k, j % s.dim[k]);
    val_range(v);
    return v;
}

/* [width]: 0 but for the last, the rows that are there; from a table. */
static Val *rows_there(Append *a, Node *at)
{
    const Number *k = a->rows.vary.num;
    int64_t width = a->axis + 1, i, n = k->hi - k->lo + 1;
    int64_t off = a->rows.n - k->hi;
    Val *v = graph_const(a->g, "rows", T_s32, SHAPE(n, width), NULL);
    Node *m;

    for (i = 0; i < n; i++)
        val_set(v, i * width + width - 1, k->lo + i + off);
    val_range(v);
    v = slice_of(a, at, v, 0, (Size){k->hi - k->lo, {k, 1}}, size_const(1));
    m = graph_node(a->g, at, OP_reshape, NULL, 1, &v);
    attr_set_shape(a->g, m, A_shape, SHAPE(width));
    node_infer(a->g, m);
    return m->res[0];
}

static Val *places(Append *a, Node *at)
{
    Val *arg[] = {first_places(a), rows_there(a, at)};
    Node *n = graph_node(a->g, at, OP_add, NULL, 2, arg);

    node_infer(a->g, n);
    return n->res[0];
}

/* Other readers of the state read the rows that are there. */
static void read_rows(Append *a)
{
    Val *s = a->past, *v;
    Node *n;
    int i;

    a->concat->arg[0] = NULL;
    graph_uses(a->g);
    if (s->nuse) {
        v = slice_of(a, a->g->first, s, a->axis, size_const(0), a->rows);
        n = v->def;
        n->arg[0] = NULL;
        for (n = a->g->first; n; n = n->next)
            for (i = 0; i < n->narg; i++)
                if (n->arg[i] == s)
                    n->arg[i] = v;
        v->def->arg[0] = s;
    }
}

static void append(Graph *g, int i)
{
    Val *y, *s, *v, *arg[3];
    const char *name;
    Append a;
    Node *n;

    drop_requant(g, i);
    y = g->out[i];
    s = y->state;
    name = y->name;
    a = find_append(g, y);
    n = a.concat;
    shape_put(&s->shape, a.axis, size_const(a.all.n));
    read_rows(&a);
    arg[0] = s;
    arg[1] = places(&a, n);
    arg[2] = a.fresh;
    n = graph_node(g, n, OP_scatternd, NULL, 3, arg);
    n->origin = a.concat->origin;
    node_infer(g, n);
    v = slice_of(&a, a.concat, n->res[0], a.axis, size_const(0), a.all);
    y->state = NULL;
    graph_replace(g, y, v);
    v->state = NULL;
    g->out[i] = n->res[0];
    g->out[i]->state = s;
    a.concat->narg = 0;
    node_remove(g, a.concat);
    val_rename(g, v, arena_fmt(g->mem, "%s/rows", name));
    val_rename(g, g->out[i], name);
    node_rename(g, n, name);
}

void front_appends(Graph *g)
{
    int i;

    for (i = 0; i < g->nout; i++)
        if (g->out[i]->state &&
            !shape_same(g->out[i]->state->shape, g->out[i]->shape))
            append(g, i);
}
