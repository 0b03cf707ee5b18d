/* Homes of values and ways of layers, for the least predicted time.
 *
 * Dynamic programming from the last layer to the first.  A state is which of
 * the stores that live across a boundary have their home in the next memory;
 * its entries are the times from there to the end, none worse than another in
 * time and in what it asks of the layer before: room and idle transfer time for
 * loading what is early (ways.c).  Room is counted as the sum of what lives
 * at a layer, so the best entry of the first state is a lower bound for every
 * plan of these ways; addresses are found later, and what cannot be packed
 * comes back with less room. */
#include "plan/tiling.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_FREE = 8, MOST_FREE = 12, MOST_ENTRIES = 16 };

/* Homes of stores: either, one for life; or for a bound, at each layer anew. */
enum { NEAR, FAR, FREE, LOOSE };

typedef struct Entry {
    int64_t cycles;      /* with the toll of ways */
    int64_t pre_bytes, pre_cycles; /* asked of the layer before */
    Way *way;
    unsigned born;      /* homes of the stores born there */
    unsigned stay;      /* stores of the layer that might be away: are not */
    unsigned next;      /* state behind the layer, and its entry there */
    int entry;
} Entry;

typedef struct State {
    bool reached;       /* some solution may come to it */
    Entry *v;
    int n;
} State;

/* Between works: the stores that live across and may have either home. */
typedef struct Cross {
    int n;
    int store[MOST_FREE];
    State *state;       /* by set */
} Cross;

typedef struct Solver {
    Tiler *t;
    Arena *mem;
    const int64_t *near, *next; /* room by work */
    bool relaxed;         /* only the time matters, which may be too little */
    const int64_t *cold;  /* by work: cycles in which its code comes in; NULL:
                             none */
    const Line *line;     /* NULL: works take their time */
    unsigned char *home;  /* by store */
    Cross *cross;         /* [i]: before work i; [nwork]: at the end */
    int *order;           /* stores by the works from which on they live, */
    int *begin;           /* and by work, from -1 on, where its own begin */
    int64_t *far, *fresh; /* by work: bytes of stores that are always far and
                             never spilled: of all that live there, and of those
                             that do from there on */
    int **spilled, *nspilled; /* by work: far stores that are, and live */
    bool exact;
} Solver;

/* --- lives --- */

/* Those of one work stay in their own order. */
static void sort_stores(Solver *s)
{
    const Tiler *t = s->t;
    int i, n = t->nwork + 3, *at = NEWN(s->mem, int, n + 1);

    s->order = NEWN(s->mem, int, t->s->nstore + 1);
    s->begin = at + 1;
    for (i = 0; i < t->s->nstore; i++)
        s->begin[t->first[i]]++;
    for (i = 1; i <= n; i++)
        at[i] += at[i - 1];
    for (i = t->s->nstore - 1; i >= 0; i--)
        s->order[--s->begin[t->first[i]]] = i;
}

static void list_spilled(Solver *s, int store, int from, int to)
{
    int k;

    for (k = from; k <= to; k++) {
        GROW(s->mem, s->spilled[k], (size_t)s->nspilled[k]);
        s->spilled[k][s->nspilled[k]++] = store;
    }
}

/* What is always far. */
static void count_far(Solver *s)
{
    const Tiler *t = s->t;
    int i, n = t->nwork + 1;

    s->far = NEWN(s->mem, int64_t, n);
    s->fresh = NEWN(s->mem, int64_t, n);
    s->spilled = NEWN(s->mem, int *, n);
    s->nspilled = NEWN(s->mem, int, n);
    for (i = 0; i < t->s->nstore; i++) {
        int from = MAX(0, t->first[i]), to = MIN(t->last[i], t->nwork - 1);
        int64_t size = t->s->store[i].size;

        if (s->home[i] != FAR || from > to)
            continue;
        if (t->spilled[i]) {
            list_spilled(s, i, from, to);
            continue;
        }
        s->fresh[from] += size;
        s->far[from] += size;
        s->far[to + 1] -= size;
    }
    for (i = 1; i < n; i++)
        s->far[i] += s->far[i - 1];
}

/* --- what crosses boundaries with either home --- */

