/* What the next memory is too small for goes out to the one behind it.
 *
 * A store may be away for some works: then it lies in the outer memory alone.
 * Works that use it meanwhile bring and send its tiles through slots in the
 * next memory (emit.c); before others that use it it is fetched as a whole,
 * and written out as soon as the last has written it.  Inputs may be given, and
 * outputs wanted, out there (ends).
 *
 * Which ones: where most is missing, of what lives there the store that costs
 * the least transfers for each byte it frees; again, until everything fits.
 * Then each that is large comes back, or goes too, if that is quicker. */
#include "plan/tiling.h"

#include <string.h>

enum { SMALL = 1024 };

bool spills_to(const Tiler *t)
{
    return t->outer >= 0 && t->io &&
           t->p->soc->mems[t->outer].holds & HOLDS_buffers;
}

bool tiler_is_away(const Tiler *t, int store, int work)
{
    const Spilled *s = t->spilled[store];
    const Store *v = &t->s->store[store];

    if (!s || (work >= 0 && work < t->nwork))
        return s && s->away[work];
    return t->ends && (work < 0 ? v->in : v->out);
}

static bool lives_at(const Tiler *t, int store, int work)
{
    return t->first[store] <= work && work <= t->last[store];
}

bool spill_is_here(const Tiler *t, int store, int work, int n)
{
    int k;

    for (k = work; k < work + n; k++)
        if (lives_at(t, store, k) && !tiler_is_away(t, store, k))
            return true;
    return false;
}

int64_t spill_resident(const Tiler *t, const bool *within, int work, int n)
{
    int64_t sum = 0;
    int k;

    for (k = 0; k < t->naway; k++) {
        int i = t->away[k];

        if (!within[i] && spill_is_here(t, i, work, n))
            sum += t->s->store[i].size;
    }
    return sum;
}

/* --- which ones --- */

static void mark_streamed(Tiler *t, int work)
{
    Work *w = &t->work[work];
    int o;

    for (o = 0; o < w->noper; o++) {
        Oper *x = &w->oper[o];

        if (x->val && !x->konst)
            x->outer = tiler_is_away(t, x->store, work);
    }
    tiler_recall(t, w);
}

static bool writes(const Tiler *t, int work, int store)
{
    const Work *w = &t->work[work];
    int o;

    if (work < 0)
        return t->s->store[store].in;
    for (o = 0; o < w->noper; o++)
        if (w->oper[o].out && w->oper[o].store == store)
            return true;
    return false;
}

/* Is all of a store written at first, so that it can be moved as a whole? */
static bool is_filled(const Tiler *t, int store)
{
    const Store *s = &t->s->store[store];
    const Graph *g = t->s->g;
    int i, first = t->first[store];

    for (i = 0; i < g->nin; i++)
        if (s->in && t->s->place[g->in[i]->id].buf == store)
            return store_filled(s, g->in[i], t->s->place[g->in[i]->id]);
    for (i = 0; first >= 0 && i < t->work[first].noper; i++) {
        const Oper *x = &t->work[first].oper[i];

        if (x->out && x->store == store && t->work[first].node->op != OP_concat)
            return store_filled(s, x->val, x->place);
    }
    return false;
}

/* By work; known for one size of the nearest memory. */
static const bool *streams_of(Tiler *t)
{
    int i;

    if (t->streams && t->streams_room == t->room)
        return t->streams;
    t->streams = NEWN(t->mem, bool, t->nwork + 1);
    t->streams_room = t->room;
    for (i = 0; i < t->nwork; i++)
        t->streams[i] = tiler_streams(t, &t->work[i]);
    return t->streams;
}

/* Bytes of the next memory without which a work cannot be, if all that lives is
 * there or away; no more than `enough` matters little. */
