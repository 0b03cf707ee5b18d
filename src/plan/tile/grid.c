/* Grids: tile sizes of a layer, and what their tiles read, write and take. */
#include "plan/tile/grid.h"

#include <string.h>

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

int grid_kind_at(const Grid *g, const int i[NCUT])
{
    return (kind_along(CUT_batch, i[CUT_batch], g->count[CUT_batch]) *
                ROW_KINDS +
            kind_along(CUT_row, i[CUT_row], g->count[CUT_row])) * 2 +
           kind_along(CUT_channel, i[CUT_channel], g->count[CUT_channel]);
}

bool grid_is_whole(const Grid *g)
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

        k->share[o] = (Share){p, move_cycles(t->q->dma, o < first, p.row,
                                             p.rows), 0, piece_bytes(p)};
        if (spills_to(t))
            k->share[o].l3_move = move_cycles(t->q->io, o < first, p.row,
                                              p.rows);
    }
    return k;
}

/* The kernels of a kind of tile: where operands are used in place, others may
 * be the fastest. */
static bool ask_kernels(Tiler *t, LayerInst *w, Grid *g, const Tile *tile,
                        int64_t *cycles)
{
    static const Cand cut;
    const Node *n = tile_seen(w, tile, grid_is_whole(g));
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
        if (!grid_is_whole(g) && tile_tells(w->node, in_place, out_place))
            tile_dims(w->node, tile, in_place, out_place, &told);
        if (memcmp(&told, &d, sizeof d) &&
            !tiler_choice(t, w, n, &told, g->slots, &c))
            return false;
        tiler_code(t, w, n, &c, &told);
        cycles[in_l2] = c.cycles;
        if (w->varies)
            cycles[in_l2] += l2_cycles(t, w, in_l2, false, &c);
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

            s->move = MIN(s->move, move_cycles(t->q->dma, true, tile.in[o].row,
                                               tile.in[o].rows));
            s->bytes = MIN(s->bytes, piece_bytes(tile.in[o]));
        }
    }
}

/* What a kind of tile reads, writes and takes.  mem: for what is not kept. */
static bool ask_kind(Tiler *t, Arena *mem, LayerInst *w, Grid *g,
                     const int i[NCUT])
{
    Kind **k = &g->kind[grid_kind_at(g, i)];
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
            if (!piece_same(g->kind[grid_kind_at(g, zero)]->share[o].piece,
                            g->kind[grid_kind_at(g, i)]->share[o].piece))
                g->dep[o] |= 1u << a;
    }
}

/* Channels of the result that belong together: a group's. */
static int64_t group_size(const Node *n)
{
    Shape y = n->res[0]->shape;

    return op_info[n->op].family == FAM_conv ||
                   op_info[n->op].family == FAM_pconv
               ? y.dim[y.rank - 1] / attr_int(n, A_group) : 1;
}

/* Channels that are never parted: of a depthwise convolution on an accelerator
 * those whose packed weights lie in one word, of an attention those of a head; 1
 * of all else. */
static int64_t packed_channels(const Node *n)
{
    if (op_info[n->op].family == FAM_attend)
        return n->res[0]->shape.dim[n->res[0]->shape.rank - 1];
    return op_info[n->op].family == FAM_pconv && attr_int(n, A_group) > 1
               ? attr_at(n, A_count, 0, 1) : 1;
}

bool keeps_groups(const Node *n, int64_t len)
{
    int64_t m = group_size(n), all[NCUT];

    tile_axes(n, 0, all);
    if (len == all[CUT_channel])
        return true;
    return (m == all[CUT_channel] || len % m == 0 || m % len == 0) &&
           len % packed_channels(n) == 0;
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

static int64_t busy_of(const Tiler *t, const Grid *g, unsigned in_l2)
{
    int64_t sum = 0, n;
    int i, a;

    for (i = 0; i < KINDS; i++) {
        const int k[NCUT] = {i / 2 / ROW_KINDS, i / 2 % ROW_KINDS, i % 2};

        for (a = 0, n = 1; a < NCUT; a++)
            n *= kinds_along(a, k[a], g->count[a]);
        sum += n ? n * (t->p->soc->time.call + g->kind[i]->cycles[in_l2]) : 0;
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
        g->busy[in_l2] = busy_of(t, g, in_l2);
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

bool grid_know(Tiler *t, LayerInst *w, Grid *g)
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
    const int most = t->opt.effort ? MOST_SIZES : FEW_SIZES;
    const int each = most / 4 - 1;
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
    int64_t m = group_size(n), word = packed_channels(n);

    if (word > 1)
        return word;
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

/* Constants, in one tile: what follows a number is used where it lies. */
static void list_whole(Tiler *t, LayerInst *w)
{
    bool any = false;
    int o;

    for (o = 0; o < w->noper; o++)
        any |= w->oper[o].val && w->oper[o].konst &&
               !oper_is_inlined(&w->oper[o]);
    if (!any)
        return;
    w->grids->v = NEW(t->mem, Grid);
    w->grids->n = 1;
    *w->grids->v = (Grid){.count = {1, 1, 1}};
    tile_axes(w->node, w->part, w->grids->v->len);
}

void grid_list(Tiler *t, LayerInst *w)
{
    int64_t all[NCUT], size[NCUT][MOST_SIZES];
    bool in_place = layer_scatters(w) || node_is_far(w->node);
    int n[NCUT], i, j, k, a;
    Grids *l;

    if (w->varies || in_place) { /* as a whole */
        w->grids = NEW(t->mem, Grids);
        if (!in_place && w->node->op != OP_concat)
            list_whole(t, w);
        return;
    }
    l = w->grids = tiler_grids(t, w);
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
