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
    const Program *q = p->program;
    When *when = program_trace(p->mem, q);
    Binds b = {.cycles = p->cycles, .full = full_memory(p)};
    int i;

    for (i = 0; i < q->ncode; i++) {
        const Rec *c = &q->code[i];

        if (c->kind == REC_wait)
            b.wait[c->io ? ENG_io : ENG_dma] += when[i].to - when[i].from;
        else if (c->kind == REC_call)
            b.kernels += c->step->cycles;
    }
    b.starts = b.cycles - b.kernels - b.wait[ENG_dma] - b.wait[ENG_io];
    b.what = largest(&b);
    return b;
}
