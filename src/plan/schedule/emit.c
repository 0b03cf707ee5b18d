/* The steps of tiled layers.
 *
 * Every operand that is staged has slots, buffers in L1.  The
 * loads of a tile are started before the kernel of the tile before it, and
 * waited for before its own; a result is stored while the next tile is
 * computed, and awaited when its slot is wanted again, or at the layer's
 * end. */
#include "plan/schedule/schedule.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { MOST_TOKENS = 16 };

typedef struct Slot {
    int buf;                  /* -1: none yet */
    Piece holds;              /* row 0: nothing */
    int token[MOST_TOKENS], ntoken; /* moves to be waited for */
} Slot;

typedef struct Stage {        /* of an operand */
    Slot slot[2];
    int now;                  /* the slot that is loaded last */
    int use;                  /* the slot of the tile that is computed */
} Stage;

/* A result on its way to L3: the tile computed last is in the
 * L2, or nearly. */
typedef struct Outgo {
    int buf[OUT_SLOTS], token[OUT_SLOTS]; /* token -1: it is free */
    int now, stored;          /* stored: the slot it comes from; -1: none */
    Piece piece;
} Outgo;

typedef struct Emitter {
    Tiler *t;
    Plan *p;
    const Solution *sol;
    int layer;
    int token;
    int going;                /* moves that are not awaited */
    Stage (*stage)[NOPER];    /* by layer */
    Outgo outgo[NOPER];
    int *scratch;             /* by layer: buffer, or -1 */
    int64_t *halo;      /* by layer: bytes that it reads of a fused group's tile
                           before, */
    int *by;                  /* and the buffer through which they go, or -1 */
} Emitter;

/* Operands before the results. */
static int in_count(const LayerInst *w)
{
    return w->noper - w->node->nres;
}

/* --- moves --- */

static Slot *slot_of(Emitter *e, int layer, int o, int i)
{
    const LayerInst *w = &e->t->layer[layer];
    Slot *s = &e->stage[layer][o].slot[i];

    if (s->buf < 0)
        s->buf = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->l1, .align = 8,
            .name = arena_fmt(e->t->mem, "%s %s tile%s", w->node->name,
                              w->oper[o].val->name, i ? "'" : ""),
        });
    return s;
}

static void grow_buf(Emitter *e, int buf, int64_t size)
{
    e->p->buf[buf].size = MAX(e->p->buf[buf].size, size);
}

static void await(Emitter *e, int layer, Slot *s)
{
    const LayerInst *w = &e->t->layer[layer];
    int i;

    for (i = 0; i < s->ntoken; i++)
        plan_add_step(e->p, (Step){
            .kind = STEP_wait, .engine = ENG_dma, .token = s->token[i],
            .layer = layer, .node = w->node, .part = w->part, .tmp = {-1, 0},
        });
    e->going -= s->ntoken;
    s->ntoken = 0;
}

/* The engine's queue is full. */
static void await_oldest(Emitter *e)
{
    Slot *oldest = NULL;
    int i, o, k, layer = 0;

    for (i = 0; i < e->t->nlayer; i++)
        for (o = 0; o < NOPER; o++)
            for (k = 0; k < 2; k++) {
                Slot *s = &e->stage[i][o].slot[k];

                if (s->ntoken &&
                    (!oldest || s->token[0] < oldest->token[0])) {
                    oldest = s;
                    layer = i;
                }
            }
    await(e, layer, oldest);
}

static void start_move(Emitter *e, int layer, Slot *s, Move m)
{
    const LayerInst *w = &e->t->layer[layer];

    if (s->ntoken == MOST_TOKENS)
        die("too many moves for one tile");
    if (e->going == e->t->dma->queue)
        await_oldest(e);
    e->going++;
    s->token[s->ntoken++] = e->token;
    plan_add_step(e->p, (Step){
        .kind = STEP_start, .engine = ENG_dma, .token = e->token++,
        .layer = layer, .node = w->node, .part = w->part, .move = m,
        .tmp = {-1, 0},
    });
}

