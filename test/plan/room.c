/* room SEED COUNT: random small networks (tiles.h): the least L2 that there
 * are plans with, for some L1, and the least L1 for some L2, by all
 * combinations.
 *
 * A combination says of every value, at every layer of its life, whether it is
 * in the L1 (all its life), in the L2, or in the L3 alone; and of every layer,
 * which of the tile sizes listed it has, in which order, with one slot for each
 * operand, kernels of the least scratch, and whether its result follows an
 * operand as closely as its tiles allow.  What lives at each layer is added up:
 * no plan of a combination needs less, whatever its addresses.  The planner's
 * least is proved where no combination needs a step less. */
#include "test/lib/tiles.h"

#include "pass/pass.h"
#include "plan/tile/tile.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 8, MOST_COMBINATIONS = 400000, MOST_ASKED = 64,
       MOST_TILES = 1024 };
enum { IN_L1, IN_L2, AWAY };

static jmp_buf refused;

static void refuse(const Trouble *t)
{
    longjmp(refused, t->status);
}

/* What a layer needs in one way: bytes of L1 and L2, and bytes of L2 that it
 * needs less for its result overlaps an operand. */
typedef struct Need {
    int64_t l1, l2, saves;
} Need;

typedef struct Needs {
    bool known;
    Need *v;
    int n;
} Needs;

/* A tile size: the pieces of all its tiles. */
typedef struct Cut {
    int64_t len[NCUT];
    int count[NCUT], n;
    Tile *tile;
    int64_t (*at)[NCUT];
    int64_t most[NOPER];
} Cut;

typedef struct Room {
    Tiler *t;
    Cut **cut;          /* by layer */
    int *ncut;
    Needs **needs;      /* by layer, by where its values are (in threes) */
    int nalloc, alloc[16]; /* those that live */
    int nplace[16];     /* places each may have: 0 is the L1; n + 1: away at
                           the layers of set n, from its first on */
    int place[16];
    int64_t l1, l2;     /* what there is; -1: asked for */
    int64_t least, tried;
} Room;

/* ---- the tiles of a layer ---- */

static bool make_cut(Room *r, LayerInst *w, Cut *c)
{
    int64_t all[NCUT], at[NCUT];
    int i[NCUT], a, o, n = 0;

    tile_axes(w->node, w->part, all);
    for (a = 0, c->n = 1; a < NCUT; a++) {
        c->count[a] = (int)((all[a] - 1) / c->len[a] + 1);
        c->n *= c->count[a];
    }
    if (c->n > MOST_TILES || !keeps_groups(w->node, c->len[CUT_channel]))
        return false;
    c->tile = NEWN(r->t->mem, Tile, c->n);
    for (i[0] = 0; i[0] < c->count[0]; i[0]++)
        for (i[1] = 0; i[1] < c->count[1]; i[1]++)
            for (i[2] = 0; i[2] < c->count[2]; i[2]++, n++) {
                int64_t len[NCUT];
                Tile *t = &c->tile[n];

                for (a = 0; a < NCUT; a++) {
                    at[a] = i[a] * c->len[a];
                    len[a] = MIN(c->len[a], all[a] - at[a]);
                }
                if (!tile_make(r->t->mem, w->node, w->part, at, len, t))
                    return false;
                for (o = 0; o < w->noper; o++)
                    c->most[o] = MAX(c->most[o], piece_bytes(
                        w->oper[o].out ? t->out[o - w->noper + w->node->nres]
                                       : t->in[o]));
            }
    return true;
}

static void make_cuts(Room *r, int layer)
{
    LayerInst *w = &r->t->layer[layer];
    int64_t all[NCUT], size[NCUT][MOST_SIZES];
    int n[NCUT], i, j, k, a;

    tile_axes(w->node, w->part, all);
    for (a = 0; a < NCUT; a++)
        tile_sizes(r->t, all[a], a == CUT_channel ? channel_step(w->node) : 1,
                   size[a], &n[a]);
    r->cut[layer] = NEWN(r->t->mem, Cut, n[0] * n[1] * n[2]);
    for (i = 0; i < n[0]; i++)
        for (j = 0; j < n[1]; j++)
            for (k = 0; k < n[2]; k++) {
                Cut *c = &r->cut[layer][r->ncut[layer]];

                *c = (Cut){.len = {size[0][i], size[1][j], size[2][k]}};
                r->ncut[layer] += make_cut(r, w, c);
            }
}

