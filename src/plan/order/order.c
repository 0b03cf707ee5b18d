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
#include "plan/cost/cost.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT = 2048, BEAM = 16, AHEAD = 24, WORTH = 500 };
enum { MANY = 512, LOOKS = 100000000 }; /* nodes; looks at nodes, in all */

/* Values that are one piece of memory: a value and its reshapes. */
typedef struct Class {
    int64_t size; /* 0: a constant */
    int nread;    /* nodes that read it; an output is read by the user too */
    bool in, out;
} Class;

typedef struct Job {
    const Node *node;
    int nread, *read;   /* classes, each once */
    int nneed, *need;   /* jobs that must come before */
    int nmade, *made;   /* classes */
    int64_t tmp;
    unsigned takes;     /* of read[]: the result may lie on it */
    bool gathers;       /* a concat: on all of them */
    int unit;           /* its kernel, */
    Code code;          /* of which it goes through so much */
    int64_t most;       /* that may live while it runs */
} Job;

typedef struct State {
    uint64_t *done;     /* by job, a bit; last word: unit of the last one */
    double *there;      /* by unit: bytes of its code in the cache */
    int64_t cost;       /* the largest sum of live bytes, or cycles */
    int64_t live;
    int count;
    int parent;         /* state; -1: none */
    int npath, *path;   /* jobs since then */
} State;

typedef struct Order {
    Arena *mem;
    int njob, nclass, words;
    Job *job;
    Class *class;
    int *left, *left0;  /* by class: readers to come, in the state at hand */
    uint64_t *done;     /* of the state at hand */
    int *path;
    State *state;
    int nstate;
    int64_t looks;      /* at jobs, whether they are ready */
    int *heap, nheap;
    int *slot, nslot;   /* of states by what is done */
    CodeCache *cache;   /* of an order for warm code, with */
    int nunit;          /* so many units (0: of one for memory), */
    double *there;      /* those of the state at hand, */
    int *given;         /* and jobs in the given order */
} Order;

/* ---- what there is to do ---- */

static int class_of(const int *class, const Val *v)
{
    while (v->def && v->def->op == OP_reshape)
        v = v->def->arg[0];
    return class[v->id];
}

static void add_once(int *list, int *n, int v)
{
    int i;

    for (i = 0; i < *n; i++)
        if (list[i] == v)
            return;
    list[(*n)++] = v;
}

static int read_index(const Job *j, int class)
{
    int i;

    for (i = 0; j->read[i] != class; i++)
        ;
    return i;
}

static void make_job(Order *o, Job *j, const Node *n, const int *class,
                     const int *maker, const Choice *c)
{
    int i;

    j->node = n;
    j->tmp = c->scratch;
    j->gathers = n->op == OP_concat;
    j->read = NEWN(o->mem, int, n->narg + 1);
    j->need = NEWN(o->mem, int, n->narg + 1);
    j->made = NEWN(o->mem, int, n->nres);
    for (i = 0; i < n->narg; i++)
        if (n->arg[i]) {
            int k = class_of(class, n->arg[i]);

            add_once(j->read, &j->nread, k);
            if (maker[k] >= 0)
                add_once(j->need, &j->nneed, maker[k]);
        }
    for (i = 0; i < j->nread; i++)
        o->class[j->read[i]].nread++;
    for (i = 0; i < n->nres; i++)
        j->made[j->nmade++] = class[n->res[i]->id];
    for (i = 0; i < n->narg && n->nres == 1; i++)
        if (n->arg[i] && (c->inplace >> i & 1) &&
            val_bytes(n->arg[i]) == val_bytes(n->res[0]) &&
            type_info[n->arg[i]->type].bytes ==
            type_info[n->res[0]->type].bytes)
            j->takes |= 1u << read_index(j, class_of(class, n->arg[i]));
}

