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

/* "transfers between L1 and L2", "transfers from L3", "neureka" */
static const char *work_of(const Plan *p, const Engine *e)
{
    const Mem *mems = p->soc->mems;

    if (e->kind != ENGINE_dma)
        return e->label;
    return e->batched ? arena_fmt(p->mem, "transfers between %s and %s",
                                  mems[e->near].name, mems[e->far].name)
                      : arena_fmt(p->mem, "transfers from %s",
                                  mems[e->far].name);
}

static const char *largest(const Plan *p, const Binds *b)
{
    const Soc *soc = p->soc;
    int64_t most = MAX(b->kernels, b->starts);
    const char *what = b->starts > b->kernels
                           ? "starts of kernels and transfers" : "compute";
    int i;

    for (i = ENG_hops; i < soc->nengine; i++)
        if (b->wait[i] > most) {
            most = b->wait[i];
            what = work_of(p, &soc->engine[i]);
        }
    return what;
}

Binds report_binds(const Report *r)
{
    const Plan *p = r->plan;
    const Program *q = p->program;
    When *when = program_trace(p->mem, q);
    Binds b = {.cycles = p->cycles, .full = full_memory(p)};
    int i;

    for (i = 0; i < q->ncode; i++) {
        const Rec *c = &q->code[i];

        if (c->kind == REC_wait)
            b.wait[c->engine] += when[i].to - when[i].from;
        else if (c->kind == REC_call)
            b.kernels += c->step->cycles;
    }
    b.starts = b.cycles - b.kernels;
    for (i = 0; i < MOST_ENGINES; i++)
        b.starts -= b.wait[i];
    b.what = largest(p, &b);
    return b;
}