/* ---- what a layer needs, by where its values are ---- */

static int place_at(int set, int bit)
{
    while (bit--)
        set /= 3;
    return set % 3;
}

static bool buffered(const LayerInst *w, int o, int set)
{
    const Oper *x = &w->oper[o];

    return x->val && (x->konst || place_at(set, x->bit) != IN_L1);
}

/* The most scratch that a kernel of the tiles wants at least; -1: there is
 * none for one of them. */
static int64_t scratch_of(Room *r, LayerInst *w, const Cut *c,
                          unsigned in_place, bool out_place)
{
    Dims asked[MOST_ASKED], d;
    int nasked = 0, i, k;
    int64_t most = 0;

    if (c->n == 1 && w->shared)
        return w->choice->scratch;
    for (i = 0; i < c->n; i++) {
        Choice to = {0};

        if (!tile_dims(w->node, &c->tile[i], 0, false, &d))
            return -1;
        if (c->n > 1 && tile_tells(w->node, in_place, out_place))
            tile_dims(w->node, &c->tile[i], in_place, out_place, &d);
        for (k = 0; k < nasked && memcmp(&asked[k], &d, sizeof d); k++)
            ;
        if (k < nasked)
            continue;
        if (nasked < MOST_ASKED)
            asked[nasked++] = d;
        if (!choose_least(r->t->q->chooser,
                          tile_seen(w, &c->tile[i], c->n == 1), &d, &to))
            return -1;
        most = MAX(most, to.scratch);
    }
    return most;
}

/* Tile by tile on an operand: each writes what it alone has read. */
static bool may_lie(const LayerInst *w, const Cut *c)
{
    const Oper *y = &w->oper[w->noper - 1];
    int o;

    for (o = 0; w->shared && c->n > 1 && o + 1 < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (x->val && x->alloc == y->alloc &&
            (x->place.off != y->place.off ||
             val_bytes(x->val) != val_bytes(y->val) ||
             op_info[w->node->op].reach != R_MAP))
            return false;
    }
    return true;
}

/* Bytes that the result and operand o need less together than apart, tiles
 * going rows inside channels or not. */
static int64_t saved(const Room *r, const LayerInst *w, const Cut *c, int o,
                     bool rows_first)
{
    const Oper *x = &w->oper[o], *y = &w->oper[w->noper - 1];
    int64_t from = r->t->q->s->alloc[x->alloc].size, end = INT64_MIN, at, lo;
    int64_t to = r->t->q->s->alloc[y->alloc].size, distance = INT64_MIN;
    int inner = rows_first ? 1 : 2, in_l3 = rows_first ? 2 : 1, i, k;
    int *order = NEWN(r->t->mem, int, c->n + 1);

    for (i = 0; i < c->n; i++) {
        int b = i / c->count[1] / c->count[2], j[NCUT];

        j[inner] = i % c->count[inner];
        j[in_l3] = i / c->count[inner] % c->count[in_l3];
        order[i] = (b * c->count[1] + j[1]) * c->count[2] + j[2];
    }
    for (i = 0; i + 1 < c->n; i++) {
        Piece p = c->tile[order[i]].out[0];

        at = y->place.off + p.off + (p.rows - 1) * p.stride + p.row;
        end = MAX(end, at);
        for (k = i + 1, lo = INT64_MAX; k < c->n; k++)
            lo = MIN(lo, x->place.off + c->tile[order[k]].in[o].off);
        distance = MAX(distance, end - lo);
    }
    distance = c->n > 1 ? (distance + 15) & ~(int64_t)15 : 0;
    return from + to - (distance >= 0 ? MAX(distance + from, to)
                                      : MAX(from, to - distance));
}

static int64_t most_saved(const Room *r, int layer, const Cut *c, int set)
{
    const LayerInst *w = &r->t->layer[layer];
    const Oper *y = &w->oper[w->noper - 1];
    int64_t most = 0;
    int o;

    if (w->shared || w->node->nres != 1 || w->node->op == OP_concat ||
        place_at(set, y->bit) != IN_L2)
        return 0;
    for (o = 0; o + 1 < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (!x->val || x->konst || place_at(set, x->bit) != IN_L2 ||
            r->t->q->last[x->alloc] != layer || r->t->q->s->alloc[x->alloc].in)
            continue;
        most = MAX(most, saved(r, w, c, o, false));
        most = MAX(most, saved(r, w, c, o, true));
    }
    return most;
}

