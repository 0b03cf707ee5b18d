/* From a graph to a plan, in this order: kernels, order of execution, storage,
 * steps, addresses.  Each has a file of its own; this one makes the steps. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 3 }; /* the part of the nearest memory that is little */

const char *const objective_name[NAIM] = {
    [AIM_time] = "time", [AIM_memory] = "memory", [AIM_energy] = "energy",
    [AIM_flash] = "flash",
};

/* An output must be written by the network into storage of its own.  shown: by
 * Val.id, those that outputs have. */
static bool needs_copy(const Val *out, bool *shown)
{
    const Val *v = val_shown(out);
    bool again = shown[v->id];

    shown[v->id] = true;
    return !v->def || again;
}

/* A copy is an expand to the same shape. */
static Val *copy_of(Graph *g, Val *v)
{
    Node *n = graph_node(g, NULL, OP_expand, NULL, 1, &v);
    Val *y;

    attr_set_shape(g, n, A_shape, v->shape);
    node_infer(g, n);
    y = n->res[0];
    y->scale = v->scale;
    y->zero = v->zero;
    return y;
}

/* A copy that an earlier plan of the graph has made? */
static bool is_copy(const Val *v)
{
    return v->def && v->def->op == OP_expand &&
           shape_same(v->shape, v->def->arg[0]->shape);
}

/* The next value of a state is copied to the state's place when all else is
 * done (alloc.c drops the copy where it can be made there).  One that is
 * another state by then is copied before: that one's place is written too. */
static void copy_state(Graph *g, int i)
{
    Val *v = g->out[i], *state = v->state;
    const Val *from = val_shown(v);

    if (from == state || is_copy(v))
        return;
    if (!from->def && graph_next_state(g, from))
        v = copy_of(g, v);
    g->out[i] = copy_of(g, v);
    g->out[i]->state = state;
    g->out[i]->name = v->name;
}

static void copy_outputs(Graph *g)
{
    bool *shown;
    int i;

    graph_number(g);
    shown = NEWN(g->mem, bool, graph_nval(g) + 1);
    for (i = 0; i < g->nout; i++)
        if (needs_copy(g->out[i], shown) && !g->out[i]->state)
            g->out[i] = copy_of(g, g->out[i]);
    for (i = 0; i < g->nout; i++)
        if (g->out[i]->state)
            copy_state(g, i);
}

static void set_in(const Plan *p, Step *s, int i, const Val *v)
{
    s->in[i] = v ? p->place[v->id] : (Ref){-1, 0};
    s->in_piece[i] = v ? piece_all(v) : (Piece){0};
    s->in_bytes[i] = v ? val_bytes(v) : 0;
    s->in_type[i] = v ? v->type : T_none;
}

static void set_out(const Plan *p, Step *s, int i, const Val *v)
{
    s->out[i] = p->place[v->id];
    s->out_piece[i] = piece_all(v);
    s->out_bytes[i] = val_bytes(v);
    s->out_type[i] = v->type;
}

static int scratch_buf(Plan *p, const Node *n, int64_t size)
{
    if (!size)
        return -1;
    return plan_add_buf(p, (Buf){
        .kind = BUF_temp, .name = arena_fmt(p->mem, "%s scratch", n->name),
        .size = size, .align = 8,
    });
}

