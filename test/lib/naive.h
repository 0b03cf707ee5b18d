/* Tiled plans without any thought, for tests: homes, tiles, slots and kernels
 * are drawn; each layer's steps are made one after the other, each waited for
 * at once; then starts are moved up and waits down past whatever has no buffer
 * in common with them, so that transfers go on during kernels and across
 * layers. */
#ifndef NAIVE_H
#define NAIVE_H

#include "plan/plan.h"
#include "test/lib/rng.h"

#include <string.h>

enum { SLOTS = 3, MOST_STEPS = 3000, MOST_MOVE = 100000 };

typedef struct Naive {
    Plan *p;
    Rng *r;
    Kern **kern;
    int nkern, token;
    int l1, l2, l3;
    int shared; /* the layer whose tiles are now made */
} Naive;

/* An operand's or result's slots while a layer is made. */
typedef struct Stage {
    bool used;
    int n, buf[SLOTS], now;
    Piece holds[SLOTS];
} Stage;

static Naive *naive_new(Plan *p, Rng *r)
{
    Naive *v = NEW(p->mem, Naive);

    *v = (Naive){.p = p, .r = r};
    v->kern = kern_load(p->mem, NULL, &v->nkern);
    v->l1 = (int)(soc_mem(p->soc, "L1") - p->soc->mems);
    v->l2 = (int)(soc_mem(p->soc, "L2") - p->soc->mems);
    v->l3 = (int)(soc_mem(p->soc, "L3") - p->soc->mems);
    return v;
}

static int naive_buf(Naive *v, Buf b)
{
    Plan *p = v->p;

    b.align = 8;
    b.from = INT32_MAX;
    b.to = -1;
    if (!b.name)
        b.name = "slot";
    GROW(p->mem, p->buf, (size_t)p->nbuf);
    p->buf[p->nbuf] = b;
    return p->nbuf++;
}

/* A step and its wait. */
static void naive_step(Naive *v, Step s)
{
    Plan *p = v->p;
    int k;

    s.token = v->token++;
    s.layer = p->nlayer - 1;
    for (k = 0; k < 2; k++) {
        GROW(p->mem, p->step, (size_t)p->nstep);
        s.kind = k ? STEP_wait : STEP_start;
        p->step[p->nstep++] = s;
    }
}

static void naive_move(Naive *v, const Node *n, Ref from, int64_t from_stride,
                       Ref to, int64_t to_stride, int64_t row, int64_t rows)
{
    const Plan *p = v->p;
    bool far = p->buf[from.buf].mem == v->l3 || p->buf[to.buf].mem == v->l3;
    int64_t some = rows > 1 ? MOST_MOVE / row : MOST_MOVE;
    Ref a = from, b = to;

    if (row * rows > MOST_MOVE && rows > 1) {
        a.off += some * from_stride;
        b.off += some * to_stride;
        naive_move(v, n, a, from_stride, b, to_stride, row, rows - some);
        rows = some;
    } else if (row > MOST_MOVE) {
        a.off += some;
        b.off += some;
        naive_move(v, n, a, row - some, b, row - some, row - some, 1);
        row = some;
    }
    naive_step(v, (Step){
        .engine = ENG_hops + far, .node = n, .tmp = {-1, 0},
        .move = {from, to, row, rows, from_stride, to_stride},
    });
}

static void naive_layer(Naive *v, const Node *n, int part)
{
    Plan *p = v->p;

    GROW(p->mem, p->layer, (size_t)p->nlayer);
    p->layer[p->nlayer++] = (Layer){.node = n, .part = part, .tiles = 1,
                                    .why = {.chosen = "", .next = "",
                                            .rest = ""}};
}

/* ---- homes ---- */

/* L1 is for small ones; few live behind the L2. */
static int naive_mem(Naive *v, const Val *x, bool outer)
{
    if (val_bytes(x) < 4000 && pick(v->r, 2))
        return v->l1;
    return outer && !pick(v->r, 6) ? v->l3 : v->l2;
}

