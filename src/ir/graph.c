/* Graph: building it, walking it, keeping it in order.
 *
 * Values and nodes are never freed alone; what nobody reads is unlinked by
 * graph_sweep.  Names are unique among values and among nodes: a second "y"
 * becomes "y_2".  Algorithms are linear walks over the two lists, which stay
 * short enough (some thousand nodes) for everything but names: those are
 * hashed. */
#include "ir/ir.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const TypeInfo type_info[NTYPE] = {
    [T_none] = {"none", "", "", 0, 0, FLOAT, 0, 0},
#define LO_FLOAT(bytes) 0
#define HI_FLOAT(bytes) 0
#define LO_SINT(bytes) (-(INT64_C(1) << (8 * (bytes) - 2)) * 2)
#define HI_SINT(bytes) ((int64_t)(UINT64_MAX >> (65 - 8 * (bytes))))
#define LO_UINT(bytes) 0
#define HI_UINT(bytes) \
    ((bytes) == 8 ? INT64_MAX : (int64_t)(UINT64_MAX >> (64 - 8 * (bytes))))
#define TYPE(name, ctype, bytes, kind, npy, onnx) \
    [T_##name] = {#name, #ctype, npy, bytes, onnx, kind, \
                  LO_##kind(bytes), \
                  T_##name == T_b8 ? 1 : HI_##kind(bytes)},
#include "ir/type.def"
};

