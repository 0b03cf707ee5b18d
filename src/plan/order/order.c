/* The order of execution that needs least memory; and one that needs little,
 * in which code comes into the instruction cache less often.
 *
 * A state is the set of nodes already computed: what is live then does not
 * depend on the order they came in.  Best first, by the largest sum of live
 * bytes on the way so far, the first complete state is optimal.  A node that
 * can be computed without passing that sum and that leaves no more live than
 * before is computed at once, whatever else there is: no order loses by it.
 * So chains cost nothing, and only branches are searched.
 *
 * Where there are too many states, the most promising few of each size are
 * kept (beam search), and the order of the file is there to compare with:
 * what is returned are orders, for the storage they really need to decide.  Of
 * networks with very many nodes, or far too many such states, only one order is
 * tried, greedily: of the next
 * few nodes that one which costs least, and leaves least, comes first.
 *
 * What a node needs is judged here without views of slices; a reshape is its
 * operand, a result may take over an operand that dies as its kernel allows,
 * and a concat the operands that die in it.
 *
 * Layers that have the same kernel take less time one after the other.  A beam
 * search from a given order brings them together: each next node is one of the
 * first few that are left there, and those states go on that have waited least
 * for code (cache.c).  Where what lives between nodes is more than is small, no
 * more may live at a node than in the given order. */
#include "plan/order/state.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT = 2048, BEAM = 16, AHEAD = 24, WORTH = 500 };
enum { MANY = 512, LOOKS = 100000000 }; /* nodes; looks at nodes, in all */

/* ---- the known states, and those to go on from ---- */

typedef void Keep(Order *o, const State *s, void *arg);

/* Every state that one job leads to from state `from`. */
static void expand(Order *o, int from, Keep *keep, void *arg)
{
    size_t bytes = (size_t)o->nclass * sizeof *o->left;
    int64_t peak, after;
    int i;

    order_count_left(o, &o->state[from]);
    memcpy(o->left0, o->left, bytes);
    for (i = 0; i < o->njob; i++) {
        State s;

        if (!order_is_ready(o, &o->state[from], i))
            continue;
        s = order_next_state(o, &o->state[from], from);
        peak = order_need_of(o, &s, &o->job[i], &after);
        order_run_job(o, &s, i, peak, after);
        order_run_free(o, &s);
        keep(o, &s, arg);
        memcpy(o->left, o->left0, bytes);
    }
}

static void to_heap(Order *o, const State *s, void *arg)
{
    int i = order_add_state(o, s);

    (void)arg;
    if (i >= 0)
        order_heap_put(o, i);
}

/* The optimal complete state; -1: too many states. */
static int search_exactly(Order *o)
{
    State first;

    order_forget(o, 16 * EXACT);
    first = order_first_state(o);
    to_heap(o, &first, NULL);
    while (o->nheap && o->nstate < EXACT && o->looks < LOOKS) {
        int s = order_heap_get(o);

        if (o->state[s].count == o->njob)
            return s;
        expand(o, s, to_heap, NULL);
    }
    return -1;
}

/* The best few states of each number of jobs done. */
typedef struct Beam {
    int (*best)[BEAM];
    int *n;
} Beam;

static void to_beam(Order *o, const State *s, void *arg)
{
    Beam *b = arg;
    int *best = b->best[s->count], *n = &b->n[s->count], i, k;

    if (*n == BEAM && !order_earlier(s, &o->state[best[BEAM - 1]]))
        return;
    k = order_add_state(o, s);
    if (k < 0)
        return;
    i = *n < BEAM ? (*n)++ : BEAM - 1;
    for (; i && order_earlier(s, &o->state[best[i - 1]]); i--)
        best[i] = best[i - 1];
    best[i] = k;
}

static void begin_beam(Order *o, Beam *b)
{
    int nslot = 1024;

    while (nslot < 4 * BEAM * o->njob)
        nslot *= 2;
    order_forget(o, 4 * nslot);
    b->best = arena_get(o->mem, (size_t)o->njob + 1, sizeof *b->best);
    b->n = NEWN(o->mem, int, o->njob + 1);
}

static int search_beam(Order *o)
{
    State first;
    Beam b;
    int c, i;

    begin_beam(o, &b);
    first = order_first_state(o);
    to_beam(o, &first, &b);
    for (c = 0; c < o->njob; c++)
        for (i = 0; i < b.n[c] && o->nstate < 2 * BEAM * o->njob &&
                    o->looks < LOOKS; i++)
            expand(o, b.best[c][i], to_beam, &b);
    return b.n[o->njob] ? b.best[o->njob][0] : -1;
}

/* Of the jobs of a window that are ready, the one that costs least, and then
 * leaves least. */
