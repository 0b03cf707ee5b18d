/* Better plans than the first, as long as there is time.
 *
 * What is tried is always the same, in the same order; only where it ends
 * depends on the budget.  First whole plans, with more sizes of tiles and more
 * candidates to share L2 among constants, without fused groups and
 * with all that there may be.  Then from the best one on a change at a time,
 * kept if the plan is better: a constant that stays, or no longer does; less of
 * L1 for a layer, so that it, or what lives there, is done in
 * another way.  Layers come first that wait for data.  Until no change is
 * better. */
#include "plan/cost/cost.h"
#include "plan/search/search.h"
#include "plan/tile/tile.h"

#include <string.h>
#include <time.h>

/* MOST_BYTES: what is known of tiles is kept, and more with every plan. */
enum { MOST_BYTES = 1 << 30 };

typedef struct LocalSearch {
    Tiler *t;
    const PlanOpts *o;
    Plan best;          /* what is its own lives in its draft */
    int64_t cost, code;
    Options r;          /* of the best */
    int64_t *live;      /* by layer, in the best: bytes of L1, */
    int64_t *wait;      /* and cycles in which cores wait */
} LocalSearch;

double plan_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_over(const LocalSearch *x)
{
    return x->cost <= x->best.least || plan_clock() >= x->o->until ||
           arena_bytes(x->t->mem) >= MOST_BYTES;
}

/* --- the best --- */

static void note_waits(LocalSearch *x)
{
    const Plan *p = x->t->p;
    Arena *mem = arena_new();
    const Program *q = tiler_program(x->t);
    const When *when = program_trace(mem, q);
    int i;

    memset(x->wait, 0, (size_t)x->t->q->nlayer * sizeof *x->wait);
    for (i = 0; i < q->ncode; i++)
        if (q->code[i].kind == REC_wait)
            x->wait[p->step[q->code[i].pos].layer] +=
                when[i].to - when[i].from;
    arena_end(mem);
}

/* A best without caps has room for those to try. */
static void take_caps(LocalSearch *x)
{
    int i;

    if (x->r.cap)
        return;
    x->r.cap = NEWN(x->t->mem, int64_t, x->t->q->nlayer + 1);
    for (i = 0; i < x->t->q->nlayer; i++)
        x->r.cap[i] = INT64_MAX;
}

static void keep(LocalSearch *x, int64_t cost)
{
    Tiler *t = x->t;
    int64_t most;

    if (t->best_draft && t->best_draft != t->draft)
        arena_end(t->best_draft);
    t->best_draft = t->draft;
    x->best = *t->p;
    x->best.program = NULL;
    x->cost = cost;
    x->code = t->opt.code;
    memcpy(x->live, live_of(t, t->q->l1, &most),
           (size_t)t->q->nlayer * sizeof *x->live);
    note_waits(x);
    options_copy(t, &x->r, &t->opt);
    take_caps(x);
}

/* false: it is no better, or none. */
static bool keep_better(LocalSearch *x, int64_t cost)
{
    if (cost < 0 || cost >= x->cost)
        return false;
    keep(x, cost);
    return true;
}

/* What whole plans have of the best: all but its changes. */
static Options begin_whole(const LocalSearch *x, Fusion fusion)
{
    return (Options){.fusion = fusion, .inout_in_l3 = x->r.inout_in_l3,
                     .states = x->r.states};
}

/* --- whole plans --- */

static void try_one(LocalSearch *x, Fusion fusion, const Trial *y)
{
    Options opt = begin_whole(x, fusion);

    opt.effort = 1;
    opt.fills = x->r.fills;
    keep_better(x, opt.fills ? try_trial(x->t, x->o, &opt, y)
                             : try_options(x->t, x->o, &opt));
}

/* With constants outside, many shares of the memory, and sizes of what is
 * fetched at once; none that would come late stay where there is no share. */
static void try_shares(LocalSearch *x, Fusion fusion)
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
            try_one(x, fusion, &y);
        }
}

