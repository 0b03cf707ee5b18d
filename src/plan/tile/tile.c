/* The candidates to cut a layer into tiles.
 *
 * A grid is a tile size; its tiles are of few kinds (along channels full ones
 * and the last; along rows and columns the first two, the last two and those
 * between, for padding may reach beyond the first and the last), and each kind
 * is asked once what it reads, writes and takes.  A candidate is a grid with an
 * order of its tiles and a number of slots; its time is that of its pipeline,
 * gone through tile by tile.  Those worse than another in everything are
 * dropped (cand.c). */
#include "plan/tile/grid.h"

#include <string.h>

/* --- candidates --- */

/* Has operand o another piece in tile i than in the one before? */
static bool changes(const Grid *g, int o, const int i[NCUT],
                    const int was[NCUT])
{
    int a;

    for (a = 0; a < NCUT; a++)
        if (i[a] != was[a] && g->dep[o] >> a & 1 &&
            (a != CUT_channel || o || i[a] / g->group != was[a] / g->group))
            return true;
    return false;
}

static unsigned buffered_set(const LayerInst *w, const Cand *cand,
                             unsigned in_l2)
{
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++)
        set |= (unsigned)oper_is_buffered(w, o, in_l2, cand) << o;
    return set;
}

/* Loads what tile i needs anew; from NULL: all. */
static void load_tile(const Tiler *t, const LayerInst *w, const Grid *g,
                      const Cand *cand, unsigned buffered, const int i[NCUT],
                      const int *was, Pipe *c)
{
    const Kind *k = g->kind[grid_kind_at(g, i)];
    int64_t move;
    int o;

    for (o = 0; o < w->noper - w->node->nres; o++) {
        bool whole = tile_is_whole(w, o, cand);

        if (!(buffered >> o & 1) || (was && (whole || !changes(g, o, i, was))))
            continue;
        move = whole ? move_cycles(t->q->dma, true,
                                   val_bytes(w->oper[o].val), 1)
                     : k->share[o].move;
        if (oper_is_staged(&w->oper[o]))
            pipe_bring(t, k->share[o].l3_move, c);
        pipe_load(t, move, oper_early(&w->oper[o], (int)(w - t->layer)), c);
    }
}

/* When what is stored of a tile is there. */
static int64_t store_tile(const Tiler *t, const LayerInst *w, const Kind *k,
                          unsigned buffered, Pipe *c)
{
    int64_t there = 0;
    int o;

    for (o = w->noper - w->node->nres; o < w->noper; o++)
        if (buffered >> o & 1) {
            there = pipe_store(t, k->share[o].move, c);
            if (oper_is_staged(&w->oper[o]))
                pipe_send(t, k->share[o].l3_move, c);
        }
    return there;
}

/* Time of the pipeline: with two slots, tile n + 1 is loaded and tile n - 1
 * stored while the cores work on tile n. */
static void run_pipe(const Tiler *t, const LayerInst *w, const Grid *g,
                     Cand *cand, unsigned in_l2)
{
    Pipe c = {0};
    int64_t stored[2] = {0, 0}, ready;
    int i[NCUT], next[NCUT], n, tiles = cand_tiles(cand);
    unsigned buffered = buffered_set(w, cand, in_l2);

    cand_index(cand, 0, i);
    load_tile(t, w, g, cand, buffered, i, NULL, &c);
    pipe_before(t, &c, cand);
    for (n = 0; n < tiles; n++) {
        const Kind *k = g->kind[grid_kind_at(g, i)];

        cand_index(cand, n + 1, next);
        ready = c.ready;
        c.ready = 0;
        if (cand->depth > 1 && n + 1 < tiles)
            load_tile(t, w, g, cand, buffered, next, i, &c);
        pipe_wait(t, MAX(ready, stored[n % cand->depth]), &c);
        c.core += t->p->soc->time.call + k->cycles[in_l2];
        stored[n % cand->depth] = store_tile(t, w, k, buffered, &c);
        if (cand->depth == 1 && n + 1 < tiles)
            load_tile(t, w, g, cand, buffered, next, i, &c);
        memcpy(i, next, sizeof i);
    }
    pipe_wait(t, MAX(stored[0], stored[1]), &c);
    cand->cycles = MAX(c.core, c.io);
    cand->idle = c.idle;
    cand->slack = MAX(0, cand->cycles - c.loading);
}

