/* The steps of tiled layers.
 *
 * Every operand that is staged has slots, buffers in L1.  The
 * loads of a tile are started before the kernel of the tile before it, and
 * waited for before its own; a result is stored while the next tile is
 * computed, and awaited when its slot is wanted again, or at the layer's
 * end. */
#include "plan/schedule/emit.h"

#include <string.h>

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

        if (!w->oper[o].out && emit_is_buffered(e, e->layer, o))
            emit_await(e, e->layer, &g->slot[g->use]);
    }
}

/* The next slot of each result: what was stored from it has gone. */
static void turn_results(Emitter *e, const Tile *tile)
{
    const LayerInst *w = &e->t->layer[e->layer];
    int o;

    for (o = emit_in_count(w); o < w->noper; o++) {
        Stage *g = &e->stage[e->layer][o];
        Slot *s;

        if (!emit_is_within(e, e->layer, o) &&
            !emit_is_buffered(e, e->layer, o))
            continue;
        if (g->slot[g->now].holds.row && !emit_is_within(e, e->layer, o) &&
            e->sol->cand[e->layer]->depth > 1)
            g->now = !g->now;
        s = emit_slot(e, e->layer, o, g->now);
        if (!emit_is_within(e, e->layer, o))
            emit_await(e, e->layer, s);
        s->holds = tile->out[o - emit_in_count(w)];
        emit_grow_buf(e, s->buf, piece_bytes(s->holds) +
                                (emit_is_within(e, e->layer, o)
                                     ? e->halo[e->layer + 1] : 0));
    }
}

/* What is in L2 goes on. */
static void send_out(Emitter *e, int o)
{
    const Oper *x = &e->t->layer[e->layer].oper[o];
    const Spill *s = e->t->opt.spilled.of[x->alloc];
    Outgo *g = &e->outgo[o];
    Piece p = g->piece;

    if (g->stored < 0)
        return;
    emit_await(e, e->layer, &e->stage[e->layer][o].slot[g->stored]);
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
            .kind = BUF_temp, .mem = e->t->q->l2, .align = 8,
            .name = arena_fmt(e->t->mem, "%s out%s",
                              e->t->layer[e->layer].oper[o].val->name,
                              g->now ? "'" : ""),
        });
    emit_grow_buf(e, g->buf[g->now], n);
    g->stored = e->stage[e->layer][o].now;
    g->piece = s->holds;
    emit_start_move(e, e->layer, s, (Move){
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

        if (!w->oper[o].out || !emit_is_buffered(e, e->layer, o))
            continue;
        if (oper_is_staged(&w->oper[o]))
            store_out(e, o, s);
        else
            emit_start_move(e, e->layer, s, (Move){
                .from = {s->buf, 0},
                .to = emit_place_of(e, e->layer, o, s->holds),
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
            emit_await(e, e->layer, &e->stage[e->layer][o].slot[i]);
    }
}

/* Before which tile of a layer what the next one needs early is loaded: as late
 * as there is idle time enough behind.  An engine that the layer waits for is
 * idle when the last tile is computed, not before. */
static int tile_of_fetch(const Emitter *e, int next)
{
    const Cand *w = e->sol->cand[e->layer];
    int tiles = cand_tiles(w);
    int64_t slack = w->cycles - tempo_beside(w->cycles - w->slack);
    int64_t each = MAX(1, slack / tiles), n;

    if (slack <= w->cycles / tiles)
        return tiles - 1;
    n = (e->sol->cand[next]->pre_cycles + each - 1) / each;
    return (int)MAX(0, tiles - MAX(1, n));
}

/* Loads what tile i of the layers from `layer` on needs. */
static void load_tiles(Emitter *e, int layer, const FusedTile *c, What what)
{
    int k;

    for (k = 0; k <= e->sol->cand[layer]->after; k++)
        emit_load(e, layer + k, &c[k].tile, what);
}

/* Before tile i; of what is not cut, 0. */
static void fetch_next(Emitter *e, int i)
{
    int next = e->layer + count_layers(e);
    FusedTile first[MOST_FUSED];

    if (next == e->t->q->nlayer || !e->sol->ahead[next] ||
        (!e->sol->cand[e->layer]->direct && i != tile_of_fetch(e, next)))
        return;
    emit_tiles(e, next, 0, first);
    load_tiles(e, next, first, LOAD_early);
}

/* Is the tile's result still there from the tile before? */
static bool is_made(Emitter *e, const Tile *tile)
{
    int o = e->t->layer[e->layer].noper - 1;
    Slot *s = &e->stage[e->layer][o].slot[0];

    return emit_is_within(e, e->layer, o) && s->holds.row &&
           piece_same(s->holds, tile->out[0]);
}

/* Of a fused group's layer, what the tile behind will read of the result of the
 * one before it; on its way, once the layer before it is done, */
static void save_halo(Emitter *e, int layer, int64_t now, int64_t next)
{
    const LayerInst *w = &e->t->layer[layer - 1];
    Slot *s = emit_slot(e, layer - 1, w->noper - 1, 0);

    if (e->by[layer] < 0)
        e->by[layer] = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->q->l2, .align = 8,
            .name = arena_fmt(e->t->mem, "%s kept", w->node->name),
        });
    emit_grow_buf(e, e->by[layer], next);
    emit_await(e, layer - 1, s); /* some of it may have come from the tile
                                    before */
    emit_start_move(e, layer - 1, s, (Move){
        .from = {s->buf, now - next}, .to = {e->by[layer], 0}, .row = next,
        .rows = 1, .from_stride = next, .to_stride = next,
    });
}

