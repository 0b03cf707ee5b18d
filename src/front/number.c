/* Dynamic dimensions that stay so: --dim n=1..256.
 *
 * Importers know sizes: a model is imported with the greatest value, and again
 * with others.  The graphs must be the same but for sizes, elements of shapes,
 * starts and counts, and constants that were computed from sizes; where such a
 * number follows the value as a * n + b at each of those values, it is made to
 * follow the run-time number.  Inference then says whether the graph is right
 * at every value (ir/infer.c).
 *
 * A constant that has more elements at greater values is the greatest one, of
 * which a slice is taken; one whose elements follow the value is looked up.
 *
 * Values below 3 are not imported: sizes of 0 and 1 make other graphs, which
 * mean the same. */
#include "front/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 24, FIRST = 3, ELEMENTS = 64 };

typedef struct Spot { /* one number of the graph that may follow */
    int64_t at;       /* in the first graph */
    Vary vary;
    const Node *node; /* whose it is; NULL: of an input or constant */
    const char *what;
} Spot;

typedef struct Unify {
    Arena *mem;       /* dropped when reading is over */
    Graph *g;         /* with all numbers greatest */
    FrontOpts o;
    FrontReader *read;
    void *arg;
    Spot *spot;
    int nspot, at;
    int64_t *is;      /* those of another graph, in the same order */
    const char *other; /* in what it differs; NULL: in these only */
} Unify;

/* ---- two graphs side by side ---- */

static bool differs(Unify *u, const char *what)
{
    if (!u->other)
        u->other = what;
    return false;
}

/* A number of the first graph and of the other. */
static void meet(Unify *u, int64_t a, int64_t b, const Node *n,
                 const char *what)
{
    if (u->at == u->nspot) {
        GROW(u->mem, u->spot, (size_t)u->nspot);
        u->spot[u->nspot++] = (Spot){.at = a, .node = n, .what = what};
    }
    u->is[u->at++] = b;
}

static bool meet_shapes(Unify *u, const Val *a, const Val *b, const Node *n)
{
    int i;

    if (a->shape.rank != b->shape.rank)
        return differs(u, arena_fmt(u->mem, "'%s' has other dimensions",
                                    a->name));
    for (i = 0; i < a->shape.rank; i++)
        meet(u, a->shape.dim[i], b->shape.dim[i], n, "size");
    return true;
}

/* Element i of b in a, which is as large along every axis or larger. */
static int64_t place_in(const Val *a, const Val *b, int64_t i)
{
    int64_t off = 0, step = 1;
    int k;

    for (k = b->shape.rank - 1; k >= 0; k--) {
        off += i % b->shape.dim[k] * step;
        step *= a->shape.dim[k];
        i /= b->shape.dim[k];
    }
    return off;
}

static bool same_box(const Val *a, const Val *b)
{
    int64_t i, n = val_count(b);
    int k;

    if (val_is_int(a) != val_is_int(b))
        return false;
    for (k = 0; k < a->shape.rank; k++)
        if (b->shape.dim[k] > a->shape.dim[k])
            return false;
    for (i = 0; i < n; i++) {
        double x = val_num(a, place_in(a, b, i)), y = val_num(b, i);

        if (x != y && (x == x || y == y))
            return false;
    }
    return true;
}

/* Whole numbers, each of which is met. */
static bool has_elements(const Val *v)
{
    int64_t i, n = val_count(v);

    for (i = 0; i < n && n <= ELEMENTS; i++)
        if (!(fabs(val_num(v, i)) < 0x1p53) ||
            val_num(v, i) != rint(val_num(v, i)))
            return false;
    return n <= ELEMENTS;
}

static int64_t element(const Val *v, int64_t i)
{
    return val_is_int(v) ? val_int(v, i) : (int64_t)val_num(v, i);
}

static void set_element(Val *v, int64_t i, int64_t x)
{
    if (val_is_int(v))
        val_set(v, i, x);
    else
        ((float *)v->data)[i] = (float)x;
}

static bool meet_consts(Unify *u, const Val *a, const Val *b)
{
    bool same = shape_same(a->shape, b->shape);
    int64_t i;

    if (val_is_int(a) != val_is_int(b) || !meet_shapes(u, a, b, NULL))
        return differs(u, arena_fmt(u->mem, "constant '%s' is another",
                                    a->name));
    if (has_elements(a))
        for (i = 0; i < val_count(a); i++)
            meet(u, element(a, i), element(same && has_elements(b) ? b : a, i),
                 NULL, "element");
    if ((!same || !has_elements(a) || !has_elements(b)) && !same_box(a, b))
        return differs(u, arena_fmt(u->mem, "constant '%s' is not the first "
                                    "part of a larger one", a->name));
    return true;
}

