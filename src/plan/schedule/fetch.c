/* Constants that lie behind L2 are fetched into it ahead of use.
 *
 * The engine works in the order of use.  Everything else has its address
 * already, so each fetch takes the address that is free the longest before its
 * use, and begins there and then: the engine stands still only where nothing
 * is free.  One that must leave the engine's queue before another can enter is
 * waited for when it has arrived, by the predicted times, not when it is
 * used. */
#include "plan/cost/cost.h"
#include "plan/schedule/schedule.h"
#include "plan/tile/tile.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 8192 };

typedef struct Pull {
    Fetch *f;
    int at;             /* before which step it starts */
    int use, end;       /* steps between which it is used */
    int64_t done;       /* when it has arrived */
    int64_t late;       /* cycles that all waits up to its own have taken */
} Pull;

typedef struct Fetcher {
    Tiler *t;
    Plan *p;
    Pull *v;            /* in order of use */
    const int64_t *at;  /* when cores come to a step, without fetches */
    int *nearby, nnearby;   /* buffers that may be in the way */
    int64_t busy;       /* until when the engine is */
    int past;           /* fetches that are waited for by the step looked at */
} Fetcher;

static int by_use(const void *a, const void *b)
{
    const Pull *x = a, *y = b;

    return x->use != y->use ? (x->use > y->use) - (x->use < y->use)
                            : x->f->buf - y->f->buf;
}

/* Outputs and states live beyond the last step. */
static int last_step(const Fetcher *x, const Buf *b)
{
    return buf_lives_on(b) ? x->p->nstep + 1 : b->to;
}

static void list_pulls(Fetcher *x)
{
    int i;

    x->v = NEWN(x->t->mem, Pull, x->t->a.nfetch + 1);
    for (i = 0; i < x->t->a.nfetch; i++) {
        Fetch *f = &x->t->a.fetch[i];
        const Buf *b = &x->p->buf[f->buf];

        x->v[i] = (Pull){.f = f, .use = b->from, .end = last_step(x, b)};
    }
    qsort(x->v, (size_t)x->t->a.nfetch, sizeof *x->v, by_use);
}

/* ---- when ---- */

/* When the cores come to a step; steps are asked for in order. */
static int64_t time_at(Fetcher *x, int i, int step)
{
    while (x->past < i && x->v[x->past].use <= step)
        x->past++;
    return x->at[step] + (x->past ? x->v[x->past - 1].late : 0);
}

/* Core 0 has a part in kernels, and is not kept from it. */
static int behind_kernel(const Fetcher *x, int step)
{
    const Step *s = &x->p->step[step];

    return step + (step < x->p->nstep && s->kind == STEP_wait &&
                   !step_moves(x->p, s));
}

/* Transfers out have a part of it. */
static int fetch_queue(const Fetcher *x)
{
    return MAX(1, x->t->q->io->queue - (x->t->opt.spills ? SPILL_QUEUE : 0));
}

/* The first step at which fetch i can be queued. */
static int first_place(Fetcher *x, int i)
{
    int queue = fetch_queue(x), k = i ? x->v[i - 1].at : 0;
    const Pull *leaves = i >= queue ? &x->v[i - queue] : NULL;

    k = MAX(k, x->v[i].f->after);
    while (leaves && k < x->v[i].use && k <= leaves->use &&
           time_at(x, i, k) < leaves->done)
        k++;
    return behind_kernel(x, k);
}

static void clock_fetch(Fetcher *x, int i)
{
    const Engine *io = x->t->q->io;
    Pull *v = &x->v[i];
    int64_t late = i ? v[-1].late : 0, use;

    x->busy = MAX(x->busy, time_at(x, i, v->at)) +
              move_cycles(io, true, v->f->bytes / v->f->rows, v->f->rows);
    v->done = x->busy + (int64_t)io->in.setup;
    use = x->at[v->use] + late;
    v->late = late + MAX(0, v->done - use);
}

/* ---- where ---- */

static int64_t end_of(const Buf *b)
{
    return b->addr + slot_bytes(b->size);
}

/* Buffers that live between two steps. */
static void list_nearby(Fetcher *x, int from, int to)
{
    const Plan *p = x->p;
    int i;

    x->nnearby = 0;
    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (b->kind != BUF_const && b->mem == x->t->q->l2 && b->size &&
            b->from < to && last_step(x, b) > from)
            x->nearby[x->nnearby++] = i;
    }
}

/* From which step on n bytes at `addr` are free until `v` has been used; more
 * than v->use: they are not. */
static int free_from(const Fetcher *x, const Pull *v, int64_t addr, int64_t n,
                     int first)
{
    int i, from = first;

    for (i = 0; i < x->nnearby && from <= v->use; i++) {
        const Buf *b = &x->p->buf[x->nearby[i]];

        if (b->addr < addr + n && end_of(b) > addr)
            from = last_step(x, b) > v->use ? v->use + 1 : MAX(from, b->to);
    }
    return from > v->use ? from : behind_kernel(x, from);
}

/* Is the address better: free earlier, or as early and nearer to the end at
 * which bytes of its kind lie?  What is small would leave holes elsewhere. */