static int64_t need_at(Tiler *t, int work, int64_t enough)
{
    Work *w = &t->work[work];
    Ways *ways = tiler_ways(t, w, (1u << w->nstore) - 1);
    int64_t live = 0, least = INT64_C(1) << 40;
    unsigned dies = tiler_dying(t, work);
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (lives_at(t, i, work) && !tiler_is_away(t, i, work))
            live += t->s->store[i].size;
    for (i = 0; i < ways->n; i++)
        if (ways->v[i].bytes <= t->room)
            least = MIN(least, ways->v[i].outer_bytes);
    for (i = 0; i < ways->n && live + least > enough; i++) {
        if (ways->v[i].bytes > t->room)
            continue;
        tiler_lag(t, w, &ways->v[i], dies);
        least = MIN(least, ways->v[i].outer_bytes - ways->v[i].saves);
    }
    return live + least;
}

/* The works around `work` at which a store may be away: those that do not use
 * it, or if `all`, in all its life, those that can have it in pieces. */
static void range_of(const Tiler *t, int store, int work, bool all,
                     const bool *can, bool *away)
{
    int first = MAX(0, t->first[store]);
    int last = MIN(t->nwork - 1, t->last[store]), k;

    memset(away, 0, (size_t)(t->nwork + 1) * sizeof *away);
    for (k = work; !all && k >= first && !work_uses(&t->work[k], store); k--)
        away[k] = true;
    for (k = work; !all && k <= last && !work_uses(&t->work[k], store); k++)
        away[k] = true;
    for (k = first; all && k <= last; k++)
        away[k] = can[k] || !work_uses(&t->work[k], store);
}

/* The cycles of its transfers, with their toll: [0] in pieces, [1] as a whole;
 * false: it cannot be moved as a whole, but must be, or is a state. */
static bool moves_of(const Tiler *t, int store, const bool *away,
                     int64_t cycles[2])
{
    int64_t size = t->s->store[store].size;
    int64_t toll = tiler_toll(t, 0, size);
    int64_t out = move_cycles(t->io, false, size, 1) + toll;
    int64_t in = move_cycles(t->io, true, size, 1) + toll;
    bool here = t->first[store] < 0 && !t->ends, fresh = here;
    int k;

    cycles[0] = cycles[1] = 0;
    for (k = MAX(0, t->first[store]); k <= t->last[store]; k++) {
        bool end = k == t->nwork;
        bool use = !end && work_uses(&t->work[k], store);
        bool write = !end && writes(t, k, store);

        if (end ? t->ends : away[k]) {
            cycles[1] += here && fresh ? out : 0;
            cycles[0] += (write ? out : 0) +
                         (use && k > t->first[store] ? in : 0);
            here = fresh = false;
        } else if (use || end) {
            cycles[1] += !here && k > t->first[store] ? in : 0;
            here = true;
            fresh |= write;
        }
    }
    return !t->s->store[store].state && (!cycles[1] || is_filled(t, store));
}

typedef struct Best {
    int store;
    double score;
    bool *away;
} Best;

static void weigh(Tiler *t, int store, int work, int64_t over, const bool *can,
                  Best *best)
{
    bool *away = NEWN(t->mem, bool, t->nwork + 1);
    int64_t size = t->s->store[store].size, cycles[2];
    double score;
    int all;

    for (all = 0; all < 2; all++) {
        if (!all && work_uses(&t->work[work], store))
            continue;
        range_of(t, store, work, all, can, away);
        if (!away[work] || !moves_of(t, store, away, cycles))
            continue;
        score = (double)(cycles[0] + cycles[1]) / (double)MIN(size, over);
        if (best->store >= 0 && score >= best->score)
            continue;
        best->store = store;
        best->score = score;
        memcpy(best->away, away, (size_t)t->nwork * sizeof *away);
    }
}

static void list_away(Tiler *t, int store)
{
    int i;

    for (i = t->naway++; i > 0 && t->away[i - 1] > store; i--)
        t->away[i] = t->away[i - 1];
    t->away[i] = store;
}

static void unlist_away(Tiler *t, int store)
{
    int i, n = 0;

    for (i = 0; i < t->naway; i++)
        if (t->away[i] != store)
            t->away[n++] = t->away[i];
    t->naway = n;
}