/* From the n stores of the boundary before, those of this one. */
static int next_cross(const Solver *s, int work, int *list, int n)
{
    int i, k = 0;

    for (i = s->begin[work - 1]; i < s->begin[work]; i++)
        list[n++] = s->order[i];
    for (i = 0; i < n; i++)
        if (s->home[list[i]] == FREE && s->t->last[list[i]] >= work)
            list[k++] = list[i];
    return k;
}

typedef struct Heavy {
    int store;
    double area;        /* bytes times works */
} Heavy;

static int by_area(const void *a, const void *b)
{
    const Heavy *x = a, *y = b;

    if (x->area != y->area)
        return x->area < y->area ? 1 : -1;
    return x->store - y->store;
}

/* Of the stores that cross a boundary where too many do, those go that take the
 * most room for the longest. */
static void force_heavy(Solver *s, const int *list, int n, int most,
                        Heavy *heavy)
{
    const Tiler *t = s->t;
    int i;

    for (i = 0; i < n; i++)
        heavy[i] = (Heavy){list[i], (double)t->s->store[list[i]].size *
                                    (t->last[list[i]] - t->first[list[i]] + 1)};
    qsort(heavy, (size_t)n, sizeof *heavy, by_area);
    for (i = 0; i < n - most; i++)
        s->home[heavy[i].store] = s->relaxed ? LOOSE : FAR;
    s->exact = false;
}

