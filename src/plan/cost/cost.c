/* Predicted time of a program: its records, gone through with a clock for the
 * cores and one for each direction of every DMA engine. */
#include "plan/cost/cost.h"
#include "kern/conv/words.h"

enum { MOST_SLOTS = 16 };

typedef struct Clock {
    const Program *q;
    const Soc *soc;
    const ProgramTime *time;
    CodeCache *code;
    int layer;            /* that it is at */
    bool waited;          /* the record before is a wait */
    bool moved;           /* a transfer */
    bool alone;           /* no kernel has begun since the last job did */
    const Rec *deferred;  /* a call to which core 0 has not come yet */
    int64_t core;
    int64_t awaited;      /* when transfers are over for which core 0 waits next, */
    When *awaiting;       /* for this record; NULL: for none */
    int64_t ready;        /* the other cores begin it */
    int64_t moves_miss;   /* core 0 waits for code of transfers in a call */
    int64_t miss;         /* of this record: cores wait for code */
    int64_t engine[MOST_ENGINES][2]; /* and direction: when it is free */
    int64_t slot[MOST_ENGINES][MOST_SLOTS]; /* when what is under way is done */
    int64_t job[MOST_ENGINES][MOST_SLOTS]; /* ends of the last jobs, in turns, */
    int njob[MOST_ENGINES];          /* of so many */
    When reads;           /* jobs read weights in memory that transfers are of */
} Clock;

/* Of plans without tiles nothing is known. */
static int64_t new_code(Clock *c, int unit, int64_t code)
{
    return c->q->p->tiled ? code_miss(c->code, unit, code) : 0;
}

/* Beside its kernels the layer takes so much, as was measured. */
static int64_t as_measured(const Clock *c, int64_t cycles)
{
    const Plan *p = c->q->p;
    int64_t permille = c->layer < p->nlayer ? p->layer[c->layer].beside : 0;

    return permille ? cycles * permille / 1000 : cycles;
}

/* Of a call's code two fifths lead from record to record. */
static int64_t walk_code(const Clock *c)
{
    return c->time->call_code * 2 / 5;
}

/* What the program takes, with code that must come in. */
static void spend(Clock *c, int64_t cycles, int unit, int64_t code)
{
    int64_t miss = as_measured(c, new_code(c, unit, code));

    c->miss += miss;
    c->core += c->q->p->tiled ? as_measured(c, cycles) + miss : 0;
}

/* Core 0 waits for transfers of the L1. */
static void wait_now(Clock *c)
{
    if (!c->awaiting)
        return;
    c->awaiting->from = c->core;
    c->awaiting->to = c->core = MAX(c->core, c->awaited);
    c->awaiting = NULL;
    c->awaited = 0;
}

/* Where pages end is known once the program has any; until then, each call has
 * its share. */
static void turn_page(Clock *c, const Rec *r)
{
    if (r->page_begins)
        wait_now(c);
    if (r->page_begins)
        spend(c, c->time->turn, TURN_UNIT, c->time->turn_code);
    else if (!c->q->npage && r->kind == REC_call)
        spend(c, c->time->turn_share, CALL_UNIT, 0);
}

/* What transfers that take so many cycles from `from` on take longer beside the
 * jobs. */
static int64_t more_beside(const Clock *c, int64_t from, int64_t cycles)
{
    int64_t at = MAX(from, c->reads.from), slow = c->time->move_beside;
    int64_t most = (c->reads.to - at) * slow / (100 + slow);

    return MAX(0, MIN(most, (cycles - (at - from)) * slow / 100));
}

/* Jobs that read weights there begin: transfers under way take longer. */
static void slow_moves(Clock *c, int64_t from, int64_t to)
{
    const Engine *d = soc_hop(c->soc, 0);
    int64_t *slot = c->slot[d->row];
    int i;

    c->reads = (When){.from = from, .to = to};
    for (i = 0; i < 2; i++)
        c->engine[d->row][i] +=
            more_beside(c, from, c->engine[d->row][i] - from);
    for (i = 0; i < MOST_SLOTS; i++)
        slot[i] += slot[i] ? more_beside(c, from, slot[i] - from) : 0;
}

static void start_move(Clock *c, const Rec *r, When *w)
{
    const Engine *d = &c->soc->engine[r->engine];
    int64_t *engine = &c->engine[r->engine][d->duplex && r->in];
    int64_t *slot = &c->slot[r->engine][r->slot];
    int64_t setup = (int64_t)(r->in ? d->in.setup : d->out.setup);

    w->from = MAX(*engine, c->core);
    w->to = w->from + move_cycles(d, r->in, r->row, r->rows);
    if (d == soc_hop(c->soc, 0))
        w->to += more_beside(c, w->from, w->to - w->from);
    *engine = w->to;
    *slot = MAX(*slot, w->to + setup);
}

