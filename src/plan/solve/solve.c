/* Levels of values and candidates of layers, for the least predicted time.
 *
 * Dynamic programming from the last layer to the first.  A state is which of
 * the allocations that live across a boundary have their level in L2; its
 * entries are the times from there to the end, none worse than another in time
 * and in what it asks of the layer before: room and idle transfer time for
 * loading what is early (cand.c).  Room is counted as the sum of what lives at
 * a layer, so the best entry of the first state is a lower bound for every plan
 * of these candidates; addresses are found later, and what cannot be packed
 * comes back with less room. */
#include "plan/solve/scene.h"

#include <stdlib.h>
#include <string.h>

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

/* --- one layer, or a fused group --- */

/* Room of a memory, where there is least. */
static int64_t room_of(const Scene *c, const int64_t *room)
{
    int64_t least = room[c->layer];
    int k;

    for (k = 1; k < c->n; k++)
        least = MIN(least, room[c->layer + k]);
    return least;
}

/* Operands in L2 that nobody reads later. */
static unsigned dying(const Solver *s, const Scene *c)
{
    const LayerInst *w = &s->t->layer[c->layer], *last = w + c->n - 1;
    const Oper *y = &last->oper[last->noper - 1];
    unsigned set = tiler_dying(s->t, c->layer);
    int o;

    for (o = 0; o < w->noper; o++)
        if (set >> o & 1 && !solve_is_in_l2(s, c, w->oper[o].alloc))
            set &= ~(1u << o);
    return solve_is_in_l2(s, c, y->alloc) && !y->in_l3 ? set : 0;
}

/* Is there room in L2, if need be with a result that follows an
 * operand? */
static bool has_room(const Solver *s, const Scene *c, Cand *cand, int64_t live)
{
    const LayerInst *w = &s->t->layer[c->layer];
    int64_t over = live + cand->l2_bytes - room_of(c, s->l2);
    unsigned dies;

    if (w->overlaps && cand_rereads(cand))
        return false;
    if (over <= 0)
        return true;
    dies = dying(s, c);
    if (over > tiler_overlap_most(s->t, w, cand, dies))
        return false;
    tiler_overlap(s->t, w, cand, dies);
    return over <= cand->saves;
}

static unsigned state_behind(const Solver *s, const Scene *c)
{
    const Cross *x = &s->cross[c->layer + c->n];
    unsigned set = 0;
    int i;

    for (i = 0; i < x->n; i++)
        set |= (unsigned)solve_is_in_l2(s, c, x->alloc[i]) << i;
    return set;
}

static unsigned in_l2_of(const Solver *s, const Scene *c, const int *alloc,
                         int n)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < n; i++)
        set |= (unsigned)solve_is_in_l2(s, c, alloc[i]) << i;
    return set;
}

/* The first of the layers that takes no time, counted from 0; n: none. */
static int first_instant(const Solver *s, const Scene *c)
{
    int k;

    for (k = 0; k < c->n && !(s->line && s->line->instant[c->layer + k]); k++)
        ;
    return k;
}

static Cands *cands_of(const Solver *s, const Scene *c, Fused *fused)
{
    LayerInst *w = &s->t->layer[c->layer];
    const int *alloc;
    int n;

    if (!fused)
        return tiler_cands(s->t, w, in_l2_of(s, c, w->alloc, w->nalloc));
    if (first_instant(s, c) < c->n)
        return fused_any(s->t, fused);
    alloc = fused_allocs(fused, &n);
    return fused_cands(s->t, fused, in_l2_of(s, c, alloc, n));
}

/* Cycles in which cores start what is loaded ahead. */
static int64_t starts_of(const Entry *e)
{
    return e->pre_cycles ? e->cand->pre_starts : 0;
}

/* Of a scene, for all its candidates. */
typedef struct Limits {
    int64_t room;       /* bytes of L1 that are left */
    int64_t miss;       /* cycles in which code comes in */
    int ahead;          /* layers in which what follows may be loaded, each with
                           as much time for it as the last */
} Limits;