static void put_away(Tiler *t, int store, const bool *away)
{
    Spilled *s = t->spilled[store];
    int k;

    if (!s) {
        s = t->spilled[store] = NEW(t->mem, Spilled);
        s->away = NEWN(t->mem, bool, t->nwork + 1);
        list_away(t, store);
    }
    for (k = 0; k < t->nwork; k++)
        s->away[k] |= away[k];
    for (k = 0; k < t->nwork; k++)
        if (work_uses(&t->work[k], store))
            mark_streamed(t, k);
}

static void take_back(Tiler *t, int store)
{
    int k;

    t->spilled[store] = NULL;
    unlist_away(t, store);
    for (k = 0; k < t->nwork; k++)
        if (work_uses(&t->work[k], store))
            mark_streamed(t, k);
}

void spill_nothing(Tiler *t)
{
    while (t->naway)
        take_back(t, t->away[t->naway - 1]);
}

/* The store whose absence from a work costs the least; false: there is none. */
static bool spill_at(Tiler *t, int work, int64_t over, const bool *can)
{
    Best best = {-1, 0, NEWN(t->mem, bool, t->nwork + 1)};
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (lives_at(t, i, work) && !tiler_is_away(t, i, work) &&
            t->s->store[i].size >= SMALL)
            weigh(t, i, work, over, can, &best);
    if (best.store >= 0)
        put_away(t, best.store, best.away);
    return best.store >= 0;
}

static int neediest(Tiler *t, const int64_t *need)
{
    int i, most = 0;

    for (i = 1; i < t->nwork; i++)
        if (need[i] > need[most])
            most = i;
    return most;
}

/* The cycles of the best homes and ways, and of what is moved as a whole, which
 * they know nothing of; -1: there are none. */
static int64_t cost_of(Tiler *t, int64_t near, int64_t next)
{
    int64_t *room[2], cycles[2], sum;
    Solution sol;
    int i, k;

    for (i = 0; i < 2; i++) {
        room[i] = NEWN(t->mem, int64_t, t->nwork + 1);
        for (k = 0; k < t->nwork; k++)
            room[i][k] = i ? next : near;
    }
    sol = solve_homes(t, room[0], room[1]);
    sum = sol.cycles;
    for (k = 0; k < t->naway; k++) {
        i = t->away[k];
        if (!sol.within[i] && moves_of(t, i, t->spilled[i]->away, cycles))
            sum += cycles[1];
    }
    return sol.found ? sum : -1;
}

/* Lets a store stay, or go, if all together then takes no longer. */
static void try_other(Tiler *t, int store, int64_t near, int64_t next,
                      int64_t *cost)
{
    Spilled *was = t->spilled[store];
    bool *away = NEWN(t->mem, bool, t->nwork + 1);
    int64_t now, cycles[2];

    if (was) {
        take_back(t, store);
    } else {
        range_of(t, store, MAX(0, t->first[store]), true, streams_of(t), away);
        if (!moves_of(t, store, away, cycles))
            return;
        put_away(t, store, away);
    }
    now = cost_of(t, near, next);
    if (now >= 0 && (was ? now <= *cost : now < *cost)) {
        *cost = now;
        return;
    }
    take_back(t, store);
    if (was)
        put_away(t, store, was->away);
}

/* The largest first: they are moved the longest, and free the most. */
static void improve(Tiler *t, int64_t near, int64_t next, int64_t cost)
{
    bool *tried = NEWN(t->mem, bool, t->s->nstore + 1);
    int i, most;

    for (;;) {
        const Store *v = t->s->store;

        for (i = 0, most = -1; i < t->s->nstore; i++)
            if (!tried[i] && !v[i].konst && t->first[i] < t->nwork &&
                v[i].size >= MAX(SMALL, next / 16) &&
                (most < 0 || v[i].size > v[most].size))
                most = i;
        if (most < 0)
            return;
        tried[most] = true;
        if (t->care > 1 || t->spilled[most])
            try_other(t, most, near, next, &cost);
    }
}