/* The layers that are computed together with layer `layer`: to[0] is the tile
 * of the first of them. */
static void tiles_at(const Emitter *e, int layer, int i, FusedTile *to)
{
    const Cand *cand = e->sol->cand[layer];

    if (!fused_tiles(e->t->mem, e->t, layer - cand->before, cand, i, to))
        die("a tile of '%s' is none", e->t->layer[layer].node->name);
}

/* The run of a constant that is fetched together with piece p: some of its
 * pieces, or all of it if it is small or its pieces are not in one run. */
static void fetch_run(Emitter *e, int layer, int o, Piece p, int64_t *from,
                      int64_t *bytes)
{
    const Oper *x = &e->t->layer[layer].oper[o];
    int64_t all = val_bytes(x->val), unit, n;
    const Cand *cand = e->sol->cand[layer];
    FusedTile first[MOST_FUSED];

    *from = 0;
    *bytes = all;
    if (!fetch_by_piece(e->t, x, p) || cand->direct)
        return;
    tiles_at(e, layer, 0, first);
    unit = first[cand->before].tile.in[o].row;
    n = unit * MAX(1, e->t->chunk / unit);
    *from = p.off / n * n;
    *bytes = MIN(n, all - *from);
}

/* Where bytes of a constant will be in L2, once fetched. */
static Ref fetched(Emitter *e, int layer, int o, Piece p)
{
    const Oper *x = &e->t->layer[layer].oper[o];
    Ref src = e->p->place[x->val->id];
    int64_t from, bytes;
    Fetch *f;
    int i;

    fetch_run(e, layer, o, p, &from, &bytes);
    src.off += from;
    for (i = e->t->nfetch - 1; i >= 0; i--) {
        f = &e->t->fetch[i];
        if (f->layer == layer && f->from.buf == src.buf &&
            f->from.off == src.off && f->bytes == bytes)
            return (Ref){f->buf, p.off - from};
    }
    f = add_fetch(e->t, (Fetch){.layer = layer, .from = src, .bytes = bytes,
                                .rows = 1, .stride = bytes});
    f->buf = plan_add_buf(e->p, (Buf){
        .kind = BUF_temp, .mem = e->t->l2, .align = 8,
        .name = arena_fmt(e->t->mem, "%s fetched", x->val->name),
    });
    return (Ref){f->buf, p.off - from};
}

/* A piece of what is spilled, brought to a buffer of its own. */
static Ref stage_piece(Emitter *e, int layer, int o, Piece p)
{
    const Oper *x = &e->t->layer[layer].oper[o];
    const Spill *s = e->t->spill[x->alloc];
    int buf = plan_add_buf(e->p, (Buf){
        .kind = BUF_temp, .mem = e->t->l2, .align = 8,
        .name = arena_fmt(e->t->mem, "%s piece", x->val->name),
    });

    add_fetch(e->t, (Fetch){
        .layer = layer, .buf = buf, .bytes = piece_bytes(p), .rows = p.rows,
        .from = {s->l3_buf, x->place.off + p.off}, .stride = p.stride,
        .after = s->ready,
    });
    return (Ref){buf, 0};
}

static Ref place_of(Emitter *e, int layer, int o, Piece p)
{
    const Oper *x = &e->t->layer[layer].oper[o];
    Ref r = e->p->place[x->val->id];

    if (x->in_l3)
        return x->konst ? fetched(e, layer, o, p) : stage_piece(e, layer, o, p);
    if (!x->konst && e->t->spill[x->alloc])
        r.buf = e->t->spill[x->alloc]->buf;
    r.off += p.off;
    return r;
}

static unsigned in_l2_set(const Emitter *e, const LayerInst *w)
{
    unsigned in_l2 = 0;
    int i;

    for (i = 0; i < w->nalloc; i++)
        in_l2 |= (unsigned)e->sol->in_l2[w->alloc[i]] << i;
    return in_l2;
}

