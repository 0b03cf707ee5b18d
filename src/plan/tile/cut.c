/* Tiles of fused groups: what each asks of the layers before the last. */
#include "plan/cost/cost.h"
#include "plan/tile/cut.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { MOST_TILES = 256, MOST_CHANNELS = 6 };

/* --- which layers --- */

int fused_link(const LayerInst *w, const LayerInst *before)
{
    int o, found = -1;

    for (o = 0; o + 1 < w->noper; o++)
        if (w->oper[o].val &&
            w->oper[o].alloc == before->oper[before->noper - 1].alloc)
            found = found < 0 ? o : NOPER;
    return found < NOPER ? found : -1;
}

/* --- tiles --- */

/* Does a piece lie within a line, and so do others of its size behind it? */
static bool in_line(Piece p, int64_t line, int64_t lines)
{
    return lines == 1 || p.rows > 1 ||
           (line % p.row == 0 && p.off % line % p.row == 0);
}

/* Are its tiles parts of one batch, or of one picture's full width? */
static bool is_single(const Node *n, const int64_t all[NCUT])
{
    return all[CUT_batch] == 1 || cut_columns(n);
}

/* The tile that makes piece p of a node's result, and nothing else. */
static bool piece_tile(Arena *mem, const Node *n, Piece p, FusedTile *to)
{
    int64_t *at = to->at, *len = to->len, all[NCUT], line, end;
    const Val *y = n->res[0];

    tile_axes(n, 0, all);
    line = val_bytes(y) / all[CUT_row];
    end = p.off + (p.rows - 1) * p.stride + p.row;
    at[CUT_batch] = at[CUT_channel] = 0;
    len[CUT_batch] = all[CUT_batch];
    at[CUT_row] = p.off / line;
    len[CUT_row] = (end + line - 1) / line - at[CUT_row];
    len[CUT_channel] = all[CUT_channel];
    if (p.rows > 1 || p.row < line) {
        if (!in_line(p, line, all[CUT_row]))
            return false;
        at[CUT_channel] = p.off % line / type_info[y->type].bytes;
        len[CUT_channel] = p.row / type_info[y->type].bytes;
    }
    return is_single(n, all) &&
           at[CUT_channel] + len[CUT_channel] <= all[CUT_channel] &&
           tile_make(mem, n, 0, at, len, &to->tile) &&
           piece_same(to->tile.out[0], p) &&
           to->tile.out[0].stride == p.stride;
}

/* Leaves out of a tile the rows that end where another one does. */
static bool leave_out(Arena *mem, const Node *n, const FusedTile *was,
                      FusedTile *to)
{
    int64_t end = was->at[CUT_row] + was->len[CUT_row], more;

    more = MAX(0, end - to->at[CUT_row]);
    to->at[CUT_row] += more;
    to->len[CUT_row] -= more;
    return to->len[CUT_row] > 0 &&
           (!more || tile_make(mem, n, 0, to->at, to->len, &to->tile));
}

/* was: the tile before, whose rows are kept; NULL: none. */
static bool make_tiles(Arena *mem, const Tiler *t, int first, const Cand *cand,
                       int i, const FusedTile *was, FusedTile *to)
{
    int64_t all[NCUT];
    int k = cand_layers(cand) - 1;
    const LayerInst *w = &t->layer[first + k];

    tile_axes(w->node, w->part, all);
    cand_tile(cand, i, to[k].at, to[k].len, all);
    if (!tile_make(mem, w->node, w->part, to[k].at, to[k].len, &to[k].tile))
        return false;
    for (; k > 0; k--, w--)
        if (!piece_tile(mem, w[-1].node,
                        to[k].tile.in[fused_link(w, w - 1)], &to[k - 1]) ||
            (was && !leave_out(mem, w[-1].node, &was[k - 1], &to[k - 1])))
            return false;
    return true;
}

bool fused_tiles(Arena *mem, const Tiler *t, int first, const Cand *cand, int i,
                 FusedTile *to)
{
    FusedTile was[MOST_FUSED];
    int back = cand->rows_first ? 1 : cand->count[CUT_channel], at[NCUT];

    cand_index(cand, i, at);
    if (!cand->reuse || !at[CUT_row])
        return make_tiles(mem, t, first, cand, i, NULL, to);
    return make_tiles(mem, t, first, cand, i - back, NULL, was) &&
           make_tiles(mem, t, first, cand, i, was, to);
}

