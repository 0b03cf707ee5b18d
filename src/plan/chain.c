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
#include "plan/tiling.h"

#include <string.h>

/* PROGRAM_CODE: bytes of the program between two kernels.  FAVOUR: how much
 * quicker chains seem where they are wanted for their own sake, by tests. */
enum { PROGRAM_CODE = 500, MOST_EDGE = 4, ROWS = 2 * MOST_EDGE + 1,
       MOST_STORES = 6, MOST_TILES = 256, MOST_CHANNELS = 6, FAVOUR = 4 };

/* What tiles of one kind ask of a work. */
typedef struct Kind {
    int64_t kept;         /* bytes of the result of the work before it */
    const Kern *kern;
    int64_t cycles, scratch;
    Code code;
    Piece piece[NOPER];
    int64_t move[NOPER];  /* cycles of its transfer, */
    int64_t outer[NOPER]; /* and from or to the outer memory, if it may be */
} Kind;

/* A tile size of the last work.  Its tiles are of few kinds: along rows those
 * that padding of some work may reach, at both edges, and those between, along
 * channels the last and the others. */
typedef struct Cut {
    int64_t len[NCUT];
    int count[NCUT];
    int edge;
    bool rolls;           /* rows are kept from tile to tile */
    bool begun, known, ok; /* the kind in the middle is known, all are */
    Kind *kind[ROWS][2][MOST_CHAIN];
    unsigned dep[MOST_CHAIN][NOPER]; /* axes along which a piece changes */
    int64_t most[MOST_CHAIN][NOPER]; /* bytes of its largest */
    int64_t kept[MOST_CHAIN]; /* most bytes that are */
    int64_t scratch;
    int64_t busy[2];      /* cycles in which cores work, with rows inside
                             channels [true] or not */
    Times times;
} Cut;

/* Ways for one place of the operands of all works, one size of what is fetched,
 * and one choice of what is considered. */
typedef struct ChainSet {
    unsigned outer;     /* stores in the outer memory, by bit */
    unsigned konst[MOST_CHAIN]; /* constants there, of each work */
    int64_t chunk;
    Chains chains;
    Ways *ways;
} ChainSet;

struct Chain {
    int first, n;
    int nstore, store[MOST_STORES]; /* those that have homes, by bit */
    ChainSet *set;      /* those known */
    int nset;
    Ways any;
    Cut *cut;
    int ncut;
};

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
static bool piece_tile(Arena *mem, const Node *n, Piece p, ChainTile *to)
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
static bool leave_out(Arena *mem, const Node *n, const ChainTile *was,
                      ChainTile *to)
{
    int64_t end = was->at[CUT_row] + was->len[CUT_row], more;

    more = MAX(0, end - to->at[CUT_row]);
    to->at[CUT_row] += more;
    to->len[CUT_row] -= more;
    return to->len[CUT_row] > 0 &&
           (!more || tile_make(mem, n, 0, to->at, to->len, &to->tile));
}

/* was: the tile before, whose rows are kept; NULL: none. */
static bool make_tiles(Arena *mem, const Tiler *t, int first, const Way *way,
                       int i, const ChainTile *was, ChainTile *to)
{
    int64_t all[NCUT];
    int k = way_works(way) - 1;
    const Work *w = &t->work[first + k];

    tile_axes(w->node, w->part, all);
    way_tile(way, i, to[k].at, to[k].len, all);
    if (!tile_make(mem, w->node, w->part, to[k].at, to[k].len, &to[k].tile))
        return false;
    for (; k > 0; k--, w--)
        if (!piece_tile(mem, w[-1].node,
                        to[k].tile.in[chain_link(w, w - 1)], &to[k - 1]) ||
            (was && !leave_out(mem, w[-1].node, &was[k - 1], &to[k - 1])))
            return false;
    return true;
}