static bool is_buffered(const Emitter *e, int layer, int o)
{
    const LayerInst *w = &e->t->layer[layer];

    return oper_is_buffered(w, o, in_l2_set(e, w), e->sol->cand[layer]);
}

/* Is it made and read in one slot by two layers of a fused group? */
static bool is_within(const Emitter *e, int layer, int o)
{
    const Oper *x = &e->t->layer[layer].oper[o];

    return x->val && !x->konst && e->sol->within[x->alloc];
}

/* Loads operand o of a tile unless it is there. */
static void load(Emitter *e, int layer, int o, Piece p)
{
    Stage *g = &e->stage[layer][o];
    Slot *s = &g->slot[g->now];

    if (tile_is_whole(&e->t->layer[layer], o, e->sol->cand[layer]))
        p = piece_all(e->t->layer[layer].oper[o].val);
    if (s->holds.row && piece_same(s->holds, p))
        return;
    if (s->holds.row && e->sol->cand[layer]->depth > 1)
        g->now = !g->now;
    s = slot_of(e, layer, o, g->now);
    grow_buf(e, s->buf, piece_bytes(p));
    s->holds = p;
    start_move(e, layer, s, (Move){
        .from = place_of(e, layer, o, p), .to = {s->buf, 0},
        .row = p.row, .rows = p.rows, .to_stride = p.row,
        .from_stride = oper_is_staged(&e->t->layer[layer].oper[o]) ? p.row
                                                               : p.stride,
    });
}

typedef enum What { LOAD_all, LOAD_early } What;

/* What comes back from L3 is not there before. */
static bool is_early(const Emitter *e, int layer, int o)
{
    const Oper *x = &e->t->layer[layer].oper[o];

    return oper_early(x, layer - e->sol->cand[layer]->before) &&
           (x->konst || !e->t->spill[x->alloc]);
}

static void load_tile(Emitter *e, int layer, const Tile *tile, What what)
{
    const LayerInst *w = &e->t->layer[layer];
    int o;

    for (o = 0; o < w->noper; o++)
        if (!w->oper[o].out && is_buffered(e, layer, o) &&
            (what == LOAD_all || is_early(e, layer, o)))
            load(e, layer, o, tile->in[o]);
}

/* --- kernels --- */

/* The slot of a fused group's intermediate: of the result of the layer that
 * makes it. */
static Slot *slot_within(Emitter *e, int o)
{
    int layer = e->layer - !e->t->layer[e->layer].oper[o].out;

    return slot_of(e, layer, e->t->layer[layer].noper - 1, 0);
}

/* Where a kernel finds operand o. */
static Ref find_oper(Emitter *e, int o, Piece *p, bool *apart, int64_t *n)
{
    const LayerInst *w = &e->t->layer[e->layer];
    Stage *g = &e->stage[e->layer][o];
    int i;

    *apart = false;
    if (!w->oper[o].val) {
        *p = (Piece){0};
        *n = 0;
        return (Ref){-1, 0};
    }
    *apart = is_within(e, e->layer, o) || is_buffered(e, e->layer, o);
    if (*apart) {
        *n = piece_bytes(*p);
        if (is_within(e, e->layer, o))
            return (Ref){slot_within(e, o)->buf,
                         w->oper[o].out ? e->halo[e->layer + 1] : 0};
        i = w->oper[o].out ? g->now : g->use;
        return (Ref){slot_of(e, e->layer, o, i)->buf,
                     tile_is_whole(w, o, e->sol->cand[e->layer]) ? p->off : 0};
    }
    *n = (p->rows - 1) * p->stride + p->row;
    return place_of(e, e->layer, o, *p);
}

