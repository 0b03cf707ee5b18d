/* solve SEED COUNT: random small networks (tiles.h): the homes and ways that
 * the planner's dynamic programming finds take exactly as long as the best of
 * all combinations, each tried, and of all chains of layers, and there are none
 * only where there is none.
 *
 * Then plans are made of all combinations, with steps and addresses: none takes
 * less, by its steps, than its homes and ways do; the planner's bound is no
 * more than the least, and its own plan takes no less.  Of odd seeds plans are
 * for least energy. */
#include "test/lib/tiles.h"

#include "pass/pass.h"
#include "plan/tiling.h"

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIED = 2000000, MOST_PLANS = 2000 };

typedef struct Try {
    Tiler *t;
    int64_t near, next;   /* room */
    int nfree, store[16]; /* those that may have either home */
    unsigned char *far;   /* by store */
    Way *part;            /* by work: its part of a chain's way */
    int (*life)[2];       /* by store: works */
    int64_t best, tried;
    Solution sol;         /* the combination that is tried */
    bool plans;           /* a plan is made of each: */
    int64_t least, made, chained, wrong;
} Try;

static jmp_buf refused;

static void refuse(const Trouble *t)
{
    longjmp(refused, t->status);
}

static void find_lives(Try *x)
{
    const Stores *s = x->t->s;
    int i, k;

    for (i = 0; i < s->nstore; i++) {
        const Store *v = &s->store[i];

        x->life[i][0] = INT_MAX, x->life[i][1] = -1;
        if (!v->size || v->konst)
            continue;
        x->life[i][0] = x->t->nwork, x->life[i][1] = -1;
        for (k = 0; k < x->t->nwork; k++)
            if (x->t->work[k].pos >= v->from && x->t->work[k].pos <= v->to) {
                x->life[i][0] = MIN(x->life[i][0], k);
                x->life[i][1] = MAX(x->life[i][1], k);
            }
        if (x->life[i][1] < 0)
            x->nfree = 16; /* an input that nobody reads: not tried */
        else if (v->to >= s->nseq)
            x->life[i][1] = x->t->nwork; /* an output */
        if (x->nfree < 16)
            x->store[x->nfree++] = i;
    }
}

/* Bytes that live at work `work`, or at one of n layers that are computed
 * together. */
static int64_t live(const Try *x, int work, int n, bool far)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < x->t->s->nstore; i++)
        if (x->life[i][0] < work + n && work <= x->life[i][1] &&
            !x->sol.within[i] && x->far[i] == far)
            sum += x->t->s->store[i].size;
    return sum;
}

static unsigned homes(const Try *x, const Work *w)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < w->nstore; i++)
        set |= (unsigned)x->far[w->store[i]] << i;
    return set;
}

/* Operands in the next memory that end at a work, if the result of the last of
 * n is there. */
static unsigned dying(const Try *x, int work, int n)
{
    const Work *w = &x->t->work[work], *last = w + n - 1;
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++) {
        const Oper *v = &w->oper[o];

        if (v->val && !v->konst && !v->out && x->far[v->store] &&
            x->life[v->store][1] == work && !x->t->s->store[v->store].in)
            set |= 1u << o;
    }
    return x->far[last->oper[last->noper - 1].store] ? set : 0;
}

/* Is there room in the next memory, if need be with a result that follows an
 * operand? */
static bool far_enough(const Try *x, int work, Way *way)
{
    int n = way_works(way);
    int64_t over = way->outer_bytes + live(x, work, n, true) - x->next;

    if (over > 0) {
        way->saves = -1;
        tiler_lag(x->t, &x->t->work[work], way, dying(x, work, n));
    }
    return over <= 0 || over <= way->saves;
}

/* ---- a plan of a combination ---- */

/* So much room at all works. */
static int64_t *always(Arena *mem, const Tiler *t, int64_t bytes)
{
    int64_t *room = NEWN(mem, int64_t, t->nwork + 1);
    int i;

    for (i = 0; i < t->nwork; i++)
        room[i] = bytes;
    return room;
}

static void set_homes(const Tiler *t, const Solution *s, const int *buf)
{
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (buf[i] >= 0)
            t->p->buf[buf[i]].mem = !t->s->store[i].konst && !s->far[i]
                                        ? t->near : t->next;
}

/* The cost of its steps; -1: addresses do not fit. */
static int64_t make_plan(Try *x)
{
    Tiler t = *x->t;
    Plan p = {.mem = arena_new(), .g = t.p->g, .soc = t.p->soc, .tiled = true};
    int *buf = NEWN(p.mem, int, t.s->nstore + 1);
    int64_t cost;
    bool fits;

    t.mem = p.mem;
    t.p = &p;
    plan_bufs(&p, t.s, x->sol.within, buf);
    set_homes(&t, &x->sol, buf);
    merge_stores(&t, &x->sol, buf, always(p.mem, &t, x->next));
    emit_steps(&t, &x->sol);
    plan_lives(&p);
    fits = place_at_home(&p, t.near) <= x->near &&
           (t.merged ? place_groups(&t, t.next)
                     : place_at_home(&p, t.next)) <= x->next;
    cost = fits ? tiler_cost(&t) : -1; /* pages depend on addresses */
    arena_end(p.mem);
    return cost;
}