bool chain_tiles(Arena *mem, const Tiler *t, int first, const Way *way, int i,
                 ChainTile *to)
{
    ChainTile was[MOST_CHAIN];
    int back = way->rows_first ? 1 : way->count[CUT_channel], at[NCUT];

    way_index(way, i, at);
    if (!way->rolls || !at[CUT_row])
        return make_tiles(mem, t, first, way, i, NULL, to);
    return make_tiles(mem, t, first, way, i - back, NULL, was) &&
           make_tiles(mem, t, first, way, i, was, to);
}

int64_t chain_kept(const Work *w, const ChainTile *c, const ChainTile *before)
{
    return piece_bytes(c->tile.in[chain_link(w, w - 1)]) -
           piece_bytes(before->tile.out[0]);
}

/* --- cuts --- */

/* How many tiles of so many rows, at either edge, padding may reach. */
static int edge_of(const Tiler *t, const Chain *c, int64_t rows)
{
    int64_t pad, most, reach = 0, step = 1, edge = 2;
    int m, i;

    for (m = c->n - 1; m >= 0; m--) {
        const Node *n = t->work[c->first + m].node;

        for (i = 0, pad = 0; i < 4; i++)
            pad = MAX(pad, attr_at(n, A_pad, i, 0));
        most = n->op == OP_convt ? 1 : attr_at(n, A_stride, 0, 1);
        reach = reach * most + pad;
        step *= most;
        edge = MAX(edge, 1 + (reach - 1) / (step * rows) + 1);
    }
    return (int)edge;
}

static void add_cut_of(Tiler *t, Chain *c, const int64_t all[NCUT],
                       int64_t rows, int64_t channels, bool rolls)
{
    Cut *g = &c->cut[c->ncut];

    *g = (Cut){.len = {all[CUT_batch], rows, channels}, .count = {
        1, (int)((all[CUT_row] - 1) / rows + 1),
        (int)((all[CUT_channel] - 1) / channels + 1)},
        .edge = edge_of(t, c, rows), .rolls = rolls};
    c->ncut += g->edge <= MOST_EDGE && (!rolls || g->count[CUT_row] > 1) &&
               g->count[CUT_row] * g->count[CUT_channel] <= MOST_TILES;
}

/* Does one of the works read rows again that its last tile has read? */
static bool has_windows(const Tiler *t, const Chain *c)
{
    bool any = false;
    int k;

    for (k = c->first + 1; k < c->first + c->n; k++)
        any |= op_info[t->work[k].node->op].reach == R_WINDOW;
    return any;
}

static void list_cuts(Tiler *t, Chain *c)
{
    const Node *n = t->work[c->first + c->n - 1].node;
    int64_t all[NCUT], row[MOST_SIZES], channel[MOST_SIZES];
    int nrow, nchannel, i, k, r, ways = 1 + has_windows(t, c);

    tile_axes(n, 0, all);
    tile_sizes(t, all[CUT_row], 1, row, &nrow);
    nrow = MIN(nrow, MOST_SIZES - 1);
    if (row[nrow - 1] > 1) /* what is needed grows faster than the tile */
        row[nrow++] = 1;
    tile_sizes(t, all[CUT_channel], channel_step(n), channel, &nchannel);
    nchannel = MIN(nchannel, MOST_CHANNELS);
    c->cut = NEWN(t->mem, Cut, ways * nrow * nchannel + 1);
    for (i = 0; i < nrow && is_single(n, all); i++)
        for (k = 0; k < nchannel; k++)
            for (r = 0; r < ways && (i || k); r++)
                add_cut_of(t, c, all, row[i], channel[k], r);
}

static Way way_of(const Chain *c, const Cut *g)
{
    Way w = {.before = c->n - 1, .rows_first = true, .depth = 1,
             .rolls = g->rolls, .saves = -1};

    memcpy(w.len, g->len, sizeof w.len);
    memcpy(w.count, g->count, sizeof w.count);
    return w;
}

/* How many kinds there are along rows. */
static int row_kinds(const Cut *g)
{
    return MIN(g->count[CUT_row], 2 * g->edge + 1);
}

static int row_kind(const Cut *g, int i)
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

static Kind *const *kind_at(const Cut *g, const int i[NCUT])
{
    return g->kind[row_kind(g, i[CUT_row])]
                  [i[CUT_channel] == g->count[CUT_channel] - 1];
}

