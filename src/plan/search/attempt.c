/* A plan for a chip with DMA: the best of a few.
 *
 * Constants lie in L2 if they all may; else those that are not
 * small lie behind it, but for as many as there is room for at all times. */
#include "plan/cost/cost.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { LEAST_CHUNK = 4096, SPILL_TRIES = 12, SPILL_CHUNK = 49152 };

/* --- where constants lie --- */

bool consts_to_l3(Tiler *t)
{
    bool any = false;
    int i;

    for (i = 0; i < t->nlayer; i++)
        t->layer[i].overlaps = false;
    for (i = 0; i < t->s->nalloc; i++) {
        const Alloc *v = &t->s->alloc[i];

        t->opt.in_l3[i] = v->konst && !v->val->port &&
                          v->size >= LEAST_FETCHED;
        any |= t->opt.in_l3[i];
    }
    mark_opers(t);
    return any;
}

/* Brings a layer's constants inside as far as they fit. */
static void const_to_l2(Tiler *t, int layer, int64_t *room)
{
    const LayerInst *w = &t->layer[layer];
    int o;

    for (o = 0; o < w->noper; o++) {
        int alloc = w->oper[o].place.buf;

        if (!w->oper[o].in_l3 || !t->opt.in_l3[alloc] ||
            t->s->alloc[alloc].size > *room)
            continue;
        *room -= slot_bytes(t->s->alloc[alloc].size);
        t->opt.in_l3[alloc] = false;
    }
}

