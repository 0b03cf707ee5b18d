/* Chains: layers that are computed together, a tile of the last at a time.
 *
 *     x -> dw -> u -> pw -> y        u = dw x;  y = pw u
 *
 * What a tile of y reads of u is a piece; the tile of dw that makes it says
 * what it reads of x, and so on.  Each such piece is in a slot from the kernel
 * that makes it to the one that reads it: u is never whole and has no home.
 * What two tiles both read of u is made twice, or kept: the last rows in the
 * slot become the first ones, by way of the next memory, for there is no
 * transfer within the nearest.  What lies in the outer memory while a chain is
 * computed comes and goes in pieces, too, through slots in the next. */
#include "plan/tile/cut.h"

#include <string.h>

/* PROGRAM_CODE: bytes of the program between two kernels.  FAVOUR: how much
 * quicker chains seem where they are wanted for their own sake, by tests. */
enum { PROGRAM_CODE = 500, FAVOUR = 4 };

/* --- which works --- */

static const Oper *result(const Work *w)
{
    return &w->oper[w->noper - 1];
}

int chain_link(const Work *w, const Work *before)
{
    int o, found = -1;

    for (o = 0; o + 1 < w->noper; o++)
        if (w->oper[o].val && w->oper[o].store == result(before)->store)
            found = found < 0 ? o : NOPER;
    return found < NOPER ? found : -1;
}

static bool may_join(const Work *w)
{
    return w->node->nres == 1 && w->node->op != OP_concat && !w->shared;
}

/* Is the result of work k whole what the next work, and it alone, reads? */
static bool links(const Tiler *t, int k)
{
    const Work *w = &t->work[k], *v = w + 1;
    const Store *s;
    int o;

    if (k + 1 >= t->nwork || !may_join(w) || !may_join(v))
        return false;
    o = chain_link(v, w);
    if (o < 0)
        return false;
    s = &t->s->store[result(w)->store];
    return !s->in && !s->out &&
           store_filled(s, result(w)->val, result(w)->place) &&
           store_filled(s, v->oper[o].val, v->oper[o].place) &&
           t->first[result(w)->store] == k &&
           t->last[result(w)->store] == k + 1;
}

bool chain_within(const Tiler *t, int store, int first, int n)
{
    return n > 1 && t->first[store] >= first &&
           t->last[store] < first + n && t->first[store] < t->last[store];
}

static bool add_store(Chain *c, int store)
{
    int i;

    for (i = 0; i < c->nstore && c->store[i] != store; i++)
        ;
    if (i == MOST_STORES)
        return false;
    c->store[i] = store;
    c->nstore = MAX(c->nstore, i + 1);
    return true;
}

static Chain *new_chain(Tiler *t, int first, int n)
{
    Chain *c = NEW(t->mem, Chain);
    int k, i;

    c->first = first;
    c->n = n;
    for (k = first; k < first + n; k++)
        for (i = 0; i < t->work[k].nstore; i++)
            if (!chain_within(t, t->work[k].store[i], first, n) &&
                !add_store(c, t->work[k].store[i]))
                return NULL;
    return c;
}

Chain *tiler_chain(Tiler *t, int first, int n)
{
    Work *w = &t->work[first];
    int k;

    if (t->chains == CHAIN_none || n > MOST_CHAIN)
        return NULL;
    if (!w->chain) {
        w->chain = NEWN(t->mem, Chain *, MOST_CHAIN + 1);
        for (k = 2; k <= MOST_CHAIN && links(t, first + k - 2); k++)
            w->chain[k] = new_chain(t, first, k);
    }
    return w->chain[n];
}

const int *chain_stores(const Chain *c, int *n)
{
    *n = c->nstore;
    return c->store;
}

/* --- ways --- */

/* Which operands of work m have slots that transfers fill or empty, and which
 * have slots at all. */
static unsigned staged_set(const Tiler *t, const Chain *c, int m, unsigned far,
                           unsigned *apart)
{
    const Work *w = &t->work[c->first + m];
    unsigned set = 0;
    int o, i;

    *apart = 0;
    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || oper_rides(&w->oper[o]))
            continue;
        for (i = 0; i < c->nstore && c->store[i] != w->oper[o].store; i++)
            ;
        if (w->oper[o].konst || (i < c->nstore && far >> i & 1))
            set |= 1u << o;
        else if (i == c->nstore)
            *apart |= 1u << o;
    }
    *apart |= set;
    return set;
}

