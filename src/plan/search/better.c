/* Better plans than the first, as long as there is time.
 *
 * What is tried is always the same, in the same order; only where it ends
 * depends on the budget.  First whole plans, with more sizes of tiles and more
 * ways to share the next memory among constants, without chains of layers and
 * with all that there may be.  Then from the best one on a change at a time,
 * kept if the plan is better: a constant that stays, or no longer does; less of
 * the nearest memory for a layer, so that it, or what lives there, is done in
 * another way.  Layers come first that wait for data.  Until no change is
 * better. */
#include "plan/tiling.h"

#include <string.h>
#include <time.h>

/* MOST_BYTES: what is known of tiles is kept, and more with every plan. */
enum { MOST_BYTES = 1 << 30 };

/* How a plan was made, for others that differ little. */
typedef struct Recipe {
    Chains chains;
    int effort;
    int64_t chunk, code;
    bool fills, spills;
    bool *outside;
    int64_t *cap;
} Recipe;

typedef struct Better {
    Tiler *t;
    const PlanOpts *o;
    Plan best;          /* what is its own lives in its draft */
    int64_t cost, code;
    Recipe r;           /* of the best */
    int64_t *live;      /* by work, in the best: bytes of the nearest memory, */
    int64_t *wait;      /* and cycles in which cores wait */
} Better;

double plan_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_over(const Better *x)
{
    return x->cost <= x->best.least || plan_clock() >= x->o->until ||
           arena_bytes(x->t->mem) >= MOST_BYTES;
}

/* --- the best --- */

static void note_waits(Better *x)
{
    const Plan *p = x->t->p;
    Arena *mem = arena_new();
    const When *when = program_trace(mem, p->program);
    int i;

    memset(x->wait, 0, (size_t)x->t->nwork * sizeof *x->wait);
    for (i = 0; i < p->program->ncode; i++)
        if (p->program->code[i].kind == REC_wait)
            x->wait[p->step[p->program->code[i].pos].layer] +=
                when[i].to - when[i].from;
    arena_end(mem);
}

static void keep(Better *x, int64_t cost)
{
    Tiler *t = x->t;
    int64_t most;

    if (t->kept && t->kept != t->draft)
        arena_end(t->kept);
    t->kept = t->draft;
    x->best = *t->p;
    x->cost = cost;
    x->code = t->code;
    memcpy(x->live, live_of(t, t->near, &most),
           (size_t)t->nwork * sizeof *x->live);
    note_waits(x);
    x->r.chains = t->chains;
    x->r.effort = t->effort;
    x->r.chunk = t->chunk;
    x->r.code = t->code;
    x->r.fills = t->fills;
    x->r.spills = t->spills;
    memcpy(x->r.outside, t->outside, (size_t)t->s->nstore);
    memcpy(x->r.cap, t->cap, (size_t)t->nwork * sizeof *t->cap);
}

/* false: it is no better, or none. */
static bool keep_better(Better *x, int64_t cost)
{
    if (cost < 0 || cost >= x->cost)
        return false;
    keep(x, cost);
    return true;
}

static void clear_caps(Tiler *t)
{
    int i;

    for (i = 0; i < t->nwork; i++)
        t->cap[i] = INT64_MAX;
}

/* --- whole plans --- */

static void try_one(Better *x, Chains chains, const Trial *y)
{
    Tiler *t = x->t;

    start_over(t, chains);
    tiler_effort(t, 1);
    clear_caps(t);
    t->fills = x->r.fills;
    keep_better(x, t->fills ? try_trial(t, x->o, y) : try_again(t, x->o));
}

/* With constants outside, many shares of the memory, and sizes of what is
 * fetched at once; none that would come late stay where there is no share. */
static void try_shares(Better *x, Chains chains)
{
    static const int64_t chunk[] = {49152, 24576, 98304, 32768, 16384, 12288,
                                    8192};
    int share, i;

    for (share = 1; share <= 9; share++)
        for (i = 0; i < (int)LEN(chunk); i++) {
            Trial y = {share / 2 * 2, share % 2 && share > 1, chunk[i],
                       x->code};

            if (is_over(x))
                return;
            try_one(x, chains, &y);
        }
}