static bool meet_attrs(Unify *u, const Node *m, const Node *n)
{
    const Attr *a = m->attr, *b = n->attr;
    int i;

    for (; a && b; a = a->next, b = b->next) {
        if (a->code != b->code || a->n != b->n || a->i != b->i ||
            memcmp(&a->f, &b->f, sizeof a->f))
            break;
        for (i = 0; i < a->n; i++)
            meet(u, a->list[i], b->list[i], m, attr_info[a->code].name);
    }
    return (!a && !b) ||
           differs(u, arena_fmt(u->mem, "node '%s' is another", m->name));
}

static bool meet_nodes(Unify *u, const Node *m, const Node *n)
{
    int i;

    if (m->op != n->op || m->narg != n->narg)
        return differs(u, arena_fmt(u->mem, "node '%s' (%s) is another",
                                    m->name, op_info[m->op].name));
    for (i = 0; i < m->narg; i++)
        if (!m->arg[i] != !n->arg[i] ||
            (m->arg[i] && m->arg[i]->id != n->arg[i]->id))
            return differs(u, arena_fmt(u->mem, "node '%s' (%s) has other "
                                        "operands", m->name,
                                        op_info[m->op].name));
    return meet_attrs(u, m, n) && meet_shapes(u, m->res[0], n->res[0], m);
}

static bool meet_ends(Unify *u, const Graph *a, const Graph *b)
{
    int i;

    if (a->nin != b->nin || a->nout != b->nout)
        return differs(u, "there are other inputs or outputs");
    for (i = 0; i < a->nin; i++)
        if (!meet_shapes(u, a->in[i], b->in[i], NULL))
            return false;
    for (i = 0; i < a->nout; i++)
        if (a->out[i]->id != b->out[i]->id)
            return differs(u, "there are other outputs");
    return true;
}

static const Val *next_const(const Val *v)
{
    while (v && !v->data)
        v = v->next;
    return v;
}

/* The same but for numbers, which are in u->is then? */
static bool meet_graphs(Unify *u, const Graph *b)
{
    const Val *v = next_const(u->g->vals), *w = next_const(b->vals);
    const Node *m = u->g->first, *n = b->first;

    u->at = 0;
    u->other = NULL;
    if (!meet_ends(u, u->g, b))
        return false;
    for (; v && w; v = next_const(v->next), w = next_const(w->next))
        if (v->id != w->id || !meet_consts(u, v, w))
            return differs(u, "there are other constants");
    for (; m && n; m = m->next, n = n->next)
        if (!meet_nodes(u, m, n))
            return false;
    return (!v && !w && !m && !n) || differs(u, "it has more nodes");
}

/* ---- what follows ---- */

static Graph *read_at(Unify *u, Arena *mem, const int64_t *value)
{
    FrontOpts o = u->o;
    int i, k = 0;

    for (i = 0; i < o.ndim; i++)
        if (o.dim_varies[i])
            o.dim_size[i] = value[k++];
    return u->read(mem, &o, u->arg);
}

/* Room for the other graph's numbers: those of the first one. */
static void list_spots(Unify *u)
{
    enum { MOST = 1 << 22 };

    u->is = NEWN(u->mem, int64_t, MOST);
    if (!meet_graphs(u, u->g) || u->nspot > MOST)
        die("a graph differs from itself");
}

static _Noreturn void no_form(const Spot *s, const Number *k)
{
    if (s->node)
        err_node(s->node, "its %s follows %s in another way than a*%s+b; --dim "
                 "'%s=%" PRId64 "' would bind it", s->what, k->name, k->name,
                 k->name, k->hi);
    err(ERR_MODEL, "of an input or constant, the %s follows %s in another way "
        "than a*%s+b; --dim '%s=%" PRId64 "' would bind it", s->what, k->name,
        k->name, k->name, k->hi);
}

/* From the first other value of number k: how each number follows it. */
static void suppose(Unify *u, const Number *k, int64_t value)
{
    int i;

    for (i = 0; i < u->nspot; i++) {
        Spot *s = &u->spot[i];
        int64_t more = s->at - u->is[i];

        if (!more)
            continue;
        if (s->vary.num || more % (k->hi - value))
            no_form(s, k);
        s->vary = (Vary){k, more / (k->hi - value)};
    }
}