static void set_opers(Emitter *e, Step *s, const Tile *tile)
{
    const LayerInst *w = &e->t->layer[e->layer];
    int o;

    for (o = 0; o < w->noper; o++) {
        const Val *v = w->oper[o].val;
        int i = w->oper[o].out ? s->nout : s->nin;

        if (!w->oper[o].out) {
            s->in_piece[i] = tile->in[o];
            s->in[i] = find_oper(e, o, &s->in_piece[i], &s->in_packed[i],
                                 &s->in_bytes[i]);
            s->in_type[i] = v ? v->type : T_none;
            s->nin++;
        } else {
            s->out_piece[i] = tile->out[i];
            s->out[i] = find_oper(e, o, &s->out_piece[i], &s->out_packed[i],
                                  &s->out_bytes[i]);
            s->out_type[i] = v->type;
            s->nout++;
        }
    }
}

/* All of a concat's argument, where it lies? */
static bool is_copy(const LayerInst *w, const Step *s)
{
    return w->node->op == OP_concat && s->tile == w->node;
}

static void tell_dims(Emitter *e, Step *s, const Tile *tile)
{
    const LayerInst *w = &e->t->layer[e->layer];
    unsigned in_place;
    bool out_place;
    int o;

    if (is_copy(w, s)) {
        dims_fill_concat(w->node, w->part, &s->dims);
        return;
    }
    opers_in_place(w, in_l2_set(e, w), e->sol->cand[e->layer], &in_place,
                   &out_place);
    for (o = 0; o < w->noper; o++)
        if (is_within(e, e->layer, o)) {
            in_place &= ~(1u << o);
            out_place &= !w->oper[o].out;
        }
    if (!tile_dims(w->node, tile, in_place, out_place, &s->dims))
        die("tiles of '%s' cannot be told", w->node->name);
}

static void take_choice(Emitter *e, Step *s, const Choice *c)
{
    int layer;

    s->kern = c->kern;
    s->sig = c->sig;
    s->stack = c->stack;
    s->cycles = c->cycles;
    s->ncore = c->ncore;
    s->tmp_bytes = c->scratch;
    s->tmp = (Ref){-1, 0};
    if (!c->scratch)
        return;
    layer = e->layer + e->sol->cand[e->layer]->after; /* one for a fused group
                                                         */
    if (e->scratch[layer] < 0)
        e->scratch[layer] = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->l1, .align = 8,
            .name = arena_fmt(e->t->mem, "%s scratch", s->node->name),
        });
    s->tmp.buf = e->scratch[layer];
    grow_buf(e, s->tmp.buf, c->scratch);
}

static void choose_step(Emitter *e, Step *s)
{
    const Cand *cand = e->sol->cand[e->layer];
    LayerInst *w = &e->t->layer[e->layer];
    Choice c = {0};

    if (!tiler_choice(e->t, w, s->tile, &s->dims, cand->slots, &c))
        die("no kernel for a tile of '%s'", w->node->name);
    if (is_copy(w, s))
        choice_time(&c, w->node, &s->dims);
    if (cand->direct)
        c.cycles += l2_cycles(e->t, w, in_l2_set(e, w), &c);
    take_choice(e, s, &c);
}

static void compute(Emitter *e, const FusedTile *c)
{
    const LayerInst *w = &e->t->layer[e->layer];
    Layer *l = &e->p->layer[e->layer];
    Step s = {.kind = STEP_start, .engine = ENG_core, .token = e->token++,
              .layer = e->layer, .node = w->node, .part = w->part,
              .tile = tile_seen(w, &c->tile,
                                cand_tiles(e->sol->cand[e->layer]) == 1)};
    const Tile *tile = &c->tile;
    int a;

    for (a = 0; a < NCUT; a++)
        s.at[a] = (int32_t)c->at[a];
    set_opers(e, &s, tile);
    tell_dims(e, &s, tile);
    choose_step(e, &s);
    if (!l->tiles++)
        l->first = e->p->nstep;
    l->last = e->p->nstep;
    plan_add_step(e->p, s);
    plan_add_step(e->p, (Step){
        .kind = STEP_wait, .engine = ENG_core, .token = s.token,
        .layer = e->layer, .node = w->node, .part = w->part, .tmp = {-1, 0},
    });
}