/* Bytes of a slot of what work m makes for the next one. */
static int64_t inner_bytes(const Tiler *t, const Chain *c, const Cut *g, int m)
{
    const Work *w = &t->work[c->first + m];

    return slot_bytes(MAX(g->most[m][w->noper - 1],
                          g->most[m + 1][chain_link(w + 1, w)]));
}

/* Least bytes in the nearest memory of the kinds known until now. */
static int64_t least_bytes(const Tiler *t, const Chain *c, const Cut *g)
{
    int64_t sum = slot_bytes(g->scratch);
    int m, o;

    for (m = 0; m < c->n; m++) {
        const Work *w = &t->work[c->first + m];

        for (o = 0; o < w->noper; o++)
            if (w->oper[o].konst && !oper_rides(&w->oper[o]))
                sum += slot_bytes(g->most[m][o]);
        if (m < c->n - 1)
            sum += inner_bytes(t, c, g, m);
    }
    return sum;
}

static void note_kind(const Tiler *t, const Chain *c, Cut *g, int m,
                      const Kind *k)
{
    const Work *w = &t->work[c->first + m];
    int o;

    for (o = 0; o < w->noper; o++)
        g->most[m][o] = MAX(g->most[m][o], piece_bytes(k->piece[o]));
    g->scratch = MAX(g->scratch, k->scratch);
    g->kept[m] = MAX(g->kept[m], k->kept);
}

/* Is there a tile that keeps rows, of all that might? */
static bool keeps_rows(const Cut *g)
{
    int m;

    for (m = 1; m < MOST_CHAIN && !g->kept[m]; m++)
        ;
    return !g->rolls || m < MOST_CHAIN;
}

static Kind *new_kind(Tiler *t, Work *w, const Tile *tile)
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
        k->move[o] = move_cycles(t->dma, o < first, k->piece[o].row,
                                 k->piece[o].rows);
        if (spills_to(t))
            k->outer[o] = move_cycles(t->io, o < first, k->piece[o].row,
                                      k->piece[o].rows);
    }
    return k;
}

static bool ask_kind(Tiler *t, const Chain *c, Cut *g, int row, int channel)
{
    ChainTile tile[MOST_CHAIN];
    Arena *mem = arena_new();
    Way way = way_of(c, g);
    Kind **k = g->kind[row_kind(g, row)]
                      [channel == g->count[CUT_channel] - 1];
    bool ok;
    int m;

    if (*k)
        return true;
    ok = chain_tiles(mem, t, c->first, &way,
                     channel * g->count[CUT_row] + row, tile);
    for (m = c->n - 1; ok && m >= 0; m--) {
        Work *w = &t->work[c->first + m];

        k[m] = new_kind(t, w, &tile[m].tile);
        if (k[m] && m && g->rolls && row)
            k[m]->kept = chain_kept(w, &tile[m], &tile[m - 1]);
        ok = k[m] && keeps_groups(w->node, tile[m].len[CUT_channel]);
        if (ok)
            note_kind(t, c, g, m, k[m]);
    }
    arena_end(mem);
    return ok && least_bytes(t, c, g) <= t->listed;
}

