/* Fused groups: layers that are computed together, a tile of the last at a
 * time.
 *
 *     x -> dw -> u -> pw -> y        u = dw x;  y = pw u
 *
 * What a tile of y reads of u is a piece; the tile of dw that makes it says
 * what it reads of x, and so on.  Each such piece is in a slot from the kernel
 * that makes it to the one that reads it: u is never whole and has no level.
 * What two tiles both read of u is made twice, or kept: the last rows in the
 * slot become the first ones, by way of L2, for there is no transfer within
 * L1.  What lies in L3 while a fused group is computed comes and goes in
 * pieces, too, through slots in L2. */
#include "plan/cost/cost.h"
#include "plan/tile/cut.h"
#include "plan/tile/tile.h"

#include <string.h>

/* PROGRAM_CODE: bytes of the program between two kernels.  FAVOUR: how much
 * quicker fused groups seem where they are wanted for their own sake, by tests.
 * */
enum { PROGRAM_CODE = 500, FAVOUR = 4 };

/* --- which layers --- */

static const Oper *result(const LayerInst *w)
{
    return &w->oper[w->noper - 1];
}

static bool may_join(const LayerInst *w)
{
    return w->node->nres == 1 && w->node->op != OP_concat && !w->shared;
}

/* Is the result of layer k whole what the next layer, and it alone, reads? */
static bool links(const Tiler *t, int k)
{
    const LayerInst *w = &t->layer[k], *v = w + 1;
    const Alloc *s;
    int o;

    if (k + 1 >= t->nlayer || !may_join(w) || !may_join(v))
        return false;
    o = fused_link(v, w);
    if (o < 0)
        return false;
    s = &t->s->alloc[result(w)->alloc];
    return !s->in && !s->out &&
           alloc_filled(s, result(w)->val, result(w)->place) &&
           alloc_filled(s, v->oper[o].val, v->oper[o].place) &&
           t->first[result(w)->alloc] == k &&
           t->last[result(w)->alloc] == k + 1;
}

bool fused_within(const Tiler *t, int alloc, int first, int n)
{
    return n > 1 && t->first[alloc] >= first &&
           t->last[alloc] < first + n && t->first[alloc] < t->last[alloc];
}

static bool add_alloc(Fused *c, int alloc)
{
    int i;

    for (i = 0; i < c->nalloc && c->alloc[i] != alloc; i++)
        ;
    if (i == MOST_ALLOCS)
        return false;
    c->alloc[i] = alloc;
    c->nalloc = MAX(c->nalloc, i + 1);
    return true;
}

static Fused *new_fused(Tiler *t, int first, int n)
{
    Fused *c = NEW(t->mem, Fused);
    int k, i;

    c->first = first;
    c->n = n;
    for (k = first; k < first + n; k++)
        for (i = 0; i < t->layer[k].nalloc; i++)
            if (!fused_within(t, t->layer[k].alloc[i], first, n) &&
                !add_alloc(c, t->layer[k].alloc[i]))
                return NULL;
    return c;
}

Fused *tiler_fused(Tiler *t, int first, int n)
{
    LayerInst *w = &t->layer[first];
    int k;

    if (t->fusion == FUSE_none || n > MOST_FUSED)
        return NULL;
    if (!w->fused) {
        w->fused = NEWN(t->mem, Fused *, MOST_FUSED + 1);
        for (k = 2; k <= MOST_FUSED && links(t, first + k - 2); k++)
            w->fused[k] = new_fused(t, first, k);
    }
    return w->fused[n];
}

const int *fused_allocs(const Fused *c, int *n)
{
    *n = c->nalloc;
    return c->alloc;
}

/* --- candidates --- */

/* Which operands of layer m have slots that transfers fill or empty, and which
 * have slots at all. */
static unsigned buffered_set(const Tiler *t, const Fused *c, int m,
                             unsigned in_l2, unsigned *apart)
{
    const LayerInst *w = &t->layer[c->first + m];
    unsigned set = 0;
    int o, i;

    *apart = 0;
    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || oper_is_inlined(&w->oper[o]))
            continue;
        for (i = 0; i < c->nalloc && c->alloc[i] != w->oper[o].alloc; i++)
            ;
        if (w->oper[o].konst || (i < c->nalloc && in_l2 >> i & 1))
            set |= 1u << o;
        else if (i == c->nalloc)
            *apart |= 1u << o;
    }
    *apart |= set;
    return set;
}