static void make_jobs(Order *o, Graph *g, const Choice *c)
{
    int *class = NEWN(o->mem, int, graph_nval(g) + 1);
    int *maker = NEWN(o->mem, int, graph_nval(g) + 1), i;
    const Node *n;
    const Val *v;

    o->class = NEWN(o->mem, Class, graph_nval(g) + 1);
    for (v = g->vals; v; v = v->next) {
        maker[o->nclass] = -1;
        o->class[o->nclass].size = v->data ? 0 : val_bytes(v);
        class[v->id] = o->nclass++;
    }
    for (n = g->first; n; n = n->next)
        o->njob += n->op != OP_reshape;
    o->job = NEWN(o->mem, Job, o->njob + 1);
    for (i = 0, n = g->first; n; n = n->next) {
        int k;

        if (n->op == OP_reshape)
            continue;
        make_job(o, &o->job[i], n, class, maker, &c[n->id]);
        for (k = 0; k < n->nres; k++)
            maker[class[n->res[k]->id]] = i;
        i++;
    }
    for (i = 0; i < g->nin; i++)
        o->class[class[g->in[i]->id]].in = true;
    for (i = 0; i < g->nout; i++) {
        Class *k = &o->class[class_of(class, g->out[i])];

        k->out = true;
        k->nread++;
    }
}

/* ---- states ---- */

static bool is_done(const State *s, int job)
{
    return s->done[job / 64] >> job % 64 & 1;
}

static void count_left(Order *o, const State *s)
{
    int i, k;

    for (i = 0; i < o->nclass; i++)
        o->left[i] = o->class[i].nread;
    for (i = 0; i < o->njob; i++)
        for (k = 0; is_done(s, i) && k < o->job[i].nread; k++)
            o->left[o->job[i].read[k]]--;
}

static bool is_ready(const Order *o, const State *s, int job)
{
    const Job *j = &o->job[job];
    int i;

    if (is_done(s, job))
        return false;
    for (i = 0; i < j->nneed; i++)
        if (!is_done(s, j->need[i]))
            return false;
    return true;
}

/* Live bytes while job j runs, and (*after) when it has run. */
static int64_t need_of(const Order *o, const State *s, const Job *j,
                       int64_t *after)
{
    int64_t peak = s->live + j->tmp, dead = 0, saved = 0;
    bool out = j->nmade && o->class[j->made[0]].out;
    int i;

    *after = s->live;
    for (i = 0; i < j->nmade; i++) {
        const Class *c = &o->class[j->made[i]];

        peak += c->size;
        *after += c->nread ? c->size : 0;
    }
    for (i = 0; i < j->nread; i++) {
        const Class *c = &o->class[j->read[i]];

        if (o->left[j->read[i]] != 1 || c->out)
            continue;
        dead += c->size;
        if (c->in && out)
            continue;
        if (j->gathers)
            saved += c->size;
        else if (!saved && (j->takes >> i & 1))
            saved = c->size;
    }
    *after -= dead;
    return peak - saved;
}

static void run_job(Order *o, State *s, int job, int64_t cost, int64_t after)
{
    int i;

    s->done[job / 64] |= UINT64_C(1) << job % 64;
    s->cost = MAX(s->cost, cost);
    s->live = after;
    s->count++;
    for (i = 0; i < o->job[job].nread; i++)
        o->left[o->job[job].read[i]]--;
    s->path[s->npath++] = job;
}

/* Runs all jobs that cost nothing now. */
static void run_free(Order *o, State *s)
{
    int64_t peak, after;
    bool again = true;
    int i;

    while (again) {
        again = false;
        o->looks += o->njob;
        for (i = 0; i < o->njob; i++) {
            if (!is_ready(o, s, i))
                continue;
            peak = need_of(o, s, &o->job[i], &after);
            if (peak <= s->cost && after <= s->live) {
                run_job(o, s, i, peak, after);
                again = true;
            }
        }
    }
}

