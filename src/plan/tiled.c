/* A plan for a chip with DMA: homes and tiles, steps, addresses, in turn until
 * the addresses fit.  Where a packing is higher than its memory, the layers
 * that live at its top get less room, and homes and tiles are chosen anew.
 *
 * Constants lie in the next memory if they all may; else those that are not
 * small lie behind it, but for as many as there is room for at all times. */
#include "plan/tiling.h"

#include <string.h>

enum { ROUNDS = 16, LEAN_ROUNDS = 4, SMALL = 512, STEP_BYTES = 15,
       LOOSE = 4096, SLACK = 512, LEAST_CHUNK = 4096, UNIT = 8, PATIENCE = 4,
       SPILL_PARTS = 16, SPILL_CHUNK = 49152 };

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

typedef struct Rooms {
    int64_t *near, *next; /* by work */
} Rooms;

static Rooms new_rooms(Tiler *t, int64_t near, int64_t next)
{
    Rooms r = {NEWN(t->mem, int64_t, t->nwork + 1),
               NEWN(t->mem, int64_t, t->nwork + 1)};
    int i;

    for (i = 0; i < t->nwork; i++) {
        r.near[i] = t->cap ? MIN(near, t->cap[i]) : near;
        r.next[i] = next;
    }
    return r;
}

static void forget_chains(Tiler *t)
{
    int i;

    for (i = 0; i < t->nwork; i++)
        chain_forget(&t->work[i]);
}

static Solution solve_rooms(Tiler *t, int64_t near, int64_t next)
{
    Rooms r = new_rooms(t, near, next);

    tiler_room(t, near);
    return solve_homes(t, r.near, r.next);
}

static bool solves(Tiler *t, int64_t near, int64_t next)
{
    return solve_rooms(t, near, next).found;
}

/* --- steps and addresses of a solution --- */

static void clear_plan(Plan *p)
{
    p->nstep = p->nlayer = p->nbuf = 0;
    p->stack = p->weights = 0;
    memset(p->consts, 0, sizeof p->consts);
}

static void set_homes(Tiler *t, const Solution *sol, const int *buf)
{
    int i;

    for (i = 0; i < t->s->nstore; i++) {
        Buf *b = buf[i] >= 0 ? &t->p->buf[buf[i]] : NULL;

        if (b && b->kind == BUF_const)
            b->mem = t->outside[i] ? t->outer : t->next;
        else if (b)
            b->mem = sol->far[i] ? t->next : t->near;
    }
}

int64_t *live_of(Tiler *t, int mem, int64_t *most)
{
    const Plan *p = t->p;
    int64_t *live = NEWN(t->mem, int64_t, t->nwork + 1);
    int *seen = NEWN(t->mem, int, t->nwork + 1), i, k;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (b->kind == BUF_const || b->mem != mem)
            continue;
        for (k = MAX(0, b->from); k < MIN(b->to, p->nstep); k++)
            if (seen[p->step[k].layer] != i + 1) {
                seen[p->step[k].layer] = i + 1;
                live[p->step[k].layer] += b->size;
            }
    }
    *most = 0;
    for (i = 0; i < t->nwork; i++)
        *most = MAX(*most, live[i]);
    return live;
}

/* Less room where more lives than fits, so that the next try is another. */
static void shrink(Tiler *t, int mem, int64_t *room, int64_t over)
{
    int64_t most, *live = live_of(t, mem, &most);
    int i;

    for (i = 0; i < t->nwork; i++)
        if (live[i] > most - over - most / 32)
            room[i] = MIN(room[i], live[i]) - MAX(over / 2, 64);
}

/* Bytes for buffers in the nearest memory, beside all stacks. */
static int64_t near_left(const Tiler *t, const PlanOpts *o)
{
    const Mem *m = &t->p->soc->mems[t->near];

    if (o->limit[t->near] >= 0)
        return o->limit[t->near];
    return m->size - MAX(m->reserved, soc_kept(t->p->soc, t->p->stack));
}

