/* Steps and addresses of a solution, in turn until the addresses fit.  Where a
 * packing is higher than its memory, the layers that live at its top get less
 * room, and levels and tiles are chosen anew. */
#include "plan/place/overlap.h"
#include "plan/schedule/schedule.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { ITERATIONS = 16, FEW_ITERATIONS = 4, PATIENCE = 8, LOOSE = 4096,
      SLACK = 512 };

/* --- room --- */

Rooms new_rooms(Tiler *t, int64_t l1, int64_t l2)
{
    Rooms r = {NEWN(t->mem, int64_t, t->q->nlayer + 1),
               NEWN(t->mem, int64_t, t->q->nlayer + 1), 0};
    int i;

    for (i = 0; i < t->q->nlayer; i++) {
        r.l1[i] = t->opt.cap ? MIN(l1, t->opt.cap[i]) : l1;
        r.l2[i] = l2;
    }
    return r;
}

Solution solve_rooms(Tiler *t, int64_t l1, int64_t l2)
{
    Rooms r = new_rooms(t, l1, l2);

    tiler_room(t, l1);
    return solve_levels(t, r.l1, r.l2);
}

bool solves(Tiler *t, int64_t l1, int64_t l2)
{
    Rooms r = new_rooms(t, l1, l2);

    tiler_room(t, l1);
    return solve_exists(t, r.l1, r.l2);
}

/* --- steps and addresses of a solution --- */

static void clear_plan(Plan *p)
{
    p->nstep = p->nlayer = p->nbuf = 0;
    p->stack = p->weights = 0;
    p->program = NULL;
    memset(p->consts, 0, sizeof p->consts);
}

static void set_levels(Tiler *t, const Solution *sol, const int *buf)
{
    int i;

    for (i = 0; i < t->q->s->nalloc; i++) {
        Buf *b = buf[i] >= 0 ? &t->p->buf[buf[i]] : NULL;

        if (b && b->kind == BUF_const)
            b->mem = b->val->port ? b->val->port - 1
                     : t->opt.in_l3[i] ? t->q->l3 : t->q->l2;
        else if (b)
            b->mem = sol->in_l2[i] ? t->q->l2 : t->q->l1;
    }
}

int64_t *live_of(Tiler *t, int mem, int64_t *most)
{
    const Plan *p = t->p;
    int64_t *live = NEWN(t->mem, int64_t, t->q->nlayer + 1);
    int *seen = NEWN(t->mem, int, t->q->nlayer + 1), i, k;

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
    for (i = 0; i < t->q->nlayer; i++)
        *most = MAX(*most, live[i]);
    return live;
}

/* Less room where more lives than fits, so that the next try is another. */
static void shrink(Tiler *t, int mem, int64_t *room, int64_t over)
{
    int64_t most, *live = live_of(t, mem, &most);
    int i;

    for (i = 0; i < t->q->nlayer; i++)
        if (live[i] > most - over - most / 32)
            room[i] = MIN(room[i], live[i]) - MAX(over / 2, 64);
}

static int64_t stored_bytes(const Tiler *t, const LayerInst *w)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < w->nalloc; i++)
        sum += t->q->s->alloc[w->alloc[i]].size;
    return sum;
}

/* Candidates that go through their operands once allow longer fused groups in
 * one place; false: that was asked for already. */
static bool overlap_more(Tiler *t)
{
    bool more = false;
    int i;

    for (i = 0; i < t->q->nlayer; i++) {
        LayerInst *w = &t->layer[i];

        if (!w->overlaps && stored_bytes(t, w) > t->p->room[t->q->l2] / 4)
            more = w->overlaps = true;
    }
    return more;
}

const Program *tiler_program(Tiler *t)
{
    if (t->p->program)
        return t->p->program;
    if (t->program)
        arena_end(t->program);
    t->program = arena_new();
    return t->p->program = program_make(t->program, t->p);
}