/* --- a layer, or a fused group --- */

/* The layers that are computed together with the first of them. */
static int count_layers(const Emitter *e)
{
    return e->sol->cand[e->layer]->after + 1;
}

/* The slots that hold the tile loaded last. */
static void note_slots(Emitter *e, int layer)
{
    int o;

    for (o = 0; o < NOPER; o++)
        e->stage[layer][o].use = e->stage[layer][o].now;
}

static void await_loads(Emitter *e)
{
    const LayerInst *w = &e->t->layer[e->layer];
    int o;

    for (o = 0; o < w->noper; o++) {
        Stage *g = &e->stage[e->layer][o];

        if (!w->oper[o].out && is_buffered(e, e->layer, o))
            await(e, e->layer, &g->slot[g->use]);
    }
}

/* The next slot of each result: what was stored from it has gone. */
static void turn_results(Emitter *e, const Tile *tile)
{
    const LayerInst *w = &e->t->layer[e->layer];
    int o;

    for (o = in_count(w); o < w->noper; o++) {
        Stage *g = &e->stage[e->layer][o];
        Slot *s;

        if (!is_within(e, e->layer, o) && !is_buffered(e, e->layer, o))
            continue;
        if (g->slot[g->now].holds.row && !is_within(e, e->layer, o) &&
            e->sol->cand[e->layer]->depth > 1)
            g->now = !g->now;
        s = slot_of(e, e->layer, o, g->now);
        if (!is_within(e, e->layer, o))
            await(e, e->layer, s);
        s->holds = tile->out[o - in_count(w)];
        grow_buf(e, s->buf, piece_bytes(s->holds) +
                                (is_within(e, e->layer, o)
                                     ? e->halo[e->layer + 1] : 0));
    }
}

/* What is in L2 goes on. */
static void send_out(Emitter *e, int o)
{
    const Oper *x = &e->t->layer[e->layer].oper[o];
    const Spill *s = e->t->spill[x->alloc];
    Outgo *g = &e->outgo[o];
    Piece p = g->piece;

    if (g->stored < 0)
        return;
    await(e, e->layer, &e->stage[e->layer][o].slot[g->stored]);
    g->stored = -1;
    g->token[g->now] = e->token;
    spill_move(e->t, e->layer, &e->token, (Move){
        .from = {g->buf[g->now], 0},
        .to = {s->l3_buf, x->place.off + p.off},
        .row = p.row, .rows = p.rows, .from_stride = p.row,
        .to_stride = p.stride,
    });
}

static void await_out(Emitter *e, int o, int slot)
{
    int *token = &e->outgo[o].token[slot];

    if (*token >= 0)
        spill_wait(e->t, e->layer, *token);
    *token = -1;
}

/* The piece in slot s of L1 to L2. */
static void store_out(Emitter *e, int o, Slot *s)
{
    Outgo *g = &e->outgo[o];
    int64_t n = piece_bytes(s->holds);

    send_out(e, o);
    g->now = (g->now + 1) % out_slots(e->t, e->sol->cand[e->layer]);
    await_out(e, o, g->now);
    if (g->buf[g->now] < 0)
        g->buf[g->now] = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->l2, .align = 8,
            .name = arena_fmt(e->t->mem, "%s out%s",
                              e->t->layer[e->layer].oper[o].val->name,
                              g->now ? "'" : ""),
        });
    grow_buf(e, g->buf[g->now], n);
    g->stored = e->stage[e->layer][o].now;
    g->piece = s->holds;
    start_move(e, e->layer, s, (Move){
        .from = {s->buf, 0}, .to = {g->buf[g->now], 0}, .row = n, .rows = 1,
        .from_stride = n, .to_stride = n,
    });
}

static void end_out(Emitter *e, int o)
{
    int i;

    send_out(e, o);
    for (i = 0; i < OUT_SLOTS; i++)
        await_out(e, o, i);
}

