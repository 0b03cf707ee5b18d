/* The least memory with which there is a plan: what a refusal names, and plans
 * whose objective it is.
 *
 * Plans for it are min_memory: kernels with the least scratch, one slot for
 * each operand, constants fetched a piece at a time when they are wanted.  Sums
 * of what lives are the size below which no min_memory plan is; from there on
 * addresses and the program's bytes are tried. */
#include "plan/search/search.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

enum { PATIENCE = 4, STRIDE = 4096, MOST_MORE = 1 << 30 };

/* What may be done where memory is short: layers in fused groups, values
 * spilled or both, with constants all in L2, or all but the small behind; where
 * values are spilled, also ends: inputs when they are given, and outputs when
 * they are wanted. */
typedef enum Means {
    IN_homes, IN_fusion, IN_spilled, IN_both,
    OUT_homes, OUT_fusion, OUT_spilled, OUT_both, NINNER, NMEANS = NINNER + 4
} Means;

static bool has_fused(Means how)
{
    return how % OUT_homes == IN_fusion || how % OUT_homes == IN_both;
}

static bool has_spilled(Means how)
{
    return how % OUT_homes >= IN_spilled;
}

/* Makes ready for it; false: the chip cannot. */
static bool begin_min_memory(Tiler *t, const PlanOpts *o, Means how)
{
    static const Means inout[] = {IN_spilled, IN_both, OUT_spilled, OUT_both};
    Options opt = {.min_memory = true, .inout_in_l3 = how >= NINNER};

    how = how >= NINNER ? inout[how - NINNER] : how;
    opt.fusion = has_fused(how) ? FUSE_all : FUSE_none;
    opt.fills = how >= OUT_homes;
    opt.spills = has_spilled(how);
    if ((opt.fills && (t->q->l3 < 0 || !t->q->io)) ||
        (opt.spills && !spills_to(t)))
        return false;
    if (opt.fills && !consts_to_l3(t, &opt))
        return false; /* as with all in L2 */
    tiler_begin(t, &opt);
    set_rooms(t, o);
    tiler_room(t, t->p->room[t->q->l1]);
    if (t->opt.spills)
        spill_all(t);
    if (t->opt.spills && !t->opt.spilled.n && t->q->nlayer >= MANY_LAYERS)
        return false; /* as without */
    t->opt.spill_optional = t->opt.spills;
    return consts_l2_bytes(t) <= room_for_consts(t->p, t->q->l2, o);
}

/* Bytes of values that lie in L3 at a layer, at least: all but those that a
 * fused group may make within. */
static int64_t least_l3(const Tiler *t, int layer)
{
    int64_t sum = 0;
    int k;

    for (k = 0; k < t->opt.spilled.n; k++) {
        int i = t->opt.spilled.list[k];
        const Alloc *v = &t->q->s->alloc[i];

        if (t->q->first[i] <= layer && layer <= t->q->last[i] &&
            t->opt.spilled.of[i]->spilled[layer] &&
            (v->in || v->out || t->opt.fusion == FUSE_none))
            sum += v->size;
    }
    return sum;
}

/* Is what is spilled too much for L3, wherever it lies? */
static bool overfills_l3(const Tiler *t)
{
    int k;

    for (k = 0; t->q->l3 >= 0 && k < t->q->nlayer; k++)
        if (least_l3(t, k) > l3_room(t))
            return true;
    return false;
}

/* With these means and no more than the room there is: a plan? */
static bool try_means(Tiler *t, const PlanOpts *o, Means how)
{
    Plan *p = t->p;
    bool ok = !tried_enough(t) && begin_min_memory(t, o, how);
    Rooms r = new_rooms(t, p->room[t->q->l1], p->room[t->q->l2]);
    Solution s;
    int i;

    if (t->opt.spill_optional && ok) {
        s = solve_levels(t, r.l1, r.l2);
        ok = s.found;
        for (i = 0; ok && i < t->q->nlayer; i++)
            spill_stay(t, i, s.stay[i]);
        if (ok)
            spill_only_l2(t, s.in_l2);
    }
    t->opt.spill_optional = false;
    return ok && !overfills_l3(t) && try_placement(t, o) && place_l3(t);
}