const OpInfo op_info[NOP] = {
    [OP_none] = {"none", "", "", "", FAM_map, R_MAP},
#define OP(name, args, family, reach, attrs, onnx) \
    [OP_##name] = {#name, args, attrs, onnx, FAM_##family, R_##reach},
#include "ir/op.def"
};

/* Names taken, open addressing; keys begin with 'v' or 'n'. */
struct Names {
    int n, room; /* room is a power of two */
    const char **key;
    int *count;  /* the last number tried behind this name; -1: given up */
};

static int *names_slot(struct Names *t, const char *key, bool *found)
{
    size_t i = hash_mem(key, strlen(key)) & (size_t)(t->room - 1);

    while (t->key[i] && strcmp(t->key[i], key))
        i = (i + 1) & (size_t)(t->room - 1);
    *found = t->key[i];
    if (!*found) {
        t->key[i] = key;
        t->n++;
    }
    return &t->count[i];
}

static void names_room(Arena *a, struct Names *t)
{
    struct Names old = *t;
    bool found;
    int i;

    if (2 * t->n < t->room)
        return;
    t->n = 0;
    t->room = MAX(64, 4 * old.room);
    t->key = NEWN(a, const char *, (size_t)t->room);
    t->count = NEWN(a, int, (size_t)t->room);
    for (i = 0; i < old.room; i++)
        if (old.key[i])
            *names_slot(t, old.key[i], &found) = old.count[i];
}

/* The name itself if it is free, else name_2, name_3, ... */
static const char *name_unique(Graph *g, char kind, const char *name)
{
    char *key = arena_fmt(g->mem, "%c%s", kind, name);
    bool found;
    int *count;

    names_room(g->mem, g->names);
    count = names_slot(g->names, key, &found);
    if (found && *count < 0)
        *count = found = 0;
    while (found) {
        key = arena_fmt(g->mem, "%c%s_%d", kind, name, ++*count + 1);
        names_slot(g->names, key, &found);
    }
    return key + 1;
}

static void name_free(Graph *g, char kind, const char *name)
{
    bool found;

    *names_slot(g->names, arena_fmt(g->mem, "%c%s", kind, name), &found) = -1;
}

Graph *graph_new(Arena *mem, const char *name)
{
    Graph *g = NEW(mem, Graph);

    g->mem = mem;
    g->name = arena_str(mem, name ? name : "");
    g->names = NEW(mem, struct Names);
    return g;
}

Val *graph_val(Graph *g, const char *name, Type t, Shape s)
{
    Val *v = NEW(g->mem, Val);

    shape_count(s);
    v->name = name_unique(g, 'v', name && *name ? name : "v");
    v->type = t;
    v->shape = s;
    v->lo = type_info[t].lo;
    v->hi = type_info[t].hi;
    v->next = g->vals;
    if (v->next)
        v->next->prev = v;
    g->vals = v;
    return v;
}

void val_rename(Graph *g, Val *v, const char *name)
{
    if (!strcmp(v->name, name))
        return;
    name_free(g, 'v', v->name);
    v->name = name_unique(g, 'v', name);
}

void node_rename(Graph *g, Node *n, const char *name)
{
    if (!strcmp(n->name, name))
        return;
    name_free(g, 'n', n->name);
    n->name = name_unique(g, 'n', name);
}

Val *graph_find(const Graph *g, const char *name)
{
    Val *v;

    for (v = g->vals; v; v = v->next)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

Val *graph_const(Graph *g, const char *name, Type t, Shape s, const void *data)
{
    Val *v = graph_val(g, name, t, s);
    size_t n = (size_t)val_count(v);

    v->data = arena_get(g->mem, MAX(n, 1), (size_t)type_info[t].bytes);
    if (data && n)
        memcpy(v->data, data, n * (size_t)type_info[t].bytes);
    val_read_range(v);
    return v;
}

Val *graph_const_int(Graph *g, Type t, int64_t x)
{
    Val *v = graph_const(g, "k", t, shape_of(0, NULL), NULL);

    val_set(v, 0, x);
    val_read_range(v);
    return v;
}

Val *graph_const_f32(Graph *g, float x)
{
    return graph_const(g, "k", T_f32, shape_of(0, NULL), &x);
}

void graph_input(Graph *g, Val *v)
{
    GROW(g->mem, g->in, (size_t)g->nin);
    g->in[g->nin++] = v;
}

void graph_output(Graph *g, Val *v)
{
    GROW(g->mem, g->out, (size_t)g->nout);
    g->out[g->nout++] = v;
}

static void node_link(Graph *g, Node *n, Node *at)
{
    n->next = at;
    n->prev = at ? at->prev : g->last;
    *(n->prev ? &n->prev->next : &g->first) = n;
    *(at ? &at->prev : &g->last) = n;
}

static void node_unlink(Graph *g, Node *n)
{
    *(n->prev ? &n->prev->next : &g->first) = n->next;
    *(n->next ? &n->next->prev : &g->last) = n->prev;
    n->prev = n->next = NULL;
}

static Val *add_result(Graph *g, Node *n, const char *name)
{
    Val *v = graph_val(g, name, T_none, shape_of(0, NULL));

    if (n->nres == NRES)
        die("more than %d results of node '%s'", NRES, n->name);
    v->def = n;
    v->part = n->nres;
    n->res[n->nres++] = v;
    return v;
}

Node *graph_node(Graph *g, Node *at, OpCode op, const char *name, int narg,
                 Val *const *arg)
{
    Node *n = NEW(g->mem, Node);

    n->op = op;
    if (!name || !*name)
        name = op_info[op].name;
    n->name = name_unique(g, 'n', name);
    n->narg = narg;
    n->arg = NEWN(g->mem, Val *, (size_t)MAX(narg, NARG));
    if (narg)
        memcpy(n->arg, arg, (size_t)narg * sizeof *arg);
    node_link(g, n, at);
    add_result(g, n, name);
    return n;
}

static void val_unlink(Graph *g, Val *v)
{
    *(v->prev ? &v->prev->next : &g->vals) = v->next;
    if (v->next)
        v->next->prev = v->prev;
}

void node_remove(Graph *g, Node *n)
{
    int i;

    for (i = 0; i < n->nres; i++)
        val_unlink(g, n->res[i]);
    node_unlink(g, n);
}

void node_move(Graph *g, Node *n, Node *at)
{
    if (n == at)
        return;
    node_unlink(g, n);
    node_link(g, n, at);
}

Val *graph_next_state(const Graph *g, const Val *v)
{
    int i;

    for (i = 0; i < g->nout; i++)
        if (g->out[i]->state == v)
            return g->out[i];
    return NULL;
}

/* by takes old's place among the outputs; where by has no claim to a name of
 * its own the two swap names. */
static void replace_output(Graph *g, Val *old, Val *by)
{
    const char *name = old->name;
    bool own = !by->def || val_is_output(g, by);
    int i;

    if (by->state && old->state && by->state != old->state)
        return; /* two states keep values of their own */
    for (i = 0; i < g->nout; i++)
        if (g->out[i] == old)
            g->out[i] = by;
    if (!by->state)
        by->state = old->state;
    if (!own) {
        old->name = by->name;
        by->name = name;
    }
}

/* From node n on, at most `left` times; how many times less. */
static int replace_args(Node *n, Val *old, Val *by, int left)
{
    int i;

    for (; n && left; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] == old) {
                n->arg[i] = by;
                left--;
            }
    return left;
}

void graph_replace(Graph *g, Val *old, Val *by)
{
    replace_args(g->first, old, by, INT_MAX);
    if (val_is_output(g, old))
        replace_output(g, old, by);
}

void graph_replace_counted(Graph *g, Val *old, Val *by)
{
    Node *n = old->def ? old->def->next : g->first;

    if (replace_args(n, old, by, old->nuse) && val_is_output(g, old))
        replace_output(g, old, by);
}

void graph_uses(Graph *g)
{
    Val *v;
    Node *n;
    int i;

    for (v = g->vals; v; v = v->next)
        v->nuse = 0;
    for (n = g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i])
                n->arg[i]->nuse++;
    for (i = 0; i < g->nout; i++)
        g->out[i]->nuse++;
}

