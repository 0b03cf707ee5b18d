/* The passes in order.
 *
 * A pass changes the graph in place and may assume the facts it needs; the
 * driver renews those that the pass before broke, drops what nobody reads,
 * infers every shape, type and range again and checks all the rules a graph
 * keeps.  Any pass may be left out: the network computes the same. */
#include "pass/pass.h"

#include <string.h>

enum { NONE = 0, USES = 1, SWEPT = 2 };

enum {
#define PASS(name, function, needs, breaks, about) P_##name,
#include "pass/pass.def"
    NPASS
};

const Pass passes[] = {
#define PASS(name, function, needs, breaks, about) \
    {#name, about, function, true},
#include "pass/pass.def"
};
const int npass = NPASS;

static const int needs[] = {
#define PASS(name, function, needs, breaks, about) needs,
#include "pass/pass.def"
};

static void run(Graph *g, int p)
{
    if (needs[p] & SWEPT)
        graph_sweep(g);
    if (needs[p] & USES)
        graph_uses(g);
    passes[p].run(g);
    graph_sweep(g);
    graph_infer(g);
    graph_check(g, passes[p].name);
}

bool pass_one(Graph *g, const char *name)
{
    int p;

    for (p = 0; p < NPASS; p++)
        if (!strcmp(passes[p].name, name)) {
            run(g, p);
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
        P_dead,
        P_fuse,
        P_layout,
        P_rows,
        P_identity, P_transposes,
        P_fold, P_identity, P_cse,
    };
    size_t i;

    for (i = 0; i < LEN(order); i++) {
        const Pass *p = &passes[order[i]];

        if (is_off(off, p->name))
            continue;
        run(g, order[i]);
        if (dump && !strcmp(dump, p->name))
            dump_graph(g);
    }
    widen(g);
    graph_sweep(g);
    graph_infer(g);
    graph_check(g, "widen");
}