int64_t fused_halo(const LayerInst *w, const FusedTile *c,
                   const FusedTile *before)
{
    return piece_bytes(c->tile.in[fused_link(w, w - 1)]) -
           piece_bytes(before->tile.out[0]);
}

/* --- cuts --- */

/* How many tiles of so many rows, at either edge, padding may reach. */
static int edge_of(const Tiler *t, const Fused *c, int64_t rows)
{
    int64_t pad, most, reach = 0, step = 1, edge = 2;
    int m, i;

    for (m = c->n - 1; m >= 0; m--) {
        const Node *n = t->layer[c->first + m].node;

        for (i = 0, pad = 0; i < 4; i++)
            pad = MAX(pad, attr_at(n, A_pad, i, 0));
        most = n->op == OP_convt ? 1 : attr_at(n, A_stride, 0, 1);
        reach = reach * most + pad;
        step *= most;
        edge = MAX(edge, 1 + (reach - 1) / (step * rows) + 1);
    }
    return (int)edge;
}

static void add_cut_of(Tiler *t, Fused *c, const int64_t all[NCUT],
                       int64_t rows, int64_t channels, bool reuse)
{
    Cut *g = &c->cut[c->ncut];

    *g = (Cut){.len = {all[CUT_batch], rows, channels}, .count = {
        1, (int)((all[CUT_row] - 1) / rows + 1),
        (int)((all[CUT_channel] - 1) / channels + 1)},
        .edge = edge_of(t, c, rows), .reuse = reuse};
    c->ncut += g->edge <= MOST_EDGE && (!reuse || g->count[CUT_row] > 1) &&
               g->count[CUT_row] * g->count[CUT_channel] <= MOST_TILES;
}

/* Does one of the layers read rows again that its last tile has read? */
static bool has_windows(const Tiler *t, const Fused *c)
{
    bool any = false;
    int k;

    for (k = c->first + 1; k < c->first + c->n; k++)
        any |= op_info[t->layer[k].node->op].reach == R_WINDOW;
    return any;
}

void cut_list(Tiler *t, Fused *c)
{
    const Node *n = t->layer[c->first + c->n - 1].node;
    int64_t all[NCUT], row[MOST_SIZES], channel[MOST_SIZES];
    int nrow, nchannel, i, k, r, cands = 1 + has_windows(t, c);

    tile_axes(n, 0, all);
    tile_sizes(t, all[CUT_row], 1, row, &nrow);
    nrow = MIN(nrow, MOST_SIZES - 1);
    if (row[nrow - 1] > 1) /* what is needed grows faster than the tile */
        row[nrow++] = 1;
    tile_sizes(t, all[CUT_channel], channel_step(n), channel, &nchannel);
    nchannel = MIN(nchannel, MOST_CHANNELS);
    c->cut = NEWN(t->mem, Cut, cands * nrow * nchannel + 1);
    for (i = 0; i < nrow && is_single(n, all); i++)
        for (k = 0; k < nchannel; k++)
            for (r = 0; r < cands && (i || k); r++)
                add_cut_of(t, c, all, row[i], channel[k], r);
}

Cand cut_cand(const Fused *c, const Cut *g)
{
    Cand w = {.before = c->n - 1, .rows_first = true, .depth = 1,
             .reuse = g->reuse, .saves = -1};

    memcpy(w.len, g->len, sizeof w.len);
    memcpy(w.count, g->count, sizeof w.count);
    return w;
}

/* How many kinds there are along rows. */
static int row_kinds(const Cut *g)
{
    return MIN(g->count[CUT_row], 2 * g->edge + 1);
}

int cut_row(const Cut *g, int i)
{
    int n = g->count[CUT_row], kinds = row_kinds(g);

    return i < MIN(g->edge, kinds) ? i : MAX(g->edge, i - n + kinds);
}

/* Which tile stands for a kind along rows. */
static int row_index(const Cut *g, int kind)
{
    int n = g->count[CUT_row], kinds = row_kinds(g);

    return kinds == n || kind < g->edge ? kind :
           kind == g->edge ? n / 2 : n - kinds + kind;
}