/* Nothing is less with values spilled but for ends than with these. */
static bool is_least(Means how)
{
    return how >= NINNER || !has_spilled(how);
}

static bool try_min_memory(Tiler *t, const PlanOpts *o)
{
    Means how;

    for (how = 0; how < NMEANS; how++)
        if (is_least(how) && try_means(t, o, how))
            return true;
    return false;
}

/* What is as it was wherever it can be. */
static bool try_inner(Tiler *t, const PlanOpts *o)
{
    Means how;

    for (how = 0; how < NINNER; how++)
        if (try_means(t, o, how))
            return true;
    return false;
}

static bool try_quick(Tiler *t, const PlanOpts *o, bool first_fit)
{
    return try_all(t, o, first_fit) || try_inout(t, o, first_fit);
}

/* The least room of L2 with which there is a solution by these
 * means; more than there is: none. */
static int64_t least_sum(Tiler *t, const PlanOpts *o, Means how)
{
    int64_t lo = 0, hi, l1;

    if (!begin_min_memory(t, o, how))
        return INT64_MAX;
    l1 = t->p->room[t->q->l1];
    hi = t->p->room[t->q->l2] / UNIT + 1;
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;

        if (solves(t, l1, mid * UNIT))
            hi = mid;
        else
            lo = mid;
    }
    return hi * UNIT;
}

/* The same with another limit, or of a chip that has so much. */
static PlanOpts with_limit(Tiler *t, const PlanOpts *o, int mem, int64_t bytes)
{
    PlanOpts other = *o;

    other.limit[mem] = bytes;
    if (t->grows && mem == t->q->l2)
        soc_grow(t->p->soc, &t->p->soc->mems[mem], bytes);
    return other;
}

/* What has more room for buffers may be a longer program: of a chip that grows,
 * it may lack what it has too much there. */
static bool fits_min_memory(Tiler *t, const PlanOpts *o, int mem, int64_t bytes)
{
    PlanOpts less = with_limit(t, o, mem, bytes);
    bool ok = try_min_memory(t, &less);

    if (ok || !t->grows || mem != t->q->l2)
        return ok;
    less.limit[mem] = MIN(bytes, t->grows);
    return try_min_memory(t, &less);
}

/* The least of a memory with which there is a plan, from `least` on, to `most`;
 * -1: none. */