static void add_need(Room *r, Needs *to, Need n)
{
    int i;

    for (i = 0; i < to->n; i++)
        if (to->v[i].l1 <= n.l1 &&
            to->v[i].l2 - to->v[i].saves <= n.l2 - n.saves)
            return;
    GROW(r->t->mem, to->v, (size_t)to->n);
    to->v[to->n++] = n;
}

static void add_direct(Room *r, LayerInst *w, int set, Needs *to)
{
    Choice c = *w->choice;
    Dims d = {0};
    int i;

    for (i = 0; i < w->nalloc; i++)
        if (place_at(set, i) == AWAY)
            return;
    if (w->node->op == OP_concat)
        dims_fill_concat(w->node, w->part, &d);
    else
        dims_fill(w->node, &d);
    if (!w->shared && !choose_least(r->t->q->chooser, w->node, &d, &c))
        return;
    add_need(r, to, (Need){slot_bytes(c.scratch), 0, 0});
}

static void add_cut(Room *r, int layer, const Cut *c, int set, Needs *to)
{
    LayerInst *w = &r->t->layer[layer];
    unsigned in_place = 0, rows_in_place = 0;
    bool out_place = false, rows_out_place = false;
    int64_t scratch;
    Need n = {0};
    int o;

    if (!may_lie(w, c))
        return;
    for (o = 0; o < w->noper; o++) {
        const Oper *x = &w->oper[o];
        int first = w->noper - w->node->nres;
        Piece p = x->out ? c->tile[0].out[o - first] : c->tile[0].in[o];

        if (!x->val || oper_is_inlined(x))
            continue;
        if (buffered(w, o, set)) {
            n.l1 += slot_bytes(c->most[o]);
            if (!x->konst && place_at(set, x->bit) == AWAY)
                n.l2 += slot_bytes(c->most[o]);
        } else if (x->out) {
            out_place = true;
            rows_out_place |= p.rows != 1;
        } else {
            in_place |= 1u << o;
            rows_in_place |= p.rows != 1 ? 1u << o : 0;
        }
    }
    if (!tile_tells(w->node, rows_in_place, rows_out_place))
        return;
    scratch = scratch_of(r, w, c, in_place, out_place);
    if (scratch < 0)
        return;
    n.l1 += slot_bytes(scratch);
    n.saves = most_saved(r, layer, c, set);
    add_need(r, to, n);
}

static const Needs *needs_of(Room *r, int layer, int set)
{
    Needs *to = &r->needs[layer][set];
    int i;

    if (to->known)
        return to;
    to->known = true;
    add_direct(r, &r->t->layer[layer], set, to);
    for (i = 0; i < r->ncut[layer]; i++)
        add_cut(r, layer, &r->cut[layer][i], set, to);
    return to;
}

/* ---- combinations ---- */

static int first_of(const Room *r, int alloc)
{
    return MAX(0, r->t->q->first[alloc]);
}

static int last_of(const Room *r, int alloc)
{
    return MIN(r->t->q->nlayer - 1, r->t->q->last[alloc]);
}

static int place_of(const Room *r, int i, int layer)
{
    int set = r->place[i] - 1;

    if (set < 0)
        return IN_L1;
    return set >> (layer - first_of(r, r->alloc[i])) & 1 ? AWAY : IN_L2;
}

static bool writes(const LayerInst *w, int alloc)
{
    int o;

    for (o = 0; o < w->noper; o++)
        if (w->oper[o].out && w->oper[o].alloc == alloc)
            return true;
    return false;
}

/* Is all of an allocation one value, at first? */
static bool is_one(const Room *r, int alloc)
{
    const Graph *g = r->t->q->s->g;
    const Alloc *s = &r->t->q->s->alloc[alloc];
    int i, first = r->t->q->first[alloc];

    for (i = 0; s->in && i < g->nin; i++)
        if (r->t->q->s->place[g->in[i]->id].buf == alloc)
            return alloc_filled(s, g->in[i], r->t->q->s->place[g->in[i]->id]);
    for (i = 0; first >= 0 && i < r->t->layer[first].noper; i++) {
        const Oper *x = &r->t->layer[first].oper[i];

        if (x->out && x->alloc == alloc)
            return r->t->layer[first].node->op != OP_concat &&
                   alloc_filled(s, x->val, x->place);
    }
    return false;
}

