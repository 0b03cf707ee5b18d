/* Runs a program on the simulated chip, in this process: the cycles and
 * instructions between the marks of its layers come from the simulator. */
#include "dev/dev.h"

#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Ten minutes or so of a host, for a program that never ends. */
static const uint64_t LIMIT = 20000000000;

enum { RT_FAULT = 103, /* rt/rt.h: the processor stopped at a fault */
       RT_LINK = 5 };  /* rt/link: messages do not come as they should */

/* A kernel on all its cores. */
typedef struct Call {
    int n;                  /* cores that are through */
    uint32_t begun;         /* who has begun: a bit each */
    int64_t longest;        /* cycles of the one that took longest; the same */
    int64_t warm;           /* without waits for code */
    int64_t sum, banks;     /* over cores: without those waits; waits for
                               banks */
} Call;

/* When something is over; what core 0 had done by then. */
typedef struct End {
    int64_t cycle, insns, fetch;
} End;

/* From mark to mark. */
typedef struct Since {
    const SimMark *begin;   /* NULL: not begun */
    const SimMark *wait, *work[32];
    int n;
    Call call;
    int working;            /* cores in it */
    End layer, worked;      /* of the layer before; of the last call */
    RunLayer sum;           /* of this layer, so far */
    int64_t longest;        /* of its calls */
    int64_t fetched;        /* core 0 waited for code, in kernels and waits */
    int64_t late, late_fetched; /* since its last call: waits; of fetched */
} Since;

static void end_call(Since *w)
{
    const Call *c = &w->call;

    if (c->n) {
        w->longest += c->longest;
        w->sum.warm += c->warm;
        w->sum.uneven += c->warm - c->sum / c->n;
        w->sum.cold += c->longest - c->warm;
        w->sum.banks += c->banks / c->n;
    }
    w->call = (Call){0};
}

static End end_of(const SimMark *m)
{
    return (End){(int64_t)m->cycle, (int64_t)m->insns, (int64_t)m->fetch};
}

static void begin_work(Since *w, const SimMark *m)
{
    uint32_t bit = 1u << m->hart % LEN(w->work);

    if (w->call.begun & bit)
        end_call(w);
    w->call.begun |= bit;
    w->working++;
    if (m->hart == w->begin->hart)
        w->late = w->late_fetched = 0;
}

static void end_work(Since *w, const SimMark *from, const SimMark *m)
{
    Call *c = &w->call;
    int64_t cycles = (int64_t)(m->cycle - from->cycle);
    int64_t cold = (int64_t)(m->fetch - from->fetch);
    int64_t last = MAX(w->worked.cycle, (int64_t)m->cycle);

    w->working--;
    c->n++;
    c->longest = MAX(c->longest, cycles);
    c->warm = MAX(c->warm, cycles - cold);
    c->sum += cycles - cold;
    c->banks += (int64_t)(m->bank - from->bank);
    if (m->hart == w->begin->hart) {
        w->sum.kernels += cycles;
        w->fetched += cold;
        w->worked = end_of(m);
    }
    w->worked.cycle = last;
}

/* Of several runs the sums. */
static void add_layer(RunLayer *to, const RunLayer *l)
{
    if (to->cycles < 0) {
        *to = *l;
        return;
    }
    to->cycles += l->cycles;
    to->instructions += l->instructions;
    to->dma_wait += l->dma_wait;
    to->kernels = MAX(-1, to->kernels + l->kernels);
    to->known &= l->known;
    to->warm += l->warm;
    to->cold += l->cold;
    to->uneven += l->uneven;
    to->banks += l->banks;
    to->program += l->program;
}

/* A layer is over when its last kernel is, though core 0 knows it only when all
 * have met, and has waited for the next one's transfers by then; the last layer
 * when all is. */
static void end_layer(Since *w, const SimMark *m, Run *r)
{
    bool late = w->n + 1 < r->nlayer && w->worked.cycle > w->layer.cycle;
    End end = late ? w->worked : end_of(m);
    int64_t wait = late ? w->late : 0, fetched = late ? w->late_fetched : 0;
    int64_t cold = end.fetch - w->layer.fetch - (w->fetched - fetched);

    if (w->n < r->nlayer) {
        RunLayer l = w->sum;

        l.cycles = end.cycle - w->layer.cycle;
        l.instructions = end.insns - w->layer.insns;
        l.dma_wait -= wait;
        l.program = MAX(0, l.cycles - l.dma_wait - w->longest - cold);
        l.cold += cold;
        l.known = l.kernels > 0;
        l.kernels = l.known ? l.kernels : -1;
        add_layer(&r->layer[w->n++], &l);
    }
    w->layer = end;
    w->sum = (RunLayer){.dma_wait = wait};
    w->fetched = fetched;
    w->longest = 0;
}

/* As long as others work, nobody waits for a transfer. */
static void end_wait(Since *w, const SimMark *m)
{
    int64_t from = MAX((int64_t)w->wait->cycle, w->worked.cycle);
    int64_t wait = w->working ? 0 : MAX(0, (int64_t)m->cycle - from);
    int64_t fetched = (int64_t)(m->fetch - w->wait->fetch);

    w->sum.dma_wait += wait;
    w->late += wait;
    w->fetched += fetched;
    w->late_fetched += fetched;
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
    r->step[r->nstep - 1] = (RunStep){(int64_t)(m->cycle - w->begin->cycle),
                                      (int64_t)(m->insns - w->begin->insns)};
}

/* A core works, or an accelerator does. */
typedef struct Busy {
    uint64_t from, to;
} Busy;