static void try_spills(Better *x)
{
    Tiler *t = x->t;
    int i;

    for (i = 0; i < 15 && !is_over(x); i++) {
        start_over(t, x->r.chains);
        clear_caps(t);
        t->care = 2 - i / 5;
        if (try_outside(t, x->o, SPILL_PARTS - i % 5 * 2) && best_take(t))
            keep_better(x, tiler_cost(t));
    }
}

/* --- changes of the best --- */

static void back_to_best(Better *x)
{
    Tiler *t = x->t;

    start_over(t, x->r.chains);
    tiler_effort(t, x->r.effort);
    memcpy(t->outside, x->r.outside, (size_t)t->s->nstore);
    memcpy(t->cap, x->r.cap, (size_t)t->nwork * sizeof *t->cap);
    t->fills = x->r.fills;
    t->code = x->r.code;
    set_chunk(t, x->r.chunk);
}

/* The best again, with homes of more values tried at once. */
static void try_homes(Better *x)
{
    if (is_over(x) || x->r.spills || x->r.effort > 1)
        return;
    back_to_best(x);
    tiler_effort(x->t, 2);
    mark_opers(x->t);
    keep_better(x, try_again(x->t, x->o));
}

static bool move_const(Better *x, int store)
{
    if (is_over(x))
        return false;
    back_to_best(x);
    x->t->outside[store] = !x->t->outside[store];
    mark_opers(x->t);
    return keep_better(x, try_again(x->t, x->o));
}

static bool move_consts(Better *x, int work)
{
    const Work *w = &x->t->work[work];
    bool any = false;
    int o;

    for (o = 0; o < w->noper && x->r.fills; o++)
        if (w->oper[o].val && w->oper[o].konst &&
            x->t->s->store[w->oper[o].place.buf].size >= LEAST_FETCHED)
            any |= move_const(x, w->oper[o].place.buf);
    return any;
}

static bool cap_layer(Better *x, int work)
{
    bool any = false;
    int eighths;

    for (eighths = 8; eighths >= 4 && !is_over(x); eighths -= 2) {
        back_to_best(x);
        mark_opers(x->t);
        x->t->cap[work] = x->live[work] * eighths / 8 - 8;
        any |= keep_better(x, try_again(x->t, x->o));
    }
    return any;
}

/* Of the works that are not done, the one that waits the longest; -1: none. */
static int longest_wait(const Better *x, const bool *done)
{
    int i, best = -1;

    for (i = 0; i < x->t->nwork; i++)
        if (!done[i] && (best < 0 || x->wait[i] > x->wait[best]))
            best = i;
    return best;
}

static void climb(Better *x)
{
    bool any = !x->r.spills; /* what is away is not in a recipe */
    bool *done = NEWN(x->t->mem, bool, x->t->nwork + 1);
    int i;

    while (any && !is_over(x)) {
        any = false;
        memset(done, 0, (size_t)x->t->nwork);
        while ((i = longest_wait(x, done)) >= 0) {
            done[i] = true;
            any |= move_consts(x, i);
            any |= cap_layer(x, i);
        }
    }
}

/* --- all --- */

void plan_better(Tiler *t, const PlanOpts *o)
{
    static const Chains chains[] = {CHAIN_none, CHAIN_faster, CHAIN_all};
    Better x = {.t = t, .o = o};
    int i;

    x.wait = NEWN(t->mem, int64_t, t->nwork + 1);
    x.live = NEWN(t->mem, int64_t, t->nwork + 1);
    x.r.cap = NEWN(t->mem, int64_t, t->nwork + 1);
    x.r.outside = NEWN(t->mem, bool, t->s->nstore + 1);
    t->cap = NEWN(t->mem, int64_t, t->nwork + 1);
    clear_caps(t);
    keep(&x, tiler_cost(t));
    if (x.r.spills)
        try_spills(&x);
    for (i = 0; i < (int)LEN(chains) && !x.r.spills; i++) {
        if (x.r.fills)
            try_shares(&x, chains[i]);
        else if (!is_over(&x))
            try_one(&x, chains[i], NULL);
        try_homes(&x);
        climb(&x);
    }
    x.best.ended = !is_over(&x) || x.cost <= x.best.least;
    x.best.tried = t->p->tried;
    *t->p = x.best;
    t->code = x.code;
    t->spills = x.r.spills;
}