static int64_t least_plan(Tiler *t, const PlanOpts *o, int mem, int64_t least,
                          int64_t most)
{
    int64_t lo = least - UNIT, hi = least, step = UNIT;
    int i;

    for (i = 1; !fits_min_memory(t, o, mem, hi); i++) {
        if (hi >= most)
            return -1;
        step *= i > PATIENCE ? 2 : 1;
        lo = hi;
        hi = MIN(hi + step, most);
    }
    while (hi - lo > UNIT) {
        int64_t mid = lo + (hi - lo) / 2 / UNIT * UNIT;

        if (fits_min_memory(t, o, mem, mid))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

/* Plans for least time may have some constants where they need less. */
static int64_t less_yet(Tiler *t, const PlanOpts *o, int mem, int64_t least)
{
    PlanOpts less;
    int64_t step = UNIT;
    bool found = true;

    while (step >= UNIT) {
        less = with_limit(t, o, mem, MAX(0, least - step));
        if (step <= least && try_quick(t, &less, true))
            least -= step;
        else
            found = false;
        step = found ? 2 * step : step / 2;
    }
    return least;
}

/* Of L2, whatever its limit. */
static int64_t minimum_l2(Tiler *t, const PlanOpts *o)
{
    PlanOpts free = *o;
    int64_t least = INT64_MAX, most = 0, sum;
    Means how;

    free.limit[t->q->l2] = -1;
    for (how = 0; how < NMEANS; how++) {
        sum = is_least(how) ? least_sum(t, &free, how) : INT64_MAX;
        if (sum <= t->p->room[t->q->l2]) {
            least = MIN(least, sum);
            most = MAX(most, t->p->room[t->q->l2]);
        }
    }
    if (least == INT64_MAX)
        return -1;
    least = least_plan(t, &free, t->q->l2, least, most);
    return least < 0 ? -1 : less_yet(t, &free, t->q->l2, least);
}

/* Is there a solution with so much of L1, by any means? */
static bool solves_l1(Tiler *t, const PlanOpts *o, int64_t l1)
{
    PlanOpts less = *o;
    bool ok = false;
    Means how;

    less.limit[t->q->l1] = l1;
    for (how = 0; how < NMEANS && !ok; how++)
        ok = is_least(how) && begin_min_memory(t, &less, how) &&
             solves(t, l1, t->p->room[t->q->l2]);
    return ok;
}

/* Of L1, whatever its limit. */
static int64_t minimum_l1(Tiler *t, const PlanOpts *o)
{
    PlanOpts free = *o;
    int64_t lo = 0, hi, most;

    free.limit[t->q->l1] = -1;
    hi = most = l1_room_of(t, &free);
    if (!solves_l1(t, o, hi))
        return -1;
    while (hi - lo > UNIT) {
        int64_t mid = lo + (hi - lo) / 2 / UNIT * UNIT;

        if (solves_l1(t, o, mid))
            hi = mid;
        else
            lo = mid;
    }
    hi = least_plan(t, o, t->q->l1, hi, most);
    return hi < 0 ? -1 : less_yet(t, o, t->q->l1, hi);
}

/* What there is of L2, where the chip has what is named: the
 * limit, whatever the program of the last try. */
static int64_t left_within(const Tiler *t, const PlanOpts *o)
{
    return o->limit[t->q->l2] >= 0 ? o->limit[t->q->l2] : l2_left(t, o);
}

/* What is named is enough; a unit less is not.  -1: of that memory there is
 * enough.  `left`: of L2. */
_Noreturn static void refuse(Tiler *t, const PlanOpts *o, int64_t l1,
                             int64_t l2, int64_t left)
{
    Str needs = {.mem = t->p->mem};

    set_rooms(t, o);
    if (l1 >= 0)
        say_need(t->p, t->q->l1, "buffers", l1, l1_left(t, o), &needs);
    if (l2 >= 0)
        say_need(t->p, t->q->l2, "buffers", l2, left, &needs);
    no_room(t->p, needs.n ? needs.s : ", with no more memory either");
}

/* Of L1, with all there is of L2; and of that, then. */
static bool find_both(Tiler *t, const PlanOpts *o, int64_t *l1,
                      int64_t *l2)
{
    PlanOpts more = *o;

    more.limit[t->q->l2] = -1;
    *l1 = minimum_l1(t, &more);
    more.limit[t->q->l1] = *l1;
    *l2 = *l1 < 0 ? -1 : minimum_l2(t, &more);
    return *l2 >= 0;
}

/* A plan with the least of both memories, or of one (-1: what there is of the
 * other). */
static bool try_least(Tiler *t, const PlanOpts *o, int64_t l1, int64_t l2)
{
    PlanOpts less = *o;

    if (l1 >= 0)
        less.limit[t->q->l1] = l1;
    if (l2 >= 0)
        less.limit[t->q->l2] = l2;
    return try_min_memory(t, &less) || try_quick(t, &less, false);
}

/* Is there a plan because there is more of a memory than one needs? */
static bool has_least(const PlanOpts *o, int mem, int64_t least)
{
    return least >= 0 && (o->limit[mem] < 0 || least <= o->limit[mem]);
}

/* By how much a limit, or a memory without one, is less than so many bytes. */
static int64_t beyond(const Tiler *t, const PlanOpts *o, int mem, int64_t bytes)
{
    const Mem *m = &t->p->soc->mems[mem];

    return bytes - (o->limit[mem] >= 0 ? o->limit[mem]
                                       : m->size - m->reserved);
}

/* What the chip itself has too little of: the bytes for buffers of one whose
 * L2 is as large as its limit. */
static int64_t least_grown(Tiler *t, const PlanOpts *o)
{
    Mem *m = &t->p->soc->mems[t->q->l2];
    int64_t has = m->size, least = INT64_MAX, sums = INT64_MAX, sum;
    PlanOpts free = *o;
    Means how;

    free.limit[t->q->l2] = -1;
    m->size += MOST_MORE;
    for (how = 0; how < NMEANS; how++) {
        sum = is_least(how) ? least_sum(t, &free, how) : INT64_MAX;
        if (sum > t->p->room[t->q->l2])
            continue;
        least = MIN(least, sum + t->p->consts[t->q->l2]);
        sums = MIN(sums, sum);
    }
    t->grows = sums;
    least = sums == INT64_MAX ? -1 :
            least_plan(t, o, t->q->l2, MAX(least, whole_units(has)),
                       has + MOST_MORE);
    least = least < 0 ? -1 : less_yet(t, o, t->q->l2, least);
    t->grows = 0;
    m->size = has;
    set_rooms(t, o);
    return least < 0 ? -1 : l2_left(t, o) + beyond(t, o, t->q->l2, least);
}

/* The chip itself has too little of L2, and maybe there is too
 * little of L1 too. */
_Noreturn static void refuse_chip(Tiler *t, const PlanOpts *o)
{
    Mem *m = &t->p->soc->mems[t->q->l2];
    int64_t l2 = least_grown(t, o), l1 = -1;
    PlanOpts more = *o;

    if (l2 < 0) {
        more.limit[t->q->l2] = -1;
        m->size += MOST_MORE;
        l1 = minimum_l1(t, &more);
        m->size -= MOST_MORE;
        more = *o;
        more.limit[t->q->l1] = l1;
        l2 = l1 < 0 ? -1 : least_grown(t, &more);
    }
    set_rooms(t, o);
    refuse(t, o, l1, l2, l2_left(t, o));
}

void make_minimum(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    int64_t l2, l1 = -1;

    if (try_inner(t, o) || try_inout(t, o, false) || try_min_memory(t, o))
        return;
    refuse_tried(t);
    l2 = minimum_l2(t, o);
    if (has_least(o, t->q->l2, l2) && try_least(t, o, l1, l2))
        return;
    if (l2 < 0)
        l1 = minimum_l1(t, o);
    if (has_least(o, t->q->l1, l1) && try_least(t, o, l1, l2))
        return;
    if (l2 >= 0 || l1 >= 0 || find_both(t, o, &l1, &l2))
        refuse(t, o, l1, l2, left_within(t, o));
    tiler_begin(t, &(Options){0});
    if (t->q->l3 < 0)
        pack_consts(p, o);
    refuse_chip(t, o);
}

/* Bytes of L2 that a plan takes: buffers, constants, steps. */
static int64_t l2_used(Tiler *t)
{
    const Plan *p = t->p;

    return p->used[t->q->l2] + p->consts[t->q->l2] +
           program_bytes(tiler_program(t));
}

/* Means and a size of L2, and what a plan takes of it then. */
typedef struct Small {
    bool any;
    Means how;
    int64_t limit, used;
} Small;

/* More room for buffers may mean fewer steps, until they alone are too much. */
static void try_sizes(Tiler *t, const PlanOpts *o, Means how, Small *best)
{
    PlanOpts less = *o;
    int64_t least = least_sum(t, o, how), room = t->p->room[t->q->l2], used;
    int64_t konst = t->p->consts[t->q->l2];

    for (; least <= room; least = whole_units(least + least / 2 + STRIDE)) {
        if (best->any && least + konst >= best->used)
            return;
        less.limit[t->q->l2] = least;
        if (!try_means(t, &less, how))
            continue;
        used = l2_used(t);
        if (!best->any || used < best->used)
            *best = (Small){true, how, least, used};
    }
}

bool make_small(Tiler *t, const PlanOpts *o)
{
    PlanOpts less = *o;
    Small best = {0};
    Means how;

    for (how = 0; how < NINNER; how++)
        try_sizes(t, o, how, &best);
    if (best.any)
        less.limit[t->q->l2] = best.limit;
    if (try_all(t, &less, false) && (!best.any || l2_used(t) <= best.used))
        return true;
    return best.any && try_means(t, &less, best.how);
}