static int next_greedily(const Order *o, const State *s, int first)
{
    int64_t peak, after, least = 0, left = 0;
    int i, best = -1;

    for (i = first; i < MIN(first + AHEAD, o->njob); i++) {
        if (!order_is_ready(o, s, i))
            continue;
        peak = MAX(order_need_of(o, s, &o->job[i], &after), s->cost);
        if (best >= 0 && (peak > least || (peak == least && after >= left)))
            continue;
        best = i;
        least = peak;
        left = after;
    }
    return best;
}

/* Jobs are in an order that can be executed, so the first one is ready. */
static int search_greedily(Order *o)
{
    State s;
    int first = 0;

    order_forget(o, 1);
    s = order_no_state(o);
    while (s.count < o->njob) {
        int i = next_greedily(o, &s, first);
        int64_t after, peak = order_need_of(o, &s, &o->job[i], &after);

        order_run_job(o, &s, i, peak, after);
        while (first < o->njob && order_is_done(&s, first))
            first++;
    }
    GROW(o->mem, o->state, 0);
    o->state[0] = s;
    return 0;
}

/* ---- from a state to an order of nodes ---- */

static void add_node(Node **seq, int *n, Node *node)
{
    seq[(*n)++] = node;
}

/* Reshapes by what they read: the first, and others of the same. */
typedef struct Reshapes {
    Node **first;   /* by Val.id */
    Node **next;    /* by Node.id */
} Reshapes;

static Reshapes list_reshapes(Arena *mem, const Graph *g)
{
    Reshapes r = {NEWN(mem, Node *, graph_nval(g) + 1),
                  NEWN(mem, Node *, g->last ? g->last->id + 1 : 1)};
    Node *n;

    for (n = g->last; n; n = n->prev)
        if (n->op == OP_reshape) {
            r.next[n->id] = r.first[n->arg[0]->id];
            r.first[n->arg[0]->id] = n;
        }
    return r;
}

/* Reshapes come as soon as their operand is there. */
static void add_reshapes(const Reshapes *r, Node **seq, int *n, const Val *v)
{
    Node *x;

    for (x = r->first[v->id]; x; x = r->next[x->id]) {
        add_node(seq, n, x);
        add_reshapes(r, seq, n, x->res[0]);
    }
}

static Node **order_of(Order *o, Arena *mem, Graph *g, int state, int *count)
{
    Node **seq = NEWN(mem, Node *, *count + 1);
    int *list = NEWN(o->mem, int, o->njob + 1), at = o->njob, n = 0, i, k;
    Reshapes reshapes = list_reshapes(o->mem, g);
    const Val *v;

    for (; state >= 0; state = o->state[state].parent)
        for (i = o->state[state].npath - 1; i >= 0; i--)
            list[--at] = o->state[state].path[i];
    if (at)
        die("an order of %d nodes lacks %d", o->njob, at);
    for (v = g->vals; v; v = v->next)
        if (!v->def)
            add_reshapes(&reshapes, seq, &n, v);
    for (i = 0; i < o->njob; i++) {
        Node *node = (Node *)(uintptr_t)o->job[list[i]].node;

        add_node(seq, &n, node);
        for (k = 0; k < node->nres; k++)
            add_reshapes(&reshapes, seq, &n, node->res[k]);
    }
    *count = n;
    return seq;
}

Node **order_given(Arena *mem, Graph *g, int *count)
{
    Node **seq, *n;
    int i = 0;

    for (n = g->first; n; n = n->next)
        i++;
    seq = NEWN(mem, Node *, i + 1);
    *count = i;
    for (i = 0, n = g->first; n; n = n->next)
        seq[i++] = n;
    return seq;
}

static void begin(Order *o, Graph *g, const Choice *c)
{
    o->mem = arena_new();
    order_make_jobs(o, g, c);
    o->words = o->njob / 64 + 2;
    o->left = NEWN(o->mem, int, o->nclass + 1);
    o->left0 = NEWN(o->mem, int, o->nclass + 1);
    o->done = NEWN(o->mem, uint64_t, o->words);
    o->path = NEWN(o->mem, int, o->njob + 1);
}

Node **order_least(Arena *mem, Graph *g, const Choice *c, int *count)
{
    Order o = {0};
    Node **seq = NULL;
    int s;

    begin(&o, g, c);
    o.there = NEWN(o.mem, double, 1);
    s = o.njob > MANY ? -1 : search_exactly(&o);
    if (s < 0 && o.njob <= MANY)
        s = search_beam(&o);
    if (s < 0)
        s = search_greedily(&o);
    if (s >= 0)
        seq = order_of(&o, mem, g, s, count);
    arena_end(o.mem);
    return seq;
}

/* ---- warm code ---- */

