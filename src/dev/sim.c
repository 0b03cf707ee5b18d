/* Runs a program on the simulated chip, in this process: the cycles and
 * instructions between the marks of its layers come from the simulator. */
#include "dev/dev.h"

#include "sim/sim.h"

#include <string.h>

/* Ten minutes or so of a host, for a program that never ends. */
static const uint64_t LIMIT = 20000000000;

enum { RT_FAULT = 103 }; /* rt/rt.h: the processor stopped at a fault */

/* From mark to mark. */
typedef struct Since {
    const SimMark *begin;   /* NULL: not begun */
    const SimMark *layer;   /* of the layer before, or begin */
    const SimMark *wait, *work;
    int n;
    int64_t waited, worked;
} Since;

static void end_layer(Since *w, const SimMark *m, Run *r)
{
    if (w->n < r->nlayer) {
        RunLayer *l = &r->layer[w->n++];

        l->cycles = (int64_t)(m->cycle - w->layer->cycle);
        l->instructions = (int64_t)(m->insns - w->layer->insns);
        l->dma_wait = w->waited;
        if (w->work)
            l->kernels = w->worked;
    }
    w->layer = m;
    w->waited = w->worked = 0;
}

/* Marks of the core that runs main: begin, one after every layer, end; and
 * where it begins and ends to wait for a transfer, and to be in a kernel. */
static void read_marks(const SimResult *s, Run *r)
{
    Since w = {0};
    int i;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];

        if (m->kind == SIM_BEGIN)
            w = (Since){.begin = m, .layer = m};
        if (!w.begin || m->hart != w.begin->hart)
            continue;
        if (m->kind == SIM_LAYER)
            end_layer(&w, m, r);
        else if (m->kind == SIM_WAIT)
            w.wait = m;
        else if (m->kind == SIM_WAITED && w.wait)
            w.waited += (int64_t)(m->cycle - w.wait->cycle);
        else if (m->kind == SIM_WORK)
            w.work = m;
        else if (m->kind == SIM_WORKED && w.work)
            w.worked += (int64_t)(m->cycle - w.work->cycle);
        r->cycles = (int64_t)(m->cycle - w.begin->cycle);
        r->instructions = (int64_t)(m->insns - w.begin->insns);
    }
}

bool sim_program(Arena *a, const Soc *soc, const char *elf, const char *dir,
                 Run *r)
{
    SimProgram p = {soc, elf};
    SimOptions o = {.dir = dir, .max_cycles = LIMIT};
    SimResult *s = sim_run(a, &p, 1, &o);

    read_marks(s, r);
    if (s->ok && !s->status)
        return true;
    r->ok = false;
    r->status = s->ok && s->status != RT_FAULT ? ERR_DIFFER : ERR_TOOL;
    r->why = s->ok
        ? arena_fmt(a, "the program ended with status %d%s%s", s->status,
                    s->nout ? ":\n" : "", shell_brief(a, s->out))
        : arena_fmt(a, "the program stopped on the simulator: %s", s->fault);
    return false;
}