typedef struct Timing {
    const Tiler *t;
    const Fused *c;
    const Cut *g;
    unsigned buffered[MOST_FUSED];
    Pipe p;
    int64_t ready[MOST_FUSED]; /* when a tile's data is there, by layer; 0: it
                                  was */
    int64_t halo[MOST_FUSED]; /* and what is kept of the tile before */
    CodeCache *code;    /* with the program, */
    CodeCache *own;     /* with nothing but kernels */
    int64_t moving;     /* cycles of starts, since the last kernel or wait */
    int64_t turns;      /* cycles for code that only the first of them asks */
    int64_t moved[2];   /* bytes, by ENG_dma and ENG_io */
} Timing;

/* Does operand o of layer m come from or go to L3? */
static bool staged(const Timing *x, int m, int o)
{
    return x->buffered[m] >> o & 1 &&
           oper_is_staged(&x->t->layer[x->c->first + m].oper[o]);
}

/* Is it another tile of the same kind along an axis, where these differ? */
static bool differs(unsigned dep, int axis, int i, int was, bool same)
{
    return i != was && same && dep >> axis & 1;
}

/* Has layer m another piece of operand o than for the tile before?  Than for
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
    const Oper *v = &x->t->layer[x->c->first + m].oper[o];
    int64_t bytes = piece_bytes(k->piece[o]);

    if (staged(x, m, o)) {
        pipe_bring(k->l3_move[o], &x->p);
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
        const LayerInst *w = &x->t->layer[x->c->first + m];

        x->p.ready = 0;
        for (o = 0; o + 1 < w->noper; o++)
            if (x->buffered[m] >> o & 1 && changes(x->g, m, o, i, was))
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

/* The first of the layers with the same kernel. */
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
        code_miss(x->own, m, 0);
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
    int64_t call = code_miss(x->code, MOST_FUSED, PROGRAM_CODE);
    int64_t miss = kern_miss(x->code, unit, k[m]->code), least = 0;

    if (again) {
        least = MAX(0, kern_miss(x->own, unit, k[m]->code) - x->moving);
        miss = MAX(least, call + MAX(0, miss - x->moving));
        x->turns += miss - least;
        x->p.core += miss;
    }
    x->p.core += CALL_CYCLES + k[m]->cycles;
    x->moving = 0;
}

/* What is kept for layer m, if anything, goes out; some of it may have come
 * from the tile before; */
static int64_t save_halo(Timing *x, int m, const Kind *next)
{
    if (!next->halo)
        return 0;
    wait_until(x, x->halo[m]);
    x->halo[m] = 0;
    x->moved[0] += next->halo;
    x->moving += MOVE_CYCLES;
    return pipe_store(x->t, move_cycles(x->t->dma, false, next->halo, 1),
                      &x->p);
}

/* and comes back for the next tile. */
static int64_t restore_halo(Timing *x, const Kind *next, int64_t out)
{
    if (!out)
        return 0;
    wait_until(x, out);
    x->moved[0] += next->halo;
    x->moving += MOVE_CYCLES;
    pipe_load(x->t, move_cycles(x->t->dma, true, next->halo, 1), false, &x->p);
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
        int y = x->t->layer[x->c->first + m].noper - 1;
        int64_t then = MAX(ready[m], m < last ? 0 : stored);

        wait_until(x, MAX(then, x->halo[m]));
        x->halo[m] = 0;
        if (m == last || changes(x->g, m, y, i, was))
            call_kernel(x, k, m, was != NULL);
        then = n && m < last && changes(x->g, m, y, next, i)
                   ? save_halo(x, m + 1, n[m + 1]) : 0;
        x->halo[m] = n ? restore_halo(x, n[m], out) : 0;
        out = then;
    }
}

