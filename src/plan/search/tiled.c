/* A plan for a chip with DMA: the best of a few.
 *
 * Constants lie in the next memory if they all may; else those that are not
 * small lie behind it, but for as many as there is room for at all times. */
#include "plan/tiling.h"

#include <string.h>

enum { LEAST_CHUNK = 4096, SPILL_TRIES = 12, SPILL_CHUNK = 49152 };

static int mem_at(const Soc *soc, int level, unsigned holds)
{
    int i;

    for (i = 0; i < soc->nmem; i++)
        if (soc->mems[i].level == level && soc->mems[i].holds & holds)
            return i;
    return -1;
}

bool tiled_fits(const Soc *soc)
{
    return soc_dma(soc, 1, 2) &&
           mem_at(soc, 1, HOLDS_buffers) >= 0 &&
           mem_at(soc, 2, HOLDS_buffers) >= 0;
}

/* --- where constants lie --- */

void mark_opers(Tiler *t)
{
    int i, o;

    for (i = 0; i < t->nwork; i++) {
        for (o = 0; o < t->work[i].noper; o++) {
            Oper *x = &t->work[i].oper[o];

            x->outer = x->val && (x->konst ? t->outside[x->place.buf]
                                           : tiler_is_away(t, x->store, i));
        }
        tiler_recall(t, &t->work[i]);
    }
}

void set_chunk(Tiler *t, int64_t chunk)
{
    int i;

    t->chunk = chunk;
    for (i = 0; i < t->nwork; i++)
        tiler_recall(t, &t->work[i]);
}

int64_t bytes_inside(const Tiler *t)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (t->s->store[i].konst && !t->outside[i])
            sum += slot_bytes(t->s->store[i].size);
    return sum;
}

void put_outside(Tiler *t)
{
    int i;

    for (i = 0; i < t->nwork; i++)
        t->work[i].follow = false;
    for (i = 0; i < t->s->nstore; i++)
        t->outside[i] = t->s->store[i].konst &&
                        t->s->store[i].size >= LEAST_FETCHED;
    mark_opers(t);
}

/* Brings a layer's constants inside as far as they fit. */
static void bring_inside(Tiler *t, int work, int64_t *room)
{
    const Work *w = &t->work[work];
    int o;

    for (o = 0; o < w->noper; o++) {
        int store = w->oper[o].place.buf;

        if (!w->oper[o].outer || !t->outside[store] ||
            t->s->store[store].size > *room)
            continue;
        *room -= slot_bytes(t->s->store[store].size);
        t->outside[store] = false;
    }
}