static void force_homes(Solver *s)
{
    const Stores *v = s->t->s;
    int most = s->t->effort > 1 ? MOST_FREE : FEW_FREE, i, n = 0;
    int *list = NEWN(s->mem, int, v->nstore + 1);
    Heavy *heavy = NEWN(s->mem, Heavy, v->nstore + 1);

    s->home = NEWN(s->mem, unsigned char, v->nstore + 1);
    for (i = 0; i < v->nstore; i++)
        s->home[i] = v->store[i].size > s->t->room || s->t->last[i] < 0 ||
                             (s->t->spilled[i] && !s->t->floats)
                         ? FAR : FREE;
    for (i = 0; i <= s->t->nwork; i++) {
        n = next_cross(s, i, list, n);
        if (n > most)
            force_heavy(s, list, n, most, heavy);
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void make_cross(Solver *s)
{
    int *list = NEWN(s->mem, int, s->t->s->nstore + 1), i, n = 0;

    s->cross = NEWN(s->mem, Cross, s->t->nwork + 1);
    for (i = 0; i <= s->t->nwork; i++) {
        Cross *x = &s->cross[i];

        x->n = n = next_cross(s, i, list, n);
        qsort(list, (size_t)n, sizeof *list, by_number);
        memcpy(x->store, list, (size_t)n * sizeof *list);
        x->state = NEWN(s->mem, State, 1 << n);
    }
}

/* --- entries --- */

static bool covers(const Entry *a, const Entry *b)
{
    return a->cycles <= b->cycles && a->pre_bytes <= b->pre_bytes &&
           a->cycles - a->pre_cycles <= b->cycles - b->pre_cycles;
}

static void add_entry(Solver *s, State *to, const Entry *e)
{
    int i, n = 0, worst = -1;

    for (i = 0; i < to->n; i++)
        if (covers(&to->v[i], e))
            return;
    for (i = 0; i < to->n; i++)
        if (!covers(e, &to->v[i]))
            to->v[n++] = to->v[i];
    to->n = n;
    if (n == MOST_ENTRIES && !s->relaxed) {
        s->exact = false;
        for (i = 0; i < n; i++) /* what asks for nothing always stays */
            if (to->v[i].pre_bytes &&
                (worst < 0 || to->v[i].cycles > to->v[worst].cycles))
                worst = i;
        if (!e->pre_bytes || e->cycles < to->v[worst].cycles)
            to->v[worst] = *e;
        return;
    }
    GROW(s->mem, to->v, (size_t)to->n);
    to->v[to->n++] = *e;
}

/* --- one layer, or a chain of them --- */

/* Homes of all stores at n layers: those that came, and those born here. */
typedef struct Scene {
    int work, n;
    int64_t live[2];     /* bytes in either memory, but of those born here */
    unsigned came;       /* set over cross[work] */
    int nborn, born[MOST_FREE + NOPER];
    unsigned far;        /* chosen for the born */
    unsigned stay;       /* chosen of the layer's: not away */
} Scene;

static bool is_far(const Solver *s, const Scene *c, int store)
{
    const Cross *x = &s->cross[MAX(c->work, 0)];
    int i;

    if (s->home[store] < FREE)
        return s->home[store] == FAR;
    for (i = 0; i < x->n; i++)
        if (x->store[i] == store)
            return c->came >> i & 1;
    for (i = 0; i < c->nborn; i++)
        if (c->born[i] == store)
            return c->far >> i & 1;
    die("a store without a home");
}

static void add_live(const Solver *s, const Scene *c, int store, bool far,
                     int64_t live[2])
{
    if (!far || !s->t->spilled[store] ||
        spill_is_here(s->t, store, c->work, c->n))
        live[far] += s->t->s->store[store].size;
}

static void add_born(int store, Scene *c)
{
    int i;

    for (i = 0; i < c->nborn && c->born[i] != store; i++)
        ;
    if (i == c->nborn && i < (int)LEN(c->born))
        c->born[c->nborn++] = store;
}

/* Of the stores without a home for life those that the scene uses, which live
 * when it begins. */
static void list_loose(const Solver *s, Scene *c)
{
    int k, i;

    for (k = c->work; k < c->work + c->n && s->relaxed; k++)
        for (i = 0; i < s->t->work[k].nstore; i++) {
            int store = s->t->work[k].store[i];

            if (s->home[store] == LOOSE && s->t->first[store] <= c->work &&
                s->t->last[store] >= c->work &&
                !chain_within(s->t, store, c->work, c->n))
                add_born(store, c);
        }
}

static bool scene_uses(const Solver *s, const Scene *c, int store)
{
    int k;

    for (k = 0; k < c->n; k++)
        if (work_uses(&s->t->work[c->work + k], store))
            return true;
    return false;
}

/* Stores that live from work k on. */
static void list_born(const Solver *s, int k, Scene *c)
{
    int i;

    for (i = s->begin[k]; i < s->begin[k + 1]; i++) {
        int store = s->order[i], home = s->home[store];

        if (chain_within(s->t, store, c->work, c->n)) {
            if (home == FAR && !s->t->spilled[store])
                c->live[1] -= s->t->s->store[store].size;
        } else if (home == FREE ||
                   (home == LOOSE && scene_uses(s, c, store))) {
            add_born(store, c);
        }
    }
}

static void add_spilled(const Solver *s, int k, Scene *c)
{
    int i;

    for (i = 0; i < s->nspilled[k]; i++) {
        int store = s->spilled[k][i];

        if ((k == c->work || s->t->first[store] == k) &&
            !chain_within(s->t, store, c->work, c->n))
            add_live(s, c, store, true, c->live);
    }
}

static Scene new_scene(const Solver *s, int work, unsigned came, int n)
{
    Scene c = {.work = work, .n = n, .came = came};
    const Cross *x = &s->cross[work];
    int i, k;

    c.live[1] = s->far[work];
    for (i = 0; i < x->n; i++)
        add_live(s, &c, x->store[i], came >> i & 1, c.live);
    list_loose(s, &c);
    for (k = work; k < work + n; k++) {
        int old = k > work ? c.nborn : 0;

        c.live[1] += k > work ? s->fresh[k] : 0;
        add_spilled(s, k, &c);
        list_born(s, k, &c);
        if (c.nborn > old + 1)
            qsort(c.born + old, (size_t)(c.nborn - old), sizeof *c.born,
                  by_number);
    }
    return c;
}

/* Bytes that live there in either memory. */
static void count_live(const Solver *s, const Scene *c, int64_t live[2])
{
    int i;

    memcpy(live, c->live, sizeof c->live);
    for (i = 0; i < c->nborn; i++)
        if (s->home[c->born[i]] != LOOSE)
            add_live(s, c, c->born[i], c->far >> i & 1, live);
}

/* Room of a memory, where there is least. */
static int64_t room_of(const Scene *c, const int64_t *room)
{
    int64_t least = room[c->work];
    int k;

    for (k = 1; k < c->n; k++)
        least = MIN(least, room[c->work + k]);
    return least;
}

/* Operands in the next memory that nobody reads later. */
static unsigned dying(const Solver *s, const Scene *c)
{
    const Work *w = &s->t->work[c->work], *last = w + c->n - 1;
    const Oper *y = &last->oper[last->noper - 1];
    unsigned set = tiler_dying(s->t, c->work);
    int o;

    for (o = 0; o < w->noper; o++)
        if (set >> o & 1 && !is_far(s, c, w->oper[o].store))
            set &= ~(1u << o);
    return is_far(s, c, y->store) && !y->outer ? set : 0;
}

/* Is there room in the next memory, if need be with a result that follows an
 * operand? */
static bool has_room(const Solver *s, const Scene *c, Way *way, int64_t live)
{
    const Work *w = &s->t->work[c->work];
    int64_t over = live + way->outer_bytes - room_of(c, s->next);
    unsigned dies;

    if (w->follow && way_rereads(way))
        return false;
    if (over <= 0)
        return true;
    dies = dying(s, c);
    if (over > tiler_lag_most(s->t, w, way, dies))
        return false;
    tiler_lag(s->t, w, way, dies);
    return over <= way->saves;
}

static unsigned state_behind(const Solver *s, const Scene *c)
{
    const Cross *x = &s->cross[c->work + c->n];
    unsigned set = 0;
    int i;

    for (i = 0; i < x->n; i++)
        set |= (unsigned)is_far(s, c, x->store[i]) << i;
    return set;
}

static unsigned far_of(const Solver *s, const Scene *c, const int *store, int n)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < n; i++)
        set |= (unsigned)is_far(s, c, store[i]) << i;
    return set;
}