static int64_t store_tile(Timing *x, const int i[NCUT])
{
    int m = x->c->n - 1, y = x->t->layer[x->c->first + m].noper - 1;
    const Kind *k = cut_kinds(x->g, i)[m];
    int64_t there;

    if (!(x->buffered[m] >> y & 1))
        return 0;
    x->moved[0] += piece_bytes(k->piece[y]);
    there = pipe_store(x->t, k->move[y], &x->p);
    if (staged(x, m, y)) {
        x->moved[1] += piece_bytes(k->piece[y]);
        pipe_send(k->l3_move[y], &x->p);
    }
    return there;
}

/* As run_pipe in tile.c, of all layers. */
static void run_fused(Timing *x, Cand *cand)
{
    int64_t stored[2] = {0, 0}, ready[MOST_FUSED];
    int i[NCUT], was[NCUT], next[NCUT], n, tiles = cand_tiles(cand);
    bool twice = cand->depth > 1;
    Arena *mem = arena_new();

    x->p = (Pipe){0};
    x->moving = x->turns = x->moved[0] = x->moved[1] = 0;
    memset(x->halo, 0, sizeof x->halo);
    x->code = code_cache(mem, x->t->p->soc);
    x->own = code_cache(mem, x->t->p->soc);
    cand_index(cand, 0, i);
    begin_own(x, cut_kinds(x->g, i));
    load_tile(x, i, NULL);
    pipe_before(x->t, &x->p, cand);
    for (n = 0; n < tiles; n++) {
        cand_index(cand, n + 1, next);
        memcpy(ready, x->ready, sizeof ready);
        if (twice && n + 1 < tiles)
            load_tile(x, next, i);
        run_tile(x, i, n ? was : NULL, n + 1 < tiles ? next : NULL, ready,
                 stored[n % cand->depth]);
        stored[n % cand->depth] = store_tile(x, i);
        if (!twice && n + 1 < tiles)
            load_tile(x, next, i);
        memcpy(was, i, sizeof i);
        memcpy(i, next, sizeof i);
    }
    wait_until(x, MAX(stored[0], stored[1]));
    cand->cycles = MAX(x->p.core, x->p.io);
    cand->energy = tiler_energy(x->t, x->moved[0], x->moved[1]);
    cand->turns = x->turns;
    cand->idle = x->p.idle;
    cand->slack = MAX(0, cand->cycles - x->p.loading);
    arena_end(mem);
}

static void time_fused(Tiler *t, Timing *x, Cut *g, unsigned in_l2,
                       unsigned in_l3, Cand *cand)
{
    Timed y = {.in_l2 = in_l2, .staged = in_l3};

    if (times_find(&g->times, &y, cand))
        return;
    run_fused(x, cand);
    y.cand = *cand;
    times_add(t, &g->times, &y);
}

/* Bytes in L1, and in L2 of what lies in L3. */
static void size_oper(const Timing *x, Cand *cand, int m, int o, bool within)
{
    const Oper *v = &x->t->layer[x->c->first + m].oper[o];
    int64_t most = x->g->most[m][o];
    int slots = x->g->dep[m][o] && !within ? cand->depth : 1;
    const Kind *k = x->g->kind[0][x->g->count[CUT_channel] == 1][m];

    if (!within)
        cand->bytes += slots * slot_bytes(most);
    if (oper_early(v, x->c->first))
        cand->pre_bytes += slot_bytes(most);
    if (v->konst && v->in_l3)
        cand->l2_bytes += const_bytes(x->t, v, cand, k->piece[o], most);
    if (staged(x, m, o))
        cand->l2_bytes += staging_bytes(x->t, v, cand, x->g->dep[m][o], most);
}

static bool kind_tells(const LayerInst *w, const Kind *k, unsigned apart)
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
static bool tells(const Cut *g, const LayerInst *w, int m, unsigned apart)
{
    int i, k;

    for (i = 0; i < ROWS; i++)
        for (k = 0; k < 2; k++)
            if (g->kind[i][k][m] && !kind_tells(w, g->kind[i][k][m], apart))
                return false;
    return true;
}

