/* Run-time numbers: sizes that are known only when the network runs.
 *
 * A size is a constant or follows one number: by * n + c.  Shapes and
 * attributes keep it as it is at one value of the number, mostly the greatest,
 * for which all is planned; a graph, or a node of it, can be set to another.
 *
 * Whether two products of sizes are the same whatever the numbers are is asked
 * at one place far away, in arithmetic modulo 2^64: products of a few factors
 * that are not the same differ there. */
#include "ir/ir.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* One for each number: odd, none near another or any power of 2. */
static const uint64_t far_away[MOST_NUMBERS] = {
    UINT64_C(1000000007000003), UINT64_C(314159265358979323),
    UINT64_C(27182818284590451), UINT64_C(7000000000000037),
};

Number *graph_number_find(const Graph *g, const char *name)
{
    int i;

    for (i = 0; i < g->nnum; i++)
        if (!strcmp(g->num[i]->name, name))
            return g->num[i];
    return NULL;
}

Number *graph_number_new(Graph *g, const char *name, int64_t lo, int64_t hi)
{
    Number *k = NEW(g->mem, Number);

    if (g->nnum == MOST_NUMBERS)
        err(ERR_MODEL, "more than %d run-time numbers", MOST_NUMBERS);
    if (lo < 0 || hi <= lo || hi < 2 || hi > INT32_MAX ||
        hi - lo >= NUMBER_MOST)
        err(ERR_MODEL, "run-time number %s is %lld..%lld: 0 or more, up to 2 "
            "or more, and at most %d values, were wanted", name, (long long)lo,
            (long long)hi, NUMBER_MOST);
    *k = (Number){arena_str(g->mem, name), lo, hi, hi, g->nnum};
    return g->num[g->nnum++] = k;
}

/* --- sizes --- */

Size size_const(int64_t n)
{
    return (Size){n, {NULL, 0}};
}

Size size_at(Shape s, int i)
{
    return (Size){s.dim[i], s.vary[i]};
}

void shape_put(Shape *s, int i, Size a)
{
    s->dim[i] = a.n;
    s->vary[i] = a.vary;
}

bool size_same(Size a, Size b)
{
    return a.n == b.n && a.vary.num == b.vary.num && a.vary.by == b.vary.by;
}

bool size_is(Size a, int64_t n)
{
    return a.n == n && !a.vary.num;
}

static Size fixed(Size a)
{
    if (!a.vary.by)
        a.vary.num = NULL;
    return a;
}

Size size_times(Size a, int64_t by)
{
    a.n *= by;
    a.vary.by *= by;
    return fixed(a);
}

Size size_add(const Node *n, Size a, Size b)
{
    if (a.vary.num && b.vary.num && a.vary.num != b.vary.num)
        err_node(n, "a size of %s and %s together: it may follow one run-time "
                 "number only", size_text(a), size_text(b));
    a.n += b.n;
    if (!a.vary.num)
        a.vary = b.vary;
    else if (b.vary.num)
        a.vary.by += b.vary.by;
    return fixed(a);
}

uint64_t size_anywhere(Size a)
{
    if (!a.vary.num)
        return (uint64_t)a.n;
    return (uint64_t)a.n + (uint64_t)a.vary.by *
           (far_away[a.vary.num->id] - (uint64_t)a.vary.num->now);
}

uint64_t dim_anywhere(Shape s, int i)
{
    return size_anywhere(size_at(s, i));
}

bool shapes_as_many(Shape a, Shape b)
{
    uint64_t m = 1, n = 1;
    int i;

    for (i = 0; i < a.rank; i++)
        m *= dim_anywhere(a, i);
    for (i = 0; i < b.rank; i++)
        n *= dim_anywhere(b, i);
    return m == n && shape_count(a) == shape_count(b);
}

static bool is_plain(const char *s)
{
    if (isdigit((unsigned char)*s))
        return false;
    while (isalnum((unsigned char)*s) || *s == '_' || *s == '.')
        s++;
    return !*s;
}

const char *size_text(Size a)
{
    static char text[64][96];
    static int turn;
    char *p = text[turn = (turn + 1) % 64];
    size_t n = 0, room = sizeof *text;
    int64_t c;

    if (!a.vary.num) {
        snprintf(p, room, "%" PRId64, a.n);
        return p;
    }
    c = a.n - a.vary.by * a.vary.num->now;
    if (a.vary.by != 1)
        n = (size_t)snprintf(p, room, "%" PRId64 "*", a.vary.by);
    n += (size_t)snprintf(p + n, room - n, is_plain(a.vary.num->name)
                          ? "%.48s" : "\"%.46s\"", a.vary.num->name);
    if (c)
        snprintf(p + n, room - n, "%+" PRId64, c);
    return p;
}

