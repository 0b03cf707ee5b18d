/* solve SEED COUNT: random small networks (tiles.h): the levels and candidates
 * that the planner's dynamic programming finds take exactly as long as the best
 * of all combinations, each tried, and of all fused groups, and there are none
 * only where there is none.
 *
 * Then plans are made of all combinations, with steps and addresses: none takes
 * less, by its steps, than its levels and candidates do; the planner's bound is
 * no more than the least, and its own plan takes no less, even where constants
 * are kept in L1.  Of odd seeds plans are for least energy. */
#include "test/lib/tiles.h"

#include "pass/pass.h"
#include "plan/cost/cost.h"
#include "plan/place/overlap.h"
#include "plan/schedule/schedule.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* A layer may save AHEAD cycles of the next one's beyond its own at most. */
enum { MOST_TRIED = 2000000, MOST_PLANS = 2000, AHEAD = 1000 };

typedef struct Try {
    Tiler *t;
    int64_t l1, l2;       /* room */
    int nfree, alloc[16]; /* those that may have either level */
    unsigned char *in_l2; /* by allocation */
    Cand *part;           /* by layer: its part of a fused group's way */
    int (*life)[2];       /* by allocation: layers */
    int64_t best, tried;
    Solution sol;         /* the combination that is tried */
    bool plans;           /* a plan is made of each: */
    int64_t least;        /* of those that load each layer's constants */
    int64_t least_kept;   /* of all */
    int64_t made, chained, wrong;
} Try;

static jmp_buf refused;

static void refuse(const Trouble *t)
{
    longjmp(refused, t->status);
}

static void find_lives(Try *x)
{
    const Allocs *s = x->t->q->s;
    int i, k;

    for (i = 0; i < s->nalloc; i++) {
        const Alloc *v = &s->alloc[i];

        x->life[i][0] = INT_MAX, x->life[i][1] = -1;
        if (!v->size || v->konst)
            continue;
        x->life[i][0] = x->t->q->nlayer, x->life[i][1] = -1;
        for (k = 0; k < x->t->q->nlayer; k++)
            if (x->t->layer[k].pos >= v->from && x->t->layer[k].pos <= v->to) {
                x->life[i][0] = MIN(x->life[i][0], k);
                x->life[i][1] = MAX(x->life[i][1], k);
            }
        if (x->life[i][1] < 0)
            x->nfree = 16; /* an input that nobody reads: not tried */
        else if (v->to >= s->nseq)
            x->life[i][1] = x->t->q->nlayer; /* an output */
        if (x->nfree < 16)
            x->alloc[x->nfree++] = i;
    }
}

/* Bytes that live at layer `work`, or at one of n layers that are computed
 * together. */
static int64_t live(const Try *x, int layer, int n, bool in_l2)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < x->t->q->s->nalloc; i++)
        if (x->life[i][0] < layer + n && layer <= x->life[i][1] &&
            !x->sol.within[i] && x->in_l2[i] == in_l2)
            sum += x->t->q->s->alloc[i].size;
    return sum;
}

static unsigned levels(const Try *x, const LayerInst *w)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < w->nalloc; i++)
        set |= (unsigned)x->in_l2[w->alloc[i]] << i;
    return set;
}

/* Operands in L2 that end at a layer, if the result of the last of
 * n is there. */
static unsigned dying(const Try *x, int layer, int n)
{
    const LayerInst *w = &x->t->layer[layer], *last = w + n - 1;
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++) {
        const Oper *v = &w->oper[o];

        if (v->val && !v->konst && !v->out && x->in_l2[v->alloc] &&
            x->life[v->alloc][1] == layer && !x->t->q->s->alloc[v->alloc].in)
            set |= 1u << o;
    }
    return x->in_l2[last->oper[last->noper - 1].alloc] ? set : 0;
}

/* Is there room in L2, if need be with a result that follows an
 * operand? */
static bool in_l2_enough(const Try *x, int layer, Cand *cand)
{
    int n = cand_layers(cand);
    int64_t over = cand->l2_bytes + live(x, layer, n, true) - x->l2;

    if (over > 0) {
        cand->saves = -1;
        tiler_overlap(x->t, &x->t->layer[layer], cand, dying(x, layer, n));
    }
    return over <= 0 || over <= cand->saves;
}

/* ---- a plan of a combination ---- */

/* So much room at all layers. */
static int64_t *always(Arena *mem, const Tiler *t, int64_t bytes)
{
    int64_t *room = NEWN(mem, int64_t, t->q->nlayer + 1);
    int i;

    for (i = 0; i < t->q->nlayer; i++)
        room[i] = bytes;
    return room;
}

