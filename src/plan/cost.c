/* Predicted time of a plan: its steps, gone through with a clock for the cores
 * and one for each direction of a DMA engine. */
#include "plan/tiling.h"

typedef struct Clock {
    int64_t core, dma[2];
    int64_t *done;       /* by token */
} Clock;

static int64_t transfer(const Speed *v, const Move *m)
{
    int64_t per = (int64_t)v->per_cycle;

    return v->setup + m->rows * ((m->row + per - 1) / per);
}

static void start_step(Plan *p, const Speed *v, const Step *s, Clock *c)
{
    bool in;

    if (s->engine == ENG_core) {
        c->core += v->call + s->cycles;
        c->done[s->token] = c->core;
        return;
    }
    in = p->soc->mems[p->buf[s->move.to.buf].mem].level <
         p->soc->mems[p->buf[s->move.from.buf].mem].level;
    c->core += v->start;
    c->dma[in] = MAX(c->dma[in], c->core) + transfer(v, &s->move);
    c->done[s->token] = c->dma[in];
    p->layer[s->layer].moved[0] += s->move.row * s->move.rows;
}

void plan_cost(Plan *p, const Speed *v)
{
    Clock c = {.done = NEWN(p->mem, int64_t, p->nstep + 1)};
    int64_t was = 0;
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        Layer *l = &p->layer[s->layer];

        if (s->kind == STEP_start) {
            start_step(p, v, s, &c);
            if (i == l->last) {
                l->cycles = c.core - was;
                was = c.core;
            }
        } else if (c.done[s->token] > c.core) {
            l->wait += c.done[s->token] - c.core;
            c.core = c.done[s->token];
        }
    }
    p->cycles = c.core;
}
