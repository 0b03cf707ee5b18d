/* Orders beside accelerators: other work comes before cores wait for a job, but
 * not where chips exchange something, for which others wait; and what reads
 * nothing computed comes down to the last wait that is long enough. */
#include "plan/plan.h"

#include <stdlib.h>

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

/* A job, what waits for it, what need not, and `last`. */
static bool moves(OpCode last)
{
    static const Kern kern;
    Arena *a = arena_new();
    Graph *g = graph_new(a, "order");
    Val *x = graph_val(g, "x", T_s32, SHAPE(1, 8)), *job, *y;
    Node *seq[NODES];
    Choice *c;
    bool any;
    int i;

    x->lo = -128;
    x->hi = 127;
    graph_input(g, x);
    job = unary(g, OP_neg, x);
    graph_output(g, unary(g, OP_neg, job));
    y = unary(g, OP_abs, x);
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
    any = order_accel(c, seq, NODES);
    if (any != (seq[1] == y->def)) {
        puts("an order that is said to be another, or the same");
        exit(1);
    }
    arena_end(a);
    return any;
}

/* Three jobs one after the other, so many cycles each, what waits for each, and a
 * node of 2000 that the last of these reads too: which of them does it come
 * before, from 0 on? */
static int comes_before(int64_t first, int64_t second, int64_t third)
{
    static const Kern kern;
    const int64_t cycles[] = {2000, first, 100, second, 100, third, 100, 100};
    Arena *a = arena_new();
    Graph *g = graph_new(a, "early");
    Val *x = graph_val(g, "x", T_s32, SHAPE(1, 8)), *z, *y, *arg[2];
    Node *seq[LEN(cycles)], *early;
    Choice *c = NEWN(a, Choice, LEN(cycles));
    int i;

    x->lo = -128;
    x->hi = 127;
    graph_input(g, x);
    y = unary(g, OP_abs, x);
    early = y->def;
    for (i = 0, z = x; i < 6; i++)
        z = unary(g, OP_neg, z);
    arg[0] = z, arg[1] = y;
    graph_output(g, graph_node(g, NULL, OP_add, NULL, 2, arg)->res[0]);
    node_infer(g, g->last);
    graph_number(g);
    for (i = 0; i < (int)LEN(cycles); i++) {
        seq[i] = i ? seq[i - 1]->next : g->first;
        c[seq[i]->id] = (Choice){.kern = &kern, .engine = ENG_cores,
                                 .cycles = cycles[i]};
        if (i == 1 || i == 3 || i == 5)
            c[seq[i]->id].engine = ENG_hops;
    }
    order_accel(c, seq, (int)LEN(cycles));
    for (i = 0; seq[i] != early; i++)
        ;
    arena_end(a);
    return i / 2;
}

int main(void)
{
    bool alone = moves(OP_neg), exchange = moves(OP_allsum);

    if (comes_before(9000, 9000, 1200) != 1 || comes_before(9000, 1200, 1200) ||
        comes_before(900, 2500, 2000) != 1 || comes_before(900, 900, 900) != 3) {
        puts("what reads nothing computed is at another wait");
        return 1;
    }
    printf("work comes before a wait: %s; where there is an exchange: %s\n",
           alone ? "yes" : "no", exchange ? "yes" : "no");
    return !alone || exchange;
}