/* What follows takes less for what of its constants is loaded meanwhile, as far
 * as the engine has time for it; what cores do more, they do while they would
 * wait, as far as they would: `more` is the rest.  (Mostly code comes in then,
 * which is not known here: a plan is thought to start for nothing what it loads
 * ahead.) */
static int64_t saved_ahead(const Solver *s, const Cand *cand, int64_t more,
                           const Entry *after, int ahead)
{
    int64_t cycles = after->pre_cycles - more;

    if (!after->pre_cycles)
        return cycles;
    return MIN(cycles, cand->slack * ahead +
                           (s->relaxed ? after->cand->pre_least : 0));
}

/* What comes after a layer that takes no time, whatever that does for it; nor
 * does a fused group with one, and what the line brings may be there before it:
 * as much more as fits then. */
static void join_instant(Solver *s, const Scene *c, State *to, Entry e,
                         const Entry *after)
{
    const int64_t *spare = &s->line->spare[c->layer];
    int64_t more = MAX(0, spare[0] - spare[first_instant(s, c)]);

    e.cycles = e.cand->energy + after->cycles - after->pre_cycles -
               (int64_t)((double)more / s->line->rate);
    add_entry(s, to, &e);
}

/* A candidate and what comes after it.  What a bound is not sure that code
 * takes, cores may wait. */
static void join(Solver *s, State *to, Entry e, const Entry *after,
                 const Limits *x)
{
    const Cand *cand = e.cand;
    int64_t turns = s->relaxed ? cand->turns : 0, idle = cand->idle + turns;
    int64_t more = s->relaxed ? MAX(x->miss, starts_of(after)) : 0;

    if (cand->bytes + after->pre_bytes > x->room)
        return;
    e.cycles = cand_cost(cand) - turns + after->cycles -
               saved_ahead(s, cand, MAX(0, more - idle), after, x->ahead);
    add_entry(s, to, &e);
    e.pre_bytes = cand->pre_bytes;
    e.pre_cycles = MIN(cand->pre_cycles,
                       cand->pre_starts + MAX(0, idle - more));
    if (e.pre_cycles)
        add_entry(s, to, &e);
}

static int64_t miss_of(const Solver *s, const Scene *c)
{
    int64_t sum = 0;
    int k;

    for (k = 0; s->miss && k < c->n; k++)
        sum += s->miss[c->layer + k];
    return sum;
}

/* Loads of products may begin several layers before theirs (ahead.c); tables
 * are better looked up where they are. */
static int layers_ahead(const Solver *s, int layer)
{
    enum { EAGER = 8 };
    const Tiler *t = s->t;

    return t->opt.eager && layer < t->q->nlayer &&
           node_macs(t->layer[layer].node) ? EAGER : 1;
}

/* Where any solution will do, so does one entry, which asks for nothing. */
static bool is_enough(const Solver *s, const State *to)
{
    return s->any && to->n;
}

static void try_levels(Solver *s, const Scene *c, Fused *fused, State *to)
{
    Entry e = {.born = c->in_l2, .stay = c->stay, .next = state_behind(s, c)};
    const State *behind = &s->cross[c->layer + c->n].state[e.next];
    Cands *cands;
    int64_t live[2];
    Limits x = {.room = room_of(c, s->l1), .miss = miss_of(s, c),
                .ahead = layers_ahead(s, c->layer + c->n)};
    bool instant = first_instant(s, c) < c->n;
    int i;

    solve_count_live(s, c, live);
    x.room -= live[0];
    if (x.room < 0)
        return;
    cands = cands_of(s, c, fused);
    for (i = 0; i < cands->n && !is_enough(s, to); i++) {
        e.cand = &cands->v[i];
        if (!has_room(s, c, &cands->v[i], live[1]))
            continue;
        for (e.entry = 0; e.entry < behind->n; e.entry++)
            if (instant)
                join_instant(s, c, to, e, &behind->v[e.entry]);
            else
                join(s, to, e, &behind->v[e.entry], &x);
    }
}

