/* Of one tile: the slots of its operands, the transfers that fill and empty
 * them, and the call of its kernel. */
#include "plan/schedule/emit.h"

#include <string.h>

int emit_in_count(const LayerInst *w)
{
    return w->noper - w->node->nres;
}

Slot *emit_slot(Emitter *e, int layer, int o, int i)
{
    const LayerInst *w = &e->t->layer[layer];
    Slot *s = &e->stage[layer][o].slot[i];

    if (s->buf < 0)
        s->buf = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->q->l1, .align = 8,
            .name = arena_fmt(e->t->mem, "%s %s tile%s", w->node->name,
                              w->oper[o].val->name, i ? "'" : ""),
        });
    return s;
}

void emit_grow_buf(Emitter *e, int buf, int64_t size)
{
    e->p->buf[buf].size = MAX(e->p->buf[buf].size, size);
}

void emit_await(Emitter *e, int layer, Slot *s)
{
    const LayerInst *w = &e->t->layer[layer];
    int i;

    for (i = 0; i < s->ntoken; i++)
        plan_add_step(e->p, (Step){
            .kind = STEP_wait, .engine = e->t->q->dma->row,
            .token = s->token[i],
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

    for (i = 0; i < e->t->q->nlayer; i++)
        for (o = 0; o < NOPER; o++)
            for (k = 0; k < 2; k++) {
                Slot *s = &e->stage[i][o].slot[k];

                if (s->ntoken &&
                    (!oldest || s->token[0] < oldest->token[0])) {
                    oldest = s;
                    layer = i;
                }
            }
    emit_await(e, layer, oldest);
}

void emit_start_move(Emitter *e, int layer, Slot *s, Move m)
{
    const LayerInst *w = &e->t->layer[layer];

    if (s->ntoken == MOST_TOKENS)
        die("too many moves for one tile");
    if (e->going == e->t->q->dma->queue)
        await_oldest(e);
    e->going++;
    s->token[s->ntoken++] = e->token;
    plan_add_step(e->p, (Step){
        .kind = STEP_start, .engine = e->t->q->dma->row, .token = e->token++,
        .layer = layer, .node = w->node, .part = w->part, .move = m,
        .tmp = {-1, 0},
    });
}

void emit_tiles(const Emitter *e, int layer, int i, FusedTile *to)
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
    emit_tiles(e, layer, 0, first);
    unit = first[cand->before].tile.in[o].row;
    n = unit * MAX(1, e->t->opt.chunk / unit);
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
    for (i = e->t->a.nfetch - 1; i >= 0; i--) {
        f = &e->t->a.fetch[i];
        if (f->layer == layer && f->from.buf == src.buf &&
            f->from.off == src.off && f->bytes == bytes)
            return (Ref){f->buf, p.off - from};
    }
    f = add_fetch(e->t, (Fetch){.layer = layer, .from = src, .bytes = bytes,
                                .rows = 1, .stride = bytes});
    f->buf = plan_add_buf(e->p, (Buf){
        .kind = BUF_temp, .mem = e->t->q->l2, .align = 8,
        .name = arena_fmt(e->t->mem, "%s fetched", x->val->name),
    });
    return (Ref){f->buf, p.off - from};
}

/* A piece of what is spilled, brought to a buffer of its own. */
static Ref stage_piece(Emitter *e, int layer, int o, Piece p)
{
    const Oper *x = &e->t->layer[layer].oper[o];
    const Spill *s = e->t->opt.spilled.of[x->alloc];
    int buf = plan_add_buf(e->p, (Buf){
        .kind = BUF_temp, .mem = e->t->q->l2, .align = 8,
        .name = arena_fmt(e->t->mem, "%s piece", x->val->name),
    });

    add_fetch(e->t, (Fetch){
        .layer = layer, .buf = buf, .bytes = piece_bytes(p), .rows = p.rows,
        .from = {s->l3_buf, x->place.off + p.off}, .stride = p.stride,
        .after = s->ready,
    });
    return (Ref){buf, 0};
}

Ref emit_place_of(Emitter *e, int layer, int o, Piece p)
{
    const Oper *x = &e->t->layer[layer].oper[o];
    Ref r = e->p->place[x->val->id];

    if (x->in_l3 && !oper_is_far(&e->t->layer[layer], o))
        return x->konst ? fetched(e, layer, o, p) : stage_piece(e, layer, o, p);
    if (!x->konst && e->t->opt.spilled.of[x->alloc])
        r.buf = e->t->opt.spilled.of[x->alloc]->buf;
    r.off += p.off;
    return r;
}

unsigned solution_in_l2(const Solution *s, const LayerInst *w)
{
    unsigned in_l2 = 0;
    int i;

    for (i = 0; i < w->nalloc; i++)
        in_l2 |= (unsigned)s->in_l2[w->alloc[i]] << i;
    return in_l2;
}

bool emit_is_buffered(const Emitter *e, int layer, int o)
{
    const LayerInst *w = &e->t->layer[layer];

    return oper_is_buffered(w, o, solution_in_l2(e->sol, w), e->sol->cand[layer]);
}

bool emit_is_within(const Emitter *e, int layer, int o)
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
    s = emit_slot(e, layer, o, g->now);
    emit_grow_buf(e, s->buf, piece_bytes(p));
    s->holds = p;
    emit_start_move(e, layer, s, (Move){
        .from = emit_place_of(e, layer, o, p), .to = {s->buf, 0},
        .row = p.row, .rows = p.rows, .to_stride = p.row,
        .from_stride = oper_is_staged(&e->t->layer[layer].oper[o]) ? p.row
                                                               : p.stride,
    });
}

