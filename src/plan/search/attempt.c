/* A plan for a chip with DMA: the best of a few.
 *
 * Constants lie in L2 if they all may; else those that are not
 * small lie behind it, but for as many as there is room for at all times. */
#include "plan/cost/cost.h"
#include "plan/schedule/schedule.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { LEAST_CHUNK = 4096, SPILL_TRIES = 12, SPILL_CHUNK = 49152 };

/* --- where constants lie --- */

bool consts_to_l3(const Tiler *t, Options *opt)
{
    bool any = false;
    int i;

    if (!opt->in_l3)
        opt->in_l3 = NEWN(t->mem, bool, t->q->s->nalloc + 1);
    for (i = 0; i < t->q->s->nalloc; i++) {
        const Alloc *v = &t->q->s->alloc[i];

        opt->in_l3[i] = v->konst && !v->val->port &&
                        v->size >= LEAST_FETCHED;
        any |= opt->in_l3[i];
    }
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
            t->q->s->alloc[alloc].size > *room)
            continue;
        *room -= slot_bytes(t->q->s->alloc[alloc].size);
        t->opt.in_l3[alloc] = false;
    }
}

/* The most that must be in L2 at one time. */
static int64_t least_l2(Tiler *t)
{
    int64_t room = t->p->room[t->q->l2], lo = 0, hi = room;

    while (hi - lo > 1024) {
        int64_t mid = lo + (hi - lo) / 2;

        if (solves(t, t->p->room[t->q->l1], mid))
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
    for (i = t->q->nlayer - 1; i > 0; i--)
        const_to_l2(t, i, &room);
}

bool place_l3(Tiler *t)
{
    Plan *p = t->p;

    if (t->q->l3 < 0)
        return true;
    p->room[t->q->l3] = l3_room(t);
    return pack_memory(p, t->q->l3) <= p->room[t->q->l3];
}

static bool try_l2(Tiler *t, const PlanOpts *o)
{
    set_rooms(t, o);
    return consts_l2_bytes(t) <= room_for_consts(t->p, t->q->l2, o) &&
           try_placement(t, o);
}

int64_t try_options(Tiler *t, const PlanOpts *o, const Options *opt)
{
    tiler_begin(t, opt);
    return try_l2(t, o) && place_l3(t) ? tiler_cost(t) : -1;
}

/* Bytes of L2 that buffers must not take, once it is known how
 * many the program does. */
static int64_t beyond_limit(const Tiler *t, const PlanOpts *o)
{
    int64_t limit = o->limit[t->q->l2];

    return limit < 0 || !t->opt.code ? 0 :
           MAX(0, l2_all(t) - t->opt.code - consts_l2_bytes(t) - limit);
}

/* Begins with constants in L3, fetched `chunk` bytes at once, or fewer where L2
 * is small. */
static void begin_fetched(Tiler *t, const PlanOpts *o, const Options *opt,
                          int64_t chunk)
{
    Options x = *opt;

    consts_to_l3(t, &x);
    tiler_begin(t, &x);
    set_rooms(t, o);
    set_chunk(t, MIN(chunk, MAX(LEAST_CHUNK, t->p->room[t->q->l2] / 8)));
}

/* What is spilled in trials, as if there were so many parts of SPILL_PARTS of
 * the room; false: no choice is enough. */
static bool spill_some(Tiler *t, const PlanOpts *o, Options *opt, int parts)
{
    const Plan *p = t->p;
    Options now = {0};

    opt->spilled = (Spills){0};
    begin_fetched(t, o, opt, SPILL_CHUNK);
    tiler_room(t, p->room[t->q->l1]);
    if (!spill_allocs(t, p->room[t->q->l1],
                      p->room[t->q->l2] * parts / SPILL_PARTS))
        return false;
    options_copy(t, &now, &t->opt);
    opt->spilled = now.spilled;
    return true;
}

int64_t try_trial(Tiler *t, const PlanOpts *o, const Options *opt,
                  const Trial *x)
{
    const Plan *p = t->p;
    Options with = *opt;
    int64_t most;
    Solution s;

    if (tried_enough(t))
        return -1;
    with.code = x->code;
    with.trial = *x;
    begin_fetched(t, o, &with, x->chunk);
    s = solve_rooms(t, p->room[t->q->l1], p->room[t->q->l2]);
    if (!s.found)
        return -1;
    most = beyond_limit(t, o) +
           (x->fill ? (p->room[t->q->l2] - least_l2(t)) * x->fill / 8 : 0);
    if (x->late)
        pin_late(t, &s, p->room[t->q->l2], most);
    else
        fill_l2(t, most);
    mark_opers(t);
    set_rooms(t, o);
    if (!try_placement(t, o) || !place_l3(t))
        return -1;
    return tiler_cost(t);
}

/* Makes ready for trials; false: nothing can lie there, or be spilled. */
static bool begin_l3(Tiler *t, const PlanOpts *o, Options *opt, int spill)
{
    if (t->q->l3 < 0 || !t->q->io || tried_enough(t))
        return false;
    opt->fills = true;
    opt->spills = spill > 0;
    return !spill || spill_some(t, o, opt, spill);
}

/* The best of a few: for least energy also with less and less room for what is
 * fetched, and more for what never is.  Where nothing that stays is too much,
 * more is. */
static bool try_trials(Tiler *t, const PlanOpts *o, const Options *opt)
{
    enum { KB = 1024 };
    /* What dropping a row costs, in predicted cycles at most of MobileNets on
     * GAP8 and Siracusa, with all of L2 and with 150 to 200 KB; as trials
     * follow one another, some networks gain by it. */
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
    const bool dear = t->q->io && t->q->energy_weight[t->q->io->row] > 0;
    const int n = dear ? (int)LEN(trials) : 7;
    int64_t now, code = 0, infeasible = 0;
    bool any = false;
    int i;

    for (i = 0; i < n && !(any && opt->first_fit); i++) {
        Trial x = trials[i];

        if (x.fill && x.chunk == infeasible)
            continue;
        x.code = code;
        now = try_trial(t, o, opt, &x);
        code = now >= 0 || !code ? t->opt.code : code;
        if (now >= 0)
            best_keep(t, now);
        else if (!x.fill)
            infeasible = x.chunk;
        any |= now >= 0;
    }
    return any;
}

bool try_l3(Tiler *t, const PlanOpts *o, const Options *opt, int spill)
{
    Options with = *opt;

    return begin_l3(t, o, &with, spill) && try_trials(t, o, &with);
}

/* With these fused groups. */
static bool try_fusion(Tiler *t, const PlanOpts *o, const Options *opt,
                       Fusion fusion)
{
    Options with = *opt;

    with.fusion = fusion;
    tiler_begin(t, &with);
    if (!try_l2(t, o))
        return try_l3(t, o, &with, 0);
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

    for (i = 0; i < t->q->s->nalloc; i++)
        if (!a[i] != !b[i] ||
            (a[i] && memcmp(a[i]->spilled, b[i]->spilled,
                            (size_t)t->q->nlayer)))
            return false;
    return true;
}

/* As if there were so many parts of the room; false: there is no plan, or the
 * same has been tried.  The program is taken for the last trial's next. */
static bool try_parts(Tiler *t, const PlanOpts *o, Options *opt, int parts,
                      Seen *seen)
{
    bool ok;
    int i;

    if (!begin_l3(t, o, opt, parts))
        return false;
    for (i = 0; i < seen->n; i++)
        if (same_spills(t, opt->spilled.of, seen->v[i]))
            return false;
    seen->v[seen->n++] = opt->spilled.of;
    ok = try_trials(t, o, opt);
    opt->code = t->opt.code;
    return ok;
}

/* With less and less room, for addresses; and less and less care.  Where two
 * parts more were too much, one more may take less. */
static bool try_spilled(Tiler *t, const PlanOpts *o, const Options *opt,
                        Fusion fusion)
{
    Options with = *opt;
    Seen seen = {.n = 0};
    bool ok = false;
    int i, parts = 0;

    with.fusion = fusion;
    for (i = 0; i < SPILL_TRIES && !ok && spills_to(t) && !tried_enough(t);
         i++) {
        with.spill_policy = (SpillPolicy)(SPILL_other - i / 4);
        parts = SPILL_PARTS - i % 4 * 2;
        ok = try_parts(t, o, &with, parts, &seen);
    }
    if (ok && parts < SPILL_PARTS && !opt->first_fit)
        try_parts(t, o, &with, parts + 1, &seen);
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
    r = new_rooms(t, t->a.room, t->p->room[t->q->l2]);
    best_keep(t, cost);
    t->opt.fusion = FUSE_faster;
    s = solve_levels(t, r.l1, r.l2);
    for (i = 0; s.found && i < t->q->nlayer && !s.cand[i]->after; i++)
        ;
    return s.found && i < t->q->nlayer;
}

static bool is_enough(const Tiler *t, const Options *opt)
{
    return opt->first_fit && t->best.cost >= 0;
}

static void spill_either(Tiler *t, const PlanOpts *o, const Options *opt)
{
    if (!o->fuse_always)
        try_spilled(t, o, opt, FUSE_none);
    if (!is_enough(t, opt))
        try_spilled(t, o, opt, o->fuse_always ? FUSE_always : FUSE_all);
}

/* The best is another plan, if that gains more than one part of a hundred, as
 * prediction is not exact. */
static void try_more(Tiler *t, const PlanOpts *o, const Options *opt)
{
    int64_t cost;

    if (t->best.opt.spills || t->best.opt.fills)
        return;
    cost = try_options(t, o, opt);
    if (cost >= 0 && cost + cost / 100 < t->best.cost)
        best_keep(t, cost);
}

/* Where many values live at once: with the levels of more of them. */
static void try_crowded(Tiler *t, const PlanOpts *o)
{
    const Options opt = {.crowded = true, .eager = t->best.opt.eager,
                         .states = t->best.opt.states,
                         .fusion = t->best.opt.fusion};

    if (t->k.crowded && t->q->nlayer < MANY_LAYERS)
        try_more(t, o, &opt);
}

/* Layers beside those of accelerators in two parts, too. */
static void try_halves(Tiler *t, const PlanOpts *o)
{
    const Options opt = {.halves = true, .crowded = t->best.opt.crowded,
                         .fusion = t->best.opt.fusion};

    if (halves_gain(t))
        try_more(t, o, &opt);
}

static int count_states(const Allocs *s)
{
    int i, n = 0;

    for (i = 0; i < s->nalloc; i++)
        n += s->alloc[i].state;
    return n;
}

/* Bytes of the states that have a place in `room`, in order. */
static int64_t states_within(const Allocs *s, int64_t room)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < s->nalloc; i++)
        if (s->alloc[i].state && n + s->alloc[i].size <= room)
            n += s->alloc[i].size;
    return n;
}