static void compare(const Unify *u, const Number *k, int64_t value)
{
    int i;

    for (i = 0; i < u->nspot; i++) {
        const Spot *s = &u->spot[i];
        int64_t by = s->vary.num == k ? s->vary.by : 0;

        if (u->is[i] != s->at - by * (k->hi - value))
            no_form(s, k);
    }
}

static bool import(Unify *u, const Number *k, int64_t value)
{
    int64_t all[MOST_NUMBERS];
    Arena *own = arena_new();
    bool same;
    int i;

    for (i = 0; i < u->g->nnum; i++)
        all[i] = i == k->id ? value : u->g->num[i]->hi;
    same = meet_graphs(u, read_at(u, own, all));
    arena_end(own);
    return same;
}

static _Noreturn void other_graph(const Unify *u, const Number *k,
                                  int64_t value)
{
    err(ERR_MODEL, "with %s=%" PRId64 " it is another network than with %s=%"
        PRId64 ": %s; another range of --dim '%s=LEAST..MOST' may do",
        k->name, value, k->name, k->hi, u->other, k->name);
}

/* A size may by chance be that of something else, which then need not be done:
 * the values beside it tell. */
static void sample(Unify *u, const Number *k, int64_t value)
{
    const char *other;

    if (import(u, k, value)) {
        compare(u, k, value);
        return;
    }
    other = u->other;
    if (value + 1 < k->hi && import(u, k, value + 1) &&
        value > MAX(k->lo, FIRST) && import(u, k, value - 1)) {
        compare(u, k, value - 1);
        return;
    }
    u->other = other;
    other_graph(u, k, value);
}

static void follow_number(Unify *u, const Number *k)
{
    int64_t least = MAX(k->lo, MIN(FIRST, k->hi - 1)), all = k->hi - least;
    int64_t n = MIN(all, SAMPLES), i;

    if (!import(u, k, k->hi - 1))
        other_graph(u, k, k->hi - 1);
    suppose(u, k, k->hi - 1);
    for (i = 0; i < n; i++)
        sample(u, k, least + i * all / n);
}

/* ---- the graph follows ---- */

static Spot *next_spot(Unify *u)
{
    return &u->spot[u->at++];
}

static bool follow_shape(Unify *u, Shape *s)
{
    int i;

    for (i = 0; i < s->rank; i++)
        s->vary[i] = next_spot(u)->vary;
    return shape_varies(*s);
}

/* Every reader of a constant reads y instead, but y itself. */
static void read_instead(Graph *g, Val *v, Node *by)
{
    graph_replace(g, v, by->res[0]);
    by->arg[0] = v;
}

/* Of a constant which is the first part of itself. */
static void take_part(Graph *g, Val *v)
{
    Shape whole = v->shape, zeros = {.rank = v->shape.rank}, ones = zeros;
    Node *n;
    int i;

    memset(v->shape.vary, 0, sizeof v->shape.vary);
    for (i = 0; i < zeros.rank; i++)
        ones.dim[i] = 1;
    n = graph_node(g, g->first, OP_slice, NULL, 1, &v);
    attr_set_shape(g, n, A_start, zeros);
    attr_set_shape(g, n, A_step, ones);
    attr_set_shape(g, n, A_count, whole);
    read_instead(g, v, n);
}

/* Elements that follow a number: rows of a table of all. */
static void look_up(Graph *g, Val *v, const Vary *vary)
{
    const Number *k = NULL;
    Shape s = {.rank = v->shape.rank + 1}, at = s, one = s, count;
    int64_t i, r, n = val_count(v), least = INT64_MAX, most = INT64_MIN;
    Val *table;
    Node *m;

    for (i = 0; i < n; i++)
        if (vary[i].num)
            k = vary[i].num;
    for (i = 0; i < n; i++)
        if (vary[i].num && vary[i].num != k)
            err(ERR_MODEL, "constant '%s' follows two run-time numbers",
                v->name);
    if (v->shape.rank == RANK)
        err(ERR_MODEL, "constant '%s' of %d dimensions follows %s", v->name,
            RANK, k->name);
    s.dim[0] = k->hi - k->lo + 1;
    memcpy(s.dim + 1, v->shape.dim, (RANK - 1) * sizeof *s.dim);
    for (i = 0; i < n; i++)
        for (r = k->lo; r <= k->hi; r++) {
            int64_t x = element(v, i) + vary[i].by * (r - k->hi);

            least = MIN(least, x);
            most = MAX(most, x);
        }
    table = graph_const(g, arena_fmt(g->mem, "%s/table", v->name),
                        g->exact && val_is_int(v) ? type_for(least, most)
                                                  : v->type, s, NULL);
    for (r = 0; r < s.dim[0]; r++)
        for (i = 0; i < n; i++)
            set_element(table, r * n + i, element(v, i) +
                        vary[i].by * (r + k->lo - k->hi));
    if (val_is_int(table)) {
        table->lo = least;
        table->hi = most;
    }
    count = s;
    count.dim[0] = 1;
    for (i = 0; i < s.rank; i++)
        one.dim[i] = 1;
    shape_put(&at, 0, (Size){k->hi - k->lo, {k, 1}});
    m = graph_node(g, g->first, OP_slice, NULL, 1, &table);
    attr_set_shape(g, m, A_start, at);
    attr_set_shape(g, m, A_step, one);
    attr_set_shape(g, m, A_count, count);
    node_infer(g, m);
    table = m->res[0];
    m = graph_node(g, m->next, OP_reshape, NULL, 1, &table);
    attr_set_shape(g, m, A_shape, v->shape);
    graph_replace(g, v, m->res[0]);
}