static void try_address(Fetcher *x, Pull *v, int64_t addr, int first)
{
    int64_t n = slot_bytes(v->f->bytes);
    Buf *b = &x->p->buf[v->f->buf];
    int from;

    if (addr < 0 || addr + n > x->p->room[x->t->q->l2])
        return;
    from = free_from(x, v, addr, n, first);
    if (from < v->at ||
        (from == v->at && (n < SMALL ? addr > b->addr : addr < b->addr))) {
        v->at = from;
        b->addr = addr;
    }
}

/* The most bytes in a row that are free while v is used. */
static int64_t largest_gap(const Fetcher *x, const Pull *v)
{
    int64_t most = 0, at, up, room = x->p->room[x->t->q->l2];
    int i, k;

    for (i = -1; i < x->nnearby; i++) {
        at = i < 0 ? 0 : end_of(&x->p->buf[x->nearby[i]]);
        up = room;
        for (k = 0; k < x->nnearby; k++) {
            const Buf *b = &x->p->buf[x->nearby[k]];

            if (last_step(x, b) > v->use && end_of(b) > at)
                up = MIN(up, b->addr);
        }
        most = MAX(most, up - at);
    }
    return most;
}

/* The bytes that are missing; 0: it has a place. */
static int64_t place_fetch(Fetcher *x, int i)
{
    Pull *v = &x->v[i];
    Buf *b = &x->p->buf[v->f->buf];
    int64_t n = slot_bytes(v->f->bytes);
    int first = MIN(first_place(x, i), v->use), k;

    v->at = v->use + 1;
    list_nearby(x, first, v->end);
    try_address(x, v, 0, first);
    for (k = 0; k < x->nnearby; k++) {
        const Buf *o = &x->p->buf[x->nearby[k]];

        try_address(x, v, end_of(o), first);
        try_address(x, v, (o->addr - n) & ~(int64_t)7, first);
    }
    if (v->at > v->use)
        return MAX(8, n - largest_gap(x, v));
    b->size = v->f->bytes;
    b->from = v->at;
    x->p->used[x->t->q->l2] = MAX(x->p->used[x->t->q->l2], b->addr + b->size);
    clock_fetch(x, i);
    return 0;
}

/* ---- the steps ---- */

static Step step_of(const Fetcher *x, int i, StepKind kind, int token)
{
    const Fetch *f = x->v[i].f;
    const LayerInst *w = &x->t->layer[f->layer];
    Step s = {.kind = kind, .engine = x->t->q->io->row, .token = token + i,
              .layer = f->layer, .node = w->node, .part = w->part,
              .tmp = {-1, 0}};

    if (kind == STEP_start)
        s.move = (Move){f->from, {f->buf, 0}, f->bytes / f->rows, f->rows,
                        f->stride, f->bytes / f->rows};
    return s;
}

static int next_token(const Plan *p)
{
    int i, most = 0;

    for (i = 0; i < p->nstep; i++)
        most = MAX(most, p->step[i].token + 1);
    return most;
}

/* The plan's steps with those of the fetches between them. */
static void weave(Fetcher *x)
{
    Plan *p = x->p;
    Step *old = p->step;
    int *now = NEWN(x->t->mem, int, p->nstep + 1);
    int queue = fetch_queue(x), token = next_token(p);
    int i, n = p->nstep, begun = 0, ended = 0;

    p->step = p->spare;
    p->spare = old;
    begun = p->cstep, p->cstep = p->cspare, p->cspare = begun;
    begun = p->nstep = 0;
    for (i = 0; i <= n; i++) {
        for (; begun < x->t->a.nfetch && x->v[begun].at <= i; begun++) {
            if (begun - ended == queue)
                plan_add_step(p, step_of(x, ended++, STEP_wait, token));
            plan_add_step(p, step_of(x, begun, STEP_start, token));
        }
        for (; ended < begun && x->v[ended].use <= i; ended++)
            plan_add_step(p, step_of(x, ended, STEP_wait, token));
        now[i] = p->nstep;
        if (i < n)
            plan_add_step(p, old[i]);
    }
    for (i = 0; i < p->nlayer; i++) {
        p->layer[i].first = now[p->layer[i].first];
        p->layer[i].last = now[p->layer[i].last];
    }
}

Fetch *add_fetch(Tiler *t, Fetch f)
{
    GROW(t->mem, t->a.fetch, (size_t)t->a.nfetch);
    t->a.fetch[t->a.nfetch] = f;
    return &t->a.fetch[t->a.nfetch++];
}

int64_t add_fetches(Tiler *t, int *layer)
{
    Fetcher x = {.t = t, .p = t->p};
    const Program *q;
    int64_t over;
    int i;

    if (!t->a.nfetch)
        return 0;
    list_pulls(&x);
    q = program_flat(t->mem, t->p);
    x.at = program_times(t->mem, q, program_trace(t->mem, q));
    x.nearby = NEWN(t->mem, int, t->p->nbuf + 1);
    for (i = 0; i < t->a.nfetch; i++) {
        if (t->opt.min_memory) {
            x.v[i].at = x.v[i].use;
            continue;
        }
        over = place_fetch(&x, i);
        *layer = x.v[i].f->layer;
        if (over > 0)
            return over;
    }
    weave(&x);
    for (i = 0; i < t->p->nbuf; i++) {
        t->p->buf[i].from = INT32_MAX;
        t->p->buf[i].to = -1;
    }
    plan_lives(t->p);
    return 0;
}