typedef struct Timing {
    const Tiler *t;
    const Chain *c;
    const Cut *g;
    unsigned staged[MOST_CHAIN];
    Pipe p;
    int64_t ready[MOST_CHAIN]; /* when a tile's data is there, by work; 0: it
                                  was */
    int64_t kept[MOST_CHAIN]; /* and what is kept of the tile before */
    CodeCache *code;    /* with the program, */
    CodeCache *own;     /* with nothing but kernels */
    int64_t moving;     /* cycles of starts, since the last kernel or wait */
    int64_t turns;      /* cycles for code that only the first of them asks */
    int64_t moved[2];   /* bytes, by ENG_dma and ENG_io */
} Timing;

/* Does operand o of work m come from or go to the outer memory? */
static bool streams(const Timing *x, int m, int o)
{
    return x->staged[m] >> o & 1 &&
           oper_streams(&x->t->work[x->c->first + m].oper[o]);
}

/* Is it another tile of the same kind along an axis, where these differ? */
static bool differs(unsigned dep, int axis, int i, int was, bool same)
{
    return i != was && same && dep >> axis & 1;
}

/* Has work m another piece of operand o than for the tile before?  Than for
 * none, always. */
static bool changes(const Cut *g, int m, int o, const int i[NCUT],
                    const int *was)
{
    int last = g->count[CUT_channel] - 1, r = i[CUT_row], n = i[CUT_channel];
    unsigned dep = g->dep[m][o];

    return !was ||
           !piece_same(cut_kinds(g, i)[m]->piece[o],
                       cut_kinds(g, was)[m]->piece[o]) ||
           differs(dep, CUT_row, r, was[CUT_row],
                   cut_row(g, r) == cut_row(g, was[CUT_row])) ||
           differs(dep, CUT_channel, n, was[CUT_channel],
                   (n == last) == (was[CUT_channel] == last));
}

static void load_piece(Timing *x, const Kind *k, int m, int o)
{
    const Oper *v = &x->t->work[x->c->first + m].oper[o];
    int64_t bytes = piece_bytes(k->piece[o]);

    if (streams(x, m, o)) {
        pipe_bring(k->outer[o], &x->p);
        x->moving += MOVE_CYCLES;
        x->moved[1] += bytes;
    }
    pipe_load(x->t, k->move[o], oper_early(v, x->c->first), &x->p);
    x->moving += MOVE_CYCLES;
    x->moved[0] += bytes;
}

static void load_tile(Timing *x, const int i[NCUT], const int *was)
{
    Kind *const *k = cut_kinds(x->g, i);
    int m, o;

    for (m = 0; m < x->c->n; m++) {
        const Work *w = &x->t->work[x->c->first + m];

        x->p.ready = 0;
        for (o = 0; o + 1 < w->noper; o++)
            if (x->staged[m] >> o & 1 && changes(x->g, m, o, i, was))
                load_piece(x, k[m], m, o);
        x->ready[m] = x->p.ready;
    }
}

static void wait_until(Timing *x, int64_t then)
{
    pipe_wait(then, &x->p);
    if (then)
        x->moving = 0;
}

/* The first of the works with the same kernel. */
static int unit_of(Kind *const *k, int m)
{
    int i;

    for (i = 0; k[i]->kern != k[m]->kern; i++)
        ;
    return i;
}

/* As if all kernels had just been called. */
static void begin_own(Timing *x, Kind *const *k)
{
    int m;

    for (m = 0; m < x->c->n; m++) {
        code_cold(x->own, m, 0);
        x->own->there[unit_of(k, m)] =
            MIN((double)k[m]->code.bytes, 0.9 * x->own->size);
    }
}

/* Kernels take turns: what one throws out of the cache must come in again; the
 * first time counts no more than for layers one by one.  Core 0 starts
 * transfers meanwhile. */
static void call_kernel(Timing *x, Kind *const *k, int m, bool again)
{
    int unit = unit_of(k, m);
    int64_t call = code_cold(x->code, MOST_CHAIN, PROGRAM_CODE);
    int64_t cold = kern_cold(x->code, unit, k[m]->code), least = 0;

    if (again) {
        least = MAX(0, kern_cold(x->own, unit, k[m]->code) - x->moving);
        cold = MAX(least, call + MAX(0, cold - x->moving));
        x->turns += cold - least;
        x->p.core += cold;
    }
    x->p.core += CALL_CYCLES + k[m]->cycles;
    x->moving = 0;
}

/* What is kept for work m, if anything, goes out; some of it may have come from
 * the tile before; */