static void naive_homes(Naive *v)
{
    Plan *p = v->p;
    const Graph *g = p->g;
    const Val *x;
    const Node *n;
    int i;

    p->place = NEWN(p->mem, Ref, graph_nval(g) + 1);
    for (x = g->vals; x; x = x->next) {
        bool edge = val_is_output(g, x) || (!x->def && !x->data);
        BufKind kind = x->data ? BUF_const : !x->def ? BUF_input
                       : edge ? BUF_output : BUF_temp;

        p->place[x->id] = (Ref){naive_buf(v, (Buf){
            .kind = kind, .name = x->name, .val = x,
            .size = MAX(val_bytes(x), 1),
            .mem = x->data ? pick(v->r, 3) ? v->l2 : v->l3
                           : naive_mem(v, x, !edge),
        }), 0};
    }
    for (n = g->first; n; n = n->next)
        if (n->op == OP_reshape)
            p->place[n->res[0]->id] = p->place[n->arg[0]->id];
    for (i = 0; i < g->nout; i++) {
        Buf *b = &p->buf[p->place[g->out[i]->id].buf];

        b->kind = BUF_output;
        b->mem = b->mem == v->l3 ? v->l2 : b->mem;
    }
}

/* ---- staging ---- */

static Ref naive_home(const Naive *v, const Val *x, Piece p)
{
    Ref r = v->p->place[x->id];

    r.off += p.off;
    return r;
}

static int home_mem(const Naive *v, const Val *x)
{
    int buf = v->p->place[x->id].buf;

    return buf < 0 ? v->l2 : v->p->buf[buf].mem;
}

static int naive_slot(Naive *v, Stage *s, int i, Piece p)
{
    Buf *b;

    if (s->buf[i] < 0)
        s->buf[i] = naive_buf(v, (Buf){.mem = v->l1});
    b = &v->p->buf[s->buf[i]];
    b->size = MAX(b->size, p.row * p.rows);
    return s->buf[i];
}

/* A piece from behind the L2, by way of it, or from the L2, to a slot. */
static void naive_load(Naive *v, const Node *n, const Val *x, Piece p, int to)
{
    Ref from = naive_home(v, x, p);
    int64_t stride = p.stride;

    if (home_mem(v, x) == v->l3) {
        Ref via = {naive_buf(v, (Buf){.mem = v->l2, .size = p.row * p.rows}),
                   0};

        naive_move(v, n, from, stride, via, p.row, p.row, p.rows);
        from = via;
        stride = p.row;
    }
    naive_move(v, n, from, stride, (Ref){to, 0}, p.row, p.row, p.rows);
}

static void naive_store(Naive *v, const Node *n, const Val *x, Piece p,
                        int from)
{
    Ref to = naive_home(v, x, p), at = {from, 0};

    if (home_mem(v, x) == v->l3) {
        Ref via = {naive_buf(v, (Buf){.mem = v->l2, .size = p.row * p.rows}),
                   0};

        naive_move(v, n, at, p.row, via, p.row, p.row, p.rows);
        at = via;
    }
    naive_move(v, n, at, p.row, to, p.stride, p.row, p.rows);
}

/* The slot of operand piece p, loaded where it is not there yet. */
static int naive_fetch(Naive *v, const Node *n, const Val *x, Stage *s,
                       Piece p)
{
    int i;

    for (i = 0; i < s->n; i++)
        if (s->buf[i] >= 0 && s->holds[i].row && piece_same(s->holds[i], p))
            return s->buf[i];
    s->now = (s->now + 1) % s->n;
    s->holds[s->now] = p;
    naive_load(v, n, x, p, naive_slot(v, s, s->now, p));
    return s->buf[s->now];
}

/* ---- kernels ---- */

static bool naive_isa(const Soc *soc, const Kern *k)
{
    const char *s = k->isa ? k->isa : "any";
    size_t n;

    if (!*s || !strcmp(s, "any"))
        return true;
    for (; *s; s += n + (s[n] == ',')) {
        n = strcspn(s, ",");
        if (!isa_has(soc->isa, s, n))
            return false;
    }
    return true;
}