/* Memory is given out in units of so many bytes. */
static int64_t whole_units(int64_t bytes)
{
    return MAX(0, bytes) / UNIT * UNIT;
}

static int64_t near_room_of(const Tiler *t, const PlanOpts *o)
{
    return whole_units(near_left(t, o));
}

/* Bytes of the next memory beside what the program takes. */
static int64_t next_all(const Tiler *t)
{
    const Mem *m = &t->p->soc->mems[t->next];

    return m->size - m->reserved - m->program;
}

/* Room for buffers in the next memory, beside constants, code and program; less
 * than 0 where these do not fit. */
static int64_t next_left(const Tiler *t, const PlanOpts *o)
{
    int64_t room = next_all(t) - t->p->consts[t->next] - t->code;

    if (o->limit[t->next] >= 0)
        room = MIN(room, o->limit[t->next]);
    return room;
}

static int64_t next_room(const Tiler *t, const PlanOpts *o)
{
    return whole_units(next_left(t, o));
}

static int64_t stored_bytes(const Tiler *t, const Work *w)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < w->nstore; i++)
        sum += t->s->store[w->store[i]].size;
    return sum;
}

/* Ways that go through their operands once allow longer chains of layers in one
 * place; false: that was asked for already. */
static bool follow_more(Tiler *t)
{
    bool more = false;
    int i;

    for (i = 0; i < t->nwork; i++) {
        Work *w = &t->work[i];

        if (!w->follow && stored_bytes(t, w) > t->p->room[t->next] / 4)
            more = w->follow = true;
    }
    return more;
}

/* Is as much kept for the program as it takes?  If not, it is next time; nor
 * is room for fetches left that is not needed. */
static bool knows_program(Tiler *t, const PlanOpts *o)
{
    int64_t n = o->program ? o->program(t->p) : t->code;
    bool loose = !t->counted && t->nfetch && n + LOOSE < t->code;

    if (n <= t->code && !loose)
        return true;
    t->code = n + SLACK;
    t->counted = true;
    return false;
}

/* What is not fetched ahead is placed with all the rest. */
static void size_fetches(Tiler *t)
{
    Plan *p = t->p;
    int i;

    for (i = 0; i < t->nfetch; i++)
        p->buf[t->fetch[i].buf].size = t->fetch[i].bytes;
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].kind == BUF_output)
            p->buf[i].to = p->nstep + 1;
}

/* Steps and addresses of a solution; false: too high, and rooms are less. */
static bool try_solution(Tiler *t, const Solution *sol, const PlanOpts *o,
                         Rooms *r)
{
    Plan *p = t->p;
    int *buf = NEWN(t->mem, int, t->s->nstore + 1), work = 0;
    int64_t over;
    bool ok = true;

    clear_plan(p);
    plan_bufs(p, t->s, sol->within, buf);
    set_homes(t, sol, buf);
    spill_bufs(t, buf);
    if (merge_stores(t, sol, buf, r->next) > 0 && follow_more(t))
        return false;
    place_consts_home(p, o);
    emit_steps(t, sol);
    plan_lives(p);
    if (t->lean && t->nfetch)
        size_fetches(t);
    if (!t->code && t->fills && !o->program)
        t->code = STEP_BYTES * (int64_t)p->nstep;
    p->room[t->near] = near_room_of(t, o);
    p->room[t->next] = next_room(t, o);
    over = place_at_home(p, t->near) - p->room[t->near];
    if (over > 0) {
        shrink(t, t->near, r->near, over);
        ok = false;
    }
    over = (t->merged || (t->nfetch && !t->lean) ? place_groups(t, t->next)
                      : place_at_home(p, t->next)) - p->room[t->next];
    if (over > 0) {
        shrink(t, t->next, r->next, over);
        return false;
    }
    over = ok ? add_fetches(t, &work) : 0;
    if (over > 0) {
        r->next[work] -= MAX(over, 64);
        ok = false;
    }
    return ok && knows_program(t, o);
}