/* A state in scratch memory, to be changed: the next after `from`. */
static State next_state(Order *o, const State *from, int parent)
{
    State s = {.done = o->done, .there = o->there, .path = o->path,
               .parent = parent};

    if (from) {
        memcpy(s.done, from->done, (size_t)o->words * sizeof *s.done);
        memcpy(s.there, from->there, (size_t)o->nunit * sizeof *s.there);
        s.cost = from->cost;
        s.live = from->live;
        s.count = from->count;
    }
    return s;
}

/* Nothing is done. */
static State no_state(Order *o)
{
    State s = next_state(o, NULL, -1);
    int i;

    memset(s.done, 0, (size_t)o->words * sizeof *s.done);
    for (i = 0; i < o->nclass; i++)
        if (o->class[i].in)
            s.live += o->class[i].size;
    s.cost = s.live;
    count_left(o, &s);
    return s;
}

static State first_state(Order *o)
{
    State s = no_state(o);

    run_free(o, &s);
    return s;
}

/* ---- the known states, and those to go on from ---- */

static bool earlier(const State *a, const State *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if (a->count != b->count)
        return a->count > b->count;
    return a->live < b->live;
}

static void heap_put(Order *o, int s)
{
    int i = o->nheap++;

    GROW(o->mem, o->heap, (size_t)i);
    for (; i && earlier(&o->state[s], &o->state[o->heap[(i - 1) / 2]]);
         i = (i - 1) / 2)
        o->heap[i] = o->heap[(i - 1) / 2];
    o->heap[i] = s;
}

static int heap_get(Order *o)
{
    int top = o->heap[0], last = o->heap[--o->nheap], i = 0, k;

    while ((k = 2 * i + 1) < o->nheap) {
        if (k + 1 < o->nheap &&
            earlier(&o->state[o->heap[k + 1]], &o->state[o->heap[k]]))
            k++;
        if (!earlier(&o->state[o->heap[k]], &o->state[last]))
            break;
        o->heap[i] = o->heap[k];
        i = k;
    }
    o->heap[i] = last;
    return top;
}

/* The slot of a state with the same jobs done, or a free one. */
static int *find_slot(Order *o, const State *s)
{
    size_t bytes = (size_t)o->words * sizeof *s->done;
    size_t i = hash_mem(s->done, bytes) & (size_t)(o->nslot - 1);

    while (o->slot[i] &&
           memcmp(o->state[o->slot[i] - 1].done, s->done, bytes))
        i = (i + 1) & (size_t)(o->nslot - 1);
    return &o->slot[i];
}

/* Keeps a state, unless the same was reached as well; its index or -1. */
static int add_state(Order *o, const State *s)
{
    int *slot = find_slot(o, s);
    State *k;

    if (*slot && o->state[*slot - 1].cost <= s->cost)
        return -1;
    GROW(o->mem, o->state, (size_t)o->nstate);
    k = &o->state[o->nstate];
    *k = *s;
    k->done = NEWN(o->mem, uint64_t, o->words);
    k->there = NEWN(o->mem, double, o->nunit);
    k->path = NEWN(o->mem, int, s->npath);
    memcpy(k->done, s->done, (size_t)o->words * sizeof *s->done);
    memcpy(k->there, s->there, (size_t)o->nunit * sizeof *s->there);
    memcpy(k->path, s->path, (size_t)s->npath * sizeof *s->path);
    *slot = o->nstate + 1;
    return o->nstate++;
}

static void forget(Order *o, int nslot)
{
    o->state = NULL;
    o->nstate = o->nheap = 0;
    o->heap = NULL;
    o->nslot = nslot;
    o->slot = NEWN(o->mem, int, nslot);
}

typedef void Keep(Order *o, const State *s, void *arg);