/* Is as much kept for the program as it takes?  If not, it is next time; nor
 * is room for fetches left that is not needed. */
static bool knows_program(Tiler *t)
{
    int64_t n;
    bool loose;

    n = program_bytes(tiler_program(t));
    loose = !t->a.counted && t->a.nfetch && n + LOOSE < t->opt.code;
    if (n <= t->opt.code && !loose)
        return true;
    t->opt.code = n + SLACK;
    t->a.counted = true;
    return false;
}

/* What is not fetched ahead is placed with all the rest. */
static void size_fetches(Tiler *t)
{
    Plan *p = t->p;
    int i;

    for (i = 0; i < t->a.nfetch; i++)
        p->buf[t->a.fetch[i].buf].size = t->a.fetch[i].bytes;
    for (i = 0; i < p->nbuf; i++)
        if (buf_lives_on(&p->buf[i]))
            p->buf[i].to = p->nstep + 1;
}

static void cap_rooms(const Tiler *t, int64_t *room, int64_t most)
{
    int i;

    for (i = 0; i < t->q->nlayer; i++)
        room[i] = MIN(room[i], most);
}

/* As if no step were known. */
static void forget_lives(Plan *p)
{
    int i;

    for (i = 0; i < p->nbuf; i++) {
        p->buf[i].from = INT32_MAX;
        p->buf[i].to = -1;
    }
}

/* Steps with their lives, and L1 packed: the bytes that it lacks.  Waits for
 * accelerators come late if there is room for it. */
static int64_t pack_near(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    size_t bytes = (size_t)p->nstep * sizeof *p->step;
    Arena *mem = arena_new();
    Step *step = NEWN(mem, Step, p->nstep + 1);
    Sink how = o->aim == AIM_memory || t->opt.min_memory ? SINK_near : SINK_far;
    bool any;
    int64_t over;

    if (p->nstep)
        memcpy(step, p->step, bytes);
    do {
        p->room[t->q->l1] = l1_room_of(t, o);
        p->room[t->q->l2] = l2_room(t, o);
        any = sink_waits(p, how);
        forget_lives(p);
        plan_lives(p);
        if (t->opt.min_memory && t->a.nfetch)
            size_fetches(t);
        over = pack_memory(p, t->q->l1) - p->room[t->q->l1];
        if (over > 0 && any && how != SINK_near)
            memcpy(p->step, step, bytes);
    } while (over > 0 && any && how-- != SINK_near);
    arena_end(mem);
    return over;
}

/* Steps and addresses of a solution; false: too high, and rooms are less. */
static bool try_solution(Tiler *t, const Solution *sol, const PlanOpts *o,
                         Rooms *r)
{
    Plan *p = t->p;
    int *buf = NEWN(t->mem, int, t->q->s->nalloc + 1), layer = 0;
    int64_t over;
    bool ok = true, in_groups;

    clear_plan(p);
    plan_bufs(p, t->q->s, sol->within, buf);
    set_levels(t, sol, buf);
    spill_bufs(t, buf);
    if (overlap_allocs(t, sol, buf, r->l2) > 0 && overlap_more(t))
        return false;
    pack_consts(p, o);
    if (t->opt.halves)
        halve_layers(t, sol);
    emit_steps(t, sol);
    over = pack_near(t, o);
    if (over > 0) {
        shrink(t, t->q->l1, r->l1, over);
        ok = false;
    }
    if (ok && !t->a.nfetch && !t->opt.min_memory && o->aim != AIM_memory &&
        tempo_knows(p, t->q->dma)) {
        keep_loaded(t);
        load_ahead(t);
    }
    in_groups = t->a.overlapped || (t->a.nfetch && !t->opt.min_memory);
    over = (in_groups ? place_groups(t, t->q->l2)
                      : pack_memory(p, t->q->l2)) - p->room[t->q->l2];
    if (over > 0) {
        t->k.lacked = p->room[t->q->l2] + over;
        t->k.lacked_code = t->opt.code;
        shrink(t, t->q->l2, r->l2, over);
        return false;
    }
    over = ok ? add_fetches(t, &layer) : 0;
    if (over > 0) {
        r->l2[layer] -= MAX(over, 64);
        if (++r->late > PATIENCE) /* nor would what is fetched next */
            cap_rooms(t, r->l2, r->l2[layer]);
        ok = false;
    }
    return ok && knows_program(t);
}

