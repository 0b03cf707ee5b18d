/* What must hold of a graph between passes.  A graph that fails here was
 * broken by us, so all of it is die(). */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

typedef struct Check {
    Graph *g;
    const char *after;
    int nval;
    Val **val;   /* by id */
    bool *ready; /* constant, input, or result of a node already passed */
} Check;

static _Noreturn void fail(const Check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void fail(const Check *c, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    die("after %s: %s", c->after, text);
}

static bool known(const Check *c, const Val *v)
{
    return v->id >= 0 && v->id < c->nval && c->val[v->id] == v;
}

static void check_val(const Check *c, const Val *v)
{
    if (v->type == T_none)
        fail(c, "value '%s' has no type", v->name);
    if (v->data && v->def)
        fail(c, "value '%s' is a constant and a result", v->name);
    if (!v->data && !v->def && !c->ready[v->id])
        fail(c, "value '%s' comes from nowhere", v->name);
    if (v->lo > v->hi || v->lo < type_info[v->type].lo ||
        v->hi > type_info[v->type].hi)
        fail(c, "value '%s' of type %s has range %lld..%lld", v->name,
             type_info[v->type].name, (long long)v->lo, (long long)v->hi);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(Val *const *)a)->name, (*(Val *const *)b)->name);
}

static void check_names(const Check *c, Arena *a)
{
    Val **v = NEWN(a, Val *, (size_t)c->nval + 1);
    int i;

    memcpy(v, c->val, (size_t)c->nval * sizeof *v);
    qsort(v, (size_t)c->nval, sizeof *v, by_name);
    for (i = 0; i + 1 < c->nval; i++)
        if (!strcmp(v[i]->name, v[i + 1]->name))
            fail(c, "two values are called '%s'", v[i]->name);
}

static void check_vals(Check *c, Arena *a)
{
    Val *v;
    int i;

    for (v = c->g->vals; v; v = v->next) {
        if (v->id < 0 || v->id >= c->nval || c->val[v->id])
            fail(c, "value '%s' is not reached by any node", v->name);
        c->val[v->id] = v;
        c->ready[v->id] = v->data;
    }
    for (i = 0; i < c->g->nin; i++) {
        if (!known(c, c->g->in[i]))
            fail(c, "input %d is not a value of the graph", i);
        c->ready[c->g->in[i]->id] = true;
    }
    for (v = c->g->vals; v; v = v->next)
        check_val(c, v);
    check_names(c, a);
}

static void check_attrs(const Check *c, const Node *n)
{
    const Attr *a;

    for (a = n->attr; a; a = a->next)
        if (!op_has_attr(n->op, a->code))
            fail(c, "node '%s' (%s) has an attribute %s", n->name,
                 op_info[n->op].name, attr_info[a->code].name);
}

/* What a user would be told is our mistake here. */
static const Check *checking;

static void broken(const Trouble *t)
{
    fail(checking, "%s", t->message);
}

/* Infers once more, into a value of its own. */
static void check_inferred(const Check *c, const Node *n)
{
    const Val *y = n->res[0];
    Val again = *y;
    Node copy = *n;
    void (*hook)(const Trouble *) = err_hook;

    copy.res[0] = &again;
    checking = c;
    err_hook = broken;
    node_infer(c->g, &copy);
    err_hook = hook;
    if (again.type != y->type || !shape_same(again.shape, y->shape))
        fail(c, "node '%s' (%s): the result is not what is inferred: %s of "
             "rank %d, not %s of rank %d", n->name, op_info[n->op].name,
             type_info[y->type].name, y->shape.rank,
             type_info[again.type].name, again.shape.rank);
    if (again.lo != y->lo || again.hi != y->hi)
        fail(c, "node '%s' (%s): the range is not what is inferred: "
             "%lld..%lld, not %lld..%lld", n->name, op_info[n->op].name,
             (long long)y->lo, (long long)y->hi, (long long)again.lo,
             (long long)again.hi);
    if (memcmp(&copy.acc, &n->acc, sizeof n->acc) ||
        memcmp(&copy.scaled, &n->scaled, sizeof n->scaled))
        fail(c, "node '%s' (%s): sums were inferred from other operands",
             n->name, op_info[n->op].name);
}

static void check_node(Check *c, Node *n)
{
    int i;

    if (n->op <= OP_none || n->op >= NOP || n->nres != 1)
        fail(c, "node '%s' has operator %d and %d results", n->name, n->op,
             n->nres);
    for (i = 0; i < n->narg; i++) {
        if (!n->arg[i])
            continue;
        if (!known(c, n->arg[i]))
            fail(c, "node '%s' reads '%s', which is not in the graph",
                 n->name, n->arg[i]->name);
        if (!c->ready[n->arg[i]->id])
            fail(c, "node '%s' reads '%s' before it is made", n->name,
                 n->arg[i]->name);
    }
    if (!known(c, n->res[0]) || n->res[0]->def != n)
        fail(c, "node '%s' has a result that is not its own", n->name);
    check_attrs(c, n);
    check_inferred(c, n);
    c->ready[n->res[0]->id] = true;
}

static void check_outputs(const Check *c)
{
    const Val *v;
    int i;

    for (i = 0; i < c->g->nout; i++) {
        v = c->g->out[i];
        if (!known(c, v) || !c->ready[v->id])
            fail(c, "output %d is not made by the graph", i);
        if (v->state && (!known(c, v->state) || v->state->type != v->type ||
                         !shape_same(v->state->shape, v->shape)))
            fail(c, "output '%s' cannot be the next '%s'", v->name,
                 v->state->name);
    }
}

void graph_check(Graph *g, const char *after)
{
    Arena *a = arena_new();
    Check c = {g, after, graph_nval(g), NULL, NULL};
    Node *n, *prev = NULL;

    graph_number(g);
    c.val = NEWN(a, Val *, (size_t)c.nval + 1);
    c.ready = NEWN(a, bool, (size_t)c.nval + 1);
    check_vals(&c, a);
    for (n = g->first; n; prev = n, n = n->next) {
        if (n->prev != prev)
            fail(&c, "node '%s' is not linked to the one before", n->name);
        check_node(&c, n);
    }
    if (g->last != prev)
        fail(&c, "the list of nodes ends too early");
    check_outputs(&c);
    arena_end(a);
}