static void set_levels(const Tiler *t, const Solution *s, const int *buf)
{
    int i;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (buf[i] >= 0)
            t->p->buf[buf[i]].mem = !t->q->s->alloc[i].konst && !s->in_l2[i]
                                        ? t->q->l1 : t->q->l2;
}

/* The cost of its steps; -1: addresses do not fit.  Once L1 is placed, what it
 * has already may be kept and later loads may begin earlier, as the planner
 * does. */
static int64_t make_plan(Try *x, bool kept)
{
    Tiler t = *x->t;
    Plan p = {.mem = arena_new(), .g = t.p->g, .soc = t.p->soc, .tiled = true};
    int *buf = NEWN(p.mem, int, t.q->s->nalloc + 1);
    int64_t cost;
    bool fits;

    t.mem = p.mem;
    t.p = &p;
    plan_bufs(&p, t.q->s, x->sol.within, buf);
    set_levels(&t, &x->sol, buf);
    overlap_allocs(&t, &x->sol, buf, always(p.mem, &t, x->l2));
    emit_steps(&t, &x->sol);
    plan_lives(&p);
    p.room[t.q->l1] = x->l1;
    fits = pack_memory(&p, t.q->l1) <= x->l1;
    if (fits && kept) {
        keep_loaded(&t);
        load_ahead(&t);
    }
    fits = fits && (t.a.overlapped ? place_groups(&t, t.q->l2)
                                 : pack_memory(&p, t.q->l2)) <= x->l2;
    cost = fits ? tiler_cost(&t) : -1; /* pages depend on addresses */
    arena_end(p.mem);
    return cost;
}

static void try_plan(Try *x, int64_t cycles)
{
    int64_t really, kept;
    int i;

    if (x->made++ >= MOST_PLANS)
        return;
    for (i = 0; i < x->t->q->nlayer && !x->sol.cand[i]->after; i++)
        ;
    x->chained += i < x->t->q->nlayer;
    really = make_plan(x, false);
    if (really < 0)
        return;
    kept = make_plan(x, true);
    x->least = MIN(x->least, really);
    x->least_kept = MIN(x->least_kept, kept < 0 ? really : MIN(kept, really));
    x->wrong += really < cycles;
}

/* ---- all combinations ---- */

/* What is behind a layer: its way; whether its constants are loaded before, and
 * what that may save. */
typedef struct Behind {
    const Cand *cand;
    bool ahead;
    int64_t pre;
} Behind;

static void try_cands(Try *x, int layer, Behind b, int64_t cycles);

/* The candidates of the layers from `work` on: each has its own. */
static void set_cands(Try *x, int layer, Cand *cand)
{
    int k, n = cand_layers(cand);

    for (k = 0; k < n; k++) {
        x->part[layer + k] = *cand;
        x->part[layer + k].before = k;
        x->part[layer + k].after = n - 1 - k;
        x->sol.cand[layer + k] = n > 1 ? &x->part[layer + k] : cand;
        x->sol.ahead[layer + k] = false;
    }
}

static void try_cand(Try *x, int layer, Cand *cand, Behind b, int64_t cycles)
{
    int64_t starts = 0, saved = 0, bytes = cand->bytes;
    int64_t idle = cand->idle + cand->turns;
    Behind now = {.cand = cand};

    if (b.ahead) {
        starts = b.cand->pre_starts;
        saved = MIN(b.pre - MAX(0, starts - idle),
                    cand->slack + b.cand->pre_least);
        bytes += b.cand->pre_bytes;
    }
    if (bytes + live(x, layer, cand_layers(cand), false) > x->l1 ||
        !in_l2_enough(x, layer, cand))
        return;
    cycles += cand_cost(cand) - cand->turns - saved;
    set_cands(x, layer, cand);
    try_cands(x, layer - 1, now, cycles);
    if (!cand->pre_cycles || !layer)
        return;
    now.ahead = true;
    x->sol.ahead[layer] = true;
    now.pre = MIN(cand->pre_cycles,
                  cand->pre_starts + MAX(0, idle - starts));
    try_cands(x, layer - 1, now, cycles);
}

/* From the last layer to the first. */
static void try_each(Try *x, int layer, Cands *cands, Behind b, int64_t cycles)
{
    int i;

    for (i = 0; i < cands->n; i++) {
        x->tried++;
        if (cands->v[i].pre_least > AHEAD)
            abort();
        try_cand(x, layer, &cands->v[i], b, cycles);
    }
}