static void follow_const(Unify *u, Val *v)
{
    bool part = follow_shape(u, &v->shape), vary = false;
    int64_t i, n = has_elements(v) ? val_count(v) : 0;
    Vary *each = NEWN(u->mem, Vary, n + 1);

    for (i = 0; i < n; i++) {
        each[i] = next_spot(u)->vary;
        vary |= each[i].num != NULL;
    }
    if (part && vary)
        err(ERR_MODEL, "constant '%s': its size and its elements follow a "
            "run-time number", v->name);
    if (part)
        take_part(u->g, v);
    else if (vary)
        look_up(u->g, v, each);
}

static void follow_attr(Unify *u, const Node *n, Attr *a)
{
    Vary *vary = NEWN(u->g->mem, Vary, 2 * RANK);
    bool any = false;
    int i;

    for (i = 0; i < a->n; i++) {
        vary[i] = next_spot(u)->vary;
        any |= vary[i].num != NULL;
    }
    if (!any)
        return;
    if (a->code != A_shape && a->code != A_start && a->code != A_count)
        err_node(n, "%s follows a run-time number, which is not supported",
                 attr_info[a->code].name);
    a->vary = vary;
}

/* Constants are walked first, as they are met, then what was there of nodes. */
static void follow_all(Unify *u)
{
    Graph *g = u->g;
    Val **konst = NULL, *v;
    Node *first = g->first, *n;
    Attr *a;
    int i, nconst = 0, at, skip;

    u->at = 0;
    for (i = 0; i < g->nin; i++)
        follow_shape(u, &g->in[i]->shape);
    at = u->at;
    for (v = g->vals; v; v = v->next)
        if (v->data) {
            GROW(u->mem, konst, (size_t)nconst);
            konst[nconst++] = v;
            u->at += v->shape.rank +
                     (has_elements(v) ? (int)val_count(v) : 0);
        }
    for (n = first; n; n = n->next) {
        for (a = n->attr; a; a = a->next)
            follow_attr(u, n, a);
        skip = n->res[0]->shape.rank;
        u->at += skip;
    }
    u->at = at;
    for (i = 0; i < nconst; i++)
        follow_const(u, konst[i]);
}

Graph *front_numbers(Arena *mem, const FrontOpts *o, FrontReader *read,
                     void *arg)
{
    Unify u = {.mem = arena_new(), .o = *o, .read = read, .arg = arg};
    int64_t value[MOST_NUMBERS];
    int i, n = 0;

    u.o.grows = true;
    for (i = 0; i < o->ndim; i++) {
        if (o->dim_varies[i] && n == MOST_NUMBERS)
            err(ERR_USAGE, "--dim: more than %d run-time numbers",
                MOST_NUMBERS);
        if (o->dim_varies[i])
            value[n++] = o->dim_size[i];
    }
    u.g = read_at(&u, mem, value);
    for (i = 0; i < o->ndim; i++)
        if (o->dim_varies[i])
            graph_number_new(u.g, o->dim_name[i], o->dim_least[i],
                             o->dim_size[i]);
    list_spots(&u);
    for (i = 0; i < u.g->nnum; i++)
        follow_number(&u, u.g->num[i]);
    follow_all(&u);
    graph_infer(u.g);
    front_appends(u.g);
    graph_infer(u.g);
    graph_sweep(u.g);
    graph_number(u.g);
    arena_end(u.mem);
    return u.g;
}