/* false: a kernel cannot be told where something lies. */
static bool size_fused(Timing *x, Cand *cand, unsigned in_l2)
{
    unsigned apart;
    int m, o;

    cand->bytes = slot_bytes(x->g->scratch);
    cand->pre_bytes = cand->l2_bytes = 0;
    for (m = 0; m < x->c->n; m++) {
        const LayerInst *w = &x->t->layer[x->c->first + m];

        x->buffered[m] = buffered_set(x->t, x->c, m, in_l2, &apart);
        for (o = 0; o < w->noper; o++)
            if (apart >> o & 1)
                size_oper(x, cand, m, o, !(x->buffered[m] >> o & 1));
        if (m < x->c->n - 1)
            cand->bytes += cut_inner(x->t, x->c, x->g, m);
        cand->l2_bytes += slot_bytes(x->g->halo[m]);
        if (!tells(x->g, w, m, apart))
            return false;
    }
    return cand->bytes <= x->t->listed;
}

/* --- is it worth while? --- */

/* Where layer w of a fused group has its operands, if it is done alone and what
 * the chain has inside is in L2. */
static unsigned in_l2_alone(const Fused *c, const LayerInst *w, unsigned in_l2)
{
    unsigned set = 0;
    int i, k;

    for (i = 0; i < w->nalloc; i++) {
        for (k = 0; k < c->nalloc && c->alloc[k] != w->alloc[i]; k++)
            ;
        set |= (k == c->nalloc || in_l2 >> k & 1 ? 1u : 0u) << i;
    }
    return set;
}

/* The most that loading ahead what comes behind may save. */
static int64_t most_ahead(const Tiler *t)
{
    return move_cycles(t->dma, true, t->listed, 1) +
           MOST_FUSED * NOPER * MOVE_CYCLES + (int64_t)t->dma->in.setup;
}

/* No more than the layers take one by one, each with so many bytes of the
 * L1, whatever is loaded ahead. */
static int64_t cycles_alone(Tiler *t, const Fused *c, unsigned in_l2,
                            int64_t bytes)
{
    int64_t sum = 0, least, ahead = most_ahead(t);
    int m, i;

    for (m = 0; m < c->n; m++) {
        LayerInst *w = &t->layer[c->first + m];
        const Cands *l = tiler_cands(t, w, in_l2_alone(c, w, in_l2));

        for (i = 0, least = INT64_MAX / 8; i < l->n; i++)
            if (l->v[i].bytes <= bytes)
                least = MIN(least, cand_cost(&l->v[i]) +
                                       (m < c->n - 1 ? 0 :
                                        MAX(0, ahead - l->v[i].slack)));
        sum += least;
    }
    return sum;
}

/* Is there nothing to win, even if cores never wait? */
static bool is_hopeless(Tiler *t, const Fused *c, const Cut *g, unsigned in_l2)
{
    return t->fusion == FUSE_faster &&
           cycles_alone(t, c, in_l2, cut_least(t, c, g)) + most_ahead(t) <=
               MIN(g->busy[false], g->busy[true]);
}

/* Would the candidate be dropped even so? */
static bool is_covered(const Tiler *t, const Cut *g, const Cand *cand,
                       const Cands *l)
{
    Cand best = *cand;

    best.cycles = g->busy[cand->rows_first];
    best.pre_cycles = most_ahead(t);
    best.turns = best.energy = 0;
    return t->fusion != FUSE_always && cands_cover(l, &best);
}

/* Is what one layer makes for the next another for each channel tile? */
static bool depends_on_channel(const Tiler *t, const Fused *c, const Cut *g)
{
    unsigned dep = 0;
    int m;

    for (m = 0; m < c->n - 1; m++)
        dep |= g->dep[m][t->layer[c->first + m].noper - 1];
    return dep >> CUT_channel & 1;
}