/* Start and wait of node n; of a concat: of the copy of one argument. */
static void add_steps(Plan *p, const Node *n, int part, const Choice *c)
{
    Step s = {.kind = STEP_start, .token = p->nstep / 2, .node = n,
              .layer = p->nlayer, .tile = n, .part = part,
              .kern = c->kern, .sig = c->sig,
              .stack = c->stack, .cycles = c->cycles,
              .tmp_bytes = c->scratch, .ncore = c->ncore};
    int i;

    if (n->op == OP_concat) {
        dims_fill_concat(n, part, &s.dims);
        s.nin = 1;
        set_in(p, &s, 0, n->arg[part]);
    } else {
        dims_fill(n, &s.dims);
        s.nin = n->narg;
        for (i = 0; i < n->narg; i++)
            set_in(p, &s, i, n->arg[i]);
    }
    s.follow = dims_follow(p->mem, p->g, n, part, &s.nfollow);
    s.nout = n->nres;
    for (i = 0; i < n->nres; i++)
        set_out(p, &s, i, n->res[i]);
    if ((n->op == OP_scatternd || n->op == OP_scatterelem) &&
        s.in[0].buf == s.out[0].buf && s.in[0].off == s.out[0].off) {
        Choice here = *c;

        choice_in_place(&here, n, &s.dims);
        s.cycles = here.cycles;
    }
    s.tmp = (Ref){scratch_buf(p, n, c->scratch), 0};
    plan_add_layer(p, (Layer){.node = n, .part = part, .first = p->nstep,
                         .last = p->nstep, .tiles = 1, .cycles = s.cycles,
                         .why = c->why});
    plan_add_step(p, s);
    plan_add_step(p, (Step){.kind = STEP_wait, .token = s.token, .node = n,
                            .layer = s.layer, .part = part,
                            .tmp = {-1, 0}});
}

static void make_steps(Plan *p, const Allocs *s)
{
    int i, j;

    for (i = 0; i < s->nseq; i++) {
        const Node *n = s->seq[i];
        int parts = n->op == OP_concat ? n->narg : 1;

        for (j = 0; j < parts; j++)
            if (!s->view[n->id][j])
                add_steps(p, n, j, &s->choice[n->id]);
    }
}

/* The largest sum of bytes that live at one step, alignment left aside, and
 * what may lie over another. */
static int64_t live_bound(const Plan *p)
{
    int64_t *sum = NEWN(p->mem, int64_t, p->nstep + 3), live = 0, most = 0;
    int i;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (b->kind == BUF_const || b->over || !p->soc->mems[b->mem].mapped)
            continue;
        sum[b->from + 1] += b->size;
        sum[b->to + 1] -= b->size;
    }
    for (i = 0; i < p->nstep + 2; i++) {
        live += sum[i];
        most = MAX(most, live);
    }
    return most;
}

static void predict(Plan *p)
{
    bool known = true;
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start) {
            Layer *l = &p->layer[p->step[i].layer];

            known &= p->step[i].cycles > 0;
            l->wait = step_waits(p, &p->step[i]);
            l->cycles = p->step[i].cycles ? p->step[i].cycles + l->wait : 0;
            p->cycles += p->step[i].cycles + l->wait;
        }
    if (!known)
        p->cycles = 0;
}

/* Storage in the better of two orders, by the sum of live bytes it needs. */
static Allocs *best_order(Arena *mem, Graph *g, Choice *c)
{
    int n;
    Node **seq = order_given(mem, g, &n);
    Allocs *given = alloc_values(mem, g, c, seq, n), *least;

    seq = order_least(mem, g, c, &n);
    if (!seq)
        return given;
    least = alloc_values(mem, g, c, seq, n);
    return least->bound < given->bound ? least : given;
}

/* In an order in which cores wait less for code, if that asks for no more
 * memory, or for little. */
static Allocs *warm_order(Plan *p, const Choice *c, Allocs *s,
                          const PlanOpts *o)
{
    int64_t small = near_room(p, o) / SMALL;
    int n = s->nseq;
    Node **seq = order_warm(p->mem, p, c, s->seq, &n, small);
    Allocs *warm;

    if (!seq)
        return s;
    warm = alloc_values(p->mem, p->g, c, seq, n);
    return warm->bound <= MAX(s->bound, small) ? warm : s;
}

/* Orders of which the plan is in the best. */
typedef struct Orders {
    Allocs *s[3];
    int n;
} Orders;

/* The first one, so that accelerators and cores work side by side, if none is
 * the same. */
static void add_quick(Plan *p, const Choice *c, Orders *x, bool early)
{
    int n = x->s[0]->nseq, i;
    size_t bytes = (size_t)n * sizeof(Node *);
    Node **seq = NEWN(p->mem, Node *, n + 1);

    memcpy(seq, x->s[0]->seq, bytes);
    order_accel(c, seq, n, early);
    for (i = 0; i < x->n; i++)
        if (!memcmp(seq, x->s[i]->seq, bytes))
            return;
    x->s[x->n++] = alloc_values(p->mem, p->g, c, seq, n);
}