static void try_plan(Try *x, int64_t cycles)
{
    int64_t really;
    int i;

    if (x->made++ >= MOST_PLANS)
        return;
    for (i = 0; i < x->t->nwork && !x->sol.way[i]->after; i++)
        ;
    x->chained += i < x->t->nwork;
    really = make_plan(x);
    if (really < 0)
        return;
    x->least = MIN(x->least, really);
    x->wrong += really < cycles;
}

/* ---- all combinations ---- */

/* What is behind a work: its way; whether its constants are loaded before, and
 * what that may save. */
typedef struct Behind {
    const Way *way;
    bool ahead;
    int64_t pre;
} Behind;

static void try_ways(Try *x, int work, Behind b, int64_t cycles);

/* The ways of the works from `work` on: each has its own. */
static void set_ways(Try *x, int work, Way *way)
{
    int k, n = way_works(way);

    for (k = 0; k < n; k++) {
        x->part[work + k] = *way;
        x->part[work + k].before = k;
        x->part[work + k].after = n - 1 - k;
        x->sol.way[work + k] = n > 1 ? &x->part[work + k] : way;
        x->sol.ahead[work + k] = false;
    }
}

static void try_way(Try *x, int work, Way *way, Behind b, int64_t cycles)
{
    int64_t starts = 0, saved = 0, bytes = way->bytes;
    int64_t idle = way->idle + way->turns;
    Behind now = {.way = way};

    if (b.ahead) {
        starts = b.way->pre_starts;
        saved = MIN(b.pre - MAX(0, starts - idle),
                    way->slack + b.way->pre_least);
        bytes += b.way->pre_bytes;
    }
    if (bytes + live(x, work, way_works(way), false) > x->near ||
        !far_enough(x, work, way))
        return;
    cycles += way_cost(way) - way->turns - saved;
    set_ways(x, work, way);
    try_ways(x, work - 1, now, cycles);
    if (!way->pre_cycles || !work)
        return;
    now.ahead = true;
    x->sol.ahead[work] = true;
    now.pre = MIN(way->pre_cycles,
                  way->pre_starts + MAX(0, idle - starts));
    try_ways(x, work - 1, now, cycles);
}

/* From the last work to the first. */
static void try_each(Try *x, int work, Ways *ways, Behind b, int64_t cycles)
{
    int i;

    for (i = 0; i < ways->n; i++) {
        x->tried++;
        try_way(x, work, &ways->v[i], b, cycles);
    }
}

/* What they make for one another has no home: it is tried once. */
static void try_chain(Try *x, int work, int n, Behind b, int64_t cycles)
{
    Chain *c = tiler_chain(x->t, work, n);
    const int *store;
    unsigned far = 0;
    int i, k;

    if (!c)
        return;
    for (i = 0; i < x->t->s->nstore; i++)
        if (chain_within(x->t, i, work, n) && x->far[i])
            return;
    for (i = 0; i < x->t->s->nstore; i++)
        x->sol.within[i] |= chain_within(x->t, i, work, n);
    store = chain_stores(c, &k);
    for (i = 0; i < k; i++)
        far |= (unsigned)x->far[store[i]] << i;
    try_each(x, work, chain_ways(x->t, c, far), b, cycles);
    for (i = 0; i < x->t->s->nstore; i++)
        x->sol.within[i] &= !chain_within(x->t, i, work, n);
}

static void try_ways(Try *x, int work, Behind b, int64_t cycles)
{
    Work *w;
    int n;

    if ((cycles >= x->best && !x->plans) || x->tried > MOST_TRIED ||
        x->made > MOST_PLANS)
        return;
    if (work < 0) {
        if (x->plans)
            try_plan(x, cycles);
        else
            x->best = cycles;
        return;
    }
    w = &x->t->work[work];
    try_each(x, work, tiler_ways(x->t, w, homes(x, w)), b, cycles);
    for (n = 2; n <= MIN(work + 1, MOST_CHAIN); n++)
        try_chain(x, work + 1 - n, n, b, cycles);
}

static void make_all(Try *x)
{
    unsigned set;
    int i;

    x->best = INT64_MAX;
    for (set = 0; set < 1u << x->nfree; set++) {
        for (i = 0; i < x->nfree; i++)
            x->far[x->store[i]] = set >> i & 1;
        try_ways(x, x->t->nwork - 1, (Behind){0}, 0);
    }
}