/* Inputs that nobody reads. */
static void put_unread(Tiler *t)
{
    const bool *away = NEWN(t->mem, bool, t->nwork + 1);
    int i;

    for (i = 0; t->ends && i < t->s->nstore; i++)
        if (t->s->store[i].in && t->last[i] < 0)
            put_away(t, i, away);
}

bool spill_stores(Tiler *t, int64_t near, int64_t next)
{
    int64_t *need = NEWN(t->mem, int64_t, t->nwork + 1), cost;
    const bool *can = streams_of(t);
    int i, k;

    put_unread(t);
    for (;;) {
        for (i = 0; i < t->nwork; i++)
            need[i] = need_at(t, i, next);
        k = neediest(t, need);
        if (need[k] <= next)
            break;
        if (!spill_at(t, k, need[k] - next, can))
            return false;
    }
    cost = cost_of(t, near, next);
    if (cost >= 0 && t->care > 0)
        improve(t, near, next, cost);
    return cost >= 0;
}

static bool is_ever(const bool *away, int n)
{
    int k;

    for (k = 0; k < n && !away[k]; k++)
        ;
    return k < n;
}

void spill_all(Tiler *t)
{
    const bool *can = streams_of(t);
    bool *away = NEWN(t->mem, bool, t->nwork + 1);
    int64_t cycles[2];
    int i;

    put_unread(t);
    for (i = 0; i < t->s->nstore; i++) {
        if (t->s->store[i].konst || t->last[i] < 0)
            continue;
        range_of(t, i, MAX(0, t->first[i]), true, can, away);
        if (!is_ever(away, t->nwork) || !moves_of(t, i, away, cycles))
            continue;
        put_away(t, i, away);
        if (is_filled(t, i)) {
            t->spilled[i]->may = NEWN(t->mem, bool, t->nwork + 1);
            memcpy(t->spilled[i]->may, away, (size_t)t->nwork * sizeof *away);
        }
    }
}

unsigned spill_may_stay(const Tiler *t, int work)
{
    const Work *w = &t->work[work];
    unsigned set = 0;
    int i;

    for (i = 0; i < w->nstore; i++) {
        const Spilled *s = t->spilled[w->store[i]];

        set |= (unsigned)(s && s->may && s->may[work]) << i;
    }
    return set;
}

void spill_stay(Tiler *t, int work, unsigned stay)
{
    unsigned may = spill_may_stay(t, work);
    int i;

    for (i = 0; i < t->work[work].nstore; i++)
        if (may >> i & 1)
            t->spilled[t->work[work].store[i]]->away[work] = !(stay >> i & 1);
    mark_streamed(t, work);
}

void spill_far(Tiler *t, const unsigned char *far)
{
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (t->spilled[i] && t->last[i] >= 0 &&
            (!far[i] || !is_ever(t->spilled[i]->away, t->nwork)))
            take_back(t, i);
}

/* --- buffers and steps --- */

void spill_bufs(Tiler *t, const int *buf)
{
    int k;

    for (k = 0; k < t->naway; k++) {
        int i = t->away[k];
        Spilled *s = t->spilled[i];
        const Store *v = &t->s->store[i];

        s->own = s->home = buf[i];
        s->buf = s->token = -1;
        s->ready = 0;
        if (s->home < 0) /* it is within a chain */
            continue;
        if (!t->ends && (v->in || v->out))
            s->home = plan_add_buf(t->p, (Buf){
                .kind = BUF_temp, .size = v->size, .align = 8, .val = v->val,
                .name = arena_fmt(t->mem, "%s outside", v->val->name),
            });
        t->p->buf[s->home].mem = t->outer;
        if (v->in && !t->ends)
            s->buf = s->own;
    }
}

static Step step_of(const Tiler *t, int work, StepKind kind, int token)
{
    const Work *w = &t->work[MAX(0, MIN(work, t->nwork - 1))];

    return (Step){.kind = kind, .engine = ENG_io, .token = token,
                  .layer = (int)(w - t->work), .node = w->node,
                  .part = w->part, .tmp = {-1, 0}};
}

void spill_move(Tiler *t, int work, int *token, Move m)
{
    Step s = step_of(t, work, STEP_start, (*token)++);

    s.move = m;
    plan_add_step(t->p, s);
}

