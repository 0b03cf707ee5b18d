/* A plan for a chip with DMA: a problem is made of the layers, attempts solve
 * it, the best of them is the plan, and a bound says how far it is from the
 * best there may be. */
#include "plan/cost/cost.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

/* What lives at most, wherever it has its level. */
static int64_t most_alive(const Tiler *t)
{
    int64_t most = 0, *live = NEWN(t->mem, int64_t, t->q->nlayer + 2);
    int i, k;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (t->q->first[i] <= t->q->last[i] && t->q->last[i] >= 0) {
            live[MAX(0, t->q->first[i])] += t->q->s->alloc[i].size;
            live[t->q->last[i] + 1] -= t->q->s->alloc[i].size;
        }
    for (k = 0; k < t->q->nlayer; k++) {
        most = MAX(most, live[k]);
        live[k + 1] += live[k];
    }
    return most;
}

/* With a budget there may be more candidates. */
static int64_t bound_with(Tiler *t, int64_t l1, int64_t l2)
{
    const Options opt = {
        .fusion = most_alive(t) <= l2 ? FUSE_faster : FUSE_all,
        .effort = t->drafts};

    tiler_begin(t, &opt);
    tiler_room(t, l1);
    return tiler_bound(t, l1, l2, l2_all(t));
}

static Tiler new_tiler(Plan *p, Allocs *s, const Chooser *c)
{
    Tiler t = {.mem = p->mem, .p = p};
    Problem *q = NEW(p->mem, Problem);

    *q = (Problem){.s = s, .chooser = c, .dma = soc_hop(p->soc, 0),
                   .io = soc_hop(p->soc, 1)};
    q->l1 = q->dma->near;
    q->l2 = q->dma->far;
    q->l3 = q->io && p->soc->mems[q->io->far].holds & HOLDS_weights
                ? q->io->far : -1;
    problem_aim(q, p);
    tiler_layers(&t, q);
    return t;
}

/* What the plan takes, as predicted: of the program pages too are known now. */
static void count_plan(Tiler *t)
{
    Plan *p = t->p;

    if (t->program)
        arena_end(t->program);
    t->program = NULL;
    p->program_room = t->opt.code;
    p->program = program_make(p->mem, p);
    measured_beside(t->q->chooser, p);
    p->ram = p->used[t->q->l1] + p->used[t->q->l2];
    plan_cost(p);
    p->cost = tiler_cost(t);
}

static bool has_fused(const Plan *p)
{
    int i;

    for (i = 0; i < p->nlayer && !p->layer[i].after; i++)
        ;
    return i < p->nlayer;
}

/* What kernels are told at other values of run-time numbers. */
static void follow_numbers(Plan *p)
{
    int i;

    for (i = 0; i < p->nstep; i++) {
        Step *s = &p->step[i];

        if (step_starts_kernel(p, s) &&
            node_varies(s->node))
            s->follow = dims_follow(p->mem, p->g, s->node, s->part,
                                    &s->nfollow);
    }
}

static bool try_some(Tiler *t, const PlanOpts *o)
{
    if (try_like(t, o))
        return true;
    if (o->only_like)
        return false;
    return o->aim == AIM_memory ? make_small(t, o) : try_all(t, o, false);
}

bool tiled_plan(Plan *p, Allocs *s, const Chooser *c, const PlanOpts *o,
                bool must)
{
    Tiler t = new_tiler(p, s, c);
    int64_t l1 = l1_room_of(&t, o), l2 = l2_room(&t, o);
    bool min_memory;

    p->tiled = true;
    refuse_many(&t, o);
    t.drafts = o->until > 0;
    if (!o->only_like)
        p->least = bound_with(&t, l1, l2);
    p->ended = true;
    if (!try_some(&t, o)) {
        if (!must) {
            if (t.program)
                arena_end(t.program);
            return false;
        }
        make_minimum(&t, o);
    }
    if (o->until > 0 && !t.opt.min_memory && o->aim != AIM_memory)
        plan_local_search(&t, o);
    if (o->aim != AIM_memory && o->until <= 0)
        p->way = way_of(&t);
    count_plan(&t);
    follow_numbers(p);
    min_memory = t.opt.min_memory;
    if (t.opt.spills || has_fused(p) || min_memory) /* what is next is never too
                                                   small */
        p->least = bound_with(&t, l1, INT64_MAX / 4);
    else if (o->only_like && p->cost < o->like->cost)
        p->least = bound_with(&t, l1, l2);
    /* The bound may be of other candidates, or less by what is kept in L1. */
    p->least = MIN(p->least, p->cost);
    if (p->cost)
        p->gap = (double)(p->cost - p->least) / (double)p->cost;
    return true;
}