/* Values: inputs, constants, then results in the order of their nodes. */
void graph_number(Graph *g)
{
    Val *v;
    Node *n;
    int i, id = 0, nid = 0;

    for (v = g->vals; v; v = v->next)
        v->id = -1;
    for (i = 0; i < g->nin; i++)
        g->in[i]->id = id++;
    for (v = g->vals; v; v = v->next)
        if (!v->def && v->id < 0)
            v->id = id++;
    for (n = g->first; n; n = n->next) {
        n->id = nid++;
        for (i = 0; i < n->nres; i++)
            n->res[i]->id = id++;
    }
}

/* Depth first from each node in the old order, so that an order that could
 * be executed already stays as it is.  id: 0 new, 1 on the stack, 2 done. */
typedef struct Walk {
    Graph *g;
    Node **stack;
    int *at; /* next argument of the node at this depth */
    int n;
} Walk;

static void walk_push(Walk *w, Node *n)
{
    if (n->id == 1)
        err(ERR_MODEL, "node '%s' (%s): its inputs depend on its own output; "
            "a network must not contain a cycle", n->name,
            n->origin ? n->origin : op_info[n->op].name);
    if (n->id == 2)
        return;
    n->id = 1;
    w->stack[w->n] = n;
    w->at[w->n++] = 0;
}

static void walk_step(Walk *w)
{
    Node *n = w->stack[w->n - 1];
    int i = w->at[w->n - 1]++;

    if (i < n->narg) {
        if (n->arg[i] && n->arg[i]->def)
            walk_push(w, n->arg[i]->def);
        return;
    }
    n->id = 2;
    w->n--;
    node_link(w->g, n, NULL);
}

void graph_sort(Graph *g)
{
    Arena *a = arena_new();
    Walk w = {g, NULL, NULL, 0};
    Node *n, *next;
    int count = 0, i = 0;
    Node **list;

    for (n = g->first; n; n = n->next)
        count++;
    w.stack = NEWN(a, Node *, (size_t)count + 1);
    w.at = NEWN(a, int, (size_t)count + 1);
    list = NEWN(a, Node *, (size_t)count + 1);
    for (n = g->first; n; n = next) {
        next = n->next;
        n->id = 0;
        list[i++] = n;
    }
    g->first = g->last = NULL;
    for (i = 0; i < count; i++) {
        walk_push(&w, list[i]);
        while (w.n)
            walk_step(&w);
    }
    arena_end(a);
    graph_number(g);
}

static bool node_read(const Node *n)
{
    int i;

    for (i = 0; i < n->nres; i++)
        if (n->res[i]->nuse)
            return true;
    return false;
}

static bool is_input(const Graph *g, const Val *v)
{
    int i;

    for (i = 0; i < g->nin; i++)
        if (g->in[i] == v)
            return true;
    return false;
}

void graph_sweep(Graph *g)
{
    Node *n, *prev;
    Val *v;
    int i;

    graph_uses(g);
    for (n = g->last; n; n = prev) {
        prev = n->prev;
        if (node_read(n))
            continue;
        for (i = 0; i < n->narg; i++)
            if (n->arg[i])
                n->arg[i]->nuse--;
        for (i = 0; i < n->nres; i++)
            n->res[i]->nuse = -1;
        node_unlink(g, n);
    }
    for (v = g->vals; v; v = v->next)
        if (v->nuse < 0 || (!v->nuse && !v->def && !is_input(g, v)))
            val_unlink(g, v);
}

int graph_nval(const Graph *g)
{
    const Val *v;
    int n = 0;

    for (v = g->vals; v; v = v->next)
        n++;
    return n;
}
