/* Predicted time of a plan: its steps, gone through with a clock for the cores
 * and one for each direction of every DMA engine. */
#include "plan/tiling.h"

#include <math.h>
#include <string.h>

enum { KERNEL_CODE = 800 }; /* bytes, of a kernel whose head says nothing */

typedef struct Clock {
    Arena *mem;
    const Plan *p;
    CodeCache *code;
    const Step **kernel;  /* the first of each kernel and types */
    int nkernel;
    bool waited;          /* for a transfer, in the step before */
    bool working;         /* core 0 has not met the others since a kernel */
    const Step **later;   /* transfers that have not begun yet */
    int nlater;
    When *when;           /* by step */
    int64_t core;
    int64_t cold;         /* of this step: cores wait for code */
    int64_t engine[3][2]; /* by Engine and direction: when it is free */
    int64_t *done;        /* by token */
} Clock;

int64_t move_cycles(const Dma *d, bool in, int64_t row, int64_t rows)
{
    const DmaWay *w = in ? &d->in : &d->out;
    int64_t beat = MAX(1, (int64_t)w->bytes_per_cycle);
    int64_t bytes = rows * ((row + beat - 1) / beat * beat);

    return (int64_t)ceil((double)bytes / w->bytes_per_cycle +
                         w->gap * (double)rows);
}

static int level_of(const Plan *p, Ref r)
{
    return p->soc->mems[p->buf[r.buf].mem].level;
}

static bool same_code(const Step *a, const Step *b)
{
    return a->kern == b->kern && a->nin == b->nin &&
           !memcmp(a->in_type, b->in_type, sizeof a->in_type) &&
           !memcmp(a->out_type, b->out_type, sizeof a->out_type);
}

static int unit_of(Clock *c, const Step *s)
{
    int i;

    for (i = 0; i < c->nkernel; i++)
        if (same_code(c->kernel[i], s))
            return KERNEL_UNIT + i;
    GROW(c->mem, c->kernel, (size_t)c->nkernel);
    c->kernel[c->nkernel++] = s;
    return KERNEL_UNIT + i;
}

Code kern_code(const Kern *k, const KernSig *sig, const Node *n,
               const Dims *d)
{
    Asked x = kern_ask(n, d);
    Code c = {k, KERNEL_CODE, 0};

    if (k->code)
        c.bytes = kern_answer(&x, k, sig, k->code);
    c.cycles = k->cold ? kern_answer(&x, k, sig, k->cold) : 3 * c.bytes / 4;
    return c;
}

/* One after the other, for what comes in throws out. */
static int64_t program_cold(CodeCache *c)
{
    int64_t move = code_cold(c, MOVE_UNIT, MOVE_CODE);

    return move + code_cold(c, CALL_UNIT, CALL_CODE);
}

int64_t call_cold(CodeCache *c)
{
    return BEGIN_CYCLES + END_CYCLES + program_cold(c);
}

int64_t layer_cold(CodeCache *c, int unit, Code code)
{
    int64_t cold = program_cold(c);

    return cold + kern_cold(c, unit, code);
}

/* Of plans without tiles nothing is known. */
static int64_t new_code(Clock *c, int unit, int64_t code)
{
    return c->p->tiled ? code_cold(c->code, unit, code) : 0;
}

/* What the program takes, with code that must come in. */
static int64_t program(Clock *c, int64_t cycles, int unit, int64_t code)
{
    int64_t cold = new_code(c, unit, code);

    c->cold += cold;
    return c->p->tiled ? cycles + cold : 0;
}

static void meet(Clock *c)
{
    if (c->working)
        c->core += program(c, MEET_CYCLES, MOVE_UNIT, 0);
    c->working = false;
}

/* Where pages end is known of the plan that is taken; until then, each call has
 * its share. */
static void turn_page(Clock *c, int i)
{
    const Plan *p = c->p;
    const Step *s = &p->step[i];

    if (p->turn && p->turn[i])
        c->core += program(c, TURN_CYCLES, TURN_UNIT, TURN_CODE);
    else if (!p->turn && s->kind == STEP_start && s->engine == ENG_core)
        c->core += program(c, TURN_SHARE, CALL_UNIT, 0);
}

static void begin_move(Clock *c, const Step *s)
{
    int from = level_of(c->p, s->move.from), to = level_of(c->p, s->move.to);
    const Dma *d = soc_dma(c->p->soc, from, to);
    bool in = to < from;
    int64_t *engine = &c->engine[s->engine][s->engine == ENG_dma && in];
    When *w = &c->when[s - c->p->step];

    w->from = MAX(*engine, c->core);
    w->to = *engine = w->from + move_cycles(d, in, s->move.row, s->move.rows);
    c->done[s->token] = *engine + (int64_t)(in ? d->in.setup : d->out.setup);
}

/* What cannot wait until the next kernel is at work begins when the last one is
 * done; it moves while core 0 goes on. */
static void begin_later(Clock *c)
{
    int i;

    if (c->nlater)
        meet(c);
    for (i = 0; i < c->nlater; i++) {
        c->core += program(c, MOVE_CYCLES, MOVE_UNIT, MOVE_CODE);
        begin_move(c, c->later[i]);
        c->core += program(c, START_CYCLES - MOVE_CYCLES, MOVE_UNIT, 0);
    }
    c->nlater = 0;
}

/* As in the program (gen/program.c): core 0 begins transfers while the others
 * are at work, or bring in its code, unless the layer is over by then. */