/* While cores work, code of transfers comes in beside that of the kernel. */
static void do_move(Clock *c, const Rec *r, When *w)
{
    const bool batched = c->soc->engine[r->engine].batched;
    const int64_t start = c->moved || c->alone ? c->time->more
                                               : c->time->start;

    c->waited = false;
    if (c->deferred)
        c->moves_miss += new_code(c, MOVE_UNIT, c->time->move_code);
    else
        spend(c, 0, MOVE_UNIT, c->time->move_code);
    spend(c, batched || c->deferred ? c->time->move : c->time->ask, MOVE_UNIT,
          0);
    start_move(c, r, w);
    if (batched)
        spend(c, start - c->time->move, MOVE_UNIT, 0);
    c->moved = batched;
}

/* Cores take longer while an accelerator works on the same memory. */
static int64_t beside_jobs(const Clock *c, const Step *s)
{
    const Engine *e;
    int64_t cycles = s->cycles, more = 0;
    int64_t slow = 100 + kern_beside(c->soc, s->kern, s->sig, s->tile,
                                     &s->dims, cycles);

    for (e = c->soc->engine; e < c->soc->engine + c->soc->nengine; e++)
        if (e->kind == ENGINE_accel)
            more = MAX(more, MIN(c->engine[e->row][0] - c->core,
                                 cycles * slow / 100));
    return more - more * 100 / slow;
}

/* Transfers of the L1 take longer while cores ask it, from `from` to `to`: a bank
 * that both want is the engine's every other time. */
static void slow_by_cores(Clock *c, int64_t from, int64_t to,
                          int64_t asks)
{
    const Engine *e;
    int i;

    for (e = c->soc->engine; e < c->soc->engine + c->soc->nengine; e++) {
        int64_t *busy = c->engine[e->row];
        int64_t until = MIN(to, MAX(busy[0], busy[1]));

        if (e->kind != ENGINE_dma || !e->batched || until <= from)
            continue;
        for (i = 0; i < 2; i++)
            if (busy[i] > from)
                busy[i] += (MIN(to, busy[i]) - from) * asks / 200;
        for (i = 0; i < MOST_SLOTS; i++)
            if (c->slot[e->row][i] > from)
                c->slot[e->row][i] +=
                    (MIN(to, c->slot[e->row][i]) - from) * asks / 200;
    }
}

/* All cores are in the kernel of record r. */
static void do_kernel(Clock *c, const Rec *r, When *w)
{
    const Step *s = r->step;
    int64_t miss = 0, late, from;

    if (c->q->p->tiled)
        miss = kern_miss(c->code, KERNEL_UNIT + r->inst,
                         kern_code(s->kern, s->sig, s->tile, &s->dims));
    if (c->deferred) { /* core 0 finds what the others have waited for */
        late = c->core - c->ready;
        miss = MAX(miss, late + c->moves_miss) - late;
    }
    miss = as_measured(c, miss);
    c->moves_miss = 0;
    c->deferred = NULL;
    c->core += miss;
    c->miss += miss;
    from = c->core;
    w->to = c->core += s->cycles + (c->q->p->tiled ? beside_jobs(c, s)
                                                   : step_waits(c->q->p, s));
    slow_by_cores(c, from, c->core,
                  kern_asks(s->kern, s->sig, s->tile, &s->dims));
    w->miss += c->miss;
    c->miss = 0;
}

static void do_call(Clock *c, const Rec *r, When *w)
{
    c->waited = c->moved = c->alone = false;
    w->from = c->core;
    spend(c, c->time->call, CALL_UNIT, c->time->call_code);
    c->ready = c->core;
    if (r->deferred)
        c->deferred = r;
    else
        do_kernel(c, r, w);
}

/* For transfers of L1 core 0 waits when it is ready for what comes next: a job
 * that it has waited for meanwhile ends its layer before. */
static void do_wait(Clock *c, const Rec *r, When *w)
{
    const Engine *e = &c->soc->engine[r->engine];
    int64_t *slot = &c->slot[r->engine][r->slot];
    bool job = e->kind == ENGINE_accel;

    if (!c->waited || job)
        spend(c, c->time->wait, MOVE_UNIT, 0);
    c->waited = true;
    c->moved = false;
    w->from = w->to = c->core;
    if (e->batched) {
        c->awaited = MAX(c->awaited, *slot - c->time->ready);
        c->awaiting = w;
        *slot = 0;
        return;
    }
    c->core = MAX(c->core, *slot);
    spend(c, job ? c->time->job_over : 0, MOVE_UNIT, 0);
    w->to = c->core;
    *slot = 0;
}

