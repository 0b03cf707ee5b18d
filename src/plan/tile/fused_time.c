/* Time and bytes of a candidate of a fused group. */
#include "plan/tile/fused.h"

#include <string.h>

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
        pipe_bring(x->t, k->l3_move[o], &x->p);
        x->moving += x->t->p->soc->time.move;
        x->moved[x->t->q->io->row] += bytes;
    }
    pipe_load(x->t, k->move[o], oper_early(v, x->c->first), &x->p);
    x->moving += x->t->p->soc->time.move;
    x->moved[x->t->q->dma->row] += bytes;
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
    pipe_wait(x->t, then, &x->p);
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
    int64_t call = code_miss(x->code, MOST_FUSED,
                             x->t->p->soc->time.call_code);
    int64_t miss = kern_miss(x->code, unit, k[m]->code), least = 0;

    if (again) {
        least = MAX(0, kern_miss(x->own, unit, k[m]->code) - x->moving);
        miss = MAX(least, call + MAX(0, miss - x->moving));
        x->turns += miss - least;
        x->p.core += miss;
    }
    x->p.core += x->t->p->soc->time.call + k[m]->cycles;
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
    x->moved[x->t->q->dma->row] += next->halo;
    x->moving += x->t->p->soc->time.move;
    return pipe_store(x->t, move_cycles(x->t->q->dma, false, next->halo, 1),
                      &x->p);
}

/* and comes back for the next tile. */
static int64_t restore_halo(Timing *x, const Kind *next, int64_t out)
{
    if (!out)
        return 0;
    wait_until(x, out);
    x->moved[x->t->q->dma->row] += next->halo;
    x->moving += x->t->p->soc->time.move;
    pipe_load(x->t, move_cycles(x->t->q->dma, true, next->halo, 1), false,
              &x->p);
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
    x->moved[x->t->q->dma->row] += piece_bytes(k->piece[y]);
    there = pipe_store(x->t, k->move[y], &x->p);
    if (staged(x, m, y)) {
        x->moved[x->t->q->io->row] += piece_bytes(k->piece[y]);
        pipe_send(x->t, k->l3_move[y], &x->p);
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
    x->moving = x->turns = 0;
    memset(x->moved, 0, sizeof x->moved);
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
    cand->energy = tiler_energy(x->t, x->moved);
    cand->turns = x->turns;
    cand->idle = x->p.idle;
    cand->slack = MAX(0, cand->cycles - x->p.loading);
    arena_end(mem);
}

void fused_time(Tiler *t, Timing *x, Cut *g, unsigned in_l2,
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

bool fused_size(Timing *x, Cand *cand, unsigned in_l2)
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
    return cand->bytes <= x->t->k.listed;
}