/* What they make for one another has no level: it is tried once. */
static void try_fused(Try *x, int layer, int n, Behind b, int64_t cycles)
{
    Fused *c = tiler_fused(x->t, layer, n);
    const int *alloc;
    unsigned in_l2 = 0;
    int i, k;

    if (!c)
        return;
    for (i = 0; i < x->t->q->s->nalloc; i++)
        if (fused_within(x->t, i, layer, n) && x->in_l2[i])
            return;
    for (i = 0; i < x->t->q->s->nalloc; i++)
        x->sol.within[i] |= fused_within(x->t, i, layer, n);
    alloc = fused_allocs(c, &k);
    for (i = 0; i < k; i++)
        in_l2 |= (unsigned)x->in_l2[alloc[i]] << i;
    try_each(x, layer, fused_cands(x->t, c, in_l2), b, cycles);
    for (i = 0; i < x->t->q->s->nalloc; i++)
        x->sol.within[i] &= !fused_within(x->t, i, layer, n);
}

static void try_cands(Try *x, int layer, Behind b, int64_t cycles)
{
    LayerInst *w;
    int n;

    if ((cycles - (layer + 1) * AHEAD >= x->best && !x->plans) ||
        x->tried > MOST_TRIED || x->made > MOST_PLANS)
        return;
    if (layer < 0) {
        if (x->plans)
            try_plan(x, cycles);
        else
            x->best = MIN(x->best, cycles);
        return;
    }
    w = &x->t->layer[layer];
    try_each(x, layer, tiler_cands(x->t, w, levels(x, w)), b, cycles);
    for (n = 2; n <= MIN(layer + 1, MOST_FUSED); n++)
        try_fused(x, layer + 1 - n, n, b, cycles);
}

static void make_all(Try *x)
{
    unsigned set;
    int i;

    x->best = INT64_MAX;
    for (set = 0; set < 1u << x->nfree; set++) {
        for (i = 0; i < x->nfree; i++)
            x->in_l2[x->alloc[i]] = set >> i & 1;
        try_cands(x, x->t->q->nlayer - 1, (Behind){0}, 0);
    }
}

/* The planner's bound, the least of all plans, the planner's plan: in this
 * order?  1: yes, 0: not known, -1: no. */
static int check_bound(Try *x, double *gap)
{
    PlanOpts o = {.host_isa = ""};
    Plan *p = NEW(x->t->mem, Plan);

    x->plans = true;
    x->least = x->least_kept = INT64_MAX;
    x->tried = 0;
    make_all(x);
    if (x->made > MOST_PLANS || x->least == INT64_MAX)
        return x->wrong ? -1 : 0;
    memset(o.limit, 0xff, sizeof o.limit);
    o.limit[x->t->q->l1] = x->l1;
    o.limit[x->t->q->l2] = x->l2;
    *p = (Plan){.mem = x->t->mem, .g = x->t->p->g, .soc = x->t->p->soc,
                .aim = x->t->p->aim};
    if (setjmp(refused))
        return x->wrong ? -1 : 0;
    tiled_plan(p, x->t->q->s, x->t->q->chooser, &o, true);
    *gap += (double)(x->least - p->least) / (double)x->least;
    if (!x->wrong && p->least <= x->least && x->least_kept <= p->cost)
        return 1;
    printf("bound %lld, least %lld (constants kept: %lld) of %lld plans, the "
           "planner's %lld; %lld take less than by levels and candidates\n",
           (long long)p->least, (long long)x->least, (long long)x->least_kept,
           (long long)x->made, (long long)p->cost, (long long)x->wrong);
    return -1;
}

static Tiler *make_tiler(Arena *a, Graph *g, Soc *soc, Objective aim,
                         int64_t l1)
{
    Tiler *t = NEW(a, Tiler);
    PlanOpts o = {.host_isa = ""};
    Chooser *c = chooser_new(a, soc, &o);
    Problem *q = NEW(a, Problem);
    int n;
    Node **seq;

    memset(o.limit, 0xff, sizeof o.limit);
    plan_make(a, g, soc, &o); /* copies outputs that need it */
    t->mem = a;
    t->p = NEW(a, Plan);
    *t->p = (Plan){.mem = a, .g = g, .soc = soc, .aim = aim};
    *q = (Problem){.chooser = c, .l1 = (int)(soc_mem(soc, "L1") - soc->mems),
                   .l2 = (int)(soc_mem(soc, "L2") - soc->mems), .l3 = -1,
                   .dma = soc_hop(soc, 0)};
    problem_aim(q, t->p);
    seq = order_given(a, g, &n);
    q->s = alloc_values(a, g, choose_kernels(c, g), seq, n);
    tiler_layers(t, q);
    tiler_begin(t, &(Options){.fusion = FUSE_all});
    tiler_room(t, l1);
    return t;
}