/* Is it in the L3 alone at some layer?  Then, if it is an input, when it is
 * given, and if it is an output, when it is wanted. */
static bool is_out(const Room *r, int i)
{
    return r->place[i] > 1;
}

/* May it be where it is?  What is moved as a whole must be whole. */
static bool may_be(const Room *r, int i)
{
    int alloc = r->alloc[i], first = r->t->q->first[alloc], k;
    bool here = first < 0 && !is_out(r, i), fresh = here, moved = false;

    if (!r->place[i])
        return true;
    for (k = MAX(0, first); k <= r->t->q->last[alloc]; k++) {
        bool end = k == r->t->q->nlayer;
        bool use = end || layer_uses(&r->t->layer[k], alloc);

        if (end ? is_out(r, i) : place_of(r, i, k) == AWAY) {
            moved |= here && fresh;
            here = fresh = false;
        } else if (use) {
            moved |= !here && k > first;
            here = true;
            fresh |= !end && writes(&r->t->layer[k], alloc);
        }
    }
    return !moved || is_one(r, alloc);
}

/* What is given, or wanted, in the L2. */
static int64_t inout_of(const Room *r, bool in)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < r->nalloc; i++) {
        const Alloc *s = &r->t->q->s->alloc[r->alloc[i]];

        if (r->place[i] && !is_out(r, i) && (in ? s->in : s->out))
            sum += s->size;
    }
    return sum;
}

static int set_at(const Room *r, int layer)
{
    const LayerInst *w = &r->t->layer[layer];
    int set = 0, b, i;

    for (b = w->nalloc - 1; b >= 0; b--) {
        for (i = 0; r->alloc[i] != w->alloc[b]; i++)
            ;
        set = set * 3 + place_of(r, i, layer);
    }
    return set;
}

/* The least that a layer needs of the memory that is asked for; -1: the other
 * has not enough. */
static int64_t need_at(Room *r, int layer)
{
    const Needs *n = needs_of(r, layer, set_at(r, layer));
    int64_t live[3] = {0}, least = -1;
    int i;

    for (i = 0; i < r->nalloc; i++)
        if (r->t->q->first[r->alloc[i]] <= layer &&
            layer <= r->t->q->last[r->alloc[i]])
            live[place_of(r, i, layer)] += r->t->q->s->alloc[r->alloc[i]].size;
    for (i = 0; i < n->n; i++) {
        int64_t l1 = live[IN_L1] + n->v[i].l1;
        int64_t l2 = live[IN_L2] + n->v[i].l2 - n->v[i].saves;

        if (r->l1 < 0 && l2 <= r->l2 && (least < 0 || l1 < least))
            least = l1;
        if (r->l2 < 0 && l1 <= r->l1 && (least < 0 || l2 < least))
            least = l2;
    }
    return least;
}

static void try_places(Room *r)
{
    int64_t most = MAX(inout_of(r, true), inout_of(r, false)), n;
    int i;

    r->tried++;
    if (r->l1 < 0 && most > r->l2)
        return;
    most = r->l1 < 0 ? 0 : most;
    for (i = 0; i < r->nalloc; i++)
        if (!may_be(r, i))
            return;
    for (i = 0; i < r->t->q->nlayer && most < r->least; i++) {
        n = need_at(r, i);
        if (n < 0)
            return;
        most = MAX(most, n);
    }
    r->least = MIN(r->least, most);
}

static void try_allocs(Room *r, int i)
{
    if (i == r->nalloc) {
        try_places(r);
        return;
    }
    for (r->place[i] = 0; r->place[i] < r->nplace[i]; r->place[i]++)
        try_allocs(r, i + 1);
}

