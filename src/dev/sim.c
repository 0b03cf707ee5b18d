/* Runs a program on the simulated chip, in this process: the cycles and
 * instructions between the marks of its layers come from the simulator. */
#include "dev/dev.h"

#include "sim/sim.h"

#include <string.h>

/* Ten minutes or so of a host, for a program that never ends. */
static const uint64_t LIMIT = 20000000000;

enum { RT_FAULT = 103 }; /* rt/rt.h: the processor stopped at a fault */

/* A kernel on all its cores. */
typedef struct Call {
    int n;                  /* cores that are through */
    int64_t longest;        /* cycles of the one that took longest; the same */
    int64_t warm;           /* without waits for code */
    int64_t sum, cold, banks; /* over cores: without those waits, in those, and
                               in waits for banks */
} Call;

/* From mark to mark. */
typedef struct Since {
    const SimMark *begin;   /* NULL: not begun */
    const SimMark *layer;   /* of the layer before, or begin */
    const SimMark *wait, *work[32];
    int n;
    Call call;
    int working;            /* cores in it */
    const SimMark *worked;  /* who left it last */
    RunLayer sum;           /* of this layer, so far */
    int64_t longest;        /* of its calls */
    int64_t fetched;        /* core 0 waited for code, in kernels and waits */
} Since;

static void end_call(Since *w)
{
    const Call *c = &w->call;

    if (c->n) {
        w->longest += c->longest;
        w->sum.warm += c->warm;
        w->sum.uneven += c->warm - c->sum / c->n;
        w->sum.cold += c->cold / c->n;
        w->sum.banks += c->banks / c->n;
    }
    w->call = (Call){0};
}

static void end_work(Since *w, const SimMark *from, const SimMark *m)
{
    Call *c = &w->call;
    int64_t cycles = (int64_t)(m->cycle - from->cycle);
    int64_t cold = (int64_t)(m->fetch - from->fetch);

    c->n++;
    c->longest = MAX(c->longest, cycles);
    c->warm = MAX(c->warm, cycles - cold);
    c->sum += cycles - cold;
    c->cold += cold;
    c->banks += (int64_t)(m->bank - from->bank);
    if (m->hart != w->begin->hart)
        return;
    w->sum.kernels += cycles;
    w->fetched += cold;
}

static void end_layer(Since *w, const SimMark *m, Run *r)
{
    int64_t cold = (int64_t)(m->fetch - w->layer->fetch) - w->fetched;

    if (w->n < r->nlayer) {
        RunLayer *l = &r->layer[w->n++];

        *l = w->sum;
        l->cycles = (int64_t)(m->cycle - w->layer->cycle);
        l->instructions = (int64_t)(m->insns - w->layer->insns);
        l->program = MAX(0, l->cycles - l->dma_wait - w->longest - cold);
        l->cold += cold;
        l->known = l->kernels > 0;
        l->kernels = l->known ? l->kernels : -1;
    }
    w->layer = m;
    w->sum = (RunLayer){0};
    w->longest = w->fetched = 0;
}

/* As long as others work, nobody waits for a transfer. */
static void end_wait(Since *w, const SimMark *m)
{
    uint64_t from = w->wait->cycle;

    if (w->worked)
        from = MAX(from, w->worked->cycle);
    if (!w->working)
        w->sum.dma_wait += (int64_t)(m->cycle - from);
    w->fetched += (int64_t)(m->fetch - w->wait->fetch);
}

/* A mark of the core that runs main: begin, one after every layer, end; and
 * where it begins and ends to wait for a transfer. */
static void read_main(Since *w, const SimMark *m, Run *r)
{
    if (m->kind == SIM_LAYER) {
        end_call(w);
        end_layer(w, m, r);
    } else if (m->kind == SIM_WAIT) {
        w->wait = m;
    } else if (m->kind == SIM_WAITED && w->wait) {
        end_wait(w, m);
    }
    r->cycles = (int64_t)(m->cycle - w->begin->cycle);
    r->instructions = (int64_t)(m->insns - w->begin->insns);
}

/* Marks of that core, and of all where they begin and end to be in a kernel. */
static void read_marks(const SimResult *s, Run *r)
{
    Since w = {0};
    int i;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];
        const SimMark **work = &w.work[m->hart % LEN(w.work)];

        if (m->kind == SIM_BEGIN)
            w = (Since){.begin = m, .layer = m};
        if (w.begin && m->hart == w.begin->hart)
            read_main(&w, m, r);
        if (m->kind == SIM_WORK) {
            if (!w.working++)
                end_call(&w);
            *work = m;
        } else if (m->kind == SIM_WORKED && w.begin && *work) {
            w.working--;
            w.worked = m;
            end_work(&w, *work, m);
        }
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