static void try_scene(Solver *s, Scene c, Fused *fused, State *to)
{
    for (c.in_l2 = 0; c.in_l2 < 1u << c.nborn; c.in_l2++)
        if (solve_allows(s, &c))
            try_levels(s, &c, fused, to);
}

/* Where there is nothing with all spilled that may be: with some that are not.
 * */
static void try_stays(Solver *s, int layer, unsigned set, State *to)
{
    unsigned may = s->t->opt.spill_optional ? spill_may_stay(s->t, layer) : 0;
    unsigned stay;
    Scene c;

    for (stay = 1; stay <= may && !to->n; stay++) {
        if (stay & ~may)
            continue;
        spill_stay(s->t, layer, stay);
        c = solve_new_scene(s, layer, set, 1);
        c.stay = stay;
        try_scene(s, c, NULL, to);
        spill_stay(s->t, layer, 0);
    }
}

/* Is there room for all that is given, or wanted, in a set of levels? */
static bool inout_fit(const Solver *s, int layer, unsigned set)
{
    const Allocs *v = s->t->q->s;
    const Cross *x = &s->cross[layer];
    int64_t sum = 0;
    int i, k;

    if (s->relaxed)
        return true;
    for (i = 0; i < v->nalloc; i++) {
        if ((layer ? !v->alloc[i].out : !v->alloc[i].in) ||
            tiler_is_spilled(s->t, i, layer ? layer : -1))
            continue;
        for (k = 0; k < x->n && x->alloc[k] != i; k++)
            ;
        if (k == x->n ? s->level[i] != IN_L1 : set >> k & 1)
            sum += v->alloc[i].size;
    }
    return sum <= s->l2[layer ? layer - 1 : 0];
}

static void solve_at(Solver *s, int layer, unsigned set)
{
    State *to = &s->cross[layer].state[set];
    Entry end = {0};
    Fused *fused;
    int n;

    if (layer == s->t->q->nlayer) {
        if (inout_fit(s, layer, set))
            add_entry(s, to, &end);
        return;
    }
    try_scene(s, solve_new_scene(s, layer, set, 1), NULL, to);
    try_stays(s, layer, set, to);
    for (n = 2; !is_enough(s, to) && (fused = tiler_fused(s->t, layer, n));
         n++)
        try_scene(s, solve_new_scene(s, layer, set, n), fused, to);
}

/* The states behind a scene, with whatever levels of what is born there. */
static void reach(Solver *s, Scene c)
{
    int64_t live[2], l1 = room_of(&c, s->l1);

    for (c.in_l2 = 0; c.in_l2 < 1u << c.nborn; c.in_l2++) {
        solve_count_live(s, &c, live);
        if (live[0] <= l1)
            s->cross[c.layer + c.n].state[state_behind(s, &c)].reached = true;
    }
}

static void reach_from(Solver *s, int layer, unsigned set)
{
    int n;

    reach(s, solve_new_scene(s, layer, set, 1));
    for (n = 2; tiler_fused(s->t, layer, n); n++)
        reach(s, solve_new_scene(s, layer, set, n));
}

/* All states that solutions may come to, from the first layer to the last, and
 * then back what comes behind them. */