/* A kernel for what the step is told, any that may run; false: none. */
static bool naive_kernel(Naive *v, Step *s, const Node *seen)
{
    const Plan *p = v->p;
    int i, from = pick(v->r, v->nkern);

    for (i = 0; i < v->nkern; i++) {
        Kern *k = v->kern[(from + i) % v->nkern];
        const KernSig *sig = kern_takes(k, seen);

        if (!sig || !naive_isa(p->soc, k))
            continue;
        k->ncore = k->split && *k->split ? p->soc->ncore : 1;
        if (k->when && !kern_expr(k, k->when, seen, &s->dims))
            continue;
        s->kern = k;
        s->sig = sig;
        s->ncore = k->ncore;
        s->tmp_bytes = k->scratch ? (kern_expr(k, k->scratch, seen, &s->dims) +
                                     7) / 8 * 8 * s->ncore : 0;
        s->tmp = (Ref){s->tmp_bytes > 0 ? naive_buf(v, (Buf){
            .mem = v->l1, .size = s->tmp_bytes, .name = "scratch"}) : -1, 0};
        return true;
    }
    return false;
}

static void naive_in(Step *s, int i, Ref r, Piece p, bool close, Type t)
{
    s->in[i] = r;
    s->in_piece[i] = p;
    s->in_packed[i] = close;
    s->in_bytes[i] = close ? p.row * p.rows
                            : (p.rows - 1) * p.stride + p.row;
    s->in_type[i] = t;
}

static void naive_out(Step *s, Ref r, Piece p, bool close, Type t)
{
    s->out[0] = r;
    s->out_piece[0] = p;
    s->out_packed[0] = close;
    s->out_bytes[0] = close ? p.row * p.rows
                             : (p.rows - 1) * p.stride + p.row;
    s->out_type[0] = t;
    s->nout = 1;
}

/* ---- layers ---- */

/* Which operands are staged, and whether the result is: what lives behind the
 * L2 must be; the rest if the draw, or the kernels, will have it so. */
static void naive_stages(Naive *v, const Node *n, Stage *s)
{
    int i, k;

    for (i = 0; i <= n->narg; i++) {
        const Val *x = i < n->narg ? n->arg[i] : n->res[0];
        int mem = x ? home_mem(v, x) : v->l1;

        s[i] = (Stage){.used = x && mem != v->l1 &&
                               (mem == v->l3 || pick(v->r, 5)),
                       .n = 1 + pick(v->r, SLOTS)};
        for (k = 0; k < SLOTS; k++)
            s[i].buf[k] = -1;
    }
}

/* Every tile of a cut is a tile. */
static bool naive_cuts(Naive *v, const Node *n, const int64_t all[NCUT],
                       const int64_t step[NCUT], int *count)
{
    int64_t at[NCUT] = {0}, len[NCUT];
    Tile t;
    int a;

    for (*count = 0; *count < 40; ++*count) {
        for (a = 0; a < NCUT; a++)
            len[a] = MIN(step[a], all[a] - at[a]);
        if (!tile_make(v->p->mem, n, 0, at, len, &t))
            return false;
        for (a = NCUT - 1; a >= 0 && (at[a] += step[a]) >= all[a]; a--)
            at[a] = 0;
        if (a < 0)
            return true;
    }
    return false;
}

static void naive_cut(Naive *v, const Node *n, int64_t all[NCUT],
                      int64_t step[NCUT])
{
    int a, tries, count;

    tile_axes(n, 0, all);
    for (tries = 0; tries < 8; tries++) {
        for (a = 0; a < NCUT; a++)
            step[a] = pick(v->r, 3) ? (all[a] + pick(v->r, 4)) /
                                      (1 + pick(v->r, 4)) : all[a];
        for (a = 0; a < NCUT; a++)
            step[a] = MIN(MAX(step[a], 1), all[a]);
        if (naive_cuts(v, n, all, step, &count))
            return;
    }
    memcpy(step, all, NCUT * sizeof *step);
}

/* What can be told of the draw; else everything apart. */
static void naive_tell(const Node *n, const Tile *t, Stage *s, Dims *d)
{
    unsigned in_place = 0;
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && !s[i].used)
            in_place |= 1u << i;
    if (tile_dims(n, t, in_place, !s[n->narg].used, d))
        return;
    for (i = 0; i <= n->narg; i++)
        s[i].used = i == n->narg || n->arg[i];
    if (!tile_dims(n, t, 0, false, d))
        die("packed pieces are refused");
}

/* What is in the L1 already, in pieces with gaps, is copied to and fro by way
 * of the L2: no engine moves within one memory. */
static bool naive_can(const Naive *v, const Node *n, const Stage *s)
{
    int i;

    for (i = 0; i <= n->narg; i++) {
        const Val *x = i < n->narg ? n->arg[i] : n->res[0];

        if (x && s[i].used && home_mem(v, x) == v->l1)
            return false;
    }
    return true;
}