static bool can_wait(const Clock *c, const Step *kernel)
{
    int i;

    for (i = 0; i < c->nlater; i++)
        if (c->later[i]->layer < kernel->layer)
            return false;
    return kernel->ncore > 1;
}

static bool is_later(const Clock *c, int token)
{
    int i;

    for (i = 0; i < c->nlater; i++)
        if (c->later[i]->token == token)
            return true;
    return false;
}

static void start_kernel(Clock *c, const Step *s, When *w)
{
    int64_t cold = 0, other = 0;
    int i;

    if (!can_wait(c, s))
        begin_later(c);
    w->from = c->core;
    c->core += program(c, CALL_CYCLES, CALL_UNIT, CALL_CODE);
    for (i = 0; i < c->nlater; i++) {
        c->core += program(c, MOVE_CYCLES, MOVE_UNIT, 0);
        cold += new_code(c, MOVE_UNIT, MOVE_CODE);
        begin_move(c, c->later[i]);
    }
    c->nlater = 0;
    if (c->p->tiled)
        other = kern_cold(c->code, unit_of(c, s),
                          kern_code(s->kern, s->sig, s->tile, &s->dims));
    c->core += MAX(cold, other);
    c->cold += MAX(cold, other);
    c->working = true;
    c->waited = false;
    w->to = c->core = c->done[s->token] = c->core + s->cycles;
}

static void start_move(Clock *c, const Step *s)
{
    c->waited = false;
    if (s->engine != ENG_io) {
        c->later[c->nlater++] = s;
        return;
    }
    meet(c);
    c->core += program(c, ASK_CYCLES, MOVE_UNIT, MOVE_CODE);
    begin_move(c, s);
}

/* For transfers of the nearest memory all wait when they are ready for the next
 * kernel. */
static void wait_for(Clock *c, const Step *s, When *w)
{
    int64_t ready = s->engine == ENG_dma ? READY_CYCLES : 0;

    if (s->engine == ENG_io || is_later(c, s->token))
        begin_later(c);
    if (s->engine != ENG_core && !c->waited)
        c->core += program(c, WAIT_CYCLES, MOVE_UNIT, 0);
    c->waited = s->engine != ENG_core;
    w->from = c->core;
    w->to = c->core = MAX(c->core, c->done[s->token] - ready);
}

When *plan_trace(Arena *mem, const Plan *p)
{
    Clock c = {.mem = arena_new(), .p = p};
    When *when = c.when = NEWN(mem, When, p->nstep + 1);
    int i;

    c.code = code_cache(c.mem, p->soc);
    c.done = NEWN(c.mem, int64_t, p->nstep + 1);
    c.later = NEWN(c.mem, const Step *, p->nstep + 1);
    if (p->tiled)
        c.core = program(&c, BEGIN_CYCLES, MOVE_UNIT, MOVE_CODE);
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        c.cold = 0;
        turn_page(&c, i);
        when[i].at = c.core;
        if (s->kind == STEP_wait)
            wait_for(&c, s, &when[i]);
        else if (s->engine == ENG_core)
            start_kernel(&c, s, &when[i]);
        else
            start_move(&c, s);
        when[i].cold = c.cold;
    }
    begin_later(&c);
    c.core += program(&c, END_CYCLES, CALL_UNIT, 0);
    when[i] = (When){c.core, c.core, c.core, 0};
    arena_end(c.mem);
    return when;
}

/* Energy is what a cycle of all cores takes, and bytes that are moved take. */
void tiler_aim(Tiler *t)
{
    const Soc *s = t->p->soc;
    double cycle = soc_energy(s, "core_cycle") * s->ncore;

    if (t->p->aim != AIM_energy)
        return;
    t->toll[0] = soc_energy(s, "dma_byte") / cycle;
    t->toll[1] = t->io ? soc_energy(s, "ext_byte") / cycle : 0;
}

int64_t tiler_toll(const Tiler *t, int64_t dma, int64_t io)
{
    return (int64_t)(t->toll[0] * (double)dma + t->toll[1] * (double)io);
}

int64_t tiler_cost(const Tiler *t)
{
    const Plan *p = t->p;
    Arena *mem = arena_new();
    int64_t moved[2] = {0, 0}, end = plan_trace(mem, p)[p->nstep].at;
    int i;

    arena_end(mem);
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_start && s->engine != ENG_core)
            moved[s->engine == ENG_io] += s->move.row * s->move.rows;
    }
    return end + tiler_toll(t, moved[0], moved[1]);
}

/* The layer at which the next time ends that is counted: from layer i on, the
 * last of those that are computed together. */
static int next_end(const Plan *p, int i)
{
    return i < p->nlayer ? i + p->layer[i].after : i;
}

/* Layers end one after the other, each with its last kernel; the last one
 * with the plan. */
void plan_cost(Plan *p)
{
    When *when = plan_trace(p->mem, p);
    int64_t was = 0;
    int i, now = next_end(p, 0);

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        p->layer[now].cold += when[i].cold;
        if (s->kind == STEP_wait)
            p->layer[now].wait += when[i].to - when[i].from;
        else if (s->engine != ENG_core)
            p->layer[s->layer].moved[s->engine == ENG_io] +=
                s->move.row * s->move.rows;
        if (i != p->layer[now].last || now + 1 == p->nlayer)
            continue;
        p->layer[now].cycles = when[i].to - was;
        now = next_end(p, now + 1);
        was = when[i].to;
    }
    if (p->nlayer)
        p->layer[now].cycles = when[i].to - was;
    p->cycles = when[i].to;
}
