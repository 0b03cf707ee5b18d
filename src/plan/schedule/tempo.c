/* A rough clock for decisions about steps: cores that work, an engine that
 * moves, and who waits for whom.  What the plan takes cost.c says. */
#include "plan/cost/cost.h"
#include "plan/schedule/schedule.h"

/* Percent that a transfer takes longer while cores work, which ask for the same
 * banks: measured of products of one row on siracusa, which load most (2191
 * cycles for 16 KB, 2600 to 2800 beside them). */
enum { BESIDE = 24 };

bool tempo_knows(const Plan *p, const Engine *dma)
{
    int i;

    for (i = 0; dma && i < p->nstep; i++)
        if (p->step[i].engine != ENG_cores && p->step[i].engine != dma->row &&
            p->soc->engine[p->step[i].engine].kind != ENGINE_accel)
            return false;
    return dma != NULL;
}

Tempo tempo_begin(const Soc *s)
{
    return (Tempo){.dma = soc_hop(s, 0), .time = &s->time};
}

int64_t tempo_loads(const Tempo *c)
{
    return c->engine[c->dma->duplex];
}

int64_t tempo_beside(int64_t cycles)
{
    return (100 + BESIDE) * cycles / 100;
}

int64_t tempo_move(Tempo *c, bool in, int64_t row, int64_t rows)
{
    int64_t *engine = &c->engine[c->dma->duplex && in];

    *engine = MAX(*engine, c->core) +
              tempo_beside(move_cycles(c->dma, in, row, rows));
    return *engine;
}

void tempo_call(Tempo *c, int64_t cycles)
{
    c->core += c->time->call + cycles;
}

int64_t tempo_job(Tempo *c, int engine, int64_t cycles)
{
    int64_t *accel = &c->accel[engine];

    c->core += c->time->job;
    *accel = MAX(*accel, c->core) + cycles;
    return *accel;
}

void tempo_wait(Tempo *c, int64_t done)
{
    c->core = MAX(c->core, done - c->time->ready);
}