/* fused: slot that holds operand 0 of the tile; -1: none. */
static bool naive_tile(Naive *v, const Node *n, const Tile *t, Stage *s,
                       const int64_t at[NCUT], int fused)
{
    Step k = {.engine = ENG_cores, .node = n, .tile = t->node,
              .nin = n->narg};
    Stage *out = &s[n->narg];
    const Val *y = n->res[0];
    int i;

    naive_tell(n, t, s, &k.dims);
    if (!naive_can(v, n, s))
        return false;
    for (i = 0; i < NCUT; i++)
        k.at[i] = (int32_t)at[i];
    for (i = 0; i < n->narg; i++) {
        const Val *x = n->arg[i];

        if (!x)
            k.in[i] = (Ref){-1, 0};
        else if (!i && fused >= 0)
            naive_in(&k, i, (Ref){fused, 0}, t->in[i], true, x->type);
        else if (s[i].used)
            naive_in(&k, i, (Ref){naive_fetch(v, n, x, &s[i], t->in[i]), 0},
                     t->in[i], true, x->type);
        else
            naive_in(&k, i, naive_home(v, x, t->in[i]), t->in[i], false,
                     x->type);
    }
    if (!naive_kernel(v, &k, t->node))
        return false;
    if (out->used) {
        out->now = (out->now + 1) % out->n;
        naive_out(&k, (Ref){naive_slot(v, out, out->now, t->out[0]), 0},
                  t->out[0], true, y->type);
    } else {
        naive_out(&k, naive_home(v, y, t->out[0]), t->out[0], false, y->type);
    }
    naive_step(v, k);
    if (out->used && v->p->place[y->id].buf >= 0)
        naive_store(v, n, y, t->out[0], out->buf[out->now]);
    return true;
}

/* The part of n that makes a piece of its result: rows of an image. */
static bool naive_part(Naive *v, const Node *n, Piece p, int64_t at[NCUT],
                       Tile *t)
{
    Shape y = n->res[0]->shape;
    int64_t row = y.dim[2] * y.dim[3] * type_info[n->res[0]->type].bytes;
    int64_t len[NCUT] = {1, p.row * p.rows / row, y.dim[3]};

    at[CUT_batch] = at[CUT_channel] = 0;
    at[CUT_row] = p.off / row;
    return p.rows == 1 && p.off % row == 0 && p.row % row == 0 &&
           y.dim[0] == 1 && tile_make(v->p->mem, n, 0, at, len, t);
}

static bool is_image(const Node *n)
{
    Family f = op_info[n->op].family;

    return (f == FAM_conv || f == FAM_pool) && attr_int(n, A_last) &&
           n->res[0]->shape.rank == 4;
}

/* The node whose result exists in tiles of n alone; NULL: none. */
static const Node *naive_fuses(Naive *v, const Node *n)
{
    const Val *x = n->narg ? n->arg[0] : NULL;
    const Node *m = x ? x->def : NULL;

    if (!m || !is_image(n) || !is_image(m) || x->nuse != 1 ||
        m->next != n || m->res[0]->shape.dim[0] != 1 ||
        v->p->place[x->id].buf < 0 || !pick(v->r, 3))
        return NULL;
    return m;
}

/* All tiles of n; m: computes what they read of operand 0 as they go. */
static bool naive_node(Naive *v, const Node *n, const Node *m)
{
    int64_t all[NCUT], step[NCUT], at[NCUT] = {0}, len[NCUT], from[NCUT];
    Stage *s = NEWN(v->p->mem, Stage, n->narg + 1), *f = NULL;
    Tile t, u;
    int a;

    naive_layer(v, n, 0);
    naive_cut(v, n, all, step);
    naive_stages(v, n, s);
    if (m) {
        step[CUT_channel] = all[CUT_channel];
        f = NEWN(v->p->mem, Stage, m->narg + 1);
        naive_stages(v, m, f);
        v->p->place[m->res[0]->id].buf = -1;
        f[m->narg].used = true;
        s[0].used = true;
    }
    for (;;) {
        for (a = 0; a < NCUT; a++)
            len[a] = MIN(step[a], all[a] - at[a]);
        if (!tile_make(v->p->mem, n, 0, at, len, &t) ||
            (m && (!naive_part(v, m, t.in[0], from, &u) ||
                   !naive_tile(v, m, &u, f, from, -1))) ||
            !naive_tile(v, n, &t, s, at,
                        m ? f[m->narg].buf[f[m->narg].now] : -1))
            return false;
        for (a = NCUT - 1; a >= 0 && (at[a] += step[a]) >= all[a]; a--)
            at[a] = 0;
        if (a < 0)
            return true;
    }
}