static void solve_all(Solver *s)
{
    unsigned set;
    int i;

    for (set = 0; set < 1u << s->cross[0].n; set++)
        s->cross[0].state[set].reached = true;
    for (i = 0; i < s->t->q->nlayer; i++)
        for (set = 0; set < 1u << s->cross[i].n; set++)
            if (s->cross[i].state[set].reached)
                reach_from(s, i, set);
    for (i = s->t->q->nlayer; i >= 0; i--)
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

static void note_levels(const Solver *s, int layer, unsigned set,
                        unsigned char *in_l2)
{
    const Cross *x = &s->cross[layer];
    int i;

    for (i = 0; i < x->n; i++)
        in_l2[x->alloc[i]] = set >> i & 1;
}

/* The levels of allocations that cross no boundary but live there, as chosen;
 * those of a fused group's inside have none. */
static void note_local(const Solver *s, const Entry *e, const Scene *c,
                       Solution *to)
{
    int i, k;

    for (i = 0; i < c->nborn; i++)
        to->in_l2[c->born[i]] = e->born >> i & 1;
    for (k = c->layer; k < c->layer + c->n; k++)
        for (i = 0; i < s->t->layer[k].nalloc; i++) {
            int alloc = s->t->layer[k].alloc[i];

            to->within[alloc] |= fused_within(s->t, alloc, c->layer, c->n);
            to->in_l2[alloc] &= !to->within[alloc];
        }
}

/* The candidate of each layer of a fused group. */
static void note_cands(const Solver *s, const Entry *e, int layer, Solution *to)
{
    int k, n = e->cand->before;

    for (k = 0; k < n; k++) {
        Cand *w = NEW(s->t->mem, Cand);

        *w = *e->cand;
        w->before = k;
        w->after = n - k;
        to->cand[layer + k] = w;
        to->rest[layer + k] = e->cycles;
    }
    to->cand[layer + n] = e->cand;
    to->rest[layer + n] = e->cycles;
    to->ahead[layer] = e->pre_cycles > 0;
}

static void read_out(const Solver *s, unsigned set, int entry, Solution *to)
{
    const Entry *e;
    Scene c;
    int i;

    for (i = 0; i < s->t->q->nlayer; i += c.n) {
        e = &s->cross[i].state[set].v[entry];
        c = solve_new_scene(s, i, set, e->cand->before + 1);
        note_levels(s, i, set, to->in_l2);
        note_local(s, e, &c, to);
        note_cands(s, e, i, to);
        to->stay[i] = e->stay;
        set = e->next;
        entry = e->entry;
    }
    note_levels(s, s->t->q->nlayer, set, to->in_l2);
}

static Solution solve(Solver *s)
{
    Tiler *t = s->t;
    Solution to = {0};
    unsigned set, best = 0;
    int i, entry = -1;

    s->mem = arena_new();
    s->exact = true;
    solve_sort_allocs(s);
    solve_force_levels(s);
    solve_count_l2(s);
    solve_make_cross(s);
    to.in_l2 = NEWN(t->mem, unsigned char, t->q->s->nalloc + 1);
    to.within = NEWN(t->mem, bool, t->q->s->nalloc + 1);
    to.cand = NEWN(t->mem, Cand *, t->q->nlayer + 1);
    to.ahead = NEWN(t->mem, unsigned char, t->q->nlayer + 1);
    to.rest = NEWN(t->mem, int64_t, t->q->nlayer + 1);
    to.stay = NEWN(t->mem, unsigned, t->q->nlayer + 1);
    for (i = 0; i < t->q->s->nalloc; i++)
        to.in_l2[i] = s->level[i] == IN_L2;
    solve_all(s);
    for (set = 0; set < 1u << s->cross[0].n; set++) {
        const State *v = &s->cross[0].state[set];
        int k = best_entry(v);

        if (k >= 0 && inout_fit(s, 0, set) &&
            (!to.found || v->v[k].cycles < to.cycles)) {
            to.found = true;
            to.cycles = v->v[k].cycles;
            best = set;
            entry = k;
        }
    }
    to.exact = s->exact;
    to.crowded = s->crowded;
    if (to.found)
        read_out(s, best, entry, &to);
    arena_end(s->mem);
    return to;
}

Solution solve_levels(Tiler *t, const int64_t *l1, const int64_t *l2)
{
    Solver s = {.t = t, .l1 = l1, .l2 = l2};

    return solve(&s);
}

bool solve_exists(Tiler *t, const int64_t *l1, const int64_t *l2)
{
    Solver s = {.t = t, .l1 = l1, .l2 = l2, .any = true};

    return solve(&s).found;
}

Solution solve_relaxed(Tiler *t, const int64_t *l1, const int64_t *l2,
                       const int64_t *miss, const Line *line)
{
    Solver s = {.t = t, .l1 = l1, .l2 = l2, .relaxed = true,
                .miss = miss, .line = line};

    return solve(&s);
}