static void add_cut(Tiler *t, Fused *c, Cut *g, unsigned in_l2, unsigned in_l3,
                    Cands *l)
{
    Timing x = {.t = t, .c = c, .g = g};
    Cand cand = cut_cand(c, g);
    int order, orders = 1;

    if (!g->begun)
        cut_begin(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, in_l2))
        return;
    if (!g->known)
        cut_make(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, in_l2))
        return;
    if (g->count[CUT_row] > 1 && g->count[CUT_channel] > 1)
        orders = g->reuse && depends_on_channel(t, c, g) ? 1 : 2;
    for (order = 0; order < orders; order++)
        for (cand.depth = 2; cand.depth >= 1; cand.depth--) {
            cand.rows_first = order == 0;
            if (!size_fused(&x, &cand, in_l2) || is_covered(t, g, &cand, l))
                continue;
            time_fused(t, &x, g, in_l2, in_l3, &cand);
            if (t->fusion == FUSE_always) {
                cand.cycles /= FAVOUR;
                cand.turns /= FAVOUR;
            }
            cands_add(t, l, &cand);
        }
}

Cands *fused_any(Tiler *t, Fused *c)
{
    Cand cand = {.before = c->n - 1};
    int i;

    if (!c->cut)
        cut_list(t, c);
    for (i = c->ncut - 1; i >= 0 && !c->any.known; i--) {
        if (!c->cut[i].begun)
            cut_begin(t, c, &c->cut[i]);
        if (c->cut[i].ok)
            cands_add(t, &c->any, &cand);
        c->any.known = c->any.n;
    }
    c->any.known = true;
    return &c->any;
}

/* Where layers use allocation i of a fused group: bit 1: in L3, 0: nearer. */
static unsigned places_of(const Tiler *t, const Fused *c, int i)
{
    unsigned set = 0;
    int m, o;

    for (m = c->first; m < c->first + c->n; m++)
        for (o = 0; o < t->layer[m].noper; o++) {
            const Oper *x = &t->layer[m].oper[o];

            if (x->val && !x->konst && x->alloc == c->alloc[i])
                set |= 1u << x->in_l3;
        }
    return set;
}

/* Which allocations of set `in_l2` are in L3; false: here some, there
 * some. */
static bool find_l3(const Tiler *t, const Fused *c, unsigned in_l2,
                    unsigned *in_l3)
{
    unsigned places;
    int i;

    *in_l3 = 0;
    for (i = 0; i < c->nalloc; i++) {
        places = in_l2 >> i & 1 ? places_of(t, c, i) : 0;
        *in_l3 |= places >> 1 << i;
        if (places == 3)
            return false;
    }
    return true;
}

static unsigned consts_in_l3(const LayerInst *w)
{
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++)
        set |= (unsigned)(w->oper[o].konst && w->oper[o].in_l3) << o;
    return set;
}

/* Candidates by the set of allocations in L2, with those of set `in_l3`
 * behind it, and constants where they lie now. */
static Cands *find_cands(Tiler *t, Fused *c, unsigned in_l3)
{
    FusedSet now = {.in_l3 = in_l3, .fusion = t->fusion};
    int i;

    for (i = 0; i < c->n; i++) {
        now.konst[i] = consts_in_l3(&t->layer[c->first + i]);
        if (now.konst[i])
            now.chunk = t->chunk;
    }
    for (i = 0; i < c->nset; i++) {
        const FusedSet *x = &c->set[i];

        if (x->in_l3 == in_l3 && x->chunk == now.chunk &&
            x->fusion == now.fusion &&
            !memcmp(x->konst, now.konst, sizeof now.konst))
            return x->cands;
    }
    GROW(t->mem, c->set, (size_t)c->nset);
    now.cands = NEWN(t->mem, Cands, 1 << c->nalloc);
    c->set[c->nset++] = now;
    return now.cands;
}

Cands *fused_cands(Tiler *t, Fused *c, unsigned in_l2)
{
    static Cands none = {.known = true};
    unsigned in_l3;
    Cands *l;
    int i;

    if (!find_l3(t, c, in_l2, &in_l3))
        return &none;
    l = &find_cands(t, c, in_l3)[in_l2];
    if (l->known)
        return l;
    l->known = true;
    if (!c->cut)
        cut_list(t, c);
    for (i = 0; i < c->ncut; i++)
        add_cut(t, c, &c->cut[i], in_l2, in_l3, l);
    cands_sort(l);
    return l;
}