static int by_begin(const void *a, const void *b)
{
    const Busy *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* Cycles from `from` to `to` in which nobody is busy. */
static int64_t idle_between(const Busy *v, int n, uint64_t from, uint64_t to)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < n && from < to; i++) {
        sum += (int64_t)(MIN(MAX(v[i].from, from), to) - from);
        from = MAX(from, v[i].to);
    }
    return sum + (int64_t)(MAX(from, to) - from);
}

/* When cores are in kernels and accelerators at work, in order; their number. */
static int find_busy(const SimResult *s, int chip, Busy *v)
{
    enum { HARTS = 32 }; /* and one more, of accelerators */
    uint64_t since[HARTS + 1] = {0};
    int i, n = 0;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];
        uint64_t *from = &since[m->kind >= SIM_JOB ? HARTS : m->hart % HARTS];

        if ((int)m->chip != chip)
            continue;
        if (m->kind == SIM_WORK || m->kind == SIM_JOB)
            *from = m->at;
        if (m->kind == SIM_WORKED || m->kind == SIM_JOB_OVER)
            v[n++] = (Busy){*from, m->at};
    }
    if (n)
        qsort(v, (size_t)n, sizeof *v, by_begin);
    return n;
}

/* Cycles in which neither cores are in a kernel nor accelerators at work, of all
 * runs; -1: cores do not say when they are. */
static int64_t idle_cycles(const SimResult *s, int chip)
{
    Arena *mem = arena_new();
    Busy *v = NEWN(mem, Busy, s->nmark + 1);
    int i, n = find_busy(s, chip, v);
    uint64_t begin = 0;
    int64_t sum = 0;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];

        if ((int)m->chip == chip && m->kind == SIM_BEGIN)
            begin = m->at;
        if ((int)m->chip == chip && m->kind == SIM_END)
            sum += idle_between(v, n, begin, m->at);
    }
    arena_end(mem);
    return n ? sum : -1;
}

/* Marks of that core, and of all where they begin and end to be in a kernel. */
static void read_marks(Arena *a, const SimResult *s, int chip, Run *r)
{
    Since w = {0};
    int i;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];
        const SimMark **work = &w.work[m->hart % LEN(w.work)];

        if ((int)m->chip != chip || m->kind >= SIM_JOB)
            continue;
        if (m->kind == SIM_BEGIN) {
            w = (Since){.begin = m, .layer = end_of(m)};
            GROW(a, r->step, (size_t)r->nstep);
            r->step[r->nstep++] = (RunStep){0, 0};
        }
        if (w.begin && m->hart == w.begin->hart)
            read_main(&w, m, r);
        if (m->kind == SIM_WORK && w.begin) {
            begin_work(&w, m);
            *work = m;
        } else if (m->kind == SIM_WORKED && w.begin && *work) {
            end_work(&w, *work, m);
        }
    }
    r->idle = idle_cycles(s, chip);
    for (i = 0; i < r->nstep; i++) {
        r->cycles = MAX(0, r->cycles) + r->step[i].cycles;
        r->instructions = MAX(0, r->instructions) + r->step[i].instructions;
    }
}

/* What went wrong goes to r. */
static bool ended_well(Arena *a, const SimResult *s, Run *r)
{
    if (s->ok && !s->status)
        return true;
    r->ok = false;
    r->status = s->ok && s->status != RT_FAULT && s->status != RT_LINK
        ? ERR_DIFFER : ERR_TOOL;
    r->why = s->ok
        ? arena_fmt(a, "the program ended with status %d%s%s", s->status,
                    s->nout ? ":\n" : "", shell_brief(a, s->out))
        : arena_fmt(a, "the program stopped on the simulator: %s", s->fault);
    return false;
}

bool sim_program(Arena *a, const Soc *soc, const char *elf, const char *dir,
                 bool show, Run *r)
{
    SimProgram p = {soc, elf, dir};
    SimOptions o = {.dir = dir, .max_cycles = LIMIT,
                    .out = show ? stdout : NULL};
    SimResult *s = sim_run(a, &p, 1, &o);

    read_marks(a, s, 0, r);
    return ended_well(a, s, r);
}

/* Cycles of a run, from the first chip's begin to the last one's end: all are
 * reset at once. */
static int64_t all_cycles(const SimResult *s, int nstep)
{
    int64_t sum = 0, begin = -1, end = -1;
    int i, begun = 0, n = 0;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];

        begun += m->kind == SIM_BEGIN;
        if (m->kind == SIM_BEGIN && (begin < 0 || (int64_t)m->at < begin))
            begin = (int64_t)m->at;
        if (m->kind != SIM_END)
            continue;
        end = MAX(end, (int64_t)m->at);
        if (--begun)
            continue;
        sum += end - begin;
        begin = end = -1;
        n++;
    }
    return n == nstep ? sum / MAX(1, n) : -1;
}

bool sim_chips(Arena *a, ChipsRun *c, const char **elf, const char **dir)
{
    SimProgram *p = NEWN(a, SimProgram, c->n);
    const Talk *talk = c->o[0].talk;
    SimOptions o = {.max_cycles = LIMIT, .all = true, .timeline = c->timeline,
                    .out = talk && talk->show ? stdout : NULL};
    SimResult *s;
    int i;

    for (i = 0; i < c->n; i++)
        p[i] = (SimProgram){c->plan[i]->soc, elf[i], dir[i]};
    s = sim_run(a, p, c->n, &o);
    for (i = 0; i < c->n; i++)
        read_marks(a, s, i, &c->run[i]);
    c->cycles = all_cycles(s, c->run[0].nstep);
    return ended_well(a, s, &c->run[0]);
}