static int64_t outer_of(const Node *n)
{
    int64_t rows = 1;
    int i, axis = node_axis(n, n->res[0]->shape.rank);

    for (i = 0; i < axis; i++)
        rows *= n->res[0]->shape.dim[i];
    return rows;
}

/* An argument of a concat by way of the L1, as rows. */
static void naive_copy(Naive *v, const Node *n, int part, int64_t off)
{
    const Val *x = n->arg[part], *y = n->res[0];
    int64_t rows = outer_of(n), row = val_bytes(x) / rows;
    int64_t stride = val_bytes(y) / rows;
    Piece from = {0, val_bytes(x), 1, val_bytes(x)};
    Piece to = {off, row, rows, stride};
    int slot = naive_buf(v, (Buf){.mem = v->l1, .size = val_bytes(x)});

    naive_load(v, n, x, from, slot);
    naive_store(v, n, y, to, slot);
}

static bool naive_concat(Naive *v, const Node *n)
{
    const Val *y = n->res[0];
    int64_t off = 0;
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *x = n->arg[i];
        int a = home_mem(v, x), b = home_mem(v, y);

        naive_layer(v, n, i);
        if (!val_bytes(x))
            continue;
        if (a != v->l1 && b != v->l1 && val_bytes(x) < 8000 &&
            (a == v->l3 || b == v->l3 || pick(v->r, 2))) {
            naive_copy(v, n, i, off);
        } else if (a == v->l3 || b == v->l3) {
            return false;
        } else {
            Step k = {.engine = ENG_cores, .node = n, .tile = n, .part = i,
                      .nin = 1};
            Node seen = *n;

            seen.narg = 1;
            seen.arg = n->arg + i;
            dims_fill_concat(n, i, &k.dims);
            naive_in(&k, 0, v->p->place[x->id],
                     (Piece){0, val_bytes(x), 1, val_bytes(x)}, false,
                     x->type);
            naive_out(&k, v->p->place[y->id],
                      (Piece){0, val_bytes(y), 1, val_bytes(y)}, false,
                      y->type);
            if (!naive_kernel(v, &k, &seen))
                return false;
            naive_step(v, k);
        }
        off += val_bytes(x) / outer_of(n);
    }
    return true;
}

/* ---- the order of steps ---- */

static bool step_writes(const Step *s, int buf)
{
    return s->engine == ENG_cores ? s->out[0].buf == buf || s->tmp.buf == buf
                                 : s->move.to.buf == buf;
}

static bool step_touches(const Step *s, int buf)
{
    int i;

    if (step_writes(s, buf) ||
        (s->engine != ENG_cores && s->move.from.buf == buf))
        return true;
    for (i = 0; s->engine == ENG_cores && i < s->nin; i++)
        if (s->in[i].buf == buf)
            return true;
    return false;
}

/* Do two steps of which one writes what the other touches have to keep their
 * order?  Stores of one layer write different parts of its result. */
static bool steps_meet(const Naive *v, const Step *a, const Step *b)
{
    int i;

    if (a->engine != ENG_cores && b->engine != ENG_cores &&
        a->layer == b->layer && a->move.to.buf == b->move.to.buf &&
        v->p->buf[a->move.to.buf].val)
        return false;
    for (i = 0; i < v->p->nbuf; i++)
        if ((step_writes(a, i) && step_touches(b, i)) ||
            (step_writes(b, i) && step_touches(a, i)))
            return true;
    return false;
}

