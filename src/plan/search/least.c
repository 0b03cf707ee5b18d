/* The least memory with which there is a plan: what a refusal names, and plans
 * whose objective it is.
 *
 * Plans for it are lean: kernels with the least scratch, one slot for each
 * operand, constants fetched a piece at a time when they are wanted.  Sums of
 * what lives are the size below which no lean plan is; from there on addresses
 * and the program's bytes are tried. */
#include "plan/tiling.h"

enum { PATIENCE = 4, STRIDE = 4096, MOST_MORE = 1 << 30 };

/* What may be done where memory is short: layers in chains, values away or
 * both, with constants all in the next memory, or all but the small behind;
 * where values are away, also ends: inputs when they are given, and outputs
 * when they are wanted. */
typedef enum Means {
    IN_homes, IN_chains, IN_spilled, IN_both,
    OUT_homes, OUT_chains, OUT_spilled, OUT_both, NINNER, NMEANS = NINNER + 4
} Means;

static bool has_chains(Means how)
{
    return how % OUT_homes == IN_chains || how % OUT_homes == IN_both;
}

static bool has_spilled(Means how)
{
    return how % OUT_homes >= IN_spilled;
}

/* Makes ready for it; false: the chip cannot. */
static bool begin_lean(Tiler *t, const PlanOpts *o, Means how)
{
    static const Means ends[] = {IN_spilled, IN_both, OUT_spilled, OUT_both};
    bool outside;

    t->ends = how >= NINNER;
    how = t->ends ? ends[how - NINNER] : how;
    outside = how >= OUT_homes;
    begin_anew(t, has_chains(how) ? CHAIN_all : CHAIN_none, true);
    if ((outside && (t->outer < 0 || !t->io)) ||
        (has_spilled(how) && !spills_to(t)))
        return false;
    if (outside)
        put_outside(t);
    t->fills = outside;
    t->spills = has_spilled(how);
    set_chunk(t, 0);
    set_rooms(t, o);
    tiler_room(t, t->p->room[t->near]);
    if (t->spills)
        spill_all(t);
    t->floats = t->spills;
    return bytes_inside(t) <= room_for_consts(t->p, t->next, o);
}

/* With these means and no more than the room there is: a plan? */
static bool try_means(Tiler *t, const PlanOpts *o, Means how)
{
    Plan *p = t->p;
    bool ok = begin_lean(t, o, how);
    Rooms r = new_rooms(t, p->room[t->near], p->room[t->next]);
    Solution s;
    int i;

    if (t->floats && ok) {
        s = solve_homes(t, r.near, r.next);
        ok = s.found;
        for (i = 0; ok && i < t->nwork; i++)
            spill_stay(t, i, s.stay[i]);
        if (ok)
            spill_far(t, s.far);
    }
    t->floats = false;
    return ok && try_rounds(t, o) && place_outside(t);
}

/* Nothing is less with values away but for ends than with these. */
static bool is_least(Means how)
{
    return how >= NINNER || !has_spilled(how);
}

static bool try_lean(Tiler *t, const PlanOpts *o)
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

static bool try_quick(Tiler *t, const PlanOpts *o)
{
    return try_all(t, o) || try_ends(t, o);
}

/* The least room of the next memory with which there is a solution by these
 * means; more than there is: none. */
static int64_t least_sum(Tiler *t, const PlanOpts *o, Means how)
{
    int64_t lo = 0, hi, near;

    if (!begin_lean(t, o, how))
        return INT64_MAX;
    near = t->p->room[t->near];
    hi = t->p->room[t->next] / UNIT + 1;
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;

        if (solves(t, near, mid * UNIT))
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
    if (t->grows && mem == t->next)
        soc_grow(t->p->soc, &t->p->soc->mems[mem], bytes);
    return other;
}

/* What has more room for buffers may be a longer program: of a chip that grows,
 * it may lack what it has too much there. */
static bool fits_lean(Tiler *t, const PlanOpts *o, int mem, int64_t bytes)
{
    PlanOpts less = with_limit(t, o, mem, bytes);
    bool ok = try_lean(t, &less);

    if (ok || !t->grows || mem != t->next)
        return ok;
    less.limit[mem] = MIN(bytes, t->grows);
    return try_lean(t, &less);
}

