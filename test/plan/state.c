/* state SEED COUNT: random networks with states, over many runs.
 *
 * States of several kinds are added to random networks (tiles.h): sums that go
 * on, windows that slide, values, or parts of them, that are read after the next
 * one is made, two that change places, one that never changes.  Plans for several chips in
 * little memory must be sound; played on bytes (play.h) run after run, with
 * junk in all memory but the states between runs, they must give what the
 * evaluator does when each output is handed to its input. */
#include "test/lib/play.h"
#include "pass/pass.h"
#include "test/lib/tiles.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdlib.h>

enum { RUNS = 5 };

static int nplan, nrefused, nstate, ncopy, failed;

/* ---- networks ---- */

static Val *state_input(Draw *d, const Val *like)
{
    Val *s = graph_val(d->g, NULL, like->type, like->shape);

    graph_input(d->g, s);
    nstate++;
    return s;
}

static void state_output(Draw *d, Val *next, Val *s)
{
    graph_output(d->g, next);
    next->state = s;
}

static Val *clipped(Draw *d, OpCode op, Val *a, Val *b)
{
    Val *arg[] = {a, b};
    Node *n = draw_node(d, op, 2, arg);

    if (op != OP_max) {
        attr_set_int(d->g, n, A_lo, type_info[a->type].lo);
        attr_set_int(d->g, n, A_hi, type_info[a->type].hi);
    }
    node_infer(d->g, n);
    return n->res[0];
}

/* Rows move up, and new ones come behind them. */
static Val *slid(Draw *d, Val *s, Val *v)
{
    Val *arg[] = {s, v};
    Node *n = draw_node(d, OP_concat, 2, arg);
    int axis = s->shape.rank - 1, i;
    int64_t start[RANK] = {0}, step[RANK], count[RANK];

    attr_set_int(d->g, n, A_axis, axis);
    node_infer(d->g, n);
    arg[0] = n->res[0];
    for (i = 0; i < s->shape.rank; i++) {
        step[i] = 1;
        count[i] = s->shape.dim[i];
    }
    start[axis] = v->shape.dim[axis];
    n = draw_node(d, OP_slice, 1, arg);
    attr_set_list(d->g, n, A_start, s->shape.rank, start);
    attr_set_list(d->g, n, A_step, s->shape.rank, step);
    attr_set_list(d->g, n, A_count, s->shape.rank, count);
    node_infer(d->g, n);
    return n->res[0];
}

/* The first half of v, which lies in one run. */
static Val *half_of(Draw *d, Val *v)
{
    int64_t start[RANK] = {0}, step[RANK], count[RANK];
    int axis = 0, i;
    Node *n;

    while (axis < v->shape.rank - 1 && v->shape.dim[axis] == 1)
        axis++;
    for (i = 0; i < v->shape.rank; i++) {
        step[i] = 1;
        count[i] = i == axis ? (v->shape.dim[i] + 1) / 2 : v->shape.dim[i];
    }
    n = draw_node(d, OP_slice, 1, &v);
    attr_set_list(d->g, n, A_start, v->shape.rank, start);
    attr_set_list(d->g, n, A_step, v->shape.rank, step);
    attr_set_list(d->g, n, A_count, v->shape.rank, count);
    node_infer(d->g, n);
    return n->res[0];
}

static void add_state(Draw *d)
{
    Val *v = some_val(d, 1, 4), *s, *t, *y;

    if (!v || !v->def || val_is_output(d->g, v))
        return;
    s = state_input(d, v);
    switch (pick(d->r, 6)) {
    case 0: /* and what was there is an output too */
        y = clipped(d, OP_add, s, v);
        graph_output(d->g, clipped(d, OP_sub, s, v));
        break;
    case 1:
        y = slid(d, s, v);
        break;
    case 2: /* two change places */
        t = state_input(d, v);
        state_output(d, clipped(d, OP_max, s, v), t);
        y = clipped(d, OP_add, t, v);
        break;
    case 3: /* never changes */
        graph_output(d->g, clipped(d, OP_add, s, v));
        y = clipped(d, OP_max, s, s);
        break;
    case 4: /* a part of it is read after the next value is made */
        t = half_of(d, s);
        y = clipped(d, OP_add, v, v);
        graph_output(d->g, clipped(d, OP_sub, t, half_of(d, y)));
        break;
    default:
        y = clipped(d, OP_add, s, v);
        break;
    }
    if (y->type == s->type)
        state_output(d, y, s);
}

static Graph *draw_states(Arena *a, Rng *r)
{
    Graph *g = draw_network(a, r, 2 + pick(r, 6));
    Draw d = {.g = g, .r = r};
    Node *n;
    int i;

    if (!g)
        return NULL;
    for (n = g->first; n && d.nval < (int)LEN(d.val); n = n->next)
        if (n->res[0]->type == T_s8 || n->res[0]->type == T_u8)
            d.val[d.nval++] = n->res[0];
    for (i = 1 + pick(r, 3); i-- && d.nval;)
        add_state(&d);
    pass_all(g, NULL, NULL);
    graph_uses(g);
    graph_number(g);
    return g;
}

/* ---- runs ---- */

static void draw_bytes(Rng *r, void *p, int64_t n)
{
    unsigned char *b = p;

    while (n-- > 0)
        *b++ = (unsigned char)rng(r);
}

/* Junk everywhere but where states are. */
static void spoil(Play *y, Rng *r)
{
    const Plan *p = y->p;
    unsigned char **kept = NEWN(y->mem, unsigned char *, p->nbuf + 1);
    int i;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (b->kind != BUF_state)
            continue;
        kept[i] = NEWN(y->mem, unsigned char, b->size + 1);
        memcpy(kept[i], y->space[b->mem] + b->addr, (size_t)b->size);
    }
    for (i = 0; i < p->soc->nmem; i++)
        draw_bytes(r, y->space[i], p->used[i]);
    for (i = 0; i < p->nbuf; i++)
        if (kept[i])
            memcpy(y->space[p->buf[i].mem] + p->buf[i].addr, kept[i],
                   (size_t)p->buf[i].size);
}