typedef struct Count {
    int levels[3], bound[3]; /* wrong, not tried, right */
    int64_t tried, plans, chained;
    double gap;
} Count;

static void tell(uint64_t seed, const Try *x, const Solution *s)
{
    printf("seed %llu: cost %lld, the best is %lld\n",
           (unsigned long long)seed, s->found ? (long long)s->cycles : -1,
           (long long)x->best);
}

/* No combination has anything in L3: the planner must have nothing there. */
static Soc *chip(Arena *a, Objective aim)
{
    Soc *soc = soc_read(a, aim ? "test/plan/dear.soc" : "gap8");

    soc_mem(soc, "L3")->holds &= ~(unsigned)HOLDS_weights;
    return soc;
}

static Try new_try(Arena *a, Graph *g, Rng *r, Objective aim)
{
    Try x = {.best = INT64_MAX};

    x.l1 = between(r, 1000, 40000);
    x.l2 = between(r, 2000, 200000);
    x.t = make_tiler(a, g, chip(a, aim), aim, x.l1);
    x.in_l2 = NEWN(a, unsigned char, x.t->q->s->nalloc + 1);
    x.sol.in_l2 = x.in_l2;
    x.sol.within = NEWN(a, bool, x.t->q->s->nalloc + 1);
    x.sol.cand = NEWN(a, Cand *, x.t->q->nlayer + 1);
    x.part = NEWN(a, Cand, x.t->q->nlayer + 1);
    x.sol.ahead = NEWN(a, unsigned char, x.t->q->nlayer + 1);
    x.life = (int(*)[2])NEWN(a, int, 2 * x.t->q->s->nalloc + 2);
    find_lives(&x);
    return x;
}

/* Is the solution as good as the best of all combinations?  1: yes, 0: not
 * known, -1: no. */
static int check_homes(Try *x, const Solution *s)
{
    if (x->nfree >= 12)
        return 0;
    make_all(x);
    if (x->tried > MOST_TRIED || !s->exact)
        return 0;
    return (s->found ? s->cycles : INT64_MAX) == x->best ? 1 : -1;
}

static void check(uint64_t seed, Count *c)
{
    const Objective aim = seed % 2 ? AIM_energy : AIM_time;
    Arena *a = arena_new();
    Rng r = {seed};
    Graph *g = draw_network(a, &r, between(&r, 1, 4));
    Solution s;
    Try x;
    int ok;

    if (!g) {
        arena_end(a);
        c->levels[1]++;
        return;
    }
    if (setjmp(refused)) { /* the chip itself is too small for it */
        arena_end(a);
        c->levels[1]++;
        return;
    }
    pass_all(g, NULL, NULL);
    x = new_try(a, g, &r, aim);
    s = solve_relaxed(x.t, always(a, x.t, x.l1), always(a, x.t, x.l2),
                      NULL, NULL);
    ok = check_homes(&x, &s);
    c->tried += x.tried;
    c->levels[1 + ok]++;
    if (ok < 0)
        tell(seed, &x, &s);
    if (ok > 0 && s.found) {
        ok = check_bound(&x, &c->gap);
        c->bound[1 + ok]++;
        c->plans += x.made;
        c->chained += x.chained;
        if (ok < 0)
            printf("seed %llu\n", (unsigned long long)seed);
    }
    arena_end(a);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int i, n = argc > 2 ? atoi(argv[2]) : 40;
    Count c = {0};

    err_hook = refuse;
    for (i = 0; i < n; i++)
        check(seed + (uint64_t)i, &c);
    printf("%d small networks from seed %llu: %d as good as the best of %lld "
           "combinations, %d not tried, %d worse\n", n,
           (unsigned long long)seed, c.levels[2], (long long)c.tried,
           c.levels[1], c.levels[0]);
    printf("%d with all plans made: bounds %.2f %% below the least, %d wrong; "
           "%lld of %lld plans have fused groups\n", c.bound[2],
           100 * c.gap / MAX(1, c.bound[2]), c.bound[0],
           (long long)c.chained, (long long)c.plans);
    return c.levels[0] || c.levels[2] < n / 10 || c.bound[0] || !c.bound[2];
}
