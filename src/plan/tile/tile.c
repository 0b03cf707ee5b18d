/* The candidates to cut a layer into tiles.
 *
 * A grid is a tile size; its tiles are of few kinds (along channels full ones
 * and the last; along rows and columns the first two, the last two and those
 * between, for padding may reach beyond the first and the last), and each kind
 * is asked once what it reads, writes and takes.  A candidate is a grid with an
 * order of its tiles and a number of slots; its time is that of its pipeline,
 * gone through tile by tile.  Those worse than another in everything are
 * dropped (cand.c). */
#include "plan/cost/cost.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { ROW_KINDS = 5, KINDS = 2 * ROW_KINDS * ROW_KINDS, MOST_TILES = 1024,
       LEAST_WIDE = 4 };

typedef struct Share { /* of an operand in a tile */
    Piece piece;
    int64_t move;         /* cycles of its transfer */
    int64_t l3_move;      /* and from or to L3, if it may be */
    int64_t bytes;        /* that are moved */
} Share;

typedef struct Kind {
    int64_t *cycles;      /* by the set of allocations in L2 */
    Share share[];        /* by operand */
} Kind;

typedef struct Grid {
    int64_t len[NCUT];
    int count[NCUT];
    bool known, ok;
    Kind *kind[KINDS];    /* NULL: no tile is of that kind */
    unsigned dep[NOPER];  /* axes along which its piece changes, by bit */
    int group;            /* channel tiles side by side that read the same */
    int64_t most[NOPER];  /* bytes of its largest piece */
    int64_t slots;        /* bytes of a tile's pieces, one slot each */
    int64_t *scratch;     /* by the set of allocations in L2, */
    int64_t *busy;        /* as cycles of all its tiles */
    Code *code;           /* the kernels of its tiles */
    int ncode;
    Times times;
} Grid;

/* --- grids --- */

static int last_of(int count)
{
    return count - 1;
}

/* Which tile stands for a kind: its index along an axis. */
static int index_of(int axis, int kind, int count)
{
    if (axis == CUT_channel)
        return kind ? last_of(count) : 0;
    return kind == 0 ? 0 : kind == 1 ? MIN(1, last_of(count)) :
           kind == 2 ? count / 2 : MAX(0, count + kind - ROW_KINDS);
}

static int kind_along(int axis, int i, int count)
{
    if (axis == CUT_channel)
        return i == last_of(count) && count > 1;
    return i < 2 ? i : MAX(2, ROW_KINDS - count + i);
}

static int kind_at(const Grid *g, const int i[NCUT])
{
    return (kind_along(CUT_batch, i[CUT_batch], g->count[CUT_batch]) *
                ROW_KINDS +
            kind_along(CUT_row, i[CUT_row], g->count[CUT_row])) * 2 +
           kind_along(CUT_channel, i[CUT_channel], g->count[CUT_channel]);
}

static bool is_whole(const Grid *g)
{
    return g->count[0] * g->count[1] * g->count[2] == 1;
}

static Kind *new_kind(Tiler *t, const LayerInst *w, const Tile *tile)
{
    int o, first = w->noper - w->node->nres;
    Kind *k = arena_get(t->mem, 1, sizeof *k + (size_t)w->noper *
                                                   sizeof *k->share);

    k->cycles = NEWN(t->mem, int64_t, 1 << w->nalloc);
    for (o = 0; o < w->noper; o++) {
        Piece p = o < first ? tile->in[o] : tile->out[o - first];

        k->share[o] = (Share){p, move_cycles(t->dma, o < first, p.row,
                                             p.rows), 0, piece_bytes(p)};
        if (spills_to(t))
            k->share[o].l3_move = move_cycles(t->io, o < first, p.row, p.rows);
    }
    return k;
}

/* The kernels of a kind of tile: where operands are used in place, others may
 * be the fastest. */