static void store_results(Emitter *e)
{
    const LayerInst *w = &e->t->layer[e->layer];
    int o;

    for (o = 0; o < w->noper; o++) {
        Stage *g = &e->stage[e->layer][o];
        Slot *s = &g->slot[g->now];

        if (!w->oper[o].out || !is_buffered(e, e->layer, o))
            continue;
        if (oper_is_staged(&w->oper[o]))
            store_out(e, o, s);
        else
            start_move(e, e->layer, s, (Move){
                .from = {s->buf, 0},
                .to = place_of(e, e->layer, o, s->holds),
                .row = s->holds.row, .rows = s->holds.rows,
                .from_stride = s->holds.row, .to_stride = s->holds.stride,
            });
    }
}

static void await_stores(Emitter *e)
{
    const LayerInst *w = &e->t->layer[e->layer];
    int o, i;

    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].out)
            continue;
        if (oper_is_staged(&w->oper[o]))
            end_out(e, o);
        for (i = 0; i < 2; i++)
            await(e, e->layer, &e->stage[e->layer][o].slot[i]);
    }
}

/* Before which tile of a layer what the next one needs early is loaded: as late
 * as there is idle time enough behind.  An engine that the layer waits for is
 * idle when the last tile is computed, not before. */
static int tile_of_fetch(const Emitter *e, int next)
{
    const Cand *w = e->sol->cand[e->layer];
    int tiles = cand_tiles(w);
    int64_t each = MAX(1, w->slack / tiles), n;

    if (w->slack <= w->cycles / tiles)
        return tiles - 1;
    n = (e->sol->cand[next]->pre_cycles + each - 1) / each;
    return (int)MAX(0, tiles - MAX(1, n));
}

/* Loads what tile i of the layers from `layer` on needs. */
static void load_tiles(Emitter *e, int layer, const FusedTile *c, What what)
{
    int k;

    for (k = 0; k <= e->sol->cand[layer]->after; k++)
        load_tile(e, layer + k, &c[k].tile, what);
}

/* Before tile i; of what is not cut, 0. */
static void fetch_next(Emitter *e, int i)
{
    int next = e->layer + count_layers(e);
    FusedTile first[MOST_FUSED];

    if (next == e->t->nlayer || !e->sol->ahead[next] ||
        (!e->sol->cand[e->layer]->direct && i != tile_of_fetch(e, next)))
        return;
    tiles_at(e, next, 0, first);
    load_tiles(e, next, first, LOAD_early);
}

/* Is the tile's result still there from the tile before? */
static bool is_made(Emitter *e, const Tile *tile)
{
    int o = e->t->layer[e->layer].noper - 1;
    Slot *s = &e->stage[e->layer][o].slot[0];

    return is_within(e, e->layer, o) && s->holds.row &&
           piece_same(s->holds, tile->out[0]);
}

/* Of a fused group's layer, what the tile behind will read of the result of the
 * one before it; on its way, once the layer before it is done, */
static void save_halo(Emitter *e, int layer, int64_t now, int64_t next)
{
    const LayerInst *w = &e->t->layer[layer - 1];
    Slot *s = slot_of(e, layer - 1, w->noper - 1, 0);

    if (e->by[layer] < 0)
        e->by[layer] = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->l2, .align = 8,
            .name = arena_fmt(e->t->mem, "%s kept", w->node->name),
        });
    grow_buf(e, e->by[layer], next);
    await(e, layer - 1, s); /* some of it may have come from the tile before */
    start_move(e, layer - 1, s, (Move){
        .from = {s->buf, now - next}, .to = {e->by[layer], 0}, .row = next,
        .rows = 1, .from_stride = next, .to_stride = next,
    });
}

/* and back to the slot's begin, once the layer itself is. */
static void restore_halo(Emitter *e, int layer, int64_t next)
{
    Slot *s = slot_of(e, layer - 1, e->t->layer[layer - 1].noper - 1, 0);

    await(e, layer - 1, s);
    start_move(e, layer - 1, s, (Move){
        .from = {e->by[layer], 0}, .to = {s->buf, 0}, .row = next, .rows = 1,
        .from_stride = next, .to_stride = next,
    });
}