/* In the best of a few orders, for in the quick ones more values live at once;
 * all of a search is for that one. */
static Plan *plan_tiles(Plan *p, const Chooser *chooser, const Choice *c,
                        Allocs *s, const PlanOpts *o)
{
    Orders x = {{s}, 1};
    Plan *best = NULL, *now;
    PlanOpts once = *o;
    bool made;
    int i;

    once.until = MIN(o->until, 0);
    if (o->aim != AIM_memory) {
        x.s[0] = warm_order(p, c, s, o);
        add_quick(p, c, &x, true);
        add_quick(p, c, &x, false);
    }
    for (i = 0; x.n > 1 && i < x.n; i++) {
        now = NEW(p->mem, Plan);
        *now = *p;
        once.only_like = i == 2;
        once.like = i == 2 ? best : o->like;
        made = tiled_plan(now, x.s[i], chooser, &once, !i);
        p->grids = now->grids;
        if (!made || (best && now->cost >= best->cost))
            continue;
        best = now;
        s = x.s[i];
    }
    if (best && o->until <= 0)
        p = best;
    else
        tiled_plan(p, best ? s : x.s[0], chooser, o, true);
    p->bound = live_bound(p);
    return p;
}

static void swap_choice(Choice *c)
{
    Choice *over = c->over, was = *c;

    *c = *over;
    c->over = over;
    *over = was;
    over->over = NULL;
}

/* Goes back to each faster kernel with which at least `slack` bytes less are
 * needed than now. */
static Allocs *go_faster(Arena *mem, Choice *c, Allocs *s, int64_t slack)
{
    int i;

    for (i = 0; i < s->nseq; i++) {
        Choice *k = &c[s->seq[i]->id];
        Allocs *t;

        if (!k->over || k->inplace == 0)
            continue;
        swap_choice(k);
        t = alloc_values(mem, s->g, c, s->seq, s->nseq);
        if (t->bound + slack <= s->bound)
            s = t;
        else
            swap_choice(k);
    }
    return s;
}

static int swap_all(Choice *c, const Allocs *s, bool over)
{
    int i, n = 0;

    for (i = 0; i < s->nseq; i++) {
        Choice *k = &c[s->seq[i]->id];

        if (k->over && !k->inplace == over) {
            swap_choice(k);
            n++;
        }
    }
    return n;
}

/* Slower kernels whose results lie on their operands, for networks that crowd
 * the nearest memory, where the memory needed sinks by it: all of them at
 * first; then without those that themselves need more, for their scratch; then
 * as few as do the same. */
static Allocs *save_memory(Arena *mem, Choice *c, Allocs *s)
{
    Allocs *less;

    if (!swap_all(c, s, true))
        return s;
    less = alloc_values(mem, s->g, c, s->seq, s->nseq);
    less = go_faster(mem, c, less, 1);
    if (less->bound < s->bound)
        return go_faster(mem, c, less, 0);
    swap_all(c, s, false);
    return s;
}

/* A layer that may have another kernel, and the cycles that it takes more. */
typedef struct Slower {
    Node *n;
    Choice was;
    int64_t cycles;
} Slower;

static int by_cycles(const void *a, const void *b)
{
    const Slower *x = a, *y = b;

    return x->cycles != y->cycles ? (x->cycles < y->cycles) * 2 - 1
                                  : x->n->id - y->n->id;
}

/* The quickest kernel with which the bound stays within `room`. */
static Allocs *give_scratch(Arena *mem, const Chooser *chooser, Choice *c,
                            Allocs *s, const Slower *x, int64_t room)
{
    Choice *k = &c[x->n->id], less = *k;
    int64_t part;
    Allocs *t;

    for (part = 4; part > 0; part--) {
        *k = x->was;
        if (part < 4 && (!choose_narrow(chooser, x->n,
                                        x->was.scratch * part / 4, k) ||
                         k->cycles >= less.cycles))
            continue;
        t = alloc_values(mem, s->g, c, s->seq, s->nseq);
        if (t->bound <= room)
            return t;
    }
    *k = less;
    return s;
}