/* The least of a memory with which there is a plan, from `least` on, to `most`;
 * -1: none. */
static int64_t least_plan(Tiler *t, const PlanOpts *o, int mem, int64_t least,
                          int64_t most)
{
    int64_t lo = least - UNIT, hi = least, step = UNIT;
    int i;

    for (i = 1; !fits_lean(t, o, mem, hi); i++) {
        if (hi >= most)
            return -1;
        step *= i > PATIENCE ? 2 : 1;
        lo = hi;
        hi = MIN(hi + step, most);
    }
    while (hi - lo > UNIT) {
        int64_t mid = lo + (hi - lo) / 2 / UNIT * UNIT;

        if (fits_lean(t, o, mem, mid))
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
        if (step <= least && try_quick(t, &less))
            least -= step;
        else
            found = false;
        step = found ? 2 * step : step / 2;
    }
    return least;
}

/* Of the next memory, whatever its limit. */
static int64_t least_next_of(Tiler *t, const PlanOpts *o)
{
    PlanOpts free = *o;
    int64_t least = INT64_MAX, most = 0, sum;
    Means how;

    free.limit[t->next] = -1;
    for (how = 0; how < NMEANS; how++) {
        sum = is_least(how) ? least_sum(t, &free, how) : INT64_MAX;
        if (sum <= t->p->room[t->next]) {
            least = MIN(least, sum);
            most = MAX(most, t->p->room[t->next]);
        }
    }
    if (least == INT64_MAX)
        return -1;
    least = least_plan(t, &free, t->next, least, most);
    return least < 0 ? -1 : less_yet(t, &free, t->next, least);
}

/* Is there a solution with so much of the nearest memory, by any means? */
static bool solves_near(Tiler *t, const PlanOpts *o, int64_t near)
{
    PlanOpts less = *o;
    bool ok = false;
    Means how;

    less.limit[t->near] = near;
    for (how = 0; how < NMEANS && !ok; how++)
        ok = is_least(how) && begin_lean(t, &less, how) &&
             solves(t, near, t->p->room[t->next]);
    return ok;
}

/* Of the nearest memory, whatever its limit. */
static int64_t least_near_of(Tiler *t, const PlanOpts *o)
{
    PlanOpts free = *o;
    int64_t lo = 0, hi, most;

    free.limit[t->near] = -1;
    hi = most = near_room_of(t, &free);
    if (!solves_near(t, o, hi))
        return -1;
    while (hi - lo > UNIT) {
        int64_t mid = lo + (hi - lo) / 2 / UNIT * UNIT;

        if (solves_near(t, o, mid))
            hi = mid;
        else
            lo = mid;
    }
    hi = least_plan(t, o, t->near, hi, most);
    return hi < 0 ? -1 : less_yet(t, o, t->near, hi);
}

/* What there is of the next memory, where the chip has what is named: the
 * limit, whatever the program of the last try. */
static int64_t left_within(const Tiler *t, const PlanOpts *o)
{
    return o->limit[t->next] >= 0 ? o->limit[t->next] : next_left(t, o);
}

/* What is named is enough; a unit less is not.  -1: of that memory there is
 * enough.  `left`: of the next one. */
_Noreturn static void refuse(Tiler *t, const PlanOpts *o, int64_t near,
                             int64_t next, int64_t left)
{
    Str needs = {.mem = t->p->mem};

    set_rooms(t, o);
    if (near >= 0)
        say_need(t->p, t->near, "buffers", near, near_left(t, o), &needs);
    if (next >= 0)
        say_need(t->p, t->next, "buffers", next, left, &needs);
    no_room(t->p, needs.s);
}

/* Of the nearest memory, with all there is of the next; and of that, then. */
static bool find_both(Tiler *t, const PlanOpts *o, int64_t *near,
                      int64_t *next)
{
    PlanOpts more = *o;

    more.limit[t->next] = -1;
    *near = least_near_of(t, &more);
    more.limit[t->near] = *near;
    *next = *near < 0 ? -1 : least_next_of(t, &more);
    return *next >= 0;
}