/* A layer that no kernel of the cores ends is over by a record of its own. */
static void do_layer(Clock *c, const Rec *r)
{
    const Rec *last = r > c->q->code ? r - 1 : NULL;

    if (last && last->kind != REC_call && last->kind != REC_share)
        spend(c, c->time->layer, MOVE_UNIT, 0);
}

/* How many jobs a kernel begins one after the other (raster.c), and what the
 * last one takes.  (Dims of pinterleave begin as those of pconv.) */
static int jobs_of(const Step *s, int64_t *last)
{
    const struct pconv_dims *d = &s->dims.pconv;
    bool blocks = s->node->op == OP_pinterleave;
    int n = 1, tiles = 1;

    if (!blocks && s->node->op != OP_pconv)
        return 1;
    if (d->again > 0) {
        n = 2;
        tiles = 1 + (d->rows + d->side - 1) / d->side *
                        ((d->cols + d->side - 1) / d->side);
    }
    if (blocks) /* and one that copies the other image */
        n = tiles = (d->m + INTERLEAVE - 1) / INTERLEAVE * n + 1;
    *last = s->cycles / tiles;
    return n;
}

/* Are there weights in the nearest memory? */
static bool reads_weights(const Step *s)
{
    return (s->node->op == OP_pconv || s->node->op == OP_pinterleave) &&
           !s->dims.pconv.port;
}

/* Core 0 tells an accelerator of a job, when its queue has room. */
static void begin_job(Clock *c, const Rec *r, int64_t miss, int64_t cycles)
{
    const ProgramTime *time = c->time;
    const int64_t job = r->direct ? time->job_direct : time->job;
    int64_t *engine = &c->engine[r->engine][0];
    int queue = MIN(c->soc->engine[r->engine].queue, MOST_SLOTS);
    int64_t *last = &c->job[r->engine][c->njob[r->engine]++ % queue];

    c->miss += miss;
    c->core = MAX(c->core + time->job_ask, *last) + miss;
    c->core += job - time->job_ask;
    *engine = MAX(*engine, c->core - time->job_rest) + cycles;
    *last = *engine;
}

/* It has the kernel's jobs done some time. */
static void do_start(Clock *c, const Rec *r, When *w)
{
    const Step *s = r->step;
    int64_t last = s->cycles, miss;
    int n = jobs_of(s, &last), i;

    c->waited = c->moved = false;
    c->alone = true;
    spend(c, 0, CALL_UNIT, walk_code(c));
    new_code(c, CALL_UNIT, c->time->call_code); /* for the other cores */
    spend(c, 0, JOB_UNIT, c->time->job_code);
    miss = r->direct ? 0 : kern_miss(c->code, KERNEL_UNIT + r->inst,
                                     kern_code(s->kern, s->sig, s->tile,
                                               &s->dims));
    for (i = 1; i < n; i++, miss = 0)
        begin_job(c, r, miss, (s->cycles - last) / (n - 1));
    begin_job(c, r, miss, last);
    w->to = c->engine[r->engine][0];
    w->from = w->to - s->cycles;
    c->slot[r->engine][r->slot] = w->to;
    if (reads_weights(s))
        slow_moves(c, w->from, w->to);
}

static void do_record(Clock *c, const Rec *r, When *when)
{
    When *w = &when[r - c->q->code];

    switch (r->kind) {
    case REC_call:
        wait_now(c);
        do_call(c, r, w);
        break;
    case REC_start:
        wait_now(c);
        do_start(c, r, w);
        break;
    case REC_share:
        do_kernel(c, c->deferred, &when[c->deferred - c->q->code]);
        break;
    case REC_barrier:
        wait_now(c);
        spend(c, c->time->meet, MOVE_UNIT, 0);
        break;
    case REC_move:
        wait_now(c);
        do_move(c, r, w);
        break;
    case REC_wait:
        do_wait(c, r, w);
        break;
    case REC_layer:
        do_layer(c, r);
        break;
    default:
        break;
    }
}

/* The layer at which the next time ends that is counted: from layer i on, the
 * last of those that are computed together. */
static int next_end(const Plan *p, int i)
{
    return i < p->nlayer ? i + p->layer[i].after : i;
}

/* Does the layer end with record i?  The last one ends with the plan. */
static bool ends_layer(const Program *q, int i, int layer)
{
    const Rec *r = &q->code[i];

    return r->kind == REC_layer && r->layer == layer &&
           layer + 1 < q->p->nlayer;
}