static void try_spills(LocalSearch *x)
{
    Options opt = begin_whole(x, x->r.fusion);
    int i;

    for (i = 0; i < 15 && !is_over(x); i++) {
        opt.spill_policy = (SpillPolicy)(SPILL_other - i / 5);
        if (try_l3(x->t, x->o, &opt, SPILL_PARTS - i % 5 * 2) &&
            best_take(x->t))
            keep_better(x, tiler_cost(x->t));
    }
}

/* --- changes of the best --- */

/* The best again, with levels of more values tried at once. */
static void try_levels(LocalSearch *x)
{
    Options opt = x->r;

    opt.effort = 2;
    if (!is_over(x) && !x->r.spills && x->r.effort < 2)
        keep_better(x, try_options(x->t, x->o, &opt));
}

/* What is changed is the best's, unless there is a better one now. */
static bool move_const(LocalSearch *x, int alloc)
{
    bool *in_l3 = &x->r.in_l3[alloc], was = *in_l3;

    if (is_over(x))
        return false;
    *in_l3 = !was;
    if (keep_better(x, try_options(x->t, x->o, &x->r)))
        return true;
    *in_l3 = was;
    return false;
}

static bool move_consts(LocalSearch *x, int layer)
{
    const LayerInst *w = &x->t->layer[layer];
    bool any = false;
    int o;

    for (o = 0; o < w->noper && x->r.fills; o++)
        if (w->oper[o].val && w->oper[o].konst && !w->oper[o].val->port &&
            x->t->q->s->alloc[w->oper[o].place.buf].size >= LEAST_FETCHED)
            any |= move_const(x, w->oper[o].place.buf);
    return any;
}

static bool cap_layer(LocalSearch *x, int layer)
{
    bool any = false, better;
    int eighths;

    for (eighths = 8; eighths >= 4 && !is_over(x); eighths -= 2) {
        int64_t *cap = &x->r.cap[layer], was = *cap;

        *cap = x->live[layer] * eighths / 8 - 8;
        better = keep_better(x, try_options(x->t, x->o, &x->r));
        if (!better)
            *cap = was;
        any |= better;
    }
    return any;
}

/* Of the layers that are not done, the one that waits the longest; -1: none. */
static int longest_wait(const LocalSearch *x, const bool *done)
{
    int i, best = -1;

    for (i = 0; i < x->t->q->nlayer; i++)
        if (!done[i] && (best < 0 || x->wait[i] > x->wait[best]))
            best = i;
    return best;
}

static void climb(LocalSearch *x)
{
    bool any = !x->r.spills; /* what is spilled is not among options */
    bool *done = NEWN(x->t->mem, bool, x->t->q->nlayer + 1);
    int i;

    while (any && !is_over(x)) {
        any = false;
        memset(done, 0, (size_t)x->t->q->nlayer);
        while ((i = longest_wait(x, done)) >= 0) {
            done[i] = true;
            any |= move_consts(x, i);
            any |= cap_layer(x, i);
        }
    }
}

/* --- all --- */

void plan_local_search(Tiler *t, const PlanOpts *o)
{
    static const Fusion fusion[] = {FUSE_none, FUSE_faster, FUSE_all};
    LocalSearch x = {.t = t, .o = o};
    int i;

    x.wait = NEWN(t->mem, int64_t, t->q->nlayer + 1);
    x.live = NEWN(t->mem, int64_t, t->q->nlayer + 1);
    keep(&x, tiler_cost(t));
    if (x.r.spills)
        try_spills(&x);
    for (i = 0; i < (int)LEN(fusion) && !x.r.spills; i++) {
        if (x.r.fills)
            try_shares(&x, fusion[i]);
        else if (!is_over(&x))
            try_one(&x, fusion[i], NULL);
        try_levels(&x);
        climb(&x);
    }
    x.best.ended = !is_over(&x) || x.cost <= x.best.least;
    x.best.tried = t->p->tried;
    *t->p = x.best;
    options_copy(t, &t->opt, &x.r);
    t->opt.code = x.code;
}