static void await_halo(Emitter *e)
{
    int layer = e->layer - 1;

    if (e->halo[e->layer])
        await(e, layer, slot_of(e, layer, e->t->layer[layer].noper - 1, 0));
}

static void make_tile(Emitter *e, const FusedTile *c)
{
    await_loads(e);
    if (is_made(e, &c->tile))
        return;
    await_halo(e);
    turn_results(e, &c->tile);
    compute(e, c);
    store_results(e);
}

/* Bytes that layer k of a fused group reads of the tile before. */
static int64_t halo_of(const Emitter *e, int k, const FusedTile *c)
{
    const LayerInst *w = &e->t->layer[e->layer + k];

    return k && c && e->sol->cand[e->layer]->reuse
               ? fused_halo(w, &c[k], &c[k - 1]) : 0;
}

/* What the next tile reads of this one, on both sides of layer k, just done. */
static void move_halo(Emitter *e, int first, int k, const FusedTile *c,
                      const int64_t *next)
{
    if (k < e->sol->cand[first]->after && next[k + 1])
        save_halo(e, first + k + 1, piece_bytes(
            c[k + 1].tile.in[fused_link(&e->t->layer[first + k + 1],
                                        &e->t->layer[first + k])]),
            next[k + 1]);
    if (next[k])
        restore_halo(e, first + k, next[k]);
}

/* Tile i of all layers, whose loads are under way. */
static void emit_tile(Emitter *e, int i, const FusedTile *c,
                      const FusedTile *next)
{
    int first = e->layer, n = count_layers(e), k;
    bool twice = e->sol->cand[first]->depth > 1;
    int64_t halo[MOST_FUSED];

    for (k = 0; k < n; k++) {
        note_slots(e, first + k);
        e->halo[first + k] = halo_of(e, k, c);
        halo[k] = k && next && piece_same(c[k - 1].tile.out[0],
                                          next[k - 1].tile.out[0])
                      ? 0 : halo_of(e, k, next);
    }
    if (next && twice)
        load_tiles(e, first, next, LOAD_all);
    await_loads(e);
    fetch_next(e, i);
    for (k = 0; k < n; k++, e->layer++) {
        make_tile(e, &c[k]);
        move_halo(e, first, k, c, halo);
    }
    e->layer = first;
    if (next && !twice)
        load_tiles(e, first, next, LOAD_all);
}

static void emit_cut(Emitter *e)
{
    int i, n = cand_tiles(e->sol->cand[e->layer]), first = e->layer;
    FusedTile c[2][MOST_FUSED];

    tiles_at(e, e->layer, 0, c[0]);
    load_tiles(e, e->layer, c[0], LOAD_all);
    for (i = 0; i < n; i++) {
        if (i + 1 < n)
            tiles_at(e, e->layer, i + 1, c[(i + 1) & 1]);
        emit_tile(e, i, c[i & 1], i + 1 < n ? c[(i + 1) & 1] : NULL);
    }
    e->layer += count_layers(e) - 1;
    await_stores(e);
    e->layer = first;
}

/* The copy of an argument of a concat. */
static Tile copy_tile(const LayerInst *w)
{
    Tile t = {.node = NULL};

    t.in[0] = piece_all(w->oper[0].val);
    t.out[0] = piece_all(w->oper[1].val);
    return t;
}

/* In place, all at once. */
static void emit_whole(Emitter *e)
{
    const LayerInst *w = &e->t->layer[e->layer];
    FusedTile c = {.at = {0}};
    int64_t all[NCUT];

    tile_axes(w->node, w->part, all);
    if (w->node->op == OP_concat)
        c.tile = copy_tile(w);
    else if (!tile_make(e->t->mem, w->node, 0, c.at, all, &c.tile))
        die("'%s' is no tile of itself", w->node->name);
    fetch_next(e, 0);
    compute(e, &c);
}