/* A plan with the least of both memories, or of one (-1: what there is of the
 * other). */
static bool try_least(Tiler *t, const PlanOpts *o, int64_t near, int64_t next)
{
    PlanOpts less = *o;

    if (near >= 0)
        less.limit[t->near] = near;
    if (next >= 0)
        less.limit[t->next] = next;
    return try_lean(t, &less) || try_quick(t, &less);
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
 * next memory is as large as its limit. */
static int64_t least_grown(Tiler *t, const PlanOpts *o)
{
    Mem *m = &t->p->soc->mems[t->next];
    int64_t has = m->size, least = INT64_MAX, sums = INT64_MAX, sum;
    PlanOpts free = *o;
    Means how;

    free.limit[t->next] = -1;
    m->size += MOST_MORE;
    for (how = 0; how < NMEANS; how++) {
        sum = is_least(how) ? least_sum(t, &free, how) : INT64_MAX;
        if (sum > t->p->room[t->next])
            continue;
        least = MIN(least, sum + t->p->consts[t->next]);
        sums = MIN(sums, sum);
    }
    t->grows = sums;
    least = sums == INT64_MAX ? -1 :
            least_plan(t, o, t->next, MAX(least, whole_units(has)),
                       has + MOST_MORE);
    least = least < 0 ? -1 : less_yet(t, o, t->next, least);
    t->grows = 0;
    m->size = has;
    set_rooms(t, o);
    return least < 0 ? -1 : next_left(t, o) + beyond(t, o, t->next, least);
}

/* The chip itself has too little of the next memory, and maybe there is too
 * little of the nearest too. */
_Noreturn static void refuse_chip(Tiler *t, const PlanOpts *o)
{
    Mem *m = &t->p->soc->mems[t->next];
    int64_t next = least_grown(t, o), near = -1;
    PlanOpts more = *o;

    if (next < 0) {
        more.limit[t->next] = -1;
        m->size += MOST_MORE;
        near = least_near_of(t, &more);
        m->size -= MOST_MORE;
        more = *o;
        more.limit[t->near] = near;
        next = near < 0 ? -1 : least_grown(t, &more);
    }
    set_rooms(t, o);
    refuse(t, o, near, next, next_left(t, o));
}

void make_least(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    int64_t next, near = -1;

    if (try_inner(t, o) || try_ends(t, o) || try_lean(t, o))
        return;
    next = least_next_of(t, o);
    if (has_least(o, t->next, next) && try_least(t, o, near, next))
        return;
    if (next < 0)
        near = least_near_of(t, o);
    if (has_least(o, t->near, near) && try_least(t, o, near, next))
        return;
    if (next >= 0 || near >= 0 || find_both(t, o, &near, &next))
        refuse(t, o, near, next, left_within(t, o));
    start_over(t, CHAIN_none);
    if (t->outer < 0)
        place_consts_home(p, o);
    refuse_chip(t, o);
}

/* Bytes of the next memory that a plan takes: buffers, constants, steps. */
static int64_t next_used(const Tiler *t)
{
    const Plan *p = t->p;

    return p->used[t->next] + p->consts[t->next] +
           program_bytes(p->program);
}

/* Means and a size of the next memory, and what a plan takes of it then. */
typedef struct Small {
    bool any;
    Means how;
    int64_t limit, used;
} Small;

/* More room for buffers may mean fewer steps, until they alone are too much. */
static void try_sizes(Tiler *t, const PlanOpts *o, Means how, Small *best)
{
    PlanOpts less = *o;
    int64_t least = least_sum(t, o, how), room = t->p->room[t->next], used;
    int64_t konst = t->p->consts[t->next];

    for (; least <= room; least = whole_units(least + least / 2 + STRIDE)) {
        if (best->any && least + konst >= best->used)
            return;
        less.limit[t->next] = least;
        if (!try_means(t, &less, how))
            continue;
        used = next_used(t);
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
        less.limit[t->next] = best.limit;
    if (try_all(t, &less) && (!best.any || next_used(t) <= best.used))
        return true;
    return best.any && try_means(t, &less, best.how);
}