/* Every state that one job leads to from state `from`. */
static void expand(Order *o, int from, Keep *keep, void *arg)
{
    size_t bytes = (size_t)o->nclass * sizeof *o->left;
    int64_t peak, after;
    int i;

    count_left(o, &o->state[from]);
    memcpy(o->left0, o->left, bytes);
    for (i = 0; i < o->njob; i++) {
        State s;

        if (!is_ready(o, &o->state[from], i))
            continue;
        s = next_state(o, &o->state[from], from);
        peak = need_of(o, &s, &o->job[i], &after);
        run_job(o, &s, i, peak, after);
        run_free(o, &s);
        keep(o, &s, arg);
        memcpy(o->left, o->left0, bytes);
    }
}

static void to_heap(Order *o, const State *s, void *arg)
{
    int i = add_state(o, s);

    (void)arg;
    if (i >= 0)
        heap_put(o, i);
}

/* The optimal complete state; -1: too many states. */
static int search_exactly(Order *o)
{
    State first;

    forget(o, 16 * EXACT);
    first = first_state(o);
    to_heap(o, &first, NULL);
    while (o->nheap && o->nstate < EXACT && o->looks < LOOKS) {
        int s = heap_get(o);

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

    if (*n == BEAM && !earlier(s, &o->state[best[BEAM - 1]]))
        return;
    k = add_state(o, s);
    if (k < 0)
        return;
    i = *n < BEAM ? (*n)++ : BEAM - 1;
    for (; i && earlier(s, &o->state[best[i - 1]]); i--)
        best[i] = best[i - 1];
    best[i] = k;
}

static void begin_beam(Order *o, Beam *b)
{
    int nslot = 1024;

    while (nslot < 4 * BEAM * o->njob)
        nslot *= 2;
    forget(o, 4 * nslot);
    b->best = arena_get(o->mem, (size_t)o->njob + 1, sizeof *b->best);
    b->n = NEWN(o->mem, int, o->njob + 1);
}

static int search_beam(Order *o)
{
    State first;
    Beam b;
    int c, i;

    begin_beam(o, &b);
    first = first_state(o);
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
        if (!is_ready(o, s, i))
            continue;
        peak = MAX(need_of(o, s, &o->job[i], &after), s->cost);
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

    forget(o, 1);
    s = no_state(o);
    while (s.count < o->njob) {
        int i = next_greedily(o, &s, first);
        int64_t after, peak = need_of(o, &s, &o->job[i], &after);

        run_job(o, &s, i, peak, after);
        while (first < o->njob && is_done(&s, first))
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
    make_jobs(o, g, c);
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

    if (need_of(o, s, j, &after) > j->most)
        return false;
    o->cache->there = s->there;
    o->cache->n = o->nunit;
    miss = layer_miss(o->cache, j->unit, j->code);
    run_job(o, s, job, s->cost + miss, after);
    s->done[o->words - 1] = (uint64_t)j->unit;
    return true;
}

/* States 0 to njob: the given order, step by step. */
static void run_given(Order *o, int64_t small)
{
    State s = next_state(o, NULL, -1);
    int64_t after;
    int i;

    memset(s.done, 0, (size_t)o->words * sizeof *s.done);
    count_left(o, &s);
    add_state(o, &s);
    for (i = 0; i < o->njob; i++) {
        Job *j = &o->job[o->given[i]];

        s = next_state(o, &o->state[i], i);
        j->most = MAX(small, need_of(o, &s, j, &after));
        run_warm(o, &s, o->given[i]);
        add_state(o, &s);
    }
}

/* Every state that one of the next few jobs leads to from state `from`. */
static void expand_warm(Order *o, int from, Beam *b)
{
    size_t bytes = (size_t)o->nclass * sizeof *o->left;
    int i, ahead = 0;

    count_left(o, &o->state[from]);
    memcpy(o->left0, o->left, bytes);
    for (i = 0; i < o->njob && ahead < AHEAD; i++) {
        int job = o->given[i];
        State s;

        if (is_done(&o->state[from], job))
            continue;
        ahead++;
        if (!is_ready(o, &o->state[from], job))
            continue;
        s = next_state(o, &o->state[from], from);
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