/* Many states live all the time: also with a part of L1 for them. */
static void try_states(Tiler *t, const PlanOpts *o)
{
    enum { MANY = 4 };
    const Allocs *s = t->q->s;
    int64_t room = t->p->room[t->q->l1];
    Options opt = {0};
    int parts;

    if (count_states(s) < MANY)
        return;
    for (parts = 7; parts > 2; parts--) {
        int64_t n = states_within(s, room * parts / 8);

        if (n && n != opt.states) {
            opt.states = n;
            try_fusion(t, o, &opt, t->best.opt.fusion);
        }
    }
}

/* Loads may begin more than a layer ahead (ahead.c), which a solution does not
 * know: also as if they did. */
static void try_eager(Tiler *t, const PlanOpts *o)
{
    const Options opt = {.eager = true, .states = t->best.opt.states,
                         .fusion = t->best.opt.fusion};

    if (!t->best.opt.spills && !t->best.opt.fills)
        try_fusion(t, o, &opt, opt.fusion);
}

bool try_all(Tiler *t, const PlanOpts *o, bool first_fit)
{
    const Options opt = {.first_fit = first_fit};

    if (!try_fusion(t, o, &opt, o->fuse_always ? FUSE_always : FUSE_none)) {
        if (!o->fuse_always)
            try_fusion(t, o, &opt, FUSE_all);
        if (!is_enough(t, &opt))
            spill_either(t, o, &opt);
    } else if (!o->fuse_always && !is_enough(t, &opt) && may_fuse(t)) {
        try_fusion(t, o, &opt, FUSE_faster);
    }
    if (t->best.cost >= 0 && !is_enough(t, &opt)) {
        try_states(t, o);
        try_eager(t, o);
        try_crowded(t, o);
        try_halves(t, o);
    }
    return best_take(t);
}