/* Each plan is dropped with all that is its own when the next is tried, unless
 * it is the best. */
static bool draft_solution(Tiler *t, const Solution *sol, const PlanOpts *o,
                           Rooms *r)
{
    Arena *mem = t->mem;
    Plan *p = t->p;
    bool ok;

    if (t->draft && t->draft != t->best_draft)
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

static int count_overlaps(const Tiler *t)
{
    int i, n = 0;

    for (i = 0; i < t->q->nlayer; i++)
        n += t->layer[i].overlaps;
    return n;
}

static bool draft_min_memory(Tiler *t, const Solution *sol, const PlanOpts *o,
                             Rooms *r)
{
    size_t n = (size_t)t->q->nlayer * sizeof *r->l1;
    int64_t *l1 = NEWN(t->mem, int64_t, t->q->nlayer + 1);
    int overlaps = count_overlaps(t);
    uint64_t key;

    if (known_infeasible(t, sol, o, r, &key))
        return false;
    memcpy(l1, r->l1, n);
    if (draft_solution(t, sol, o, r))
        return true;
    if (!memcmp(l1, r->l1, n) && overlaps == count_overlaps(t))
        note_infeasible(t, r, key);
    return false;
}

bool try_placement(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    Solution sol;
    Rooms r;
    int i, most = t->opt.min_memory ? FEW_ITERATIONS : ITERATIONS;

    if (tried_enough(t))
        return false;
    progress("planning: attempt", ++p->tried, 0);
    t->a.counted = false;
    tiler_room(t, p->room[t->q->l1]);
    r = new_rooms(t, t->a.room, p->room[t->q->l2]);
    for (i = 0; i < most; i++) {
        if (t->a.room > p->room[t->q->l1]) {
            tiler_room(t, p->room[t->q->l1]);
            r = new_rooms(t, t->a.room, p->room[t->q->l2]);
        }
        cap_rooms(t, r.l2, p->room[t->q->l2]);
        sol = solve_levels(t, r.l1, r.l2);
        if (!sol.found)
            return false;
        t->k.crowded |= sol.crowded;
        if (t->opt.min_memory ? draft_min_memory(t, &sol, o, &r)
                    : draft_solution(t, &sol, o, &r))
            break;
    }
    return i < most;
}

/* --- the best of several --- */

/* Room for steps changes hands: the next plan has that of the one that was the
 * best before. */
void best_keep(Tiler *t, int64_t cost)
{
    BestPlan *b = &t->best;
    Plan *p = t->p, was = b->plan;

    if (b->cost >= 0 && cost >= b->cost)
        return;
    if (b->cost >= 0)
        arena_end(b->draft);
    b->cost = cost;
    b->plan = *p;
    b->draft = t->draft;
    options_copy(t, &b->opt, &t->opt);
    b->plan.program = NULL;
    t->draft = NULL;
    p->step = was.step;
    p->cstep = was.cstep;
    p->nstep = 0;
}

bool best_take(Tiler *t)
{
    BestPlan *b = &t->best;
    Plan *p = t->p, now = *p;

    if (b->cost < 0)
        return false;
    if (t->draft && t->draft != t->best_draft)
        arena_end(t->draft);
    *p = b->plan;
    p->tried = now.tried;
    p->spare = now.spare;
    p->cspare = now.cspare;
    b->cost = -1;
    b->plan.step = now.step;
    b->plan.cstep = now.cstep;
    t->draft = b->draft;
    options_copy(t, &t->opt, &b->opt);
    set_chunk(t, t->opt.chunk);
    return true;
}