When *program_trace(Arena *mem, const Program *q)
{
    Clock c = {.q = q, .soc = q->p->soc, .time = &q->p->soc->time};
    When *when = NEWN(mem, When, q->ncode + 1);
    Arena *own = arena_new();
    int i;

    c.code = code_cache(own, c.soc);
    c.code->used = 0;
    c.layer = next_end(q->p, 0);
    spend(&c, c.time->begin, CALL_UNIT, walk_code(&c));
    for (i = 0; i < q->ncode; i++) {
        c.miss = 0;
        turn_page(&c, &q->code[i]);
        when[i].at = c.core;
        do_record(&c, &q->code[i], when);
        when[i].miss += c.miss;
        if (ends_layer(q, i, c.layer))
            c.layer = next_end(q->p, c.layer + 1);
    }
    wait_now(&c);
    if (c.alone) /* cores meet */
        spend(&c, c.time->meet, CALL_UNIT, 0);
    spend(&c, c.time->end, CALL_UNIT, 0);
    when[i] = (When){c.core, c.core, c.core, 0};
    arena_end(own);
    return when;
}

int64_t *program_times(Arena *mem, const Program *q, const When *when)
{
    int n = q->p->nstep, i;
    int64_t *at = NEWN(mem, int64_t, n + 1);

    at[n] = when[q->ncode].at;
    for (i = 0; i < n; i++)
        at[i] = INT64_MAX;
    for (i = 0; i < q->ncode; i++)
        if (q->code[i].pos >= 0)
            at[q->code[i].pos] = when[i].at;
    for (i = n - 1; i >= 0; i--)
        at[i] = MIN(at[i], at[i + 1]);
    return at;
}

int64_t tiler_cost(const Tiler *t)
{
    const Program *q = t->p->program;
    Arena *mem = arena_new();
    int64_t moved[MOST_ENGINES] = {0}, end;
    int i;

    if (!q)
        q = program_make(mem, t->p);
    end = program_trace(mem, q)[q->ncode].at;
    for (i = 0; i < q->ncode; i++)
        if (q->code[i].kind == REC_move)
            moved[q->code[i].engine] += q->code[i].row * q->code[i].rows;
    arena_end(mem);
    return end + tiler_energy(t, moved);
}

/* Of the layer at hand, and since its last kernel what is the next one's. */
typedef struct Sum {
    int64_t was;              /* when the layer before was over */
    int64_t worked;           /* when the last kernel was */
    int64_t wait, late_wait;
    int64_t miss, late_miss;
} Sum;

static void add_kernel(Sum *s, const When *call)
{
    s->worked = call->to;
    s->wait += s->late_wait;
    s->miss += s->late_miss;
    s->late_wait = s->late_miss = 0;
}

static void add_record(Sum *s, const Rec *r, const When *when)
{
    if (r->kind == REC_wait)
        s->late_wait += when->to - when->from;
    s->late_miss += when->miss;
}

/* A layer is over when its last kernel is, one without any, and the last of all,
 * when all is. */
static void end_layer(Sum *s, Layer *l, int64_t at, bool last)
{
    bool late = s->worked > s->was && !last;
    int64_t end = late ? s->worked : at;

    if (!late)
        add_kernel(s, &(When){.to = s->worked});
    l->cycles = MAX(1, end - s->was); /* 0: unknown */
    l->wait = s->wait;
    l->miss = s->miss;
    *s = (Sum){.was = s->was + l->cycles, .worked = s->worked,
               .late_wait = s->late_wait, .late_miss = s->late_miss};
}

/* Layers end one after the other. */
void plan_cost(Plan *p)
{
    const Program *q = p->program;
    When *when = program_trace(p->mem, q);
    Sum s = {0};
    int i, call = 0, now = next_end(p, 0);

    for (i = 0; i < q->ncode; i++) {
        const Rec *r = &q->code[i];

        if (r->kind == REC_call)
            call = i;
        add_record(&s, r, &when[i]);
        if (r->kind == REC_share || (r->kind == REC_call && !r->deferred))
            add_kernel(&s, &when[call]);
        if (r->kind == REC_move)
            p->layer[r->step->layer].moved[r->engine] += r->row * r->rows;
        if (!ends_layer(q, i, now))
            continue;
        end_layer(&s, &p->layer[now], when[i].at, false);
        now = next_end(p, now + 1);
    }
    if (p->nlayer)
        end_layer(&s, &p->layer[now], when[i].to, true);
    p->cycles = when[i].to;
}