/* Too many: false. */
static bool list_allocs(Room *r)
{
    int64_t all = 1;
    int i;

    for (i = 0; i < r->t->q->s->nalloc; i++) {
        const Alloc *s = &r->t->q->s->alloc[i];
        int life = last_of(r, i) - first_of(r, i) + 1;

        if (!s->size || s->konst)
            continue;
        if (r->t->q->last[i] < 0 || r->nalloc == 16 || life > 12)
            return false; /* nobody reads it; too many */
        r->alloc[r->nalloc] = i;
        r->nplace[r->nalloc] = 1 + (1 << life);
        all *= r->nplace[r->nalloc++];
        if (all > MOST_COMBINATIONS)
            return false;
    }
    return true;
}

static int64_t least_of(Room *r, int64_t l1, int64_t l2)
{
    r->l1 = l1;
    r->l2 = l2;
    r->least = INT64_MAX / 2;
    try_allocs(r, 0);
    return (r->least + STEP - 1) / STEP * STEP;
}

/* ---- the planner ---- */

static Graph *network(Arena *a, uint64_t seed)
{
    Rng r = {seed};
    Graph *g = draw_network(a, &r, between(&r, 1, 3));

    if (g)
        pass_all(g, NULL, NULL);
    return g;
}

/* What a plan is like: its limits; with layers in fused groups; and the order
 * in which it has its nodes, by number. */
typedef struct Made {
    int64_t l1, l2;
    bool chained;
    int node[16], nnode;
} Made;

static void note_order(const Plan *p, Made *m)
{
    int i;

    for (i = 0; i < p->nlayer; i++)
        if (!i || p->layer[i].node != p->layer[i - 1].node) {
            if (m->nnode < (int)(sizeof m->node / sizeof *m->node))
                m->node[m->nnode] = p->layer[i].node->id;
            m->nnode++;
        }
}

/* Is there a plan? */
static bool fits(uint64_t seed, int64_t l1, int64_t l2, Made *m)
{
    Arena *a = arena_new();
    Soc *s = soc_read(a, "gap8");
    PlanOpts o = {.host_isa = ""};
    bool ok = false;
    Plan *p;
    int i;

    memset(o.limit, 0xff, sizeof o.limit);
    o.limit[soc_mem(s, "L1") - s->mems] = l1;
    o.limit[soc_mem(s, "L2") - s->mems] = l2;
    *m = (Made){.l1 = l1, .l2 = l2};
    if (!setjmp(refused)) {
        p = plan_make(a, network(a, seed), s, &o);
        ok = true;
        for (i = 0; i < p->nlayer; i++)
            m->chained |= p->layer[i].after > 0;
        note_order(p, m);
    }
    arena_end(a);
    return ok;
}

/* The least L1, or L2, with which there is a plan. */
static int64_t planned(uint64_t seed, int64_t l1, int64_t l2, Made *m)
{
    int64_t lo = -STEP, hi = 304000;

    while (hi - lo > STEP) {
        int64_t mid = lo + (hi - lo) / 2 / STEP * STEP;

        if (fits(seed, l1 < 0 ? mid : l1, l2 < 0 ? mid : l2, m))
            hi = mid;
        else
            lo = mid;
    }
    fits(seed, l1 < 0 ? hi : l1, l2 < 0 ? hi : l2, m);
    return hi;
}

/* ---- */

/* In the order of a plan; NULL: it is of other nodes. */
static Allocs *allocs_like(Arena *a, Graph *g, Choice *c, const Made *m)
{
    int i, k, n;
    Node **all = order_given(a, g, &n), **seq = NEWN(a, Node *, n + 1);

    if (m->nnode != n)
        return NULL;
    for (i = 0; i < n; i++) {
        for (k = 0; k < n && all[k]->id != m->node[i]; k++)
            ;
        if (k == n)
            return NULL;
        seq[i] = all[k];
    }
    return alloc_values(a, g, c, seq, n);
}

static Allocs *allocs_of(Arena *a, Graph *g, Choice *c)
{
    int n;
    Node **seq = order_given(a, g, &n);
    Allocs *given = alloc_values(a, g, c, seq, n), *least;

    seq = order_least(a, g, c, &n);
    least = seq ? alloc_values(a, g, c, seq, n) : given;
    return least->bound < given->bound ? least : given;
}

/* Of the layers that a plan has, which may be others where there is less room,
 * and in its order; or of those with all the room, in the order of least
 * memory.  NULL: there is no such order. */