static bool ask_kernels(Tiler *t, LayerInst *w, Grid *g, const Tile *tile,
                        int64_t *cycles)
{
    static const Cand cut;
    const Node *n = tile_seen(w, tile, is_whole(g));
    unsigned in_l2, in_place, sets = 1u << w->nalloc;
    bool out_place;
    Choice c, apart = {0};
    Dims d, told;

    if (!tile_dims(w->node, tile, 0, false, &d) ||
        !tiler_choice(t, w, n, &d, g->slots, &apart))
        return false;
    for (in_l2 = 0; in_l2 < sets; in_l2++) {
        c = apart;
        told = d;
        opers_in_place(w, in_l2, &cut, &in_place, &out_place);
        if (!is_whole(g) && tile_tells(w->node, in_place, out_place))
            tile_dims(w->node, tile, in_place, out_place, &told);
        if (memcmp(&told, &d, sizeof d) &&
            !tiler_choice(t, w, n, &told, g->slots, &c))
            return false;
        tiler_code(t, w, n, &c, &told);
        cycles[in_l2] = c.cycles;
        g->scratch[in_l2] = MAX(g->scratch[in_l2], c.scratch);
    }
    return true;
}

/* Where padding reaches beyond the second tile, those in the middle are not all
 * the same: their transfers take at least as long as the shortest. */
static void take_shortest(Tiler *t, Arena *mem, const LayerInst *w,
                          const Grid *g, Kind *k, const int i[NCUT])
{
    int64_t all[NCUT], at[NCUT], len[NCUT], most = 0;
    int o, end, j[NCUT], rows = g->count[CUT_row];
    Tile tile;

    for (o = 0; o < 4; o++)
        most = MAX(most, attr_at(w->node, A_pad, o, 0));
    if (i[CUT_row] < 2 || rows - i[CUT_row] < 3 || most <= g->len[CUT_row])
        return;
    tile_axes(w->node, w->part, all);
    memcpy(j, i, sizeof j);
    for (end = 0; end < 2; end++) {
        j[CUT_row] = end ? rows - 3 : 2;
        place_tile(g->len, j, all, at, len);
        if (!tile_make(mem, w->node, w->part, at, len, &tile))
            continue;
        for (o = 0; o < w->noper - w->node->nres; o++) {
            Share *s = &k->share[o];

            s->move = MIN(s->move, move_cycles(t->dma, true, tile.in[o].row,
                                               tile.in[o].rows));
            s->bytes = MIN(s->bytes, piece_bytes(tile.in[o]));
        }
    }
}

/* What a kind of tile reads, writes and takes.  mem: for what is not kept. */
static bool ask_kind(Tiler *t, Arena *mem, LayerInst *w, Grid *g,
                     const int i[NCUT])
{
    Kind **k = &g->kind[kind_at(g, i)];
    int64_t all[NCUT], at[NCUT], len[NCUT];
    Tile tile;
    int o;

    if (*k)
        return true;
    tile_axes(w->node, w->part, all);
    place_tile(g->len, i, all, at, len);
    if (!tile_make(mem, w->node, w->part, at, len, &tile))
        return false;
    *k = new_kind(t, w, &tile);
    for (o = 0; o < w->noper && !i[0] && !i[1] && !i[2]; o++)
        g->slots += slot_bytes(piece_bytes((*k)->share[o].piece));
    if (!ask_kernels(t, w, g, &tile, (*k)->cycles))
        return false;
    for (o = 0; o < w->noper; o++)
        g->most[o] = MAX(g->most[o], piece_bytes((*k)->share[o].piece));
    take_shortest(t, mem, w, g, *k, i);
    return true;
}

/* Along which axes the pieces of an operand differ. */
static void find_deps(const LayerInst *w, Grid *g)
{
    static const int zero[NCUT];
    int a, o, i[NCUT];

    for (a = 0; a < NCUT; a++) {
        if (g->count[a] == 1)
            continue;
        memset(i, 0, sizeof i);
        i[a] = last_of(g->count[a]);
        for (o = 0; o < w->noper; o++)
            if (!piece_same(g->kind[kind_at(g, zero)]->share[o].piece,
                            g->kind[kind_at(g, i)]->share[o].piece))
                g->dep[o] |= 1u << a;
    }
}