/* --- values of numbers --- */

static int64_t number_at(int64_t v, Vary vary, const int64_t *value)
{
    return vary.num ? v + vary.by * (value[vary.num->id] - vary.num->now) : v;
}

int64_t dim_at(Shape s, int i, const int64_t *value)
{
    return number_at(s.dim[i], s.vary[i], value);
}

int64_t val_count_at(const Val *v, const int64_t *value)
{
    int64_t n = 1;
    int i;

    for (i = 0; i < v->shape.rank; i++)
        n *= dim_at(v->shape, i, value);
    return n;
}

int64_t val_bytes_at(const Val *v, const int64_t *value)
{
    return val_count_at(v, value) * type_info[v->type].bytes;
}

static void set_shape(Shape *s, const int64_t *value)
{
    int i;

    for (i = 0; i < s->rank; i++)
        s->dim[i] = dim_at(*s, i, value);
}

static void set_attr(Attr *a, const int64_t *value)
{
    int i;

    for (i = 0; a->vary && i < a->n; i++)
        a->list[i] = number_at(a->list[i], a->vary[i], value);
}

static void set_sizes(Graph *g, const int64_t *value)
{
    Node *n;
    Attr *a;
    Val *v;

    for (v = g->vals; v; v = v->next)
        set_shape(&v->shape, value);
    for (n = g->first; n; n = n->next)
        for (a = n->attr; a; a = a->next)
            set_attr(a, value);
}

void graphs_set_numbers(int n, Graph *const *g, const int64_t *value)
{
    int i;

    for (i = 0; i < n; i++)
        set_sizes(g[i], value);
    for (i = 0; i < g[0]->nnum; i++)
        g[0]->num[i]->now = value[i];
}

void graphs_numbers_most(int n, Graph *const *g)
{
    int64_t value[MOST_NUMBERS];
    int i;

    for (i = 0; i < g[0]->nnum; i++)
        value[i] = g[0]->num[i]->hi;
    graphs_set_numbers(n, g, value);
}

void graph_set_numbers(Graph *g, const int64_t *value)
{
    graphs_set_numbers(1, &g, value);
}

void graph_numbers_most(Graph *g)
{
    graphs_numbers_most(1, &g);
}

/* --- nodes --- */

bool shape_varies(Shape s)
{
    int i;

    for (i = 0; i < s.rank && !s.vary[i].num; i++)
        ;
    return i < s.rank;
}

static unsigned shape_numbers(Shape s)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < s.rank; i++)
        if (s.vary[i].num)
            set |= 1u << s.vary[i].num->id;
    return set;
}

unsigned node_numbers(const Node *n)
{
    unsigned set = 0;
    const Attr *a;
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            set |= shape_numbers(n->arg[i]->shape);
    for (i = 0; i < n->nres; i++)
        set |= shape_numbers(n->res[i]->shape);
    for (a = n->attr; a; a = a->next)
        for (i = 0; a->vary && i < a->n; i++)
            if (a->vary[i].num)
                set |= 1u << a->vary[i].num->id;
    return set;
}

bool node_varies(const Node *n)
{
    return node_numbers(n) != 0;
}

static Val *val_at(Arena *mem, const Val *v, Node *def, const int64_t *value)
{
    Val *w = NEW(mem, Val);

    *w = *v;
    w->def = def;
    set_shape(&w->shape, value);
    return w;
}

static void copy_attrs(Arena *mem, Node *to, const int64_t *value)
{
    Attr **p = &to->attr, *a;

    for (a = to->attr; a; a = a->next, p = &(*p)->next) {
        *p = NEW(mem, Attr);
        **p = *a;
        set_attr(*p, value);
    }
}

Node *node_at(Arena *mem, const Node *n, const int64_t *value)
{
    Node *m = NEW(mem, Node);
    int i, k;

    *m = *n;
    m->arg = NEWN(mem, Val *, (size_t)n->narg + 1);
    for (i = 0; i < n->narg; i++) {
        for (k = 0; n->arg[k] != n->arg[i]; k++)
            ;
        if (n->arg[i])
            m->arg[i] = k < i ? m->arg[k]
                              : val_at(mem, n->arg[i], NULL, value);
    }
    for (i = 0; i < n->nres; i++)
        m->res[i] = val_at(mem, n->res[i], m, value);
    copy_attrs(mem, m, value);
    return m;
}

void node_fix(Node *n)
{
    Attr *a;
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            memset(n->arg[i]->shape.vary, 0, sizeof n->arg[i]->shape.vary);
    for (i = 0; i < n->nres; i++)
        memset(n->res[i]->shape.vary, 0, sizeof n->res[i]->shape.vary);
    for (a = n->attr; a; a = a->next)
        a->vary = NULL;
}