/* The most that must be in the next memory at one time. */
static int64_t least_next(Tiler *t)
{
    int64_t room = t->p->room[t->next], lo = 0, hi = room;

    while (hi - lo > 1024) {
        int64_t mid = lo + (hi - lo) / 2;

        if (solves(t, t->p->room[t->near], mid))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

/* Constants that may be inside always: the first layer's, for which nothing
 * can hide the fetch, then the last ones', for that is where networks have
 * more weights than work. */
static void fill_inside(Tiler *t, int64_t room)
{
    int i;

    bring_inside(t, 0, &room);
    for (i = t->nwork - 1; i > 0; i--)
        bring_inside(t, i, &room);
}

void set_rooms(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;

    memset(p->consts, 0, sizeof p->consts);
    p->consts[t->next] = bytes_inside(t);
    p->room[t->near] = near_room_of(t, o);
    p->room[t->next] = next_room(t, o);
}

bool place_outside(Tiler *t)
{
    Plan *p = t->p;
    const Mem *m;

    if (t->outer < 0)
        return true;
    m = &p->soc->mems[t->outer];
    p->room[t->outer] = m->size - m->reserved - p->consts[t->outer] - 16;
    return place_at_home(p, t->outer) <= p->room[t->outer];
}

static bool try_inside(Tiler *t, const PlanOpts *o)
{
    set_rooms(t, o);
    return bytes_inside(t) <= room_for_consts(t->p, t->next, o) &&
           try_rounds(t, o);
}

int64_t try_again(Tiler *t, const PlanOpts *o)
{
    return try_inside(t, o) && place_outside(t) ? tiler_cost(t) : -1;
}

/* Bytes of the next memory that buffers must not take, once it is known how
 * many the program does. */
static int64_t beyond_limit(const Tiler *t, const PlanOpts *o)
{
    int64_t limit = o->limit[t->next];

    return limit < 0 || !t->code ? 0 :
           MAX(0, next_all(t) - t->code - bytes_inside(t) - limit);
}

/* For a trial, as if there were so many parts of SPILL_PARTS of the room. */
static bool spill_some(Tiler *t, const PlanOpts *o, int64_t chunk, int parts)
{
    const Plan *p = t->p;

    put_outside(t);
    set_rooms(t, o);
    set_chunk(t, MIN(chunk, MAX(LEAST_CHUNK, p->room[t->next] / 8)));
    tiler_room(t, p->room[t->near]);
    spill_nothing(t);
    return spill_stores(t, p->room[t->near],
                        p->room[t->next] * parts / SPILL_PARTS);
}

int64_t try_trial(Tiler *t, const PlanOpts *o, const Trial *x)
{
    const Plan *p = t->p;
    int64_t most;
    Solution s;

    t->code = x->code;
    put_outside(t);
    set_rooms(t, o);
    set_chunk(t, MIN(x->chunk, MAX(LEAST_CHUNK, p->room[t->next] / 8)));
    s = solve_rooms(t, p->room[t->near], p->room[t->next]);
    if (!s.found)
        return -1;
    most = beyond_limit(t, o) +
           (x->fill ? (p->room[t->next] - least_next(t)) * x->fill / 8 : 0);
    if (x->late)
        keep_late(t, &s, p->room[t->next], most);
    else
        fill_inside(t, most);
    mark_opers(t);
    set_rooms(t, o);
    if (!try_rounds(t, o) || !place_outside(t))
        return -1;
    return tiler_cost(t);
}

/* Makes ready for trials; false: nothing can lie there, or be spilled. */
static bool begin_outside(Tiler *t, const PlanOpts *o, int spill)
{
    if (t->outer < 0 || !t->io)
        return false;
    t->fills = true;
    t->spills = spill > 0;
    return !spill || spill_some(t, o, SPILL_CHUNK, spill);
}

/* The best of a few: for least energy also with less and less room for what is
 * fetched, and more for what never is.  Where nothing that stays is too much,
 * more is. */
static bool try_trials(Tiler *t, const PlanOpts *o)
{
    static const Trial trials[] = {
        {0, false, 49152, 0}, {6, false, 49152, 0}, {2, false, 49152, 0},
        {2, false, 24576, 0}, {0, false, 24576, 0}, {6, true, 49152, 0},
        {7, false, 24576, 0}, {8, false, 24576, 0}, {8, false, 12288, 0},
        {7, false, 6144, 0}, {8, false, 6144, 0},
    };
    const int n = t->toll[1] > 0 ? (int)LEN(trials) : 6;
    int64_t now, code = 0, failed = 0;
    bool any = false;
    int i;

    for (i = 0; i < n; i++) {
        Trial x = trials[i];

        if (x.fill && x.chunk == failed)
            continue;
        x.code = code;
        now = try_trial(t, o, &x);
        code = now >= 0 || !code ? t->code : code;
        if (now >= 0)
            best_keep(t, now);
        else if (!x.fill)
            failed = x.chunk;
        any |= now >= 0;
    }
    return any;
}

bool try_outside(Tiler *t, const PlanOpts *o, int spill)
{
    return begin_outside(t, o, spill) && try_trials(t, o);
}

void begin_anew(Tiler *t, Chains chains, bool lean)
{
    int i;

    t->chains = chains;
    tiler_lean(t, lean);
    for (i = 0; i < t->nwork; i++)
        t->work[i].follow = false;
    memset(t->outside, 0, (size_t)t->s->nstore * sizeof *t->outside);
    spill_nothing(t);
    mark_opers(t);
    t->fills = t->spills = t->floats = false;
    t->code = 0;
}

void start_over(Tiler *t, Chains chains)
{
    begin_anew(t, chains, false);
}

/* With these chains of layers. */
static bool try_chains(Tiler *t, const PlanOpts *o, Chains chains)
{
    start_over(t, chains);
    if (!try_inside(t, o))
        return try_outside(t, o, 0);
    best_keep(t, tiler_cost(t));
    return true;
}

/* --- with values away --- */

typedef struct Seen { /* what was away in plans that were tried */
    Spilled **v[SPILL_TRIES + 1];
    int n;
} Seen;

static bool same_away(const Tiler *t, Spilled *const *a, Spilled *const *b)
{
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (!a[i] != !b[i] ||
            (a[i] && memcmp(a[i]->away, b[i]->away, (size_t)t->nwork)))
            return false;
    return true;
}

/* As if there were so many parts of the room; false: there is no plan, or the
 * same has been tried. */
static bool try_parts(Tiler *t, const PlanOpts *o, int parts, Seen *seen)
{
    size_t n = (size_t)t->s->nstore * sizeof *t->spilled;
    int i;

    if (!begin_outside(t, o, parts))
        return false;
    for (i = 0; i < seen->n; i++)
        if (same_away(t, t->spilled, seen->v[i]))
            return false;
    seen->v[seen->n] = NEWN(t->mem, Spilled *, t->s->nstore + 1);
    memcpy(seen->v[seen->n++], t->spilled, n);
    return try_trials(t, o);
}

/* With less and less room, for addresses; and less and less care.  Where two
 * parts more were too much, one more may take less. */
static bool try_spilled(Tiler *t, const PlanOpts *o, Chains chains)
{
    Seen seen = {.n = 0};
    bool ok = false;
    int i, parts = 0;

    start_over(t, chains);
    for (i = 0; i < SPILL_TRIES && !ok && spills_to(t); i++) {
        t->care = 2 - i / 4;
        parts = SPILL_PARTS - i % 4 * 2;
        ok = try_parts(t, o, parts, &seen);
    }
    if (ok && parts < SPILL_PARTS)
        try_parts(t, o, parts + 1, &seen);
    return ok;
}

/* --- all --- */

/* Are there chains that take less, with the room that the best plan has? */
static bool may_chain(Tiler *t)
{
    int64_t cost = t->best.cost;
    Solution s;
    Rooms r;
    int i;

    best_take(t);
    mark_opers(t);
    r = new_rooms(t, t->room, t->p->room[t->next]);
    best_keep(t, cost);
    t->chains = CHAIN_faster;
    s = solve_homes(t, r.near, r.next);
    for (i = 0; s.found && i < t->nwork && !s.way[i]->after; i++)
        ;
    return s.found && i < t->nwork;
}

static void spill_all_ways(Tiler *t, const PlanOpts *o)
{
    if (!o->chains)
        try_spilled(t, o, CHAIN_none);
    try_spilled(t, o, o->chains ? CHAIN_always : CHAIN_all);
}

bool try_all(Tiler *t, const PlanOpts *o)
{
    t->ends = false;
    if (!try_chains(t, o, o->chains ? CHAIN_always : CHAIN_none)) {
        if (!o->chains)
            try_chains(t, o, CHAIN_all);
        spill_all_ways(t, o);
    } else if (!o->chains && may_chain(t)) {
        try_chains(t, o, CHAIN_faster);
    }
    return best_take(t);
}

static bool has_states(const Stores *s)
{
    int i;

    for (i = 0; i < s->nstore && !s->store[i].state; i++)
        ;
    return i < s->nstore;
}

/* States stay where reset and the next run find them: not outside. */
bool try_ends(Tiler *t, const PlanOpts *o)
{
    t->ends = true;
    if (has_states(t->s))
        return false;
    spill_all_ways(t, o);
    return best_take(t);
}

/* What lives at most, wherever it has its home. */
static int64_t most_alive(const Tiler *t)
{
    int64_t most = 0, *live = NEWN(t->mem, int64_t, t->nwork + 2);
    int i, k;

    for (i = 0; i < t->s->nstore; i++)
        if (t->first[i] <= t->last[i] && t->last[i] >= 0) {
            live[MAX(0, t->first[i])] += t->s->store[i].size;
            live[t->last[i] + 1] -= t->s->store[i].size;
        }
    for (k = 0; k < t->nwork; k++) {
        most = MAX(most, live[k]);
        live[k + 1] += live[k];
    }
    return most;
}

/* With a budget there may be more ways. */
static int64_t bound_with(Tiler *t, int64_t near, int64_t next)
{
    start_over(t, most_alive(t) <= next ? CHAIN_faster : CHAIN_all);
    tiler_effort(t, t->drafts);
    tiler_room(t, near);
    return tiler_bound(t, near, next, next_all(t));
}

static Tiler new_tiler(Plan *p, Stores *s, const Chooser *c)
{
    Tiler t = {.mem = p->mem, .p = p, .s = s, .chooser = c,
               .near = mem_at(p->soc, 1, HOLDS_buffers),
               .next = mem_at(p->soc, 2, HOLDS_buffers),
               .outer = mem_at(p->soc, 3, HOLDS_weights),
               .dma = soc_dma(p->soc, 1, 2), .io = soc_dma(p->soc, 2, 3)};

    tiler_aim(&t);
    t.outside = NEWN(p->mem, bool, s->nstore + 1);
    tiler_works(&t);
    return t;
}

/* What the plan takes, as predicted: of the program pages too are known now. */
static void count_plan(Tiler *t)
{
    Plan *p = t->p;

    p->program_room = t->code;
    p->program = program_make(p->mem, p);
    p->ram = p->used[t->near] + p->used[t->next];
    plan_cost(p);
    p->cost = tiler_cost(t);
}

static bool has_chains(const Plan *p)
{
    int i;

    for (i = 0; i < p->nlayer && !p->layer[i].after; i++)
        ;
    return i < p->nlayer;
}

void tiled_plan(Plan *p, Stores *s, const Chooser *c, const PlanOpts *o)
{
    Tiler t = new_tiler(p, s, c);
    int64_t near = near_room_of(&t, o), next = next_room(&t, o);
    bool lean;

    p->tiled = true;
    t.drafts = o->until > 0;
    p->least = bound_with(&t, near, next);
    p->ended = true;
    tiler_effort(&t, 0);
    if (o->aim == AIM_memory ? !make_small(&t, o) : !try_all(&t, o))
        make_least(&t, o);
    if (o->until > 0 && !t.lean && o->aim != AIM_memory)
        plan_better(&t, o);
    count_plan(&t);
    lean = t.lean;
    if (t.spills || has_chains(p) || lean) /* what is next is never too small */
        p->least = bound_with(&t, near, INT64_MAX / 4);
    if (lean) /* the bound is of other ways */
        p->least = MIN(p->least, p->cost);
    if (p->cost)
        p->gap = (double)(p->cost - p->least) / (double)p->cost;
}
