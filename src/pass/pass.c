/* The passes in order.
 *
 * A pass changes the graph in place and may assume the facts it needs; the
 * driver renews those that a pass broke, and checks all the rules a graph keeps
 * after every pass that changed anything.  A pass may be left out: the network
 * computes the same. */
#include "pass/pass.h"

#include <string.h>

enum { SWEPT = 1, INFERRED = 2, MUST = 4 };

enum {
#define PASS(name, function, needs, breaks, about) P_##name,
#include "pass/pass.def"
    NPASS
};

const Pass passes[] = {
#define PASS(name, function, needs, breaks, about) \
    {#name, about, function, !((needs) & MUST)},
#include "pass/pass.def"
};
const int npass = NPASS;

static const struct {
    int needs, breaks;
} facts[] = {
#define PASS(name, function, needs, breaks, about) {needs, breaks},
#include "pass/pass.def"
};

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
    return (h ^ hash_mem(p, n)) * 0x9e3779b97f4a7c15u;
}

/* A number that changes whenever nodes, operands or attributes do. */
static uint64_t print_of(const Graph *g)
{
    const Node *n;
    const Attr *a;
    uint64_t h = mix(0, g->out, (size_t)g->nout * sizeof *g->out);

    for (n = g->first; n; n = n->next) {
        h = mix(h, &n->op, sizeof n->op);
        h = mix(h, n->arg, (size_t)n->narg * sizeof *n->arg);
        h = mix(h, n->res, (size_t)n->nres * sizeof *n->res);
        for (a = n->attr; a; a = a->next) {
            h = mix(h, &a->code, sizeof a->code);
            h = mix(h, &a->i, sizeof a->i);
            h = mix(h, &a->f, sizeof a->f);
            h = mix(h, a->list, (size_t)a->n * sizeof *a->list);
        }
    }
    return h;
}

static void renew(Graph *g, int facts_wanted)
{
    if (facts_wanted & SWEPT)
        graph_sweep(g);
    if (facts_wanted & INFERRED)
        graph_infer(g);
}

/* valid: the facts that hold before and after. */
static void run(Graph *g, int p, int *valid)
{
    uint64_t before = print_of(g);

    renew(g, facts[p].needs & ~*valid);
    *valid |= facts[p].needs;
    passes[p].run(g);
    if (print_of(g) == before)
        return;
    renew(g, facts[p].breaks);
    graph_check(g, passes[p].name);
}

bool pass_one(Graph *g, const char *name)
{
    int p;

    for (p = 0; p < NPASS; p++)
        if (!strcmp(passes[p].name, name)) {
            run(g, p, &(int){0});
            return true;
        }
    return false;
}

static bool is_off(const char *const *off, const char *name)
{
    for (; off && *off; off++)
        if (!strcmp(*off, name))
            return true;
    return false;
}

static void dump_graph(Graph *g)
{
    Arena *a = arena_new();
    Str s = {.mem = a};

    graph_print(g, &s);
    fputs(s.s ? s.s : "", stderr);
    arena_end(a);
}

void pass_all(Graph *g, const char *const *off, const char *dump)
{
    static const int order[] = {
        P_fold, P_identity, P_cse,
        P_affine,
        P_lower, P_identity,
        P_dead4, P_dead,
        P_fuse,
        P_layout,
        P_rows,
        P_split, P_identity, P_transposes,
        P_siblings, P_attend, P_prompt, P_few, P_divided, P_heads, P_tables,
        P_roots, P_factors,
        P_fold, P_identity, P_cse,
        P_widen,
    };
    int valid = 0;
    size_t i;

    for (i = 0; i < LEN(order); i++) {
        const Pass *p = &passes[order[i]];

        if (p->keeps && is_off(off, p->name))
            continue;
        run(g, order[i], &valid);
        if (dump && !strcmp(dump, p->name))
            dump_graph(g);
    }
}