static int64_t energy_of(const Tiler *t, const LayerInst *w, const Grid *g,
                         const Cand *cand, unsigned in_l2)
{
    unsigned buffered = buffered_set(w, cand, in_l2);
    int i[NCUT], was[NCUT], n, o;
    int64_t moved[MOST_ENGINES] = {0};

    for (n = 0; n < cand_tiles(cand); n++) {
        cand_index(cand, n, i);
        for (o = 0; o < w->noper; o++) {
            bool whole = tile_is_whole(w, o, cand);
            int64_t bytes = whole ? val_bytes(w->oper[o].val)
                                  : g->kind[grid_kind_at(g, i)]->share[o].bytes;

            if (!(buffered >> o & 1) ||
                (n && !w->oper[o].out && (whole || !changes(g, o, i, was))))
                continue;
            moved[t->q->dma->row] += bytes;
            if (oper_is_staged(&w->oper[o]))
                moved[t->q->io->row] += bytes;
        }
        memcpy(was, i, sizeof was);
    }
    return tiler_energy(t, moved);
}

/* Time and energy weight of a candidate with its sizes. */
static void time_cand(Tiler *t, const LayerInst *w, Grid *g, Cand *cand,
                      unsigned in_l2)
{
    Timed x = {.in_l2 = in_l2};
    int i;

    for (i = 0; i < w->noper; i++) {
        const Oper *o = &w->oper[i];

        x.staged |= (unsigned)oper_is_staged(o) << i;
        x.early |= (unsigned)oper_early(o, (int)(w - t->layer)) << i;
    }
    if (times_find(&g->times, &x, cand))
        return;
    run_pipe(t, w, g, cand, in_l2);
    cand->energy = t->q->energy_weight[t->q->dma->row] > 0
                       ? energy_of(t, w, g, cand, in_l2) : 0;
    x.cand = *cand;
    times_add(t, &g->times, &x);
}

/* Bytes of the slots of an operand. */
static int64_t slots_of(const LayerInst *w, const Grid *g, const Cand *cand,
                        int o, int *slots)
{
    bool whole = tile_is_whole(w, o, cand);

    *slots = g->dep[o] && !whole ? cand->depth : 1;
    return slot_bytes(whole ? val_bytes(w->oper[o].val) : g->most[o]);
}

/* Bytes in L2 of an operand that lies behind it. */
static int64_t l2_bytes(const Tiler *t, const LayerInst *w, const Grid *g,
                        const Cand *cand, int o)
{
    if (oper_is_staged(&w->oper[o]))
        return staging_bytes(t, &w->oper[o], cand, g->dep[o], g->most[o]);
    if (cand->direct)
        return slot_bytes(val_bytes(w->oper[o].val));
    return const_bytes(t, &w->oper[o], cand, g->kind[0]->share[o].piece,
                       g->most[o]);
}

/* Bytes in L1. */
static void size_cand(const Tiler *t, const LayerInst *w, const Grid *g,
                      Cand *cand, unsigned in_l2)
{
    int64_t each;
    int o, slots;

    cand->bytes = slot_bytes(g->scratch[in_l2]);
    cand->pre_bytes = cand->l2_bytes = 0;
    for (o = 0; o < w->noper; o++) {
        if (!oper_is_buffered(w, o, in_l2, cand))
            continue;
        each = slots_of(w, g, cand, o, &slots);
        cand->bytes += slots * each;
        if (oper_early(&w->oper[o], (int)(w - t->layer)))
            cand->pre_bytes += each;
        if (w->oper[o].in_l3)
            cand->l2_bytes += l2_bytes(t, w, g, cand, o);
    }
}

/* Can kernels be told where values lie that are not staged? */
static bool can_tell(const LayerInst *w, const Grid *g, const Cand *cand,
                     unsigned in_l2)
{
    unsigned in_place = 0;
    bool out_place = false;
    int o;

    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || oper_is_buffered(w, o, in_l2, cand) ||
            g->kind[0]->share[o].piece.rows == 1)
            continue;
        if (w->oper[o].out)
            out_place = true;
        else
            in_place |= 1u << o;
    }
    return tile_tells(w->node, in_place, out_place);
}

/* Where the result lies on an operand, tile by tile is right only if each tile
 * writes what it alone has read. */
static bool may_cut(const LayerInst *w, const Grid *g)
{
    const Oper *y = &w->oper[w->noper - 1];
    int o;

    if (!w->shared || grid_is_whole(g))
        return true;
    for (o = 0; o + 1 < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (x->alloc == y->alloc && x->val &&
            (x->place.off != y->place.off ||
             val_bytes(x->val) != val_bytes(y->val) ||
             op_info[w->node->op].reach != R_MAP))
            return false;
    }
    return true;
}

/* Would the candidate be dropped even if nothing ever waited for data? */
static bool is_hopeless(const Tiler *t, const Grid *g, unsigned in_l2,
                        const Cand *cand, const Cands *l)
{
    Cand best = *cand;

    best.cycles = g->busy[in_l2];
    best.pre_cycles = NOPER * t->p->soc->time.move;
    return cands_cover(l, &best);
}

/* --- lists of them --- */

