/* What is computed twice is computed once, and constants that are equal are
 * stored once:
 *
 *     a = relu x
 *     b = relu x                  a = relu x
 *     y = add a b           ->    y = add a a
 *
 * Nodes are looked up by a hash of operator, operands and attributes in a
 * table that holds what has been seen, so one walk is enough: operands have
 * been made one before their readers are met. */
#include "pass/pass.h"

#include <string.h>

typedef struct Seen {
    size_t room; /* a power of two, at least twice what is put in */
    void **slot;
} Seen;

static Seen seen_new(Arena *a, int n)
{
    Seen s = {16, NULL};

    while (s.room < 2 * (size_t)n)
        s.room *= 2;
    s.slot = NEWN(a, void *, s.room);
    return s;
}

/* The slot of an equal thing, or the empty one where it belongs. */
static void **seen_find(const Seen *s, uint64_t hash, const void *p,
                        bool (*same)(const void *, const void *))
{
    size_t i = hash & (s->room - 1);

    while (s->slot[i] && !same(s->slot[i], p))
        i = (i + 1) & (s->room - 1);
    return &s->slot[i];
}

static bool same_const(const void *p, const void *q)
{
    const Val *u = p, *v = q;

    return u->type == v->type && shape_same(u->shape, v->shape) &&
           !memcmp(u->data, v->data, (size_t)val_bytes(v));
}

static bool same_attr(const Attr *a, const Attr *b)
{
    return a->code == b->code && a->n == b->n && a->i == b->i &&
           !memcmp(&a->f, &b->f, sizeof a->f) &&
           !memcmp(a->list, b->list, (size_t)a->n * sizeof *a->list) &&
           (!a->vary || !b->vary ? a->vary == b->vary
            : !memcmp(a->vary, b->vary, (size_t)a->n * sizeof *a->vary));
}

static bool same_node(const void *p, const void *q)
{
    const Node *m = p, *n = q;
    const Attr *a = m->attr, *b = n->attr;

    if (m->op != n->op || m->narg != n->narg || m->nres != n->nres ||
        memcmp(m->arg, n->arg, (size_t)n->narg * sizeof *n->arg))
        return false;
    while (a && b && same_attr(a, b)) {
        a = a->next;
        b = b->next;
    }
    return !a && !b;
}

static uint64_t hash_node(const Node *n)
{
    return hash_mem(n->arg, (size_t)n->narg * sizeof *n->arg) * NOP +
           (uint64_t)n->op;
}

static bool any_output(const Graph *g, const Node *n)
{
    int i;

    for (i = 0; i < n->nres; i++)
        if (val_is_output(g, n->res[i]))
            return true;
    return false;
}

/* Of constants a beginning: few that share it differ later. */
static uint64_t hash_const(const Val *v)
{
    return hash_mem(v->data, (size_t)MIN(val_bytes(v), 512));
}

/* by: what replaces a constant, by Val.id. */
static void replace_consts(Graph *g, Val **by)
{
    Node *n;
    Val *v;
    int i;

    for (n = g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if ((v = n->arg[i]) && by[v->id]) {
                n->arg[i] = by[v->id];
                by[v->id]->nuse++;
                v->nuse--;
            }
}

static void join_consts(Graph *g, Arena *a, int nval)
{
    Seen seen = seen_new(a, nval);
    Val **by = NEWN(a, Val *, nval + 1), *v;
    void **slot;

    graph_number(g);
    for (v = g->vals; v; v = v->next) {
        if (!is_const(v) || !v->nuse || v->state || val_is_output(g, v))
            continue;
        slot = seen_find(&seen, hash_const(v), v, same_const);
        if (*slot)
            by[v->id] = *slot;
        else
            *slot = v;
    }
    replace_consts(g, by);
}

static void join_nodes(Graph *g, Arena *a, int nval)
{
    Seen seen = seen_new(a, nval);
    Node *n, *m, *next;
    void **slot;
    int i;

    for (n = g->first; n; n = next) {
        next = n->next;
        slot = seen_find(&seen, hash_node(n), n, same_node);
        if (!(m = *slot)) {
            *slot = n;
        } else if (!any_output(g, n)) {
            for (i = 0; i < n->nres; i++)
                edit_replace(g, n->res[i], m->res[i]);
            edit_drop(g, n);
        }
    }
}

void pass_cse(Graph *g)
{
    Arena *a = arena_new();
    int nval = graph_nval(g);

    join_consts(g, a, nval);
    join_nodes(g, a, nval);
    arena_end(a);
}
