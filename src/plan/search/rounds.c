/* Steps and addresses of a solution, in turn until the addresses fit.  Where a
 * packing is higher than its memory, the layers that live at its top get less
 * room, and homes and tiles are chosen anew. */
#include "plan/tiling.h"

#include <string.h>

enum { ROUNDS = 16, LEAN_ROUNDS = 4, PATIENCE = 8, LOOSE = 4096, SLACK = 512 };

/* --- room --- */

Rooms new_rooms(Tiler *t, int64_t near, int64_t next)
{
    Rooms r = {NEWN(t->mem, int64_t, t->nwork + 1),
               NEWN(t->mem, int64_t, t->nwork + 1), 0};
    int i;

    for (i = 0; i < t->nwork; i++) {
        r.near[i] = t->cap ? MIN(near, t->cap[i]) : near;
        r.next[i] = next;
    }
    return r;
}

Solution solve_rooms(Tiler *t, int64_t near, int64_t next)
{
    Rooms r = new_rooms(t, near, next);

    tiler_room(t, near);
    return solve_homes(t, r.near, r.next);
}

bool solves(Tiler *t, int64_t near, int64_t next)
{
    return solve_rooms(t, near, next).found;
}

/* --- steps and addresses of a solution --- */

static void clear_plan(Plan *p)
{
    p->nstep = p->nlayer = p->nbuf = 0;
    p->stack = p->weights = 0;
    p->program = NULL;
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

int64_t near_left(const Tiler *t, const PlanOpts *o)
{
    const Mem *m = &t->p->soc->mems[t->near];

    if (o->limit[t->near] >= 0)
        return o->limit[t->near];
    return m->size - MAX(m->reserved, soc_kept(t->p->soc, t->p->stack));
}

int64_t whole_units(int64_t bytes)
{
    return MAX(0, bytes) / UNIT * UNIT;
}

int64_t near_room_of(const Tiler *t, const PlanOpts *o)
{
    return whole_units(near_left(t, o));
}

int64_t next_all(const Tiler *t)
{
    const Mem *m = &t->p->soc->mems[t->next];

    return m->size - m->reserved - m->program;
}

int64_t next_left(const Tiler *t, const PlanOpts *o)
{
    int64_t room = next_all(t) - t->p->consts[t->next] - t->code;

    if (o->limit[t->next] >= 0)
        room = MIN(room, o->limit[t->next]);
    return room;
}

int64_t next_room(const Tiler *t, const PlanOpts *o)
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
static bool knows_program(Tiler *t)
{
    int64_t n;
    bool loose;

    t->p->program = program_make(t->mem, t->p);
    n = program_bytes(t->p->program);
    loose = !t->counted && t->nfetch && n + LOOSE < t->code;
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
        if (buf_lives_on(&p->buf[i]))
            p->buf[i].to = p->nstep + 1;
}

static void cap_rooms(const Tiler *t, int64_t *room, int64_t most)
{
    int i;

    for (i = 0; i < t->nwork; i++)
        room[i] = MIN(room[i], most);
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
        if (++r->late > PATIENCE) /* nor would what is fetched next */
            cap_rooms(t, r->next, r->next[work]);
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

static int follows(const Tiler *t)
{
    int i, n = 0;

    for (i = 0; i < t->nwork; i++)
        n += t->work[i].follow;
    return n;
}

static bool draft_lean(Tiler *t, const Solution *sol, const PlanOpts *o,
                       Rooms *r)
{
    size_t n = (size_t)t->nwork * sizeof *r->near;
    int64_t *near = NEWN(t->mem, int64_t, t->nwork + 1);
    int follow = follows(t);
    uint64_t key;

    if (fails_again(t, sol, o, r, &key))
        return false;
    memcpy(near, r->near, n);
    if (draft_solution(t, sol, o, r))
        return true;
    if (!memcmp(near, r->near, n) && follow == follows(t))
        note_failed(t, r, key);
    return false;
}

bool try_rounds(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;
    Solution sol;
    Rooms r;
    int i, most = t->lean ? LEAN_ROUNDS : ROUNDS;

    progress("planning: attempt", ++p->tried, 0);
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
        if (t->lean ? draft_lean(t, &sol, o, &r)
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
    *b = (BestPlan){cost, *p, t->draft, t->chains, t->fills, t->spills,
                    b->outside, t->chunk, t->code};
    memcpy(b->outside, t->outside, (size_t)t->s->nstore);
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
    if (t->draft && t->draft != t->kept)
        arena_end(t->draft);
    *p = b->plan;
    p->tried = now.tried;
    p->spare = now.spare;
    p->cspare = now.cspare;
    b->cost = -1;
    b->plan.step = now.step;
    b->plan.cstep = now.cstep;
    t->draft = b->draft;
    t->chains = b->chains;
    t->fills = b->fills;
    t->spills = b->spills;
    t->code = b->code;
    memcpy(t->outside, b->outside, (size_t)t->s->nstore);
    set_chunk(t, b->chunk);
    return true;
}