/* The most that must be in L2 at one time. */
static int64_t least_l2(Tiler *t)
{
    int64_t room = t->p->room[t->l2], lo = 0, hi = room;

    while (hi - lo > 1024) {
        int64_t mid = lo + (hi - lo) / 2;

        if (solves(t, t->p->room[t->l1], mid))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

/* Constants that may be inside always: the first layer's, for which nothing
 * can hide the fetch, then the last ones', for that is where networks have
 * more weights than work. */
static void fill_l2(Tiler *t, int64_t room)
{
    int i;

    const_to_l2(t, 0, &room);
    for (i = t->nlayer - 1; i > 0; i--)
        const_to_l2(t, i, &room);
}

bool place_l3(Tiler *t)
{
    Plan *p = t->p;

    if (t->l3 < 0)
        return true;
    p->room[t->l3] = l3_room(t);
    return pack_memory(p, t->l3) <= p->room[t->l3];
}

static bool try_l2(Tiler *t, const PlanOpts *o)
{
    set_rooms(t, o);
    return consts_l2_bytes(t) <= room_for_consts(t->p, t->l2, o) &&
           try_placement(t, o);
}

int64_t try_current(Tiler *t, const PlanOpts *o)
{
    return try_l2(t, o) && place_l3(t) ? tiler_cost(t) : -1;
}

/* Bytes of L2 that buffers must not take, once it is known how
 * many the program does. */
static int64_t beyond_limit(const Tiler *t, const PlanOpts *o)
{
    int64_t limit = o->limit[t->l2];

    return limit < 0 || !t->opt.code ? 0 :
           MAX(0, l2_all(t) - t->opt.code - consts_l2_bytes(t) - limit);
}

/* For a trial, as if there were so many parts of SPILL_PARTS of the room. */
static bool spill_some(Tiler *t, const PlanOpts *o, int64_t chunk, int parts)
{
    const Plan *p = t->p;

    consts_to_l3(t);
    set_rooms(t, o);
    set_chunk(t, MIN(chunk, MAX(LEAST_CHUNK, p->room[t->l2] / 8)));
    tiler_room(t, p->room[t->l1]);
    spill_nothing(t);
    return spill_allocs(t, p->room[t->l1],
                        p->room[t->l2] * parts / SPILL_PARTS);
}

int64_t try_trial(Tiler *t, const PlanOpts *o, const Trial *x)
{
    const Plan *p = t->p;
    int64_t most;
    Solution s;

    if (tried_enough(t))
        return -1;
    t->opt.code = x->code;
    consts_to_l3(t);
    set_rooms(t, o);
    set_chunk(t, MIN(x->chunk, MAX(LEAST_CHUNK, p->room[t->l2] / 8)));
    s = solve_rooms(t, p->room[t->l1], p->room[t->l2]);
    if (!s.found)
        return -1;
    most = beyond_limit(t, o) +
           (x->fill ? (p->room[t->l2] - least_l2(t)) * x->fill / 8 : 0);
    if (x->late)
        pin_late(t, &s, p->room[t->l2], most);
    else
        fill_l2(t, most);
    mark_opers(t);
    set_rooms(t, o);
    if (!try_placement(t, o) || !place_l3(t))
        return -1;
    return tiler_cost(t);
}

/* Makes ready for trials; false: nothing can lie there, or be spilled. */
static bool begin_l3(Tiler *t, const PlanOpts *o, int spill)
{
    if (t->l3 < 0 || !t->io || tried_enough(t))
        return false;
    t->opt.fills = true;
    t->opt.spills = spill > 0;
    return !spill || spill_some(t, o, SPILL_CHUNK, spill);
}

/* The best of a few: for least energy also with less and less room for what is
 * fetched, and more for what never is.  Where nothing that stays is too much,
 * more is. */
static bool try_trials(Tiler *t, const PlanOpts *o)
{
    enum { KB = 1024 };
    /* What dropping a row costs, in predicted cycles at most of MobileNets on
     * GAP8 and Siracusa, with all of L2 and with 150 to 200 KB; as trials follow
     * one another, some networks gain by it. */
    static const Trial trials[] = {
        /* all fetched: 0.23 %, where L2 is short */
        {.fill = 0, .chunk = 48 * KB},
        /* most of what is free pinned, for weights at the end: 0.23 % */
        {.fill = 6, .chunk = 48 * KB},
        /* room for fetches far ahead: 0.65 % */
        {.fill = 2, .chunk = 48 * KB},
        /* the same in smaller chunks: 0.19 %, with 300 KB on GAP8 */
        {.fill = 2, .chunk = 24 * KB},
        /* all fetched, in smaller chunks: 0.65 %, where L2 is short */
        {.fill = 0, .chunk = 24 * KB},
        /* pinned by the clock (pin.c), not from the end: without it microLlama1
         * and 8 wait for constants on GAP8 */
        {.fill = 6, .late = true, .chunk = 48 * KB},
        /* all of what is free pinned by the clock: without it microLlama1 takes
         * 12 % longer on GAP8 */
        {.fill = 8, .late = true, .chunk = 48 * KB},
        /* for least energy alone, as what is pinned is not moved: all of what
         * is free, in chunks that leave more of it: 0.7 % of MobileNet's energy
         * on a Siracusa with 400 KB of L2 */
        {.fill = 8, .chunk = 12 * KB},
        /* smaller yet: 14 % of AnomalyDetection's with 220 KB */
        {.fill = 8, .chunk = 6 * KB},
    };
    const bool dear = t->io && t->energy_weight[t->io->row] > 0;
    const int n = dear ? (int)LEN(trials) : 7;
    int64_t now, code = 0, infeasible = 0;
    bool any = false;
    int i;

    for (i = 0; i < n && !(any && t->opt.first_fit); i++) {
        Trial x = trials[i];

        if (x.fill && x.chunk == infeasible)
            continue;
        x.code = code;
        now = try_trial(t, o, &x);
        code = now >= 0 || !code ? t->opt.code : code;
        if (now >= 0)
            best_keep(t, now);
        else if (!x.fill)
            infeasible = x.chunk;
        any |= now >= 0;
    }
    return any;
}

bool try_l3(Tiler *t, const PlanOpts *o, int spill)
{
    return begin_l3(t, o, spill) && try_trials(t, o);
}

void begin_anew(Tiler *t, Fusion fusion, bool min_memory)
{
    int i;

    t->opt.fusion = fusion;
    tiler_min_memory(t, min_memory);
    for (i = 0; i < t->nlayer; i++)
        t->layer[i].overlaps = false;
    memset(t->opt.in_l3, 0, (size_t)t->s->nalloc * sizeof *t->opt.in_l3);
    spill_nothing(t);
    mark_opers(t);
    t->opt.fills = t->opt.spills = t->opt.spill_optional = false;
    t->opt.code = 0;
}

void start_over(Tiler *t, Fusion fusion)
{
    begin_anew(t, fusion, false);
}

/* With these fused groups. */
static bool try_fusion(Tiler *t, const PlanOpts *o, Fusion fusion)
{
    start_over(t, fusion);
    if (!try_l2(t, o))
        return try_l3(t, o, 0);
    best_keep(t, tiler_cost(t));
    return true;
}

/* --- with values spilled --- */

typedef struct Seen { /* what was spilled in plans that were tried */
    Spill **v[SPILL_TRIES + 1];
    int n;
} Seen;

static bool same_spills(const Tiler *t, Spill *const *a, Spill *const *b)
{
    int i;

    for (i = 0; i < t->s->nalloc; i++)
        if (!a[i] != !b[i] ||
            (a[i] && memcmp(a[i]->spilled, b[i]->spilled, (size_t)t->nlayer)))
            return false;
    return true;
}

/* As if there were so many parts of the room; false: there is no plan, or the
 * same has been tried. */
static bool try_parts(Tiler *t, const PlanOpts *o, int parts, Seen *seen)
{
    size_t n = (size_t)t->s->nalloc * sizeof *t->spill;
    int i;

    if (!begin_l3(t, o, parts))
        return false;
    for (i = 0; i < seen->n; i++)
        if (same_spills(t, t->spill, seen->v[i]))
            return false;
    seen->v[seen->n] = NEWN(t->mem, Spill *, t->s->nalloc + 1);
    memcpy(seen->v[seen->n++], t->spill, n);
    return try_trials(t, o);
}

/* With less and less room, for addresses; and less and less care.  Where two
 * parts more were too much, one more may take less. */
static bool try_spilled(Tiler *t, const PlanOpts *o, Fusion fusion)
{
    Seen seen = {.n = 0};
    bool ok = false;
    int i, parts = 0;

    start_over(t, fusion);
    for (i = 0; i < SPILL_TRIES && !ok && spills_to(t) && !tried_enough(t);
         i++) {
        t->opt.spill_policy = (SpillPolicy)(SPILL_other - i / 4);
        parts = SPILL_PARTS - i % 4 * 2;
        ok = try_parts(t, o, parts, &seen);
    }
    if (ok && parts < SPILL_PARTS && !t->opt.first_fit)
        try_parts(t, o, parts + 1, &seen);
    return ok;
}

/* --- all --- */

/* Are there fused groups that take less, with the room that the best plan has?
 * */
static bool may_fuse(Tiler *t)
{
    int64_t cost = t->best.cost;
    Solution s;
    Rooms r;
    int i;

    best_take(t);
    mark_opers(t);
    r = new_rooms(t, t->room, t->p->room[t->l2]);
    best_keep(t, cost);
    t->opt.fusion = FUSE_faster;
    s = solve_levels(t, r.l1, r.l2);
    for (i = 0; s.found && i < t->nlayer && !s.cand[i]->after; i++)
        ;
    return s.found && i < t->nlayer;
}

static bool is_enough(const Tiler *t)
{
    return t->opt.first_fit && t->best.cost >= 0;
}

static void spill_either(Tiler *t, const PlanOpts *o)
{
    if (!o->fuse_always)
        try_spilled(t, o, FUSE_none);
    if (!is_enough(t))
        try_spilled(t, o, o->fuse_always ? FUSE_always : FUSE_all);
}

static int count_states(const Allocs *s)
{
    int i, n = 0;

    for (i = 0; i < s->nalloc; i++)
        n += s->alloc[i].state;
    return n;
}

/* Many states live all the time: also with a part of L1 for them. */
static void try_states(Tiler *t, const PlanOpts *o)
{
    enum { MANY = 8 };
    int parts;

    for (parts = 6; parts > 2 && count_states(t->s) >= MANY; parts -= 2) {
        t->opt.states = t->p->room[t->l1] * parts / 8;
        try_fusion(t, o, t->best.opt.fusion);
    }
    t->opt.states = 0;
}

bool try_all(Tiler *t, const PlanOpts *o)
{
    t->opt.inout_in_l3 = false;
    t->opt.states = 0;
    if (!try_fusion(t, o, o->fuse_always ? FUSE_always : FUSE_none)) {
        if (!o->fuse_always)
            try_fusion(t, o, FUSE_all);
        if (!is_enough(t))
            spill_either(t, o);
    } else if (!o->fuse_always && !is_enough(t) && may_fuse(t)) {
        try_fusion(t, o, FUSE_faster);
    }
    if (t->best.cost >= 0 && !is_enough(t))
        try_states(t, o);
    return best_take(t);
}

/* States stay where reset and the next run find them: not in L3. */
bool try_inout(Tiler *t, const PlanOpts *o)
{
    t->opt.inout_in_l3 = true;
    if (count_states(t->s))
        return false;
    spill_either(t, o);
    return best_take(t);
}