/* The planner's bound, the least of all plans, the planner's plan: in this
 * order?  1: yes, 0: not known, -1: no. */
static int check_bound(Try *x, double *gap)
{
    PlanOpts o = {.host_isa = ""};
    Plan *p = NEW(x->t->mem, Plan);

    x->plans = true;
    x->least = INT64_MAX;
    x->tried = 0;
    make_all(x);
    if (x->made > MOST_PLANS || x->least == INT64_MAX)
        return x->wrong ? -1 : 0;
    memset(o.limit, 0xff, sizeof o.limit);
    o.limit[x->t->near] = x->near;
    o.limit[x->t->next] = x->next;
    *p = (Plan){.mem = x->t->mem, .g = x->t->p->g, .soc = x->t->p->soc,
                .aim = x->t->p->aim};
    if (setjmp(refused))
        return x->wrong ? -1 : 0;
    tiled_plan(p, x->t->s, x->t->chooser, &o);
    *gap += (double)(x->least - p->least) / (double)x->least;
    if (!x->wrong && p->least <= x->least && x->least <= p->cost)
        return 1;
    printf("bound %lld, least %lld of %lld plans, the planner's %lld; %lld "
           "take less than by homes and ways\n", (long long)p->least,
           (long long)x->least, (long long)x->made, (long long)p->cost,
           (long long)x->wrong);
    return -1;
}

static Tiler *make_tiler(Arena *a, Graph *g, Soc *soc, Objective aim,
                         int64_t near)
{
    Tiler *t = NEW(a, Tiler);
    PlanOpts o = {.host_isa = ""};
    Chooser *c = chooser_new(a, soc, &o);
    int n;
    Node **seq;

    memset(o.limit, 0xff, sizeof o.limit);
    plan_make(a, g, soc, &o); /* copies outputs that need it */
    t->mem = t->known = a;
    t->p = NEW(a, Plan);
    *t->p = (Plan){.mem = a, .g = g, .soc = soc, .aim = aim};
    t->chooser = c;
    t->near = (int)(soc_mem(soc, "L1") - soc->mems);
    t->next = (int)(soc_mem(soc, "L2") - soc->mems);
    t->outer = -1;
    t->chains = CHAIN_all;
    t->dma = soc_dma(soc, 1, 2);
    tiler_aim(t);
    seq = order_given(a, g, &n);
    t->s = store_values(a, g, choose_kernels(c, g), seq, n);
    t->outside = NEWN(a, bool, t->s->nstore + 1);
    tiler_works(t);
    tiler_room(t, near);
    return t;
}

typedef struct Count {
    int homes[3], bound[3]; /* wrong, not tried, right */
    int64_t tried, plans, chained;
    double gap;
} Count;

static void tell(uint64_t seed, const Try *x, const Solution *s)
{
    printf("seed %llu: cost %lld, the best is %lld\n",
           (unsigned long long)seed, s->found ? (long long)s->cycles : -1,
           (long long)x->best);
}

static Try new_try(Arena *a, Graph *g, Rng *r, Objective aim)
{
    Try x = {.best = INT64_MAX};

    x.near = between(r, 1000, 40000);
    x.next = between(r, 2000, 200000);
    x.t = make_tiler(a, g, soc_read(a, aim ? "test/plan/dear.soc" : "gap8"), aim,
                     x.near);
    x.far = NEWN(a, unsigned char, x.t->s->nstore + 1);
    x.sol.far = x.far;
    x.sol.within = NEWN(a, bool, x.t->s->nstore + 1);
    x.sol.way = NEWN(a, Way *, x.t->nwork + 1);
    x.part = NEWN(a, Way, x.t->nwork + 1);
    x.sol.ahead = NEWN(a, unsigned char, x.t->nwork + 1);
    x.life = (int(*)[2])NEWN(a, int, 2 * x.t->s->nstore + 2);
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
        c->homes[1]++;
        return;
    }
    pass_all(g, NULL, NULL);
    x = new_try(a, g, &r, aim);
    s = solve_relaxed(x.t, always(a, x.t, x.near), always(a, x.t, x.next),
                      NULL, NULL);
    ok = check_homes(&x, &s);
    c->tried += x.tried;
    c->homes[1 + ok]++;
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
           (unsigned long long)seed, c.homes[2], (long long)c.tried,
           c.homes[1], c.homes[0]);
    printf("%d with all plans made: bounds %.2f %% below the least, %d wrong; "
           "%lld of %lld plans have chains\n", c.bound[2],
           100 * c.gap / MAX(1, c.bound[2]), c.bound[0],
           (long long)c.chained, (long long)c.plans);
    return c.homes[0] || c.homes[2] < n / 5 || c.bound[0] || !c.bound[2];
}
