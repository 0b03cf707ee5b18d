/* Orders beside accelerators: other work comes before cores wait for a job, and in
 * one of two orders a job before work that does not want it, but not where chips
 * exchange something, for which others wait. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 4 };

static Val *unary(Graph *g, OpCode op, Val *x)
{
    Val *y = graph_node(g, NULL, op, NULL, 1, &x)->res[0];

    if (op == OP_allsum) {
        attr_set_int(g, y->def, A_p2, 2);
        attr_set_int(g, y->def, A_p3, 2);
    }
    node_infer(g, y->def);
    return y;
}

/* A job, what waits for it, what need not, and `last`; or, late, the job behind
 * the first that need not.  Does what need not, or the late job, come before
 * another? */
static bool moves(OpCode last, bool late, bool early)
{
    static const Kern kern;
    Arena *a = arena_new();
    Graph *g = graph_new(a, "order");
    Val *x = graph_val(g, "x", T_s32, SHAPE(1, 8)), *job, *y;
    Node *seq[NODES], *was[NODES];
    Choice *c;
    bool any;
    int i;

    x->lo = -128;
    x->hi = 127;
    graph_input(g, x);
    y = late ? unary(g, OP_abs, x) : NULL;
    job = unary(g, OP_neg, x);
    graph_output(g, unary(g, OP_neg, job));
    y = late ? y : unary(g, OP_abs, x);
    graph_output(g, unary(g, last, y));
    graph_number(g);
    c = NEWN(a, Choice, NODES);
    for (i = 0; i < NODES; i++) {
        seq[i] = i ? seq[i - 1]->next : g->first;
        c[seq[i]->id] = (Choice){.kern = &kern, .engine = ENG_cores,
                                 .cycles = 2000};
    }
    c[job->def->id].engine = ENG_hops;
    c[job->def->id].cycles = 9000;
    memcpy(was, seq, sizeof was);
    any = order_accel(c, seq, NODES, early);
    if (any != !!memcmp(was, seq, sizeof was)) {
        puts("an order that is said to be another, or the same");
        exit(1);
    }
    any = late ? seq[0] == job->def : seq[1] == y->def;
    arena_end(a);
    return any;
}

int main(void)
{
    bool alone = moves(OP_neg, false, true), exchange;
    bool early = moves(OP_neg, true, true), beside;

    exchange = moves(OP_allsum, false, true) || moves(OP_allsum, false, false);
    beside = moves(OP_allsum, true, true);
    printf("work comes before a wait: %s, a job before work: %s; where there is "
           "an exchange: %s, %s\n", alone ? "yes" : "no", early ? "yes" : "no",
           exchange ? "yes" : "no", beside ? "yes" : "no");
    if (!moves(OP_neg, false, false) || moves(OP_neg, true, false)) {
        puts("the other order is not that with work alone moved");
        return 1;
    }
    return !alone || !early || exchange || beside;
}
