/* Predicted time of a plan: its steps, gone through with a clock for the cores
 * and one for each direction of every DMA engine. */
#include "plan/tiling.h"

#include <math.h>

typedef struct Clock {
    const Plan *p;
    int64_t call;         /* what cores pay for a kernel beside its own time, */
    int64_t cold;         /* and for one that is not in the cache */
    const Kern *kern;     /* the last one */
    int64_t core;
    int64_t engine[3][2]; /* by Engine and direction: when it is free */
    int64_t *done;        /* by token */
} Clock;

int64_t move_cycles(const Dma *d, bool in, int64_t row, int64_t rows)
{
    const DmaWay *w = in ? &d->in : &d->out;
    int64_t beat = MAX(1, (int64_t)w->bytes_per_cycle);
    int64_t bytes = rows * ((row + beat - 1) / beat * beat);

    return (int64_t)ceil((double)bytes / w->bytes_per_cycle + w->gap);
}

static int level_of(const Plan *p, Ref r)
{
    return p->soc->mems[p->buf[r.buf].mem].level;
}

static When start_kernel(Clock *c, const Step *s)
{
    When w = {c->core, c->core, c->core + c->call + s->cycles};

    w.to += s->kern == c->kern ? 0 : c->cold;
    c->kern = s->kern;
    c->core = c->done[s->token] = w.to;
    return w;
}

static When start_move(Clock *c, const Step *s)
{
    int from = level_of(c->p, s->move.from), to = level_of(c->p, s->move.to);
    const Dma *d = soc_dma(c->p->soc, from, to);
    bool in = to < from;
    int64_t *engine = &c->engine[s->engine][s->engine == ENG_dma && in];
    When w = {.at = c->core};

    c->core += MOVE_CYCLES;
    w.from = MAX(*engine, c->core);
    w.to = *engine = w.from + move_cycles(d, in, s->move.row, s->move.rows);
    c->done[s->token] = *engine + (int64_t)(in ? d->in.setup : d->out.setup);
    return w;
}

static When wait_for(Clock *c, const Step *s)
{
    When w = {c->core, c->core, MAX(c->core, c->done[s->token])};

    c->core = w.to;
    return w;
}

When *plan_trace(Arena *mem, const Plan *p)
{
    Clock c = {.p = p, .call = p->tiled ? CALL_CYCLES : 0,
               .cold = p->tiled ? COLD_CYCLES : 0,
               .done = NEWN(mem, int64_t, p->nstep + 1)};
    When *when = NEWN(mem, When, p->nstep + 1);
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        when[i] = s->kind == STEP_wait ? wait_for(&c, s) :
                  s->engine == ENG_core ? start_kernel(&c, s) :
                  start_move(&c, s);
    }
    when[i] = (When){c.core, c.core, c.core};
    return when;
}

/* Layers end one after the other, each with its last kernel; the last one
 * with the plan. */
void plan_cost(Plan *p)
{
    When *when = plan_trace(p->mem, p);
    int64_t was = 0;
    int i, now = 0;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_wait)
            p->layer[now].wait += when[i].to - when[i].from;
        else if (s->engine != ENG_core)
            p->layer[s->layer].moved[s->engine == ENG_io] +=
                s->move.row * s->move.rows;
        if (i != p->layer[now].last || now + 1 == p->nlayer)
            continue;
        p->layer[now++].cycles = when[i].to - was;
        was = when[i].to;
    }
    if (p->nlayer)
        p->layer[now].cycles = when[i].to - was;
    p->cycles = when[i].to;
}