Kind *const *cut_kinds(const Cut *g, const int i[NCUT])
{
    return g->kind[cut_row(g, i[CUT_row])]
                  [i[CUT_channel] == g->count[CUT_channel] - 1];
}

int64_t cut_inner(const Tiler *t, const Fused *c, const Cut *g, int m)
{
    const LayerInst *w = &t->layer[c->first + m];

    return slot_bytes(MAX(g->most[m][w->noper - 1],
                          g->most[m + 1][fused_link(w + 1, w)]));
}

int64_t cut_least(const Tiler *t, const Fused *c, const Cut *g)
{
    int64_t sum = slot_bytes(g->scratch);
    int m, o;

    for (m = 0; m < c->n; m++) {
        const LayerInst *w = &t->layer[c->first + m];

        for (o = 0; o < w->noper; o++)
            if (w->oper[o].konst && !oper_is_inlined(&w->oper[o]))
                sum += slot_bytes(g->most[m][o]);
        if (m < c->n - 1)
            sum += cut_inner(t, c, g, m);
    }
    return sum;
}

static void note_kind(const Tiler *t, const Fused *c, Cut *g, int m,
                      const Kind *k)
{
    const LayerInst *w = &t->layer[c->first + m];
    int o;

    for (o = 0; o < w->noper; o++)
        g->most[m][o] = MAX(g->most[m][o], piece_bytes(k->piece[o]));
    g->scratch = MAX(g->scratch, k->scratch);
    g->halo[m] = MAX(g->halo[m], k->halo);
}

/* Is there a tile that keeps rows, of all that might? */
static bool reuses_rows(const Cut *g)
{
    int m;

    for (m = 1; m < MOST_FUSED && !g->halo[m]; m++)
        ;
    return !g->reuse || m < MOST_FUSED;
}

static Kind *new_kind(Tiler *t, LayerInst *w, const Tile *tile)
{
    int o, first = w->noper - w->node->nres;
    Choice c = {0};
    Kind *k;
    Dims d;

    if (!tile_dims(w->node, tile, 0, false, &d) ||
        !tiler_choice(t, w, tile->node, &d, 0, &c))
        return NULL;
    k = NEW(t->mem, Kind);
    k->kern = c.kern;
    k->cycles = c.cycles;
    k->scratch = c.scratch;
    k->code = tiler_code(t, w, tile->node, &c, &d);
    for (o = 0; o < w->noper; o++) {
        k->piece[o] = o < first ? tile->in[o] : tile->out[o - first];
        k->move[o] = move_cycles(t->q->dma, o < first, k->piece[o].row,
                                 k->piece[o].rows);
        if (spills_to(t))
            k->l3_move[o] = move_cycles(t->q->io, o < first, k->piece[o].row,
                                        k->piece[o].rows);
    }
    return k;
}

static bool ask_kind(Tiler *t, const Fused *c, Cut *g, int row, int channel)
{
    FusedTile tile[MOST_FUSED];
    Arena *mem;
    Cand cand = cut_cand(c, g);
    Kind **k = g->kind[cut_row(g, row)]
                      [channel == g->count[CUT_channel] - 1];
    bool ok;
    int m;

    if (*k)
        return true;
    mem = arena_new();
    ok = fused_tiles(mem, t, c->first, &cand,
                     channel * g->count[CUT_row] + row, tile);
    for (m = c->n - 1; ok && m >= 0; m--) {
        LayerInst *w = &t->layer[c->first + m];

        k[m] = new_kind(t, w, &tile[m].tile);
        if (k[m] && m && g->reuse && row)
            k[m]->halo = fused_halo(w, &tile[m], &tile[m - 1]);
        ok = k[m] && keeps_groups(w->node, tile[m].len[CUT_channel]);
        if (ok)
            note_kind(t, c, g, m, k[m]);
    }
    arena_end(mem);
    return ok && cut_least(t, c, g) <= t->k.listed;
}

static void find_deps(const Tiler *t, const Fused *c, Cut *g)
{
    int m, o, i;

    for (m = 0; m < c->n; m++)
        for (o = 0; o < t->layer[c->first + m].noper; o++) {
            bool alone = g->count[CUT_channel] == 1;
            Piece p = g->kind[0][alone][m]->piece[o];

            for (i = 1; i < row_kinds(g); i++)
                if (!piece_same(g->kind[i][alone][m]->piece[o], p))
                    g->dep[m][o] |= 1u << CUT_row;
            if (!alone && !piece_same(g->kind[0][1][m]->piece[o], p))
                g->dep[m][o] |= 1u << CUT_channel;
        }
}