/* Moves step `from` up or down as far as it may, at most so many places. */
static void naive_shift(Naive *v, int from, int way, int most)
{
    Step *s = v->p->step, t;
    int to = from + way;

    for (; most-- > 0 && to >= 0 && to < v->p->nstep; from = to, to += way) {
        /* what is started here may go on past what is waited for there */
        if (s[from].token == s[to].token ||
            (s[to].kind != s[from].kind && steps_meet(v, &s[from], &s[to])))
            return;
        /* nor do kernels run beside one another */
        if (s[from].engine == ENG_cores && s[to].engine == ENG_cores)
            return;
        t = s[from];
        s[from] = s[to];
        s[to] = t;
    }
}

static void naive_mix(Naive *v)
{
    int i, k;

    for (k = 0; k < 3; k++)
        for (i = 0; i < v->p->nstep; i++)
            if (pick(v->r, 2) && v->p->nbuf < 400)
                naive_shift(v, i, v->p->step[i].kind == STEP_start ? -1 : 1,
                            1 + pick(v->r, 10));
}

/* ---- addresses ---- */

static void naive_touch(Plan *p, int buf, int from, int to)
{
    if (buf < 0)
        return;
    p->buf[buf].from = MIN(p->buf[buf].from, from);
    p->buf[buf].to = MAX(p->buf[buf].to, to);
}

static void naive_lives(Plan *p)
{
    int i, j;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->engine != ENG_cores) {
            naive_touch(p, s->move.from.buf, i, i + 1);
            naive_touch(p, s->move.to.buf, i, i + 1);
            continue;
        }
        for (j = 0; j < s->nin; j++)
            naive_touch(p, s->in[j].buf, i, i + 1);
        naive_touch(p, s->out[0].buf, i, i + 1);
        naive_touch(p, s->tmp.buf, i, i + 1);
    }
    for (i = 0; i < p->nbuf; i++) {
        Buf *b = &p->buf[i];

        if (b->from > b->to)
            b->from = b->to = 0;
        if (b->kind == BUF_input || b->kind == BUF_const)
            b->from = -1;
        if (b->kind == BUF_output || b->kind == BUF_const)
            b->to = p->nstep;
    }
    for (i = 0; i < p->g->nin; i++)
        naive_touch(p, p->place[p->g->in[i]->id].buf, -1, 0);
}

/* Buffers of one memory, of constants or of others: bytes they take. */
static int64_t naive_pack(Plan *p, int mem, bool konst)
{
    PackItem *item = NEWN(p->mem, PackItem, p->nbuf + 1);
    int *which = NEWN(p->mem, int, p->nbuf + 1), i, n = 0;
    int64_t top = 0;

    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == mem && (p->buf[i].kind == BUF_const) == konst) {
            which[n] = i;
            item[n++] = (PackItem){.lower = p->buf[i].from,
                                   .upper = MAX(p->buf[i].to,
                                                p->buf[i].from + 1),
                                   .size = p->buf[i].size, .align = 8};
        }
    if (n)
        pack(p->mem, item, n, 0, 1000);
    for (i = 0; i < n; i++) {
        p->buf[which[i]].addr = item[i].offset;
        top = MAX(top, item[i].offset + item[i].size);
    }
    return top;
}

/* The network's passes are done, its values numbered; NULL: a draw that came to
 * nothing, for instance more than the memory holds. */
static Plan *naive_plan(Arena *mem, Graph *g, Soc *soc, Rng *r)
{
    Plan *p = NEW(mem, Plan);
    const Node *n, *m;
    Naive *v;
    int i;

    *p = (Plan){.mem = mem, .g = g, .soc = soc, .host_isa = ""};
    v = naive_new(p, r);
    naive_homes(v);
    for (n = g->first; n; n = n->next) {
        if (n->op == OP_reshape || !val_count(n->res[0]))
            continue;
        m = n->next && n->op != OP_concat ? naive_fuses(v, n->next) : NULL;
        if (m == n) {
            if (!naive_node(v, n->next, n))
                return NULL;
            n = n->next;
        } else if (!(n->op == OP_concat ? naive_concat(v, n)
                                        : naive_node(v, n, NULL))) {
            return NULL;
        }
        if (p->nstep > MOST_STEPS)
            return NULL;
    }
    naive_mix(v);
    naive_lives(p);
    for (i = 0; i < soc->nmem; i++) {
        p->used[i] = naive_pack(p, i, false);
        p->consts[i] = naive_pack(p, i, true);
        p->room[i] = soc->mems[i].size;
        if (p->used[i] > p->room[i])
            return NULL;
    }
    return p;
}

#endif