static void find_deps(const Tiler *t, const Chain *c, Cut *g)
{
    int m, o, i;

    for (m = 0; m < c->n; m++)
        for (o = 0; o < t->work[c->first + m].noper; o++) {
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
static bool is_regular(Tiler *t, const Chain *c, const Cut *g, int row,
                       int channel)
{
    ChainTile tile[MOST_CHAIN];
    Arena *mem = arena_new();
    Way way = way_of(c, g);
    bool ok = chain_tiles(mem, t, c->first, &way,
                          channel * g->count[CUT_row] + row, tile);
    int m, o;

    for (m = 0; ok && m < c->n; m++) {
        const Work *w = &t->work[c->first + m];
        const Kind *k = kind_at(g, (int[NCUT]){0, row, channel})[m];

        for (o = 0; ok && o < w->noper; o++)
            ok = !(g->dep[m][o] >> (channel ? CUT_channel : CUT_row) & 1) ||
                 !piece_same(k->piece[o], w->oper[o].out ? tile[m].tile.out[0]
                                                         : tile[m].tile.in[o]);
    }
    arena_end(mem);
    return ok;
}

static bool suits_all(Tiler *t, const Chain *c, const Cut *g)
{
    int row = row_index(g, g->edge);

    return (g->count[CUT_row] == row_kinds(g) ||
            (is_regular(t, c, g, row - 1, 0) &&
             is_regular(t, c, g, row + 1, 0))) &&
           (g->count[CUT_channel] < 3 || is_regular(t, c, g, 0, 1));
}

/* Does a work make another piece for each tile along an axis, as far as is
 * known? */
static bool is_made_along(const Tiler *t, const Chain *c, const Cut *g, int m,
                          int axis)
{
    int y = t->work[c->first + m].noper - 1;

    return m == c->n - 1 || (g->known && g->dep[m][y] >> axis & 1);
}

/* Cycles in which cores work on the tiles whose kinds are known, those along an
 * axis one after the other. */
static int64_t busy_of(const Tiler *t, const Chain *c, const Cut *g, int axis)
{
    int i[NCUT] = {0}, m;
    int64_t sum = 0;

    for (i[CUT_row] = 0; i[CUT_row] < g->count[CUT_row]; i[CUT_row]++)
        for (i[CUT_channel] = 0; i[CUT_channel] < g->count[CUT_channel];
             i[CUT_channel]++) {
            Kind *const *k = kind_at(g, i);

            for (m = 0; m < c->n && k[m]; m++)
                if (!i[axis] || is_made_along(t, c, g, m, axis))
                    sum += CALL_CYCLES + k[m]->cycles;
        }
    return sum;
}

static void count_busy(const Tiler *t, const Chain *c, Cut *g)
{
    g->busy[false] = busy_of(t, c, g, CUT_channel);
    g->busy[true] = busy_of(t, c, g, CUT_row);
}

/* The kind in the middle comes first: it asks for most, and most tiles are of
 * it. */
static void begin_cut(Tiler *t, const Chain *c, Cut *g)
{
    g->begun = true;
    g->ok = ask_kind(t, c, g, row_index(g, row_kinds(g) / 2), 0) &&
            keeps_rows(g);
    if (g->ok)
        count_busy(t, c, g);
}

static void make_cut(Tiler *t, const Chain *c, Cut *g)
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
    for (i = 0; i < c->n - 1; i++) /* or it may as well have its home there */
        g->ok = g->ok && g->dep[i][t->work[c->first + i].noper - 1];
    if (g->ok)
        count_busy(t, c, g);
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
           !piece_same(kind_at(g, i)[m]->piece[o],
                       kind_at(g, was)[m]->piece[o]) ||
           differs(dep, CUT_row, r, was[CUT_row],
                   row_kind(g, r) == row_kind(g, was[CUT_row])) ||
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
    Kind *const *k = kind_at(x->g, i);
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
    Kind *const *k = kind_at(x->g, i), *const *n;
    int64_t out = 0;
    int m, last = x->c->n - 1;

    n = next ? kind_at(x->g, next) : NULL;
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
    const Kind *k = kind_at(x->g, i)[m];
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
    begin_own(x, kind_at(x->g, i));
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
            way->bytes += inner_bytes(x->t, x->c, x->g, m);
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
           cycles_alone(t, c, far, least_bytes(t, c, g)) + most_ahead(t) <=
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
    Way way = way_of(c, g);
    int order, orders = 1;

    if (!g->begun)
        begin_cut(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, far))
        return;
    if (!g->known)
        make_cut(t, c, g);
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
        list_cuts(t, c);
    for (i = c->ncut - 1; i >= 0 && !c->any.known; i--) {
        if (!c->cut[i].begun)
            begin_cut(t, c, &c->cut[i]);
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
        list_cuts(t, c);
    for (i = 0; i < c->ncut; i++)
        add_cut(t, c, &c->cut[i], far, outer, l);
    ways_sort(l);
    return l;
}