/* In place, wherever that is. */
static void add_direct(Tiler *t, LayerInst *w, unsigned in_l2, Cands *l)
{
    Cand cand = {.len = {0}, .count = {1, 1, 1}, .direct = true, .depth = 1,
               .saves = -1};
    Choice c = {0};
    Dims d;
    int o;

    for (o = 0; o < w->noper; o++)
        if (oper_is_staged(&w->oper[o]) && in_l2 >> w->oper[o].bit & 1)
            return;
    if (node_is_far(w->node) && !(in_l2 >> w->oper[w->noper - 1].bit & 1))
        return; /* external memory's DMA does not reach the L1 */
    dims_fill_part(w->node, w->part, &d);
    if (!direct_choice(t, w, &d, &c))
        return;
    if (w->node->op == OP_concat)
        choice_time(&c, w->node, &d);
    if (layer_scatters(w))
        choice_in_place(&c, w->node, &d);
    tiler_code(t, w, w->node, &c, &d);
    cand.bytes = slot_bytes(c.scratch);
    cand.cycles = t->p->soc->time.call + c.cycles +
                  l2_cycles(t, w, in_l2, true, &c);
    cand.slack = cand.cycles;
    for (o = 0; o < w->noper; o++)
        if (w->oper[o].in_l3 && w->oper[o].konst && !oper_is_far(w, o))
            cand.l2_bytes += l2_bytes(t, w, NULL, &cand, o);
    if (cand.bytes <= t->k.listed)
        cands_add(t, l, &cand);
}

/* Are there constants that may be loaded whole, though they are wanted in
 * pieces?  These must lie in one run. */
static bool has_whole(const LayerInst *w, const Grid *g)
{
    const Cand cand = {.whole = true};
    bool any = false;
    int o, k;

    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || !g->dep[o] || !tile_is_whole(w, o, &cand))
            continue;
        any = true;
        for (k = 0; k < KINDS; k++)
            if (g->kind[k] && g->kind[k]->share[o].piece.rows != 1)
                return false;
    }
    return any;
}

/* Does it have constants that lie in L3? */
static bool fetches(const LayerInst *w)
{
    int o;

    for (o = 0; o < w->noper; o++)
        if (w->oper[o].in_l3 && w->oper[o].konst)
            return true;
    return false;
}

static void add_grid(Tiler *t, LayerInst *w, Grid *g, unsigned in_l2, Cands *l)
{
    Cand cand = {.depth = 1, .saves = -1};
    int order, orders, depths, i;

    if (!grid_know(t, w, g) || !may_cut(w, g) || (w->varies && fetches(w)))
        return;
    memcpy(cand.len, g->len, sizeof cand.len);
    memcpy(cand.count, g->count, sizeof cand.count);
    cand.slots = g->slots;
    orders = g->count[CUT_row] > 1 && g->count[CUT_channel] > 1 ? 2 : 1;
    depths = grid_is_whole(g) ? 1 : 2;
    for (order = 0; order < orders; order++)
        for (i = depths * (1 + has_whole(w, g)); i > 0; i--) {
            cand.rows_first = order == 0;
            cand.depth = (i - 1) % depths + 1;
            cand.whole = i > depths;
            cand.energy = 0;
            size_cand(t, w, g, &cand, in_l2);
            if (cand.bytes > t->k.listed ||
                is_hopeless(t, g, in_l2, &cand, l) ||
                !can_tell(w, g, &cand, in_l2))
                continue;
            time_cand(t, w, g, &cand, in_l2);
            cands_add(t, l, &cand);
        }
}

bool tiler_can_stage(Tiler *t, LayerInst *w)
{
    unsigned all = (1u << w->nalloc) - 1;
    Cand cand = {.depth = 1};
    int i;

    if (!w->grids)
        grid_list(t, w);
    for (i = 0; i < w->grids->n && !w->varies; i++) {
        Grid *g = &w->grids->v[i];

        if (!grid_know(t, w, g) || !may_cut(w, g))
            continue;
        memcpy(cand.len, g->len, sizeof cand.len);
        memcpy(cand.count, g->count, sizeof cand.count);
        size_cand(t, w, g, &cand, all);
        if (cand.bytes <= t->a.room && can_tell(w, g, &cand, all))
            return true;
    }
    return false;
}

Cands *tiler_cands(Tiler *t, LayerInst *w, unsigned in_l2)
{
    Cands *l = &w->cands[in_l2];
    int i;

    if (l->known)
        return l;
    l->known = true;
    if (!w->grids)
        grid_list(t, w);
    add_direct(t, w, in_l2, l);
    for (i = 0; i < w->grids->n; i++)
        add_grid(t, w, &w->grids->v[i], in_l2, l);
    cands_sort(l);
    return l;
}