static void cap_rooms(const Tiler *t, int64_t *room, int64_t most)
{
    int i;

    for (i = 0; i < t->nwork; i++)
        room[i] = MIN(room[i], most);
}

/* Each plan is dropped with all that is its own when the next is tried, unless
 * it is the best. */
static bool draft_solution(Tiler *t, const Solution *sol, const PlanOpts *o,
                           Rooms *r)
{
    Arena *mem = t->mem;
    Plan *p = t->p;
    bool ok;

    if (t->draft && t->draft != t->kept)
        arena_end(t->draft);
    p->steps = mem;
    t->draft = t->mem = p->mem = arena_new();
    if (t->drafts) { /* the best has steps of its own */
        p->steps = t->draft;
        p->step = p->spare = NULL;
        p->cstep = p->cspare = 0;
    }
    ok = try_solution(t, sol, o, r);
    t->mem = p->mem = mem;
    return ok;
}

static bool try_rounds(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    Solution sol;
    Rooms r;
    int i, most = t->lean ? LEAN_ROUNDS : ROUNDS;

    p->tried++;
    t->counted = false;
    tiler_room(t, p->room[t->near]);
    r = new_rooms(t, t->room, p->room[t->next]);
    for (i = 0; i < most; i++) {
        if (t->room > p->room[t->near]) {
            tiler_room(t, p->room[t->near]);
            r = new_rooms(t, t->room, p->room[t->next]);
        }
        cap_rooms(t, r.next, p->room[t->next]);
        sol = solve_homes(t, r.near, r.next);
        if (!sol.found)
            return false;
        if (draft_solution(t, &sol, o, &r))
            break;
    }
    return i < most;
}

/* --- where constants lie --- */

void mark_opers(Tiler *t)
{
    int i, o;

    forget_chains(t);
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

    if (chunk != t->chunk)
        forget_chains(t);
    t->chunk = chunk;
    for (i = 0; i < t->nwork; i++)
        tiler_recall(t, &t->work[i]);
}

static int64_t bytes_inside(const Tiler *t)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (t->s->store[i].konst && !t->outside[i])
            sum += slot_bytes(t->s->store[i].size);
    return sum;
}