/* Channels of the result that belong together: a group's. */
static int64_t group_size(const Node *n)
{
    Shape y = n->res[0]->shape;

    return op_info[n->op].family == FAM_conv
               ? y.dim[y.rank - 1] / attr_int(n, A_group) : 1;
}

bool keeps_groups(const Node *n, int64_t len)
{
    int64_t m = group_size(n), all[NCUT];

    tile_axes(n, 0, all);
    return len == all[CUT_channel] || m == all[CUT_channel] || len % m == 0 ||
           m % len == 0;
}

/* Tiles within a group of a convolution's channels read the same input. */
static int tiles_in_group(const LayerInst *w, const Grid *g)
{
    int64_t m = group_size(w->node);

    return m % g->len[CUT_channel] ? 1 : (int)(m / g->len[CUT_channel]);
}

/* How many tiles are of a kind along an axis. */
static int kinds_along(int axis, int kind, int count)
{
    int last = count > 1;

    if (axis == CUT_channel)
        return kind ? last : count - last;
    return kind < 2 ? count > kind : kind == 2 ? MAX(0, count - 4)
                                               : count > 6 - kind;
}

static int64_t busy_of(const Grid *g, unsigned in_l2)
{
    int64_t sum = 0, n;
    int i, a;

    for (i = 0; i < KINDS; i++) {
        const int k[NCUT] = {i / 2 / ROW_KINDS, i / 2 % ROW_KINDS, i % 2};

        for (a = 0, n = 1; a < NCUT; a++)
            n *= kinds_along(a, k[a], g->count[a]);
        sum += n ? n * (CALL_CYCLES + g->kind[i]->cycles[in_l2]) : 0;
    }
    return sum;
}

static void ask_grid(Tiler *t, LayerInst *w, Grid *g)
{
    Arena *mem = arena_new();
    int k[NCUT], i[NCUT], a;
    unsigned in_l2;

    g->known = true;
    g->scratch = NEWN(t->mem, int64_t, 1 << w->nalloc);
    g->busy = NEWN(t->mem, int64_t, 1 << w->nalloc);
    g->ok = keeps_groups(w->node, g->len[CUT_channel]);
    for (k[0] = 0; k[0] < (g->count[0] > 1 ? ROW_KINDS : 1); k[0]++)
        for (k[1] = 0; k[1] < ROW_KINDS; k[1]++)
            for (k[2] = 0; k[2] < 2; k[2]++) {
                for (a = 0; a < NCUT; a++)
                    i[a] = index_of(a, k[a], g->count[a]);
                g->ok = g->ok && ask_kind(t, mem, w, g, i);
            }
    arena_end(mem);
    if (!g->ok)
        return;
    find_deps(w, g);
    g->group = tiles_in_group(w, g);
    for (in_l2 = 0; in_l2 < 1u << w->nalloc; in_l2++)
        g->busy[in_l2] = busy_of(g, in_l2);
}

/* What it takes is noted of the grid, not of the layer that asked first. */
static void make_grid(Tiler *t, LayerInst *w, Grid *g)
{
    LayerInst was = *w;

    w->wanted = 0;
    w->denied = INT64_MAX;
    w->code = NULL;
    w->ncode = 0;
    ask_grid(t, w, g);
    w->grids->wanted = MAX(w->grids->wanted, w->wanted);
    w->grids->denied = MIN(w->grids->denied, w->denied);
    g->code = w->code;
    g->ncode = w->ncode;
    w->wanted = was.wanted;
    w->denied = was.denied;
    w->code = was.code;
    w->ncode = was.ncode;
}

static bool know_grid(Tiler *t, LayerInst *w, Grid *g)
{
    int i;

    if (!g->known)
        make_grid(t, w, g);
    for (i = 0; i < g->ncode; i++)
        layer_code(t, w, g->code[i]);
    return g->ok;
}