/* What comes back from L3 is not there before. */
static bool is_early(const Emitter *e, int layer, int o)
{
    const Oper *x = &e->t->layer[layer].oper[o];

    return oper_early(x, layer - e->sol->cand[layer]->before) &&
           (x->konst || !e->t->opt.spilled.of[x->alloc]);
}

void emit_load(Emitter *e, int layer, const Tile *tile, What what)
{
    const LayerInst *w = &e->t->layer[layer];
    int o;

    for (o = 0; o < w->noper; o++)
        if (!w->oper[o].out && emit_is_buffered(e, layer, o) &&
            (what == LOAD_all || is_early(e, layer, o)))
            load(e, layer, o, tile->in[o]);
}

/* The slot of a fused group's intermediate: of the result of the layer that
 * makes it. */
static Slot *slot_within(Emitter *e, int o)
{
    int layer = e->layer - !e->t->layer[e->layer].oper[o].out;

    return emit_slot(e, layer, e->t->layer[layer].noper - 1, 0);
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
    *apart = emit_is_within(e, e->layer, o) || emit_is_buffered(e, e->layer, o);
    if (*apart) {
        *n = piece_bytes(*p);
        if (emit_is_within(e, e->layer, o))
            return (Ref){slot_within(e, o)->buf,
                         w->oper[o].out ? e->halo[e->layer + 1] : 0};
        i = w->oper[o].out ? g->now : g->use;
        return (Ref){emit_slot(e, e->layer, o, i)->buf,
                     tile_is_whole(w, o, e->sol->cand[e->layer]) ? p->off : 0};
    }
    *n = (p->rows - 1) * p->stride + p->row;
    return emit_place_of(e, e->layer, o, *p);
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
    opers_in_place(w, solution_in_l2(e->sol, w), e->sol->cand[e->layer], &in_place,
                   &out_place);
    for (o = 0; o < w->noper; o++)
        if (emit_is_within(e, e->layer, o)) {
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
    s->engine = c->engine;
    s->tmp_bytes = c->scratch;
    s->tmp = (Ref){-1, 0};
    if (!c->scratch)
        return;
    layer = e->layer + e->sol->cand[e->layer]->after; /* one for a fused group
                                                         */
    if (e->scratch[layer] < 0)
        e->scratch[layer] = plan_add_buf(e->p, (Buf){
            .kind = BUF_temp, .mem = e->t->q->l1, .align = 8,
            .name = arena_fmt(e->t->mem, "%s scratch", s->node->name),
        });
    s->tmp.buf = e->scratch[layer];
    emit_grow_buf(e, s->tmp.buf, c->scratch);
}

static void choose_step(Emitter *e, Step *s)
{
    const Cand *cand = e->sol->cand[e->layer];
    LayerInst *w = &e->t->layer[e->layer];
    Choice c = {0};

    if (cand->direct ? !direct_choice(e->t, w, &s->dims, &c)
                     : !tiler_choice(e->t, w, s->tile, &s->dims, cand->slots,
                                     &c))
        die("no kernel for a tile of '%s'", w->node->name);
    if (is_copy(w, s))
        choice_time(&c, w->node, &s->dims);
    if (layer_scatters(w))
        choice_in_place(&c, w->node, &s->dims);
    if (cand->direct || w->varies)
        c.cycles += l2_cycles(e->t, w, solution_in_l2(e->sol, w), cand->direct, &c);
    take_choice(e, s, &c);
}

void emit_call(Emitter *e, const FusedTile *c)
{
    const LayerInst *w = &e->t->layer[e->layer];
    Layer *l = &e->p->layer[e->layer];
    Step s = {.kind = STEP_start, .engine = ENG_cores, .token = e->token++,
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
        .kind = STEP_wait, .engine = s.engine, .token = s.token,
        .layer = e->layer, .node = w->node, .part = w->part, .tmp = {-1, 0},
    });
}