static void put_outside(Tiler *t)
{
    int i;

    for (i = 0; i < t->nwork; i++)
        t->work[i].follow = false;
    for (i = 0; i < t->s->nstore; i++)
        t->outside[i] = t->s->store[i].konst && t->s->store[i].size >= SMALL;
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

static void set_rooms(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;

    memset(p->consts, 0, sizeof p->consts);
    p->consts[t->next] = bytes_inside(t);
    p->room[t->near] = near_room_of(t, o);
    p->room[t->next] = next_room(t, o);
}

/* Is there room in the outer memory? */
static bool place_outside(Tiler *t)
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

/* The best of a few: for least energy also with less and less room for what is
 * fetched, and more for what never is. */
/* Makes ready for trials; false: nothing can lie there, or be spilled. */
static bool begin_outside(Tiler *t, const PlanOpts *o, int spill)
{
    if (t->outer < 0 || !t->io)
        return false;
    t->fills = true;
    t->spills = spill > 0;
    return !spill || spill_some(t, o, SPILL_CHUNK, spill);
}

/* The same again, of which the best is known. */
static bool again_outside(Tiler *t, const PlanOpts *o, int spill,
                          const Trial *best)
{
    return (begin_outside(t, o, spill) && try_trial(t, o, best) >= 0) ||
           try_outside(t, o, spill);
}

bool try_outside(Tiler *t, const PlanOpts *o, int spill)
{
    static const Trial trials[] = {
        {0, false, 49152, 0}, {6, false, 49152, 0}, {2, false, 49152, 0},
        {2, false, 24576, 0}, {0, false, 24576, 0}, {6, true, 49152, 0},
        {7, false, 24576, 0}, {8, false, 24576, 0}, {8, false, 12288, 0},
        {7, false, 6144, 0}, {8, false, 6144, 0},
    };
    const int n = t->toll[1] > 0 ? (int)LEN(trials) : 6;
    int64_t least = -1, now = -1, code = 0;
    Trial x;
    int i;

    if (!begin_outside(t, o, spill))
        return false;
    for (i = 0; i < n; i++) {
        x = trials[i];
        x.code = code;
        now = try_trial(t, o, &x);
        code = now >= 0 || !code ? t->code : code;
        if (now >= 0 && (least < 0 || now < least)) {
            least = now;
            t->trial = x;
        }
    }
    return least >= 0 && (now == least || try_trial(t, o, &t->trial) >= 0);
}

static void begin_anew(Tiler *t, Chains chains, bool lean)
{
    int i;

    t->chains = chains;
    tiler_lean(t, lean);
    for (i = 0; i < t->nwork; i++)
        t->work[i].follow = false;
    memset(t->outside, 0, (size_t)t->s->nstore * sizeof *t->outside);
    spill_nothing(t);
    mark_opers(t);
    t->fills = t->spills = false;
    t->code = 0;
}

void start_over(Tiler *t, Chains chains)
{
    begin_anew(t, chains, false);
}

/* With these chains of layers: the cost, or -1. */
static int64_t try_chains(Tiler *t, const PlanOpts *o, Chains chains)
{
    start_over(t, chains);
    return try_inside(t, o) || try_outside(t, o, 0) ? tiler_cost(t) : -1;
}

/* The same again, whose best plan had its constants outside, or not. */
static bool again_chains(Tiler *t, const PlanOpts *o, Chains chains,
                         bool outside, const Trial *best)
{
    start_over(t, chains);
    return outside ? again_outside(t, o, 0, best) : try_inside(t, o);
}

/* A plan is made with so much room for what is not spilled; two parts more were
 * too much: one more may take less. */
static bool spill_less(Tiler *t, const PlanOpts *o, int parts)
{
    int64_t cost = tiler_cost(t);
    Trial best = t->trial;

    return (try_outside(t, o, parts + 1) && tiler_cost(t) < cost) ||
           again_outside(t, o, parts, &best);
}

/* With less and less room, for addresses; and less and less care. */
static bool try_spilled(Tiler *t, const PlanOpts *o)
{
    int i, parts;

    for (i = 0; i < 12; i++) {
        t->care = 2 - i / 4;
        parts = SPILL_PARTS - i % 4 * 2;
        if (try_outside(t, o, parts))
            return parts == SPILL_PARTS || spill_less(t, o, parts);
    }
    return false;
}

/* Are there chains that take less, with the room that a plan has? */
static bool may_chain(Tiler *t)
{
    Rooms r = new_rooms(t, t->room, t->p->room[t->next]);
    Solution s;
    int i;

    t->chains = CHAIN_faster;
    s = solve_homes(t, r.near, r.next);
    t->chains = CHAIN_none;
    forget_chains(t);
    for (i = 0; s.found && i < t->nwork && !s.way[i]->after; i++)
        ;
    return s.found && i < t->nwork;
}

/* A plan without chains is made: with those that take less it may, too. */
static bool keep_less(Tiler *t, const PlanOpts *o, int64_t without)
{
    bool outside = t->fills;
    Trial best = t->trial;
    int64_t with;

    if (!may_chain(t))
        return true;
    with = try_chains(t, o, CHAIN_faster);
    return (with >= 0 && with < without) ||
           again_chains(t, o, CHAIN_none, outside, &best);
}

/* What does not fit may, with chains wherever they save room, or spilled. */
static bool try_all(Tiler *t, const PlanOpts *o)
{
    Chains most = o->chains ? CHAIN_always : CHAIN_all;
    int64_t with, without = o->chains ? -1 : try_chains(t, o, CHAIN_none);
    Trial best;
    bool outside;

    if (without >= 0)
        return keep_less(t, o, without);
    with = try_chains(t, o, most);
    if (with >= 0 && o->chains)
        return true;
    outside = t->fills;
    best = t->trial;
    start_over(t, CHAIN_none);
    without = spills_to(t) && try_spilled(t, o) ? tiler_cost(t) : -1;
    if (without >= 0 && (with < 0 || without <= with))
        return true;
    return with >= 0 && again_chains(t, o, most, outside, &best);
}

/* --- the least memory --- */

/* What may be done where memory is short: layers in chains, values away, with
 * constants all in the next memory or all but the small behind it. */
typedef enum Means {
    IN_homes, IN_chains, IN_spilled, OUT_homes, OUT_chains, OUT_spilled, NMEANS
} Means;

/* Makes ready for it; false: the chip cannot. */
static bool begin_lean(Tiler *t, const PlanOpts *o, Means how)
{
    bool outside = how >= OUT_homes;
    Means what = how % OUT_homes;

    begin_anew(t, what == IN_chains ? CHAIN_all : CHAIN_none, true);
    if ((outside && (t->outer < 0 || !t->io)) ||
        (what == IN_spilled && !spills_to(t)))
        return false;
    if (outside)
        put_outside(t);
    t->fills = outside;
    t->spills = what == IN_spilled;
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

static bool try_lean(Tiler *t, const PlanOpts *o)
{
    Means how;

    for (how = 0; how < NMEANS; how++)
        if (try_means(t, o, how))
            return true;
    return false;
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
    t->floats = false;
    return hi * UNIT;
}

static bool fits_lean(Tiler *t, const PlanOpts *o, int mem, int64_t bytes)
{
    PlanOpts less = *o;

    less.limit[mem] = bytes;
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
    PlanOpts less = *o;
    int64_t step = UNIT;
    bool found = true;

    while (step >= UNIT) {
        less.limit[mem] = least - step;
        if (step <= least && try_all(t, &less))
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
        sum = least_sum(t, &free, how);
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
    for (how = 0; how < NMEANS && !ok; how++) {
        ok = begin_lean(t, &less, how) &&
             solves(t, near, t->p->room[t->next]);
        t->floats = false;
    }
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

/* What is named is enough; a unit less is not. */
_Noreturn static void refuse(Tiler *t, const PlanOpts *o, int mem,
                             int64_t least)
{
    Str needs = {.mem = t->p->mem};
    int64_t has;

    set_rooms(t, o);
    has = mem == t->near ? near_left(t, o) : next_left(t, o);
    say_need(t->p, mem, "buffers", least, has, &needs);
    no_room(t->p, needs.s);
}

/* What lives at most, wherever it has its home. */
static int64_t most_alive(const Tiler *t)
{
    int64_t most = 0, sum;
    int i, k;

    for (k = 0; k < t->nwork; k++) {
        for (i = 0, sum = 0; i < t->s->nstore; i++)
            if (t->first[i] <= k && t->last[i] >= k)
                sum += t->s->store[i].size;
        most = MAX(most, sum);
    }
    return most;
}

/* Is there a plan because there is more of a memory than one needs? */
static bool has_least(Tiler *t, const PlanOpts *o, int mem, int64_t least)
{
    PlanOpts less = *o;

    set_rooms(t, o);
    if (least < 0 || least > t->p->room[mem])
        return false;
    less.limit[mem] = least;
    return try_lean(t, &less) || try_all(t, &less);
}

/* Where nothing else fits: the plan with the least memory, or none. */
static void make_least(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    int64_t next, near = -1;

    if (try_lean(t, o))
        return;
    next = least_next_of(t, o);
    if (has_least(t, o, t->next, next))
        return;
    if (next < 0)
        near = least_near_of(t, o);
    if (has_least(t, o, t->near, near))
        return;
    if (next >= 0)
        refuse(t, o, t->next, next);
    if (near >= 0)
        refuse(t, o, t->near, near);
    start_over(t, CHAIN_none);
    if (t->outer < 0)
        place_consts_home(p, o);
    p->soc->mems[t->next].size += INT64_C(1) << 30;
    next = least_next_of(t, o);
    p->soc->mems[t->next].size -= INT64_C(1) << 30;
    refuse(t, o, t->next, next);
}

/* Bytes of the next memory that a plan takes: buffers, constants, steps. */
static int64_t next_used(const Tiler *t, const PlanOpts *o)
{
    const Plan *p = t->p;

    return p->used[t->next] + p->consts[t->next] +
           (o->program ? o->program(p) : t->code);
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

    for (; least <= room; least = whole_units(least + least / 2 + LOOSE)) {
        if (best->any && least + konst >= best->used)
            return;
        less.limit[t->next] = least;
        if (!try_means(t, &less, how))
            continue;
        used = next_used(t, o);
        if (!best->any || used < best->used)
            *best = (Small){true, how, least, used};
    }
}

/* A plan with the least of the next memory; of such plans a quick one.  false:
 * there is none. */
static bool make_small(Tiler *t, const PlanOpts *o)
{
    PlanOpts less = *o;
    Small best = {0};
    Means how;

    for (how = 0; how < NMEANS; how++)
        if (how % OUT_homes != IN_chains || !spills_to(t))
            try_sizes(t, o, how, &best);
    if (best.any)
        less.limit[t->next] = best.limit;
    if (try_all(t, &less) && (!best.any || next_used(t, o) <= best.used))
        return true;
    return best.any && try_means(t, &less, best.how);
}

/* With a budget there may be more ways. */
static int64_t bound_with(Tiler *t, int64_t near, int64_t next)
{
    start_over(t, most_alive(t) <= next ? CHAIN_faster : CHAIN_all);
    tiler_effort(t, t->drafts);
    tiler_room(t, near);
    return tiler_bound(t, near, next, next_all(t));
}

void tiled_plan(Plan *p, Stores *s, const Chooser *c, const PlanOpts *o)
{
    Tiler t = {.mem = p->mem, .p = p, .s = s};
    int64_t near, next;
    bool chained = false, lean;
    int i;

    p->tiled = true;
    t.near = mem_at(p->soc, 1, HOLDS_buffers);
    t.next = mem_at(p->soc, 2, HOLDS_buffers);
    t.outer = mem_at(p->soc, 3, HOLDS_weights);
    t.dma = soc_dma(p->soc, 1, 2);
    t.io = soc_dma(p->soc, 2, 3);
    t.chooser = c;
    tiler_aim(&t);
    t.outside = NEWN(p->mem, bool, s->nstore + 1);
    tiler_works(&t);
    near = near_room_of(&t, o);
    next = next_room(&t, o);
    t.drafts = o->until > 0;
    p->least = bound_with(&t, near, next);
    p->ended = true;
    tiler_effort(&t, 0);
    if (o->aim == AIM_memory ? !make_small(&t, o) : !try_all(&t, o))
        make_least(&t, o);
    if (o->until > 0 && !t.lean && o->aim != AIM_memory)
        plan_better(&t, o);
    p->program = t.code;
    p->ram = p->used[t.near] + p->used[t.next];
    plan_cost(p);
    p->cost = tiler_cost(&t);
    for (i = 0; i < p->nlayer; i++)
        chained |= p->layer[i].after > 0;
    lean = t.lean;
    if (t.spills || chained || lean) /* the next memory is never too small */
        p->least = bound_with(&t, near, INT64_MAX / 4);
    if (lean) /* the bound is of other ways */
        p->least = MIN(p->least, p->cost);
    if (p->cost)
        p->gap = (double)(p->cost - p->least) / (double)p->cost;
}
