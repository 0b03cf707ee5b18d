/* Predicted time of a plan: its steps, gone through with a clock for the cores
 * and one for each direction of every DMA engine. */
#include "plan/tiling.h"

#include <math.h>

typedef struct Clock {
    const Plan *p;
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

static void start_move(Clock *c, const Step *s)
{
    int from = level_of(c->p, s->move.from), to = level_of(c->p, s->move.to);
    const Dma *d = soc_dma(c->p->soc, from, to);
    bool in = to < from;
    int64_t *engine = &c->engine[s->engine][s->engine == ENG_dma && in];

    c->core += MOVE_CYCLES;
    *engine = MAX(*engine, c->core) +
              move_cycles(d, in, s->move.row, s->move.rows);
    c->done[s->token] = *engine + (int64_t)(in ? d->in.setup : d->out.setup);
}

static void end_layer(Clock *c, Layer *l, int64_t *was)
{
    l->cycles = c->core - *was;
    *was = c->core;
}

void plan_cost(Plan *p)
{
    Clock c = {.p = p, .done = NEWN(p->mem, int64_t, p->nstep + 1)};
    int64_t was = 0;
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        Layer *l = &p->layer[s->layer];

        if (s->kind == STEP_start && s->engine == ENG_core) {
            c.core += CALL_CYCLES + s->cycles;
            c.done[s->token] = c.core;
            if (i == l->last)
                end_layer(&c, l, &was);
        } else if (s->kind == STEP_start) {
            start_move(&c, s);
            l->moved[s->engine == ENG_io] += s->move.row * s->move.rows;
        } else if (c.done[s->token] > c.core) {
            l->wait += c.done[s->token] - c.core;
            c.core = c.done[s->token];
        }
    }
    p->cycles = c.core;
}