static int64_t put_by(Timing *x, int m, const Kind *next)
{
    if (!next->kept)
        return 0;
    wait_until(x, x->kept[m]);
    x->kept[m] = 0;
    x->moved[0] += next->kept;
    x->moving += MOVE_CYCLES;
    return pipe_store(x->t, move_cycles(x->t->dma, false, next->kept, 1),
                      &x->p);
}

/* and comes back for the next tile. */
static int64_t take_up(Timing *x, const Kind *next, int64_t out)
{
    if (!out)
        return 0;
    wait_until(x, out);
    x->moved[0] += next->kept;
    x->moving += MOVE_CYCLES;
    pipe_load(x->t, move_cycles(x->t->dma, true, next->kept, 1), false, &x->p);
    return x->p.ready;
}

/* next: the tile behind; NULL: none. */
static void run_tile(Timing *x, const int i[NCUT], const int *was,
                     const int *next, const int64_t *ready, int64_t stored)
{
    Kind *const *k = cut_kinds(x->g, i), *const *n;
    int64_t out = 0;
    int m, last = x->c->n - 1;

    n = next ? cut_kinds(x->g, next) : NULL;
    for (m = 0; m <= last; m++) {
        int y = x->t->work[x->c->first + m].noper - 1;
        int64_t then = MAX(ready[m], m < last ? 0 : stored);

        wait_until(x, MAX(then, x->kept[m]));
        x->kept[m] = 0;
        if (m == last || changes(x->g, m, y, i, was))
            call_kernel(x, k, m, was != NULL);
        then = n && m < last && changes(x->g, m, y, next, i)
                   ? put_by(x, m + 1, n[m + 1]) : 0;
        x->kept[m] = n ? take_up(x, n[m], out) : 0;
        out = then;
    }
}

static int64_t store_tile(Timing *x, const int i[NCUT])
{
    int m = x->c->n - 1, y = x->t->work[x->c->first + m].noper - 1;
    const Kind *k = cut_kinds(x->g, i)[m];
    int64_t there;

    if (!(x->staged[m] >> y & 1))
        return 0;
    x->moved[0] += piece_bytes(k->piece[y]);
    there = pipe_store(x->t, k->move[y], &x->p);
    if (streams(x, m, y)) {
        x->moved[1] += piece_bytes(k->piece[y]);
        pipe_send(k->outer[y], &x->p);
    }
    return there;
}

/* As run_pipe in tile.c, of all works. */
static void run_chain(Timing *x, Way *way)
{
    int64_t stored[2] = {0, 0}, ready[MOST_CHAIN];
    int i[NCUT], was[NCUT], next[NCUT], n, tiles = way_tiles(way);
    bool twice = way->depth > 1;
    Arena *mem = arena_new();

    x->p = (Pipe){0};
    x->moving = x->turns = x->moved[0] = x->moved[1] = 0;
    memset(x->kept, 0, sizeof x->kept);
    x->code = code_cache(mem, x->t->p->soc);
    x->own = code_cache(mem, x->t->p->soc);
    way_index(way, 0, i);
    begin_own(x, cut_kinds(x->g, i));
    load_tile(x, i, NULL);
    pipe_before(x->t, &x->p, way);
    for (n = 0; n < tiles; n++) {
        way_index(way, n + 1, next);
        memcpy(ready, x->ready, sizeof ready);
        if (twice && n + 1 < tiles)
            load_tile(x, next, i);
        run_tile(x, i, n ? was : NULL, n + 1 < tiles ? next : NULL, ready,
                 stored[n % way->depth]);
        stored[n % way->depth] = store_tile(x, i);
        if (!twice && n + 1 < tiles)
            load_tile(x, next, i);
        memcpy(was, i, sizeof i);
        memcpy(i, next, sizeof i);
    }
    wait_until(x, MAX(stored[0], stored[1]));
    way->cycles = MAX(x->p.core, x->p.io);
    way->toll = tiler_toll(x->t, x->moved[0], x->moved[1]);
    way->turns = x->turns;
    way->idle = x->p.idle;
    way->slack = MAX(0, way->cycles - x->p.loading);
    arena_end(mem);
}

static void time_chain(Tiler *t, Timing *x, Cut *g, unsigned far,
                       unsigned outer, Way *way)
{
    if (times_find(&g->times, far, outer, way))
        return;
    run_chain(x, way);
    times_add(t, &g->times, far, outer, way);
}