/* As even as can be, of multiples that suit kernels. */
void tile_sizes(const Tiler *t, int64_t all, int64_t step, int64_t *size,
                int *n)
{
    const int most = t->effort ? MOST_SIZES : FEW_SIZES, each = most / 4 - 1;
    int64_t pieces, s;

    *n = 0;
    for (pieces = 1; pieces <= all && *n < most; pieces++) {
        s = (all + pieces - 1) / pieces;
        s = MIN(all, (s + step - 1) / step * step);
        if (!*n || s < size[*n - 1])
            size[(*n)++] = s;
        else if (s <= step)
            break;
        if (*n > each)
            pieces = pieces * 4 / 3;
    }
    if (*n && size[*n - 1] > step && *n == most)
        size[*n - 1] = MIN(step, all);
}

int64_t channel_step(const Node *n)
{
    int64_t m = group_size(n);

    return m % 4 && attr_int(n, A_group) > 1 && m > 1 ? m : 4;
}

/* All; half of it, a quarter, while padding at either end does not fill one. */
static void column_sizes(const Node *n, int64_t all, int64_t *size, int *count)
{
    int64_t pad = MAX(attr_at(n, A_pad, 1, 0), attr_at(n, A_pad, 3, 0));

    *count = 0;
    do {
        size[(*count)++] = all;
        all = (all + 1) / 2;
    } while (*count < MOST_SIZES && all >= MAX(LEAST_WIDE, pad));
}

static void list_grids(Tiler *t, LayerInst *w)
{
    int64_t all[NCUT], size[NCUT][MOST_SIZES];
    int n[NCUT], i, j, k, a;
    Grids *l = w->grids = tiler_grids(t, w);

    if (l->v)
        return;
    tile_axes(w->node, w->part, all);
    for (a = 0; a < NCUT; a++)
        tile_sizes(t, all[a], a == CUT_channel ? channel_step(w->node) : 1,
                   size[a], &n[a]);
    if (cut_columns(w->node))
        column_sizes(w->node, all[0], size[0], &n[0]);
    l->v = NEWN(t->mem, Grid, n[0] * n[1] * n[2]);
    for (i = 0; i < n[0]; i++)
        for (j = 0; j < n[1]; j++)
            for (k = 0; k < n[2]; k++) {
                Grid *g = &l->v[l->n];
                int64_t tiles = 1;

                *g = (Grid){.len = {size[0][i], size[1][j], size[2][k]}};
                for (a = 0; a < NCUT; a++) {
                    g->count[a] = (int)((all[a] - 1) / g->len[a] + 1);
                    tiles *= g->count[a];
                }
                l->n += tiles <= MOST_TILES;
            }
}

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
    const Kind *k = g->kind[kind_at(g, i)];
    int64_t move;
    int o;

    for (o = 0; o < w->noper - w->node->nres; o++) {
        bool whole = tile_is_whole(w, o, cand);

        if (!(buffered >> o & 1) || (was && (whole || !changes(g, o, i, was))))
            continue;
        move = whole ? move_cycles(t->dma, true, val_bytes(w->oper[o].val), 1)
                     : k->share[o].move;
        if (oper_is_staged(&w->oper[o]))
            pipe_bring(k->share[o].l3_move, c);
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
                pipe_send(k->share[o].l3_move, c);
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
        const Kind *k = g->kind[kind_at(g, i)];

        cand_index(cand, n + 1, next);
        ready = c.ready;
        c.ready = 0;
        if (cand->depth > 1 && n + 1 < tiles)
            load_tile(t, w, g, cand, buffered, next, i, &c);
        pipe_wait(MAX(ready, stored[n % cand->depth]), &c);
        c.core += CALL_CYCLES + k->cycles[in_l2];
        stored[n % cand->depth] = store_tile(t, w, k, buffered, &c);
        if (cand->depth == 1 && n + 1 < tiles)
            load_tile(t, w, g, cand, buffered, next, i, &c);
        memcpy(i, next, sizeof i);
    }
    pipe_wait(MAX(stored[0], stored[1]), &c);
    cand->cycles = MAX(c.core, c.io);
    cand->idle = c.idle;
    cand->slack = MAX(0, cand->cycles - c.loading);
}