/* The first of the works that takes no time, counted from 0; n: none. */
static int first_instant(const Solver *s, const Scene *c)
{
    int k;

    for (k = 0; k < c->n && !(s->line && s->line->instant[c->work + k]); k++)
        ;
    return k;
}

static Ways *ways_of(const Solver *s, const Scene *c, Chain *chain)
{
    Work *w = &s->t->work[c->work];
    const int *store;
    int n;

    if (!chain)
        return tiler_ways(s->t, w, far_of(s, c, w->store, w->nstore));
    if (first_instant(s, c) < c->n)
        return chain_any(s->t, chain);
    store = chain_stores(chain, &n);
    return chain_ways(s->t, chain, far_of(s, c, store, n));
}

/* Cycles in which cores start what is loaded ahead. */
static int64_t starts_of(const Entry *e)
{
    return e->pre_cycles ? e->way->pre_starts : 0;
}

/* What follows takes less for what of its constants is loaded meanwhile, as far
 * as the engine has time for it; what cores do more, they do while they would
 * wait, as far as they would: `more` is the rest.  (Mostly code comes in then,
 * which is not known here: a plan is thought to start for nothing what it loads
 * ahead.) */
static int64_t saved_ahead(const Solver *s, const Way *way, int64_t more,
                           const Entry *after)
{
    int64_t cycles = after->pre_cycles - more;

    if (!after->pre_cycles)
        return cycles;
    return MIN(cycles, way->slack + (s->relaxed ? after->way->pre_least : 0));
}

/* What comes after a layer that takes no time, whatever that does for it; nor
 * does a chain with one, and what the line brings may be there before it: as
 * much more as fits then. */
static void join_instant(Solver *s, const Scene *c, State *to, Entry e,
                         const Entry *after)
{
    const int64_t *spare = &s->line->spare[c->work];
    int64_t more = MAX(0, spare[0] - spare[first_instant(s, c)]);

    e.cycles = e.way->toll + after->cycles - after->pre_cycles -
               (int64_t)((double)more / s->line->rate);
    add_entry(s, to, &e);
}

/* A way and what comes after it.  What a bound is not sure that code takes,
 * cores may wait. */
static void join(Solver *s, State *to, Entry e, const Entry *after,
                 int64_t room, int64_t cold)
{
    const Way *way = e.way;
    int64_t turns = s->relaxed ? way->turns : 0, idle = way->idle + turns;
    int64_t more = s->relaxed ? MAX(cold, starts_of(after)) : 0;

    if (way->bytes + after->pre_bytes > room)
        return;
    e.cycles = way_cost(way) - turns + after->cycles -
               saved_ahead(s, way, MAX(0, more - idle), after);
    add_entry(s, to, &e);
    e.pre_bytes = way->pre_bytes;
    e.pre_cycles = MIN(way->pre_cycles,
                       way->pre_starts + MAX(0, idle - more));
    if (e.pre_cycles)
        add_entry(s, to, &e);
}