static bool same_outputs(Play *y, const Eval *e, const Graph *meant)
{
    const Graph *g = y->p->g;
    int i;

    for (i = 0; i < g->nout; i++)
        if (memcmp(play_at(y, y->p->place[g->out[i]->id]),
                   e->data[meant->out[i]->id],
                   (size_t)val_bytes(g->out[i])))
            return false;
    return true;
}

static bool is_state(const Graph *g, int i)
{
    return graph_next_state(g, g->in[i]) != NULL;
}

/* Input i to its place; the network may ignore it. */
static void give(Play *y, int i, const void *x)
{
    const Val *v = y->p->g->in[i];

    if (y->p->place[v->id].buf >= 0)
        memcpy(play_at(y, y->p->place[v->id]), x, (size_t)val_bytes(v));
}

/* Inputs of the first run, or of the next one: all but states. */
static void draw_run(Play *y, Rng *r, bool first, void **in)
{
    const Graph *g = y->p->g;
    int i;

    for (i = 0; i < g->nin; i++) {
        if (!first && is_state(g, i))
            continue;
        draw_bytes(r, in[i], val_bytes(g->in[i]));
        give(y, i, in[i]);
    }
}

/* What the evaluator's states are in the next run. */
static void next_states(const Graph *g, const Eval *e, void **in)
{
    int i, k;

    for (k = 0; k < g->nout; k++)
        for (i = 0; i < g->nin; i++)
            if (g->out[k]->state == g->in[i])
                memcpy(in[i], e->data[g->out[k]->id],
                       (size_t)val_bytes(g->in[i]));
}

/* meant: the network that was planned, as it was before. */
static bool plays(Arena *a, const Plan *p, Moment when, uint64_t seed,
                  Graph *meant)
{
    Graph *g = p->g;
    Play y = {.mem = a, .p = p, .moment = when};
    void **in = NEWN(a, void *, g->nin + 1);
    Rng r = {seed};
    Eval *e;
    int i, t;

    for (i = 0; i < p->soc->nmem; i++)
        y.space[i] = arena_get(a, (size_t)p->used[i] + 1, 1);
    for (i = 0; i < g->nin; i++)
        in[i] = arena_get(a, (size_t)val_bytes(g->in[i]) + 1, 1);
    for (t = 0; t < RUNS; t++) {
        draw_run(&y, &r, !t, in);
        e = graph_eval(a, meant, in);
        play_steps(&y);
        if (!same_outputs(&y, e, meant))
            return false;
        next_states(meant, e, in);
        spoil(&y, &r);
    }
    return true;
}

static jmp_buf stopped;

static void stop(const Trouble *t)
{
    longjmp(stopped, t->status);
}

static void count_copies(const Plan *p)
{
    int i;

    for (i = 0; i < p->g->nout; i++)
        if (p->g->out[i]->state && p->g->out[i]->def &&
            p->place[p->g->out[i]->def->arg[0]->id].buf !=
            p->place[p->g->out[i]->id].buf)
            ncopy++;
}

static int count_nodes(const Graph *g)
{
    const Node *k;
    int n = 0;

    for (k = g->first; k; k = k->next)
        n++;
    return n;
}

/* A graph that has been planned has its copies of states. */
static bool planned_again(Arena *a, const Plan *p, const PlanOpts *o)
{
    int nodes = count_nodes(p->g);

    plan_make(a, p->g, p->soc, o);
    return count_nodes(p->g) == nodes;
}

static void try_network(uint64_t seed)
{
    static const char *const chips[] = {"cortex-m4", "gap8", "siracusa"};
    Arena *a = arena_new();
    Rng r = {seed}, again;
    const char *chip = chips[pick(&r, LEN(chips))], *bad;
    Graph *g, *meant;
    Soc *soc = soc_read(a, chip);
    PlanOpts o;
    Plan *p;

    again = r;
    g = draw_states(a, &r);
    meant = draw_states(a, &again);
    if (!g)
        return;
    memset(&o, 0, sizeof o);
    memset(o.limit, 0xff, sizeof o.limit);
    o.host_isa = "";
    if (soc_mem(soc, "L1"))
        o.limit[soc_mem(soc, "L1") - soc->mems] = 4000 + pick(&r, 30000);
    if (soc_mem(soc, "L2") && pick(&r, 2))
        o.limit[soc_mem(soc, "L2") - soc->mems] = 8000 + pick(&r, 90000);
    if (setjmp(stopped)) {
        nrefused++;
        return;
    }
    p = plan_make(a, g, soc, &o);
    nplan++;
    count_copies(p);
    bad = verify_plan(a, p);
    if (!bad && (!plays(a, p, EARLY, seed, meant) ||
                 !plays(a, p, LATE, seed, meant)))
        bad = "another result";
    if (!bad && !planned_again(a, p, &o))
        bad = "more copies, planned again";
    if (bad) {
        printf("seed %llu, %s: %s\n", (unsigned long long)seed, chip, bad);
        failed++;
    }
    arena_end(a);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int count = argc > 2 ? atoi(argv[2]) : 100, i;

    err_hook = stop;
    for (i = 0; i < count; i++)
        try_network(seed + (uint64_t)i);
    printf("seed %llu: %d plans, %d refused, %d states, %d of them copied, "
           "%d wrong\n", (unsigned long long)seed, nplan, nrefused, nstate,
           ncopy, failed);
    return failed || !nplan || !nstate;
}