/* Kernels and their code; returns the cycles that they take with it. */
static int64_t name_code(Order *o, const Choice *c)
{
    int64_t cycles = 0;
    int i, k;

    o->nunit = KERNEL_UNIT;
    for (i = 0; i < o->njob; i++) {
        Job *j = &o->job[i];
        const Choice *x = &c[j->node->id], *y;
        Dims d;

        for (k = 0; k < i; k++) {
            y = &c[o->job[k].node->id];
            if (y->kern == x->kern && y->sig == x->sig)
                break;
        }
        j->unit = k < i ? o->job[k].unit : o->nunit++;
        dims_fill_part(j->node, 0, &d);
        j->code = kern_code(x->kern, x->sig, j->node, &d);
        cycles += x->cycles;
    }
    return cycles;
}

/* The jobs of an order of nodes. */
static void list_given(Order *o, Node **seq, int n)
{
    int *job = NEWN(o->mem, int, n + 1), i, k = 0;

    for (i = 0; i < o->njob; i++)
        job[o->job[i].node->id] = i;
    o->given = NEWN(o->mem, int, o->njob + 1);
    for (i = 0; i < n; i++)
        if (seq[i]->op != OP_reshape)
            o->given[k++] = job[seq[i]->id];
}

/* Runs a job, if no more lives then than may. */
static bool run_warm(Order *o, State *s, int job)
{
    const Job *j = &o->job[job];
    int64_t after, miss;

    if (order_need_of(o, s, j, &after) > j->most)
        return false;
    o->cache->there = s->there;
    o->cache->n = o->nunit;
    miss = layer_miss(o->cache, j->unit, j->code);
    order_run_job(o, s, job, s->cost + miss, after);
    s->done[o->words - 1] = (uint64_t)j->unit;
    return true;
}

/* States 0 to njob: the given order, step by step. */
static void run_given(Order *o, int64_t small)
{
    State s = order_next_state(o, NULL, -1);
    int64_t after;
    int i;

    memset(s.done, 0, (size_t)o->words * sizeof *s.done);
    order_count_left(o, &s);
    order_add_state(o, &s);
    for (i = 0; i < o->njob; i++) {
        Job *j = &o->job[o->given[i]];

        s = order_next_state(o, &o->state[i], i);
        j->most = MAX(small, order_need_of(o, &s, j, &after));
        run_warm(o, &s, o->given[i]);
        order_add_state(o, &s);
    }
}

/* Every state that one of the next few jobs leads to from state `from`. */
static void expand_warm(Order *o, int from, Beam *b)
{
    size_t bytes = (size_t)o->nclass * sizeof *o->left;
    int i, ahead = 0;

    order_count_left(o, &o->state[from]);
    memcpy(o->left0, o->left, bytes);
    for (i = 0; i < o->njob && ahead < AHEAD; i++) {
        int job = o->given[i];
        State s;

        if (order_is_done(&o->state[from], job))
            continue;
        ahead++;
        if (!order_is_ready(o, &o->state[from], job))
            continue;
        s = order_next_state(o, &o->state[from], from);
        if (run_warm(o, &s, job))
            to_beam(o, &s, b);
        memcpy(o->left, o->left0, bytes);
    }
}

/* From each state of the given order too, so that there is a way to the end,
 * even if the table of states is half full; -1: none is better. */
static int search_warm(Order *o, int64_t small)
{
    Beam b;
    int c, i;

    begin_beam(o, &b);
    run_given(o, small);
    for (c = 0; c < o->njob; c++) {
        expand_warm(o, c, &b);
        for (i = 0; i < b.n[c] && o->nstate < o->nslot / 2; i++)
            expand_warm(o, b.best[c][i], &b);
    }
    return b.n[o->njob] ? b.best[o->njob][0] : -1;
}

Node **order_warm(Arena *mem, const Plan *p, const Choice *c, Node **seq,
                  int *count, int64_t small)
{
    Order o = {0};
    Node **warm = NULL;
    int64_t cycles;
    int i, s;

    if (*count > MANY)
        return NULL;
    begin(&o, p->g, c);
    o.cache = code_cache(o.mem, p->soc);
    cycles = name_code(&o, c);
    o.there = NEWN(o.mem, double, o.nunit);
    list_given(&o, seq, *count);
    for (i = 0; i < o.nclass; i++)
        if (o.class[i].in || o.class[i].out)
            o.class[i].size = 0;
    s = search_warm(&o, small);
    if (s >= 0) {
        int64_t all = o.state[o.njob].cost;

        if ((all - o.state[s].cost) * WORTH >= cycles + all)
            warm = order_of(&o, mem, p->g, s, count);
    }
    arena_end(o.mem);
    return warm;
}