static int64_t cold_of(const Solver *s, const Scene *c)
{
    int64_t sum = 0;
    int k;

    for (k = 0; s->cold && k < c->n; k++)
        sum += s->cold[c->work + k];
    return sum;
}

static void try_homes(Solver *s, const Scene *c, Chain *chain, State *to)
{
    Entry e = {.born = c->far, .stay = c->stay, .next = state_behind(s, c)};
    const State *behind = &s->cross[c->work + c->n].state[e.next];
    Ways *ways;
    int64_t live[2], near = room_of(c, s->near), cold = cold_of(s, c);
    bool instant = first_instant(s, c) < c->n;
    int i;

    count_live(s, c, live);
    if (live[0] > near)
        return;
    ways = ways_of(s, c, chain);
    for (i = 0; i < ways->n; i++) {
        e.way = &ways->v[i];
        for (e.entry = 0; e.entry < behind->n &&
                          has_room(s, c, e.way, live[1]); e.entry++)
            if (instant)
                join_instant(s, c, to, e, &behind->v[e.entry]);
            else
                join(s, to, e, &behind->v[e.entry], near - live[0], cold);
    }
}

static void try_scene(Solver *s, Scene c, Chain *chain, State *to)
{
    for (c.far = 0; c.far < 1u << c.nborn; c.far++)
        try_homes(s, &c, chain, to);
}

/* Where there is nothing with all away that may be: with some that are not. */
static void try_stays(Solver *s, int work, unsigned set, State *to)
{
    unsigned may = s->t->floats ? spill_may_stay(s->t, work) : 0, stay;
    Scene c;

    for (stay = 1; stay <= may && !to->n; stay++) {
        if (stay & ~may)
            continue;
        spill_stay(s->t, work, stay);
        c = new_scene(s, work, set, 1);
        c.stay = stay;
        try_scene(s, c, NULL, to);
        spill_stay(s->t, work, 0);
    }
}

/* Is there room for all that is given, or wanted, in a set of homes? */
static bool ends_fit(const Solver *s, int work, unsigned set)
{
    const Stores *v = s->t->s;
    const Cross *x = &s->cross[work];
    int64_t sum = 0;
    int i, k;

    if (s->relaxed)
        return true;
    for (i = 0; i < v->nstore; i++) {
        if ((work ? !v->store[i].out : !v->store[i].in) ||
            tiler_is_away(s->t, i, work ? work : -1))
            continue;
        for (k = 0; k < x->n && x->store[k] != i; k++)
            ;
        if (k == x->n ? s->home[i] != NEAR : set >> k & 1)
            sum += v->store[i].size;
    }
    return sum <= s->next[work ? work - 1 : 0];
}

static void solve_at(Solver *s, int work, unsigned set)
{
    State *to = &s->cross[work].state[set];
    Entry end = {0};
    Chain *chain;
    int n;

    if (work == s->t->nwork) {
        if (ends_fit(s, work, set))
            add_entry(s, to, &end);
        return;
    }
    try_scene(s, new_scene(s, work, set, 1), NULL, to);
    try_stays(s, work, set, to);
    for (n = 2; (chain = tiler_chain(s->t, work, n)); n++)
        try_scene(s, new_scene(s, work, set, n), chain, to);
}

/* The states behind a scene, with whatever homes of what is born there. */
static void reach(Solver *s, Scene c)
{
    int64_t live[2], near = room_of(&c, s->near);

    for (c.far = 0; c.far < 1u << c.nborn; c.far++) {
        count_live(s, &c, live);
        if (live[0] <= near)
            s->cross[c.work + c.n].state[state_behind(s, &c)].reached = true;
    }
}

static void reach_from(Solver *s, int work, unsigned set)
{
    int n;

    reach(s, new_scene(s, work, set, 1));
    for (n = 2; tiler_chain(s->t, work, n); n++)
        reach(s, new_scene(s, work, set, n));
}

/* All states that solutions may come to, from the first work to the last, and
 * then back what comes behind them. */
static void solve_all(Solver *s)
{
    unsigned set;
    int i;

    for (set = 0; set < 1u << s->cross[0].n; set++)
        s->cross[0].state[set].reached = true;
    for (i = 0; i < s->t->nwork; i++)
        for (set = 0; set < 1u << s->cross[i].n; set++)
            if (s->cross[i].state[set].reached)
                reach_from(s, i, set);
    for (i = s->t->nwork; i >= 0; i--)
        for (set = 0; set < 1u << s->cross[i].n; set++)
            if (s->cross[i].state[set].reached)
                solve_at(s, i, set);
}