/* and back to the slot's begin, once the layer itself is. */
static void restore_halo(Emitter *e, int layer, int64_t next)
{
    Slot *s = emit_slot(e, layer - 1, e->t->layer[layer - 1].noper - 1, 0);

    emit_await(e, layer - 1, s);
    emit_start_move(e, layer - 1, s, (Move){
        .from = {e->by[layer], 0}, .to = {s->buf, 0}, .row = next, .rows = 1,
        .from_stride = next, .to_stride = next,
    });
}

static void await_halo(Emitter *e)
{
    int layer = e->layer - 1;

    if (e->halo[e->layer])
        emit_await(e, layer,
                   emit_slot(e, layer, e->t->layer[layer].noper - 1, 0));
}

static void make_tile(Emitter *e, const FusedTile *c)
{
    await_loads(e);
    if (is_made(e, &c->tile))
        return;
    await_halo(e);
    turn_results(e, &c->tile);
    emit_call(e, c);
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
    if (!e->t->opt.fills) /* the engine goes on with it at once */
        fetch_next(e, i);
    await_loads(e);
    if (e->t->opt.fills)
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

    emit_tiles(e, e->layer, 0, c[0]);
    load_tiles(e, e->layer, c[0], LOAD_all);
    for (i = 0; i < n; i++) {
        if (i + 1 < n)
            emit_tiles(e, e->layer, i + 1, c[(i + 1) & 1]);
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
    emit_call(e, &c);
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

    emit_tiles(e, layer, cand_layers(cand) > 1 ? cand_tiles(cand) / 2 : 0, c);
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

static bool starts_move(const Plan *p, const Step *s)
{
    return s->kind == STEP_start && p->soc->engine[s->engine].batched;
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

            if (!starts_move(p, a) || !starts_move(p, b) ||
                a->layer != b->layer ||
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

    t->a.nfetch = 0;
    e.stage = (Stage(*)[NOPER])NEWN(t->mem, Stage, t->q->nlayer * NOPER + 1);
    e.scratch = NEWN(t->mem, int, t->q->nlayer + 1);
    e.by = NEWN(t->mem, int, t->q->nlayer + 1);
    e.halo = NEWN(t->mem, int64_t, t->q->nlayer + 2);
    for (i = 0; i < t->q->nlayer; i++) {
        e.scratch[i] = e.by[i] = -1;
        for (o = 0; o < NOPER; o++)
            e.stage[i][o].slot[0].buf = e.stage[i][o].slot[1].buf = -1;
        begin_layer(&e, i);
    }
    spill_leave(t, -1, &e.token);
    for (e.layer = 0; e.layer < t->q->nlayer; e.layer += count_layers(&e)) {
        memset(e.outgo, 0xff, sizeof e.outgo);
        spill_enter(t, e.layer, count_layers(&e));
        if (sol->cand[e.layer]->direct)
            emit_whole(&e);
        else
            emit_cut(&e);
        spill_leave(t, e.layer + count_layers(&e) - 1, &e.token);
    }
    spill_enter(t, t->q->nlayer, 1);
    shortest_first(t->p);
}
