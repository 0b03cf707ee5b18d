/* Buffers and steps of what is spilled: whole allocations go out to L3 behind
 * their last writer and come back before a reader; tiles go as emit.c says. */
#include "plan/schedule/schedule.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

void spill_bufs(Tiler *t, const int *buf)
{
    int k;

    for (k = 0; k < t->opt.spilled.n; k++) {
        int i = t->opt.spilled.list[k];
        Spill *s = t->opt.spilled.of[i];
        const Alloc *v = &t->q->s->alloc[i];

        s->own = s->l3_buf = buf[i];
        s->buf = s->token = -1;
        s->ready = 0;
        if (s->l3_buf < 0) /* it is within a fused group */
            continue;
        if (!t->opt.inout_in_l3 && (v->in || v->out))
            s->l3_buf = plan_add_buf(t->p, (Buf){
                .kind = BUF_temp, .size = v->size, .align = 8, .val = v->val,
                .name = arena_fmt(t->mem, "%s outside", v->val->name),
            });
        t->p->buf[s->l3_buf].mem = t->q->l3;
        if (v->in && !t->opt.inout_in_l3)
            s->buf = s->own;
    }
}

static Step step_of(const Tiler *t, int layer, StepKind kind, int token)
{
    const LayerInst *w = &t->layer[MAX(0, MIN(layer, t->q->nlayer - 1))];

    return (Step){.kind = kind, .engine = t->q->io->row, .token = token,
                  .layer = (int)(w - t->layer), .node = w->node,
                  .part = w->part, .tmp = {-1, 0}};
}

void spill_move(Tiler *t, int layer, int *token, Move m)
{
    Step s = step_of(t, layer, STEP_start, (*token)++);

    s.move = m;
    plan_add_step(t->p, s);
}

void spill_wait(Tiler *t, int layer, int token)
{
    plan_add_step(t->p, step_of(t, layer, STEP_wait, token));
}

static void settle(Tiler *t, int layer, Spill *s)
{
    if (s->token < 0)
        return;
    spill_wait(t, layer, s->token);
    s->token = -1;
    s->ready = t->p->nstep;
}

/* Room for one more transfer out. */
static void settle_oldest(Tiler *t, int layer)
{
    Spill *oldest = NULL;
    int i, n = 0;

    for (i = 0; i < t->opt.spilled.n; i++) {
        Spill *s = t->opt.spilled.of[t->opt.spilled.list[i]];

        if (s->token < 0)
            continue;
        n++;
        if (!oldest || s->token < oldest->token)
            oldest = s;
    }
    if (n == SPILL_QUEUE - OUT_SLOTS)
        settle(t, layer, oldest);
}

static Move whole(Ref from, Ref to, int64_t size)
{
    return (Move){from, to, size, 1, size, size};
}

/* Is it spilled before it is written again? */
static bool leaves(const Tiler *t, int alloc, int layer)
{
    int k;

    for (k = layer + 1; k <= t->q->last[alloc]; k++) {
        if (tiler_is_spilled(t, alloc, k))
            return true;
        if (k < t->q->nlayer && layer_writes(t, k, alloc))
            return false;
    }
    return false;
}

static bool is_spilled_later(const Tiler *t, int alloc, int layer)
{
    int k;

    for (k = layer + 1; k <= t->q->nlayer; k++)
        if (tiler_is_spilled(t, alloc, k))
            return true;
    return false;
}

static void bring_back(Tiler *t, int alloc, int layer)
{
    Spill *s = t->opt.spilled.of[alloc];
    const Alloc *v = &t->q->s->alloc[alloc];

    s->buf = s->own;
    if (!v->out || is_spilled_later(t, alloc, layer))
        s->buf = plan_add_buf(t->p, (Buf){
            .kind = BUF_temp, .mem = t->q->l2, .size = v->size, .align = 8,
            .name = arena_fmt(t->mem, "%s back", v->val->name),
        });
    if (layer <= t->q->first[alloc])
        return;
    t->p->buf[s->buf].size = 0; /* until it has a place */
    t->p->buf[s->buf].align = 8;
    add_fetch(t, (Fetch){.layer = MIN(layer, t->q->nlayer - 1), .buf = s->buf,
                         .from = {s->l3_buf, 0}, .bytes = v->size, .rows = 1,
                         .stride = v->size, .after = s->ready});
}

/* It is spilled from now on. */
static void forget(Tiler *t, int layer, Spill *s)
{
    settle(t, layer, s);
    s->buf = -1;
}

/* Does one of n layers have it whole? */
static bool wants(const Tiler *t, int alloc, int layer, int n)
{
    int k;

    for (k = layer; k < layer + n; k++)
        if (k == t->q->nlayer || (layer_uses(&t->layer[k], alloc) &&
                               !tiler_is_spilled(t, alloc, k)))
            return true;
    return false;
}

void spill_enter(Tiler *t, int layer, int n)
{
    int k;

    for (k = 0; k < t->opt.spilled.n; k++) {
        int i = t->opt.spilled.list[k];
        Spill *s = t->opt.spilled.of[i];

        if (s->l3_buf < 0 || t->q->first[i] >= layer + n ||
            t->q->last[i] < layer)
            continue;
        if (!spill_is_here(t, i, layer, n))
            forget(t, layer, s);
        else if (s->buf < 0 && wants(t, i, layer, n))
            bring_back(t, i, layer);
    }
}

void spill_leave(Tiler *t, int layer, int *token)
{
    int k;

    for (k = 0; k < t->opt.spilled.n; k++) {
        int i = t->opt.spilled.list[k];
        Spill *s = t->opt.spilled.of[i];

        if (s->l3_buf < 0)
            continue;
        if (!layer_writes(t, layer, i)) {
            if (tiler_is_spilled(t, i, layer)) /* and was not at a fused group's
                                                  begin */
                forget(t, layer, s);
        } else if (tiler_is_spilled(t, i, layer)) {
            s->ready = t->p->nstep;
        } else if (leaves(t, i, layer)) {
            settle_oldest(t, layer);
            s->token = *token;
            spill_move(t, layer, token, whole((Ref){s->buf, 0},
                                              (Ref){s->l3_buf, 0},
                                              t->q->s->alloc[i].size));
        }
    }
}