/* --- the whole --- */

static int best_entry(const State *v)
{
    int i, best = -1;

    for (i = 0; i < v->n; i++)
        if (!v->v[i].pre_cycles &&
            (best < 0 || v->v[i].cycles < v->v[best].cycles))
            best = i;
    return best;
}

static void keep_homes(const Solver *s, int work, unsigned set,
                       unsigned char *far)
{
    const Cross *x = &s->cross[work];
    int i;

    for (i = 0; i < x->n; i++)
        far[x->store[i]] = set >> i & 1;
}

/* The homes of stores that cross no boundary but live there, as chosen; those
 * of a chain's inside have none. */
static void keep_local(const Solver *s, const Entry *e, const Scene *c,
                       Solution *to)
{
    int i, k;

    for (i = 0; i < c->nborn; i++)
        to->far[c->born[i]] = e->born >> i & 1;
    for (k = c->work; k < c->work + c->n; k++)
        for (i = 0; i < s->t->work[k].nstore; i++) {
            int store = s->t->work[k].store[i];

            to->within[store] |= chain_within(s->t, store, c->work, c->n);
            to->far[store] &= !to->within[store];
        }
}

/* The way of each work of a chain. */
static void keep_ways(const Solver *s, const Entry *e, int work, Solution *to)
{
    int k, n = e->way->before;

    for (k = 0; k < n; k++) {
        Way *w = NEW(s->t->mem, Way);

        *w = *e->way;
        w->before = k;
        w->after = n - k;
        to->way[work + k] = w;
        to->rest[work + k] = e->cycles;
    }
    to->way[work + n] = e->way;
    to->rest[work + n] = e->cycles;
    to->ahead[work] = e->pre_cycles > 0;
}

static void read_out(const Solver *s, unsigned set, int entry, Solution *to)
{
    const Entry *e;
    Scene c;
    int i;

    for (i = 0; i < s->t->nwork; i += c.n) {
        e = &s->cross[i].state[set].v[entry];
        c = new_scene(s, i, set, e->way->before + 1);
        keep_homes(s, i, set, to->far);
        keep_local(s, e, &c, to);
        keep_ways(s, e, i, to);
        to->stay[i] = e->stay;
        set = e->next;
        entry = e->entry;
    }
    keep_homes(s, s->t->nwork, set, to->far);
}

static Solution solve(Solver *s)
{
    Tiler *t = s->t;
    Solution to = {0};
    unsigned set, best = 0;
    int i, entry = -1;

    s->mem = arena_new();
    s->exact = true;
    sort_stores(s);
    force_homes(s);
    count_far(s);
    make_cross(s);
    to.far = NEWN(t->mem, unsigned char, t->s->nstore + 1);
    to.within = NEWN(t->mem, bool, t->s->nstore + 1);
    to.way = NEWN(t->mem, Way *, t->nwork + 1);
    to.ahead = NEWN(t->mem, unsigned char, t->nwork + 1);
    to.rest = NEWN(t->mem, int64_t, t->nwork + 1);
    to.stay = NEWN(t->mem, unsigned, t->nwork + 1);
    for (i = 0; i < t->s->nstore; i++)
        to.far[i] = s->home[i] == FAR;
    solve_all(s);
    for (set = 0; set < 1u << s->cross[0].n; set++) {
        const State *v = &s->cross[0].state[set];
        int k = best_entry(v);

        if (k >= 0 && ends_fit(s, 0, set) &&
            (!to.found || v->v[k].cycles < to.cycles)) {
            to.found = true;
            to.cycles = v->v[k].cycles;
            best = set;
            entry = k;
        }
    }
    to.exact = s->exact;
    if (to.found)
        read_out(s, best, entry, &to);
    arena_end(s->mem);
    return to;
}

Solution solve_homes(Tiler *t, const int64_t *near, const int64_t *next)
{
    Solver s = {.t = t, .near = near, .next = next};

    return solve(&s);
}

Solution solve_relaxed(Tiler *t, const int64_t *near, const int64_t *next,
                       const int64_t *cold, const Line *line)
{
    Solver s = {.t = t, .near = near, .next = next, .relaxed = true,
                .cold = cold, .line = line};

    return solve(&s);
}