static Room *new_room(Arena *a, Graph *g, const Made *m)
{
    Room *r = NEW(a, Room);
    Tiler *t = r->t = NEW(a, Tiler);
    Problem *q = NEW(a, Problem);
    PlanOpts o = {.host_isa = ""};
    Soc *soc = soc_read(a, "gap8");
    Choice *c;
    int i, k, n;

    memset(o.limit, 0xff, sizeof o.limit);
    *q = (Problem){.l1 = (int)(soc_mem(soc, "L1") - soc->mems),
                   .l2 = (int)(soc_mem(soc, "L2") - soc->mems), .l3 = -1,
                   .dma = soc_hop(soc, 0)};
    if (m) {
        o.limit[q->l1] = m->l1;
        o.limit[q->l2] = m->l2;
    }
    t->p = plan_make(a, g, soc, &o); /* copies outputs that need it */
    t->mem = a;
    q->chooser = chooser_new(a, soc, &o);
    c = choose_kernels(q->chooser, g);
    choose_spare(q->chooser, g, c, m ? m->l1 : t->p->room[q->l1]);
    q->s = m ? allocs_like(a, g, c, m) : allocs_of(a, g, c);
    if (!q->s)
        return NULL;
    tiler_layers(t, q);
    tiler_begin(t, &(Options){0});
    r->cut = NEWN(a, Cut *, t->q->nlayer + 1);
    r->ncut = NEWN(a, int, t->q->nlayer + 1);
    r->needs = NEWN(a, Needs *, t->q->nlayer + 1);
    for (i = 0; i < t->q->nlayer; i++) {
        for (k = 0, n = 1; k < t->layer[i].nalloc; k++)
            n *= 3;
        r->needs[i] = NEWN(a, Needs, n);
    }
    return r;
}

typedef struct Count {
    int proved, open, chained, wrong, skipped;
    int64_t tried;
} Count;

/* All combinations in the order of least memory, or in that of a plan, which
 * may be another where cores wait less for code. */
static int64_t least_in(uint64_t seed, const Made *m, int64_t l1, int64_t l2,
                        int64_t *tried)
{
    Arena *a = arena_new();
    Graph *g = network(a, seed);
    Room *r = NULL;
    int64_t least = -1;
    int i;

    if (g && !setjmp(refused))
        r = new_room(a, g, m); /* or the chip is too small */
    if (r && list_allocs(r)) {
        for (i = 0; i < r->t->q->nlayer; i++)
            make_cuts(r, i);
        least = least_of(r, l1, l2);
        *tried += r->tried;
    }
    arena_end(a);
    return least;
}

static void compare(uint64_t seed, int64_t l1, int64_t l2, Count *c)
{
    int64_t least = least_in(seed, NULL, l1, l2, &c->tried), is;
    Made made;

    if (least < 0) {
        c->skipped++;
        return;
    }
    is = planned(seed, l1, l2, &made);
    if (is < least && !made.chained) {
        int64_t other = least_in(seed, &made, l1, l2, &c->tried);

        least = other < 0 ? least : MIN(least, other);
    }
    if (is == least)
        c->proved++;
    else if (is > least)
        c->open++;
    else if (made.chained)
        c->chained++;
    else
        c->wrong++;
    if (is != least && (!made.chained || is > least))
        printf("seed %llu, %s %lld: the planner's least %s is %lld, of all "
               "combinations %lld\n", (unsigned long long)seed,
               l1 < 0 ? "L2" : "L1", (long long)(l1 < 0 ? l2 : l1),
               l1 < 0 ? "L1" : "L2", (long long)is, (long long)least);
}

static void check(uint64_t seed, Count *c)
{
    Rng rng = {seed};

    compare(seed, 500 + pick(&rng, 20000), -1, c);
    compare(seed, -1, 500 + pick(&rng, 40000), c);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int i, n = argc > 2 ? atoi(argv[2]) : 20;
    Count c = {0};

    err_hook = refuse;
    for (i = 0; i < n; i++)
        check(seed + (uint64_t)i, &c);
    printf("%d small networks from seed %llu, %d too large: least L2 and least "
           "L1 of %d proved by %lld combinations, %d not proved, %d less by "
           "chains, %d wrong\n", n, (unsigned long long)seed, c.skipped / 2,
           c.proved, (long long)c.tried, c.open, c.chained, c.wrong);
    return c.wrong || !c.proved || c.open * 5 > c.proved;
}