/* "4x32x16 of 16x32x32, 8 tiles, rows inside, double"; of a fused group: its
 * middle tile. */
static const char *say_cand(const Emitter *e, int layer)
{
    const LayerInst *w = &e->t->layer[layer];
    const Cand *cand = e->sol->cand[layer];
    FusedTile c[MOST_FUSED];
    int64_t all[NCUT];
    int a;
    Str s = {.mem = e->t->mem};

    tiles_at(e, layer, cand_layers(cand) > 1 ? cand_tiles(cand) / 2 : 0, c);
    tile_axes(w->node, w->part, all);
    for (a = 0; a < NCUT; a++)
        str_fmt(&s, "%s%lld", a ? "x" : "",
                (long long)c[cand->before].len[a]);
    for (a = 0; a < NCUT; a++)
        str_fmt(&s, "%s%lld", a ? "x" : " of ", (long long)all[a]);
    str_fmt(&s, ", %d tiles, %s inside, %s", cand_tiles(cand),
            cand->rows_first ? "rows" : "channels",
            cand->depth > 1 ? "double" : "single");
    if (cand_layers(cand) > 1)
        str_fmt(&s, ", %d of %d layers in turn", cand->before + 1,
                cand_layers(cand));
    return s.s;
}

static void begin_layer(Emitter *e, int layer)
{
    const LayerInst *w = &e->t->layer[layer];
    const Cand *cand = e->sol->cand[layer];

    plan_add_layer(e->p, (Layer){
        .node = w->node, .part = w->part, .why = w->choice->why,
        .tile = cand_tiles(cand) > 1 ? say_cand(e, layer) : NULL,
        .after = cand->after,
    });
}

static bool starts_move(const Step *s)
{
    return s->kind == STEP_start && s->engine == ENG_dma;
}

static int64_t bytes_moved(const Step *s)
{
    return s->move.row * s->move.rows;
}

/* The engine takes a command when the bursts of those before it are on their
 * way; the core that writes a third one stands still for so long.  So of
 * transfers that begin together the shortest go first. */
static void shortest_first(Plan *p)
{
    int i, j;

    for (i = 1; i < p->nstep; i++)
        for (j = i; j > 0; j--) {
            Step *a = &p->step[j - 1], *b = &p->step[j], s = *a;

            if (!starts_move(a) || !starts_move(b) || a->layer != b->layer ||
                bytes_moved(a) <= bytes_moved(b))
                break;
            *a = *b;
            *b = s;
        }
}

void emit_steps(Tiler *t, const Solution *sol)
{
    Emitter e = {.t = t, .p = t->p, .sol = sol};
    int i, o;

    t->nfetch = 0;
    e.stage = (Stage(*)[NOPER])NEWN(t->mem, Stage, t->nlayer * NOPER + 1);
    e.scratch = NEWN(t->mem, int, t->nlayer + 1);
    e.by = NEWN(t->mem, int, t->nlayer + 1);
    e.halo = NEWN(t->mem, int64_t, t->nlayer + 2);
    for (i = 0; i < t->nlayer; i++) {
        e.scratch[i] = e.by[i] = -1;
        for (o = 0; o < NOPER; o++)
            e.stage[i][o].slot[0].buf = e.stage[i][o].slot[1].buf = -1;
        begin_layer(&e, i);
    }
    spill_leave(t, -1, &e.token);
    for (e.layer = 0; e.layer < t->nlayer; e.layer += count_layers(&e)) {
        memset(e.outgo, 0xff, sizeof e.outgo);
        spill_enter(t, e.layer, count_layers(&e));
        if (sol->cand[e.layer]->direct)
            emit_whole(&e);
        else
            emit_cut(&e);
        spill_leave(t, e.layer + count_layers(&e) - 1, &e.token);
    }
    spill_enter(t, t->nlayer, 1);
    shortest_first(t->p);
}