/* Two parts of a hundred more than the other plan are as good. */
static bool is_as_good(int64_t cost, const Plan *like)
{
    return cost >= 0 && cost <= like->cost + like->cost / 50;
}

bool try_like(Tiler *t, const PlanOpts *o)
{
    const Options *way = o->like ? o->like->way : NULL;
    Options opt;
    int64_t cost;

    if (!way || (way->fills && (t->q->l3 < 0 || !t->q->io)))
        return false;
    opt = (Options){.fusion = way->fusion, .states = way->states,
                    .eager = way->eager, .crowded = way->crowded,
                    .fills = way->fills, .halves = way->halves};
    cost = opt.fills ? try_trial(t, o, &opt, &way->trial)
                     : try_options(t, o, &opt);
    if (!is_as_good(cost, o->like))
        return false;
    best_keep(t, cost);
    return best_take(t);
}

/* Of a plan that one such attempt makes anew. */
const Options *way_of(const Tiler *t)
{
    Options *way;

    if (t->opt.spills || t->opt.min_memory || t->opt.inout_in_l3)
        return NULL;
    way = NEW(t->mem, Options);
    *way = (Options){.fusion = t->opt.fusion, .states = t->opt.states,
                     .eager = t->opt.eager, .crowded = t->opt.crowded,
                     .fills = t->opt.fills, .trial = t->opt.trial,
                     .halves = t->opt.halves};
    way->trial.code = t->opt.code;
    return way;
}

/* States stay where reset and the next run find them: not in L3. */
bool try_inout(Tiler *t, const PlanOpts *o, bool first_fit)
{
    const Options opt = {.first_fit = first_fit, .inout_in_l3 = true};

    if (count_states(t->q->s))
        return false;
    spill_either(t, o, &opt);
    return best_take(t);
}