/* Bytes in the nearest memory, and in the next of what lies behind it. */
static void size_oper(const Timing *x, Way *way, int m, int o, bool within)
{
    const Oper *v = &x->t->work[x->c->first + m].oper[o];
    int64_t most = x->g->most[m][o];
    int slots = x->g->dep[m][o] && !within ? way->depth : 1;
    const Kind *k = x->g->kind[0][x->g->count[CUT_channel] == 1][m];

    if (!within)
        way->bytes += slots * slot_bytes(most);
    if (oper_early(v, x->c->first))
        way->pre_bytes += slot_bytes(most);
    if (v->konst && v->outer)
        way->outer_bytes += const_bytes(x->t, v, way, k->piece[o], most);
    if (streams(x, m, o))
        way->outer_bytes += stream_bytes(x->t, v, way, x->g->dep[m][o], most);
}

static bool kind_tells(const Work *w, const Kind *k, unsigned apart)
{
    unsigned in_place = 0;
    bool out_place = false;
    int o;

    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || apart >> o & 1 || k->piece[o].rows == 1)
            continue;
        if (w->oper[o].out)
            out_place = true;
        else
            in_place |= 1u << o;
    }
    return tile_tells(w->node, in_place, out_place);
}

/* Can kernels be told where values lie that are not in slots? */
static bool tells(const Cut *g, const Work *w, int m, unsigned apart)
{
    int i, k;

    for (i = 0; i < ROWS; i++)
        for (k = 0; k < 2; k++)
            if (g->kind[i][k][m] && !kind_tells(w, g->kind[i][k][m], apart))
                return false;
    return true;
}

/* false: a kernel cannot be told where something lies. */
static bool size_chain(Timing *x, Way *way, unsigned far)
{
    unsigned apart;
    int m, o;

    way->bytes = slot_bytes(x->g->scratch);
    way->pre_bytes = way->outer_bytes = 0;
    for (m = 0; m < x->c->n; m++) {
        const Work *w = &x->t->work[x->c->first + m];

        x->staged[m] = staged_set(x->t, x->c, m, far, &apart);
        for (o = 0; o < w->noper; o++)
            if (apart >> o & 1)
                size_oper(x, way, m, o, !(x->staged[m] >> o & 1));
        if (m < x->c->n - 1)
            way->bytes += cut_inner(x->t, x->c, x->g, m);
        way->outer_bytes += slot_bytes(x->g->kept[m]);
        if (!tells(x->g, w, m, apart))
            return false;
    }
    return way->bytes <= x->t->listed;
}

/* --- is it worth while? --- */

/* Where work w of a chain has its operands, if it is done alone and what the
 * chain has inside is in the next memory. */
static unsigned far_alone(const Chain *c, const Work *w, unsigned far)
{
    unsigned set = 0;
    int i, k;

    for (i = 0; i < w->nstore; i++) {
        for (k = 0; k < c->nstore && c->store[k] != w->store[i]; k++)
            ;
        set |= (k == c->nstore || far >> k & 1 ? 1u : 0u) << i;
    }
    return set;
}

/* The most that loading ahead what comes behind may save. */
static int64_t most_ahead(const Tiler *t)
{
    return move_cycles(t->dma, true, t->listed, 1) +
           MOST_CHAIN * NOPER * MOVE_CYCLES + (int64_t)t->dma->in.setup;
}

/* No more than the works take one by one, each with so many bytes of the
 * nearest memory, whatever is loaded ahead. */
static int64_t cycles_alone(Tiler *t, const Chain *c, unsigned far,
                            int64_t bytes)
{
    int64_t sum = 0, least, ahead = most_ahead(t);
    int m, i;

    for (m = 0; m < c->n; m++) {
        Work *w = &t->work[c->first + m];
        const Ways *l = tiler_ways(t, w, far_alone(c, w, far));

        for (i = 0, least = INT64_MAX / 8; i < l->n; i++)
            if (l->v[i].bytes <= bytes)
                least = MIN(least, way_cost(&l->v[i]) +
                                       (m < c->n - 1 ? 0 :
                                        MAX(0, ahead - l->v[i].slack)));
        sum += least;
    }
    return sum;
}

/* Is there nothing to win, even if cores never wait? */
static bool is_hopeless(Tiler *t, const Chain *c, const Cut *g, unsigned far)
{
    return t->chains == CHAIN_faster &&
           cycles_alone(t, c, far, cut_least(t, c, g)) + most_ahead(t) <=
               MIN(g->busy[false], g->busy[true]);
}

/* Would the way be dropped even so? */
static bool is_covered(const Tiler *t, const Cut *g, const Way *way,
                       const Ways *l)
{
    Way best = *way;

    best.cycles = g->busy[way->rows_first];
    best.pre_cycles = most_ahead(t);
    best.turns = best.toll = 0;
    return t->chains != CHAIN_always && ways_cover(l, &best);
}

