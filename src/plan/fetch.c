/* Constants that lie behind the next memory are fetched into it ahead of use.
 *
 * The engine works in the order of use, so each fetch is put as early as the
 * engine's queue and the room in the next memory allow: it then waits as long
 * as it must, but the engine stands still as little as can be. */
#include "plan/tiling.h"

#include <stdlib.h>
#include <string.h>

typedef struct Fetcher {
    Tiler *t;
    Plan *p;
    Fetch **list;       /* in order of use */
    int *at;            /* by place in the list: before which step it starts */
    int64_t *used;      /* of the next memory, by step */
} Fetcher;

static const Buf *buf_of(const Plan *p, const Fetch *f)
{
    return &p->buf[f->buf];
}

/* Insertion keeps the order in which equals came. */
static void sort_fetches(Fetcher *x)
{
    int i, j;

    for (i = 0; i < x->t->nfetch; i++) {
        Fetch *f = &x->t->fetch[i];

        for (j = i; j && buf_of(x->p, x->list[j - 1])->from >
                             buf_of(x->p, f)->from; j--)
            x->list[j] = x->list[j - 1];
        x->list[j] = f;
    }
}

static void count_used(Fetcher *x)
{
    const Plan *p = x->p;
    int i, k, nbuf = p->nbuf;
    bool *fetched = NEWN(x->t->mem, bool, nbuf + 1);

    for (i = 0; i < x->t->nfetch; i++)
        fetched[x->t->fetch[i].buf] = true;
    for (i = 0; i < nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (b->kind == BUF_const || b->mem != x->t->next || fetched[i])
            continue;
        for (k = MAX(0, b->from); k < MIN(b->to, p->nstep); k++)
            x->used[k] += b->size;
    }
}

/* Bytes that two buffers of a group share are counted once. */
static void count_shared(Fetcher *x)
{
    const Plan *p = x->p;
    const int64_t *off = x->t->off;
    int i, j, k;

    for (i = 0; i < x->t->nlead; i++) {
        const Buf *b = &p->buf[i], *a;

        if (!b->over)
            continue;
        j = b->over - 1;
        a = &p->buf[j];
        for (k = MAX(0, MAX(a->from, b->from));
             k < MIN(p->nstep, MIN(a->to, b->to)); k++)
            x->used[k] -= MAX(0, MIN(off[i] + b->size, off[j] + a->size) -
                                     MAX(off[i], off[j]));
    }
}

/* Takes room from step `at` on; the bytes that are missing where it is used. */
static int64_t take_room(Fetcher *x, int i, int earliest)
{
    const Buf *b = buf_of(x->p, x->list[i]);
    int64_t n = slot_bytes(x->list[i]->bytes), room = x->p->room[x->t->next], over = 0;
    int k;

    for (k = b->from; k < b->to; k++) {
        x->used[k] += n;
        over = MAX(over, x->used[k] - room);
    }
    room -= x->t->margin;
    for (k = b->from; k > earliest && x->used[k - 1] + n <= room; k--)
        x->used[k - 1] += n;
    x->at[i] = k;
    return over;
}

/* The first step at which fetch i can be queued. */
static int first_place(const Fetcher *x, int i)
{
    int queue = MAX(1, x->t->io->queue), first = i ? x->at[i - 1] : 0;

    if (i >= queue)
        first = MAX(first, buf_of(x->p, x->list[i - queue])->from + 1);
    return first;
}

static int64_t place_fetches(Fetcher *x, int *work)
{
    int64_t over, most = 0;
    int i;

    for (i = 0; i < x->t->nfetch; i++) {
        int use = buf_of(x->p, x->list[i])->from;

        over = take_room(x, i, MIN(first_place(x, i), use));
        if (over > most) {
            most = over;
            *work = x->list[i]->work;
        }
    }
    return most;
}

static Step step_of(const Fetcher *x, int i, StepKind kind, int token)
{
    const Fetch *f = x->list[i];
    const Work *w = &x->t->work[f->work];
    Step s = {.kind = kind, .engine = ENG_io, .token = token + i,
              .layer = f->work, .node = w->node, .part = w->part,
              .tmp = {-1, 0}, .why = ""};

    if (kind == STEP_start)
        s.move = (Move){f->from, {f->buf, 0}, f->bytes, 1, f->bytes,
                        f->bytes};
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
    int i, n = p->nstep, begun = 0, ended = 0, token = next_token(p);

    p->step = p->spare;
    p->spare = old;
    begun = p->cstep, p->cstep = p->cspare, p->cspare = begun;
    begun = p->nstep = 0;
    for (i = 0; i < n; i++) {
        for (; begun < x->t->nfetch && x->at[begun] <= i; begun++)
            plan_add_step(p, step_of(x, begun, STEP_start, token));
        for (; ended < begun &&
               buf_of(p, x->list[ended])->from <= i; ended++)
            plan_add_step(p, step_of(x, ended, STEP_wait, token));
        now[i] = p->nstep;
        plan_add_step(p, old[i]);
    }
    for (i = 0; i < p->nlayer; i++) {
        p->layer[i].first = now[p->layer[i].first];
        p->layer[i].last = now[p->layer[i].last];
    }
}

int64_t add_fetches(Tiler *t, int *work)
{
    Fetcher x = {.t = t, .p = t->p};
    int64_t over;

    if (!t->nfetch)
        return 0;
    x.list = NEWN(t->mem, Fetch *, t->nfetch + 1);
    x.at = NEWN(t->mem, int, t->nfetch + 1);
    x.used = NEWN(t->mem, int64_t, t->p->nstep + 1);
    sort_fetches(&x);
    count_used(&x);
    count_shared(&x);
    over = place_fetches(&x, work);
    if (over > 0)
        return over;
    weave(&x);
    for (int i = 0; i < t->p->nbuf; i++) {
        t->p->buf[i].from = INT32_MAX;
        t->p->buf[i].to = -1;
    }
    plan_lives(t->p);
    return 0;
}