/* Kernels with less scratch, as few as need no more than `room`, or the least
 * memory together; those that are slowest go first. */
static Allocs *save_scratch(Arena *mem, const Chooser *chooser, Choice *c,
                            Allocs *s, int64_t room)
{
    Slower *x = NEWN(mem, Slower, s->nseq + 1);
    Allocs *t;
    int i, n = 0;

    for (i = 0; i < s->nseq; i++) {
        Choice *k = &c[s->seq[i]->id];

        x[n] = (Slower){s->seq[i], *k, 0};
        if (!k->kern || !choose_less(chooser, s->seq[i], k))
            continue;
        x[n].cycles = k->cycles - x[n].was.cycles;
        n++;
    }
    t = alloc_values(mem, s->g, c, s->seq, s->nseq);
    if (t->bound >= s->bound) {
        for (i = 0; i < n; i++)
            c[x[i].n->id] = x[i].was;
        return s;
    }
    qsort(x, (size_t)n, sizeof *x, by_cycles);
    room = MAX(room, t->bound);
    for (i = 0; i < n; i++)
        t = give_scratch(mem, chooser, c, t, &x[i], room);
    return t;
}

/* The kernels and the order with which the least is needed. */
static Allocs *least_memory(Arena *mem, const Chooser *chooser, Choice *c,
                            Allocs *s)
{
    Allocs *t;

    s = save_scratch(mem, chooser, c, save_memory(mem, c, s), 0);
    t = best_order(mem, s->g, c);
    return t->bound < s->bound ? t : s;
}

/* Values that are cut into tiles do not overlap here: overlap.c sees to it. */
static void keep_apart(const Graph *g, Choice *c)
{
    const Node *n;

    for (n = g->first; n; n = n->next) {
        c[n->id].ahead = -1;
        if (c[n->id].over)
            c[n->id].over->ahead = -1;
    }
}

Plan *plan_make(Arena *mem, Graph *g, Soc *soc, const PlanOpts *o)
{
    Plan *p = NEW(mem, Plan);
    Chooser *chooser = chooser_new(mem, soc, o);
    Choice *c;
    Allocs *s;

    *p = (Plan){.mem = mem, .g = g, .soc = soc, .aim = o->aim,
                .straight = o->straight,
                .host_isa = o->host_isa};
    leave_tables_far(g, soc, o);
    bring_layers(chooser, p, o);
    if (tiled_fits(soc))
        unfuse_attention(chooser, g, near_room(p, o));
    if (!tiled_fits(soc))
        pack_layers(chooser, p, o);
    interleave_layers(chooser, g);
    pair_layers(chooser, g);
    scale_rows(chooser, g);
    copy_outputs(g);
    graph_uses(g);
    graph_number(g);
    c = choose_kernels(chooser, g);
    if (tiled_fits(soc)) {
        choose_spare(chooser, g, c, near_room(p, o));
        keep_apart(g, c);
    } else if (!o->ledger && strcmp(soc->run, "host")) {
        choose_small(chooser, g, c);
    }
    reserve_code(soc, g, c, o->beside);
    s = best_order(mem, g, c);
    if (tiled_fits(soc))
        return plan_tiles(p, chooser, c, s, o);
    if (o->aim == AIM_memory)
        s = least_memory(mem, chooser, c, s);
    else if (s->bound > near_room(p, o))
        s = save_memory(mem, c, s);
    if (s->bound > all_room(p, o))
        s = save_scratch(mem, chooser, c, s, all_room(p, o));
    plan_bufs(p, s, NULL, NEWN(mem, int, s->nalloc + 1));
    make_steps(p, s);
    plan_lives(p);
    p->bound = live_bound(p);
    place_consts(p, o);
    place_buffers(p, o);
    widen_scratch(p);
    if (!o->no_copies)
        stage_weights(p);
    find_rows(p);
    p->gap = p->ram ? (double)(p->ram - p->bound) / (double)p->ram : 0;
    predict(p);
    p->program = program_make(p->mem, p);
    return p;
}
