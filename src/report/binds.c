/* What a tiled plan's time is spent on, by its own trace: what would have to
 * be faster, or larger, for the network to be. */
#include "report/report.h"

/* Buffers fill a memory: a sixteenth of its room is left, or less. */
static int full_memory(const Plan *p)
{
    int i;

    for (i = 0; i < p->soc->nmem; i++)
        if (p->used[i] && p->used[i] >= p->room[i] - p->room[i] / 16)
            return i;
    return -1;
}

/* By token: the engine that gives it. */
static Engine *find_engines(const Plan *p)
{
    Engine *by = NEWN(p->mem, Engine, p->nstep + 1);
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start)
            by[p->step[i].token] = p->step[i].engine;
    return by;
}

static const char *largest(const Binds *b)
{
    const struct {
        const char *what;
        int64_t cycles;
    } share[] = {
        {"compute", b->kernels},
        {"starts of kernels and transfers", b->starts},
        {"transfers between L1 and L2", b->wait[ENG_dma]},
        {"transfers from L3", b->wait[ENG_io]},
    };
    size_t i, most = 0;

    for (i = 1; i < LEN(share); i++)
        if (share[i].cycles > share[most].cycles)
            most = i;
    return share[most].what;
}

Binds report_binds(const Report *r)
{
    const Plan *p = r->plan;
    When *when = plan_trace(p->mem, p);
    Engine *by = find_engines(p);
    Binds b = {.cycles = p->cycles, .full = full_memory(p)};
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_wait)
            b.wait[by[s->token]] += when[i].to - when[i].from;
        else if (s->engine == ENG_core)
            b.kernels += s->cycles;
    }
    b.starts = b.cycles - b.kernels - b.wait[ENG_dma] - b.wait[ENG_io];
    b.what = largest(&b);
    return b;
}