/* Is what one work makes for the next another for each channel tile? */
static bool depends_on_channel(const Tiler *t, const Chain *c, const Cut *g)
{
    unsigned dep = 0;
    int m;

    for (m = 0; m < c->n - 1; m++)
        dep |= g->dep[m][t->work[c->first + m].noper - 1];
    return dep >> CUT_channel & 1;
}

static void add_cut(Tiler *t, Chain *c, Cut *g, unsigned far, unsigned outer,
                    Ways *l)
{
    Timing x = {.t = t, .c = c, .g = g};
    Way way = cut_way(c, g);
    int order, orders = 1;

    if (!g->begun)
        cut_begin(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, far))
        return;
    if (!g->known)
        cut_make(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, far))
        return;
    if (g->count[CUT_row] > 1 && g->count[CUT_channel] > 1)
        orders = g->rolls && depends_on_channel(t, c, g) ? 1 : 2;
    for (order = 0; order < orders; order++)
        for (way.depth = 2; way.depth >= 1; way.depth--) {
            way.rows_first = order == 0;
            if (!size_chain(&x, &way, far) || is_covered(t, g, &way, l))
                continue;
            time_chain(t, &x, g, far, outer, &way);
            if (t->chains == CHAIN_always) {
                way.cycles /= FAVOUR;
                way.turns /= FAVOUR;
            }
            ways_add(t, l, &way);
        }
}

Ways *chain_any(Tiler *t, Chain *c)
{
    Way way = {.before = c->n - 1};
    int i;

    if (!c->cut)
        cut_list(t, c);
    for (i = c->ncut - 1; i >= 0 && !c->any.known; i--) {
        if (!c->cut[i].begun)
            cut_begin(t, c, &c->cut[i]);
        if (c->cut[i].ok)
            ways_add(t, &c->any, &way);
        c->any.known = c->any.n;
    }
    c->any.known = true;
    return &c->any;
}

/* Where works use store i of a chain: bit 1: in the outer memory, 0: nearer. */
static unsigned places_of(const Tiler *t, const Chain *c, int i)
{
    unsigned set = 0;
    int m, o;

    for (m = c->first; m < c->first + c->n; m++)
        for (o = 0; o < t->work[m].noper; o++) {
            const Oper *x = &t->work[m].oper[o];

            if (x->val && !x->konst && x->store == c->store[i])
                set |= 1u << x->outer;
        }
    return set;
}

/* Which stores of set `far` are in the outer memory; false: here some, there
 * some. */
static bool find_outer(const Tiler *t, const Chain *c, unsigned far,
                       unsigned *outer)
{
    unsigned places;
    int i;

    *outer = 0;
    for (i = 0; i < c->nstore; i++) {
        places = far >> i & 1 ? places_of(t, c, i) : 0;
        *outer |= places >> 1 << i;
        if (places == 3)
            return false;
    }
    return true;
}

static unsigned consts_outer(const Work *w)
{
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++)
        set |= (unsigned)(w->oper[o].konst && w->oper[o].outer) << o;
    return set;
}

/* Ways by the set of stores in the next memory, with those of set `outer`
 * behind it, and constants where they lie now. */
static Ways *find_ways(Tiler *t, Chain *c, unsigned outer)
{
    ChainSet now = {.outer = outer, .chains = t->chains};
    int i;

    for (i = 0; i < c->n; i++) {
        now.konst[i] = consts_outer(&t->work[c->first + i]);
        if (now.konst[i])
            now.chunk = t->chunk;
    }
    for (i = 0; i < c->nset; i++) {
        const ChainSet *x = &c->set[i];

        if (x->outer == outer && x->chunk == now.chunk &&
            x->chains == now.chains &&
            !memcmp(x->konst, now.konst, sizeof now.konst))
            return x->ways;
    }
    GROW(t->mem, c->set, (size_t)c->nset);
    now.ways = NEWN(t->mem, Ways, 1 << c->nstore);
    c->set[c->nset++] = now;
    return now.ways;
}

Ways *chain_ways(Tiler *t, Chain *c, unsigned far)
{
    static Ways none = {.known = true};
    unsigned outer;
    Ways *l;
    int i;

    if (!find_outer(t, c, far, &outer))
        return &none;
    l = &find_ways(t, c, outer)[far];
    if (l->known)
        return l;
    l->known = true;
    if (!c->cut)
        cut_list(t, c);
    for (i = 0; i < c->ncut; i++)
        add_cut(t, c, &c->cut[i], far, outer, l);
    ways_sort(l);
    return l;
}