void spill_wait(Tiler *t, int work, int token)
{
    plan_add_step(t->p, step_of(t, work, STEP_wait, token));
}

static void settle(Tiler *t, int work, Spilled *s)
{
    if (s->token < 0)
        return;
    spill_wait(t, work, s->token);
    s->token = -1;
    s->ready = t->p->nstep;
}

/* Room for one more transfer out. */
static void settle_oldest(Tiler *t, int work)
{
    Spilled *oldest = NULL;
    int i, n = 0;

    for (i = 0; i < t->naway; i++) {
        Spilled *s = t->spilled[t->away[i]];

        if (s->token < 0)
            continue;
        n++;
        if (!oldest || s->token < oldest->token)
            oldest = s;
    }
    if (n == SPILL_QUEUE - OUT_SLOTS)
        settle(t, work, oldest);
}

static Move whole(Ref from, Ref to, int64_t size)
{
    return (Move){from, to, size, 1, size, size};
}

/* Is it away before it is written again? */
static bool leaves(const Tiler *t, int store, int work)
{
    int k;

    for (k = work + 1; k <= t->last[store]; k++) {
        if (tiler_is_away(t, store, k))
            return true;
        if (k < t->nwork && writes(t, k, store))
            return false;
    }
    return false;
}

static bool is_away_later(const Tiler *t, int store, int work)
{
    int k;

    for (k = work + 1; k <= t->nwork; k++)
        if (tiler_is_away(t, store, k))
            return true;
    return false;
}

static void bring_back(Tiler *t, int store, int work)
{
    Spilled *s = t->spilled[store];
    const Store *v = &t->s->store[store];

    s->buf = s->own;
    if (!v->out || is_away_later(t, store, work))
        s->buf = plan_add_buf(t->p, (Buf){
            .kind = BUF_temp, .mem = t->next, .size = v->size, .align = 8,
            .name = arena_fmt(t->mem, "%s back", v->val->name),
        });
    if (work <= t->first[store])
        return;
    t->p->buf[s->buf].size = 0; /* until it has a place */
    t->p->buf[s->buf].align = 8;
    add_fetch(t, (Fetch){.work = MIN(work, t->nwork - 1), .buf = s->buf,
                         .from = {s->home, 0}, .bytes = v->size, .rows = 1,
                         .stride = v->size, .after = s->ready});
}

/* It is away from now on. */
static void forget(Tiler *t, int work, Spilled *s)
{
    settle(t, work, s);
    s->buf = -1;
}

/* Does one of n works have it whole? */
static bool wants(const Tiler *t, int store, int work, int n)
{
    int k;

    for (k = work; k < work + n; k++)
        if (k == t->nwork || (work_uses(&t->work[k], store) &&
                              !tiler_is_away(t, store, k)))
            return true;
    return false;
}

void spill_enter(Tiler *t, int work, int n)
{
    int k;

    for (k = 0; k < t->naway; k++) {
        int i = t->away[k];
        Spilled *s = t->spilled[i];

        if (s->home < 0 || t->first[i] >= work + n || t->last[i] < work)
            continue;
        if (!spill_is_here(t, i, work, n))
            forget(t, work, s);
        else if (s->buf < 0 && wants(t, i, work, n))
            bring_back(t, i, work);
    }
}

void spill_leave(Tiler *t, int work, int *token)
{
    int k;

    for (k = 0; k < t->naway; k++) {
        int i = t->away[k];
        Spilled *s = t->spilled[i];

        if (s->home < 0)
            continue;
        if (!writes(t, work, i)) {
            if (tiler_is_away(t, i, work)) /* and was not at a chain's begin */
                forget(t, work, s);
        } else if (tiler_is_away(t, i, work)) {
            s->ready = t->p->nstep;
        } else if (leaves(t, i, work)) {
            settle_oldest(t, work);
            s->token = *token;
            spill_move(t, work, token, whole((Ref){s->buf, 0},
                                             (Ref){s->home, 0},
                                             t->s->store[i].size));
        }
    }
}