static int64_t energy_of(const Tiler *t, const LayerInst *w, const Grid *g,
                         const Cand *cand, unsigned in_l2)
{
    unsigned buffered = buffered_set(w, cand, in_l2);
    int i[NCUT], was[NCUT], n, o;
    int64_t moved[2] = {0, 0};

    for (n = 0; n < cand_tiles(cand); n++) {
        cand_index(cand, n, i);
        for (o = 0; o < w->noper; o++) {
            bool whole = tile_is_whole(w, o, cand);
            int64_t bytes = whole ? val_bytes(w->oper[o].val)
                                  : g->kind[kind_at(g, i)]->share[o].bytes;

            if (!(buffered >> o & 1) ||
                (n && !w->oper[o].out && (whole || !changes(g, o, i, was))))
                continue;
            moved[0] += bytes;
            moved[1] += oper_is_staged(&w->oper[o]) ? bytes : 0;
        }
        memcpy(was, i, sizeof was);
    }
    return tiler_energy(t, moved[0], moved[1]);
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
    cand->energy = t->energy_weight[0] > 0 ? energy_of(t, w, g, cand,
                                                       in_l2) : 0;
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

    if (!w->shared || is_whole(g))
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
static bool is_hopeless(const Grid *g, unsigned in_l2, const Cand *cand,
                        const Cands *l)
{
    Cand best = *cand;

    best.cycles = g->busy[in_l2];
    best.pre_cycles = NOPER * MOVE_CYCLES;
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
    dims_fill_part(w->node, w->part, &d);
    if (!tiler_choice(t, w, w->node, &d, 0, &c))
        return;
    if (w->node->op == OP_concat)
        choice_time(&c, w->node, &d);
    tiler_code(t, w, w->node, &c, &d);
    cand.bytes = slot_bytes(c.scratch);
    cand.cycles = CALL_CYCLES + c.cycles + l2_cycles(t, w, in_l2, &c);
    cand.slack = cand.cycles;
    for (o = 0; o < w->noper; o++)
        if (w->oper[o].in_l3 && w->oper[o].konst)
            cand.l2_bytes += l2_bytes(t, w, NULL, &cand, o);
    if (cand.bytes <= t->listed)
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

static void add_grid(Tiler *t, LayerInst *w, Grid *g, unsigned in_l2, Cands *l)
{
    Cand cand = {.depth = 1, .saves = -1};
    int order, orders, depths, i;

    if (!know_grid(t, w, g) || !may_cut(w, g))
        return;
    memcpy(cand.len, g->len, sizeof cand.len);
    memcpy(cand.count, g->count, sizeof cand.count);
    cand.slots = g->slots;
    orders = g->count[CUT_row] > 1 && g->count[CUT_channel] > 1 ? 2 : 1;
    depths = is_whole(g) ? 1 : 2;
    for (order = 0; order < orders; order++)
        for (i = depths * (1 + has_whole(w, g)); i > 0; i--) {
            cand.rows_first = order == 0;
            cand.depth = (i - 1) % depths + 1;
            cand.whole = i > depths;
            cand.energy = 0;
            size_cand(t, w, g, &cand, in_l2);
            if (cand.bytes > t->listed || is_hopeless(g, in_l2, &cand, l) ||
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
        list_grids(t, w);
    for (i = 0; i < w->grids->n; i++) {
        Grid *g = &w->grids->v[i];

        if (!know_grid(t, w, g) || !may_cut(w, g))
            continue;
        memcpy(cand.len, g->len, sizeof cand.len);
        memcpy(cand.count, g->count, sizeof cand.count);
        size_cand(t, w, g, &cand, all);
        if (cand.bytes <= t->room && can_tell(w, g, &cand, all))
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
        list_grids(t, w);
    add_direct(t, w, in_l2, l);
    for (i = 0; i < w->grids->n; i++)
        add_grid(t, w, &w->grids->v[i], in_l2, l);
    cands_sort(l);
    return l;
}