/* Is a tile beside the one that stands for its kind like it?  Rows of two
 * layers may not end together, or do so only now and then; and what changes
 * from tile to tile must do so always. */
static bool is_regular(Tiler *t, const Fused *c, const Cut *g, int row,
                       int channel)
{
    FusedTile tile[MOST_FUSED];
    Arena *mem = arena_new();
    Cand cand = cut_cand(c, g);
    bool ok = fused_tiles(mem, t, c->first, &cand,
                          channel * g->count[CUT_row] + row, tile);
    int m, o;

    for (m = 0; ok && m < c->n; m++) {
        const LayerInst *w = &t->layer[c->first + m];
        const Kind *k = cut_kinds(g, (int[NCUT]){0, row, channel})[m];

        for (o = 0; ok && o < w->noper; o++)
            ok = !(g->dep[m][o] >> (channel ? CUT_channel : CUT_row) & 1) ||
                 !piece_same(k->piece[o], w->oper[o].out ? tile[m].tile.out[0]
                                                         : tile[m].tile.in[o]);
    }
    arena_end(mem);
    return ok;
}

static bool suits_all(Tiler *t, const Fused *c, const Cut *g)
{
    int row = row_index(g, g->edge);

    return (g->count[CUT_row] == row_kinds(g) ||
            (is_regular(t, c, g, row - 1, 0) &&
             is_regular(t, c, g, row + 1, 0))) &&
           (g->count[CUT_channel] < 3 || is_regular(t, c, g, 0, 1));
}

/* Does a layer make another piece for each tile along an axis, as far as is
 * known? */
static bool is_made_along(const Tiler *t, const Fused *c, const Cut *g, int m,
                          int axis)
{
    int y = t->layer[c->first + m].noper - 1;

    return m == c->n - 1 || (g->known && g->dep[m][y] >> axis & 1);
}

/* Cycles in which cores work on the tiles whose kinds are known, those along an
 * axis one after the other. */
static int64_t busy_of(const Tiler *t, const Fused *c, const Cut *g, int axis)
{
    int i[NCUT] = {0}, m;
    int64_t sum = 0;

    for (i[CUT_row] = 0; i[CUT_row] < g->count[CUT_row]; i[CUT_row]++)
        for (i[CUT_channel] = 0; i[CUT_channel] < g->count[CUT_channel];
             i[CUT_channel]++) {
            Kind *const *k = cut_kinds(g, i);

            for (m = 0; m < c->n && k[m]; m++)
                if (!i[axis] || is_made_along(t, c, g, m, axis))
                    sum += t->p->soc->time.call + k[m]->cycles;
        }
    return sum;
}

static void count_busy(const Tiler *t, const Fused *c, Cut *g)
{
    g->busy[false] = busy_of(t, c, g, CUT_channel);
    g->busy[true] = busy_of(t, c, g, CUT_row);
}

/* The kind in the middle comes first: it asks for most, and most tiles are of
 * it. */
void cut_begin(Tiler *t, const Fused *c, Cut *g)
{
    g->begun = true;
    g->ok = ask_kind(t, c, g, row_index(g, row_kinds(g) / 2), 0) &&
            reuses_rows(g);
    if (g->ok)
        count_busy(t, c, g);
}

void cut_make(Tiler *t, const Fused *c, Cut *g)
{
    int i, row, kinds = row_kinds(g);

    g->known = true;
    for (i = 0; i < kinds && g->ok; i++) {
        row = row_index(g, (kinds / 2 + i) % kinds);
        g->ok = ask_kind(t, c, g, row, 0) &&
                (g->count[CUT_channel] == 1 ||
                 ask_kind(t, c, g, row, g->count[CUT_channel] - 1));
    }
    if (g->ok)
        find_deps(t, c, g);
    g->ok = g->ok && suits_all(t, c, g);
    for (i = 0; i < c->n - 1; i++) /* or it may as well have its level there */
        g->ok = g->ok && g->dep[i][t->layer[c->first + i].noper - 1];
    if (g->ok)
        count_busy(t, c, g);
}
