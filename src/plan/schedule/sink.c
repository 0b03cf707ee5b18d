/* Waits for accelerators, as late as may be: behind whatever else their layer
 * does, as long as none of it touches what the accelerator works on, the next
 * job fits its queue, and jobs are waited for in the order of their starts.  So
 * cores, transfers and accelerators work side by side. */
#include "plan/schedule/emit.h"

#include <string.h>

/* Bytes of a buffer from a place on. */
typedef struct Extent {
    Ref at;
    int64_t n;
} Extent;

enum { EXTENTS = NARG + NRES + 2 };

typedef struct Touched {
    Extent read[EXTENTS], write[EXTENTS];
    int nread, nwrite;
} Touched;

static void add(Extent *v, int *n, Ref at, int64_t bytes)
{
    if (at.buf >= 0)
        v[(*n)++] = (Extent){at, bytes};
}

static Touched touched_by(const Plan *p, const Step *s)
{
    const Move *m = &s->move;
    Touched t = {.nread = 0};
    int i;

    if (step_moves(p, s)) {
        add(t.read, &t.nread, m->from,
            (m->rows - 1) * m->from_stride + m->row);
        add(t.write, &t.nwrite, m->to, (m->rows - 1) * m->to_stride + m->row);
        return t;
    }
    for (i = 0; i < s->nin; i++)
        add(t.read, &t.nread, s->in[i], s->in_bytes[i]);
    for (i = 0; i < s->nout; i++)
        add(t.write, &t.nwrite, s->out[i], s->out_bytes[i]);
    add(t.write, &t.nwrite, s->tmp, s->tmp_bytes);
    return t;
}

static bool meet(const Extent *a, int na, const Extent *b, int nb)
{
    int i, k;

    for (i = 0; i < na; i++)
        for (k = 0; k < nb; k++)
            if (a[i].at.buf == b[k].at.buf &&
                a[i].at.off < b[k].at.off + b[k].n &&
                b[k].at.off < a[i].at.off + a[i].n)
                return true;
    return false;
}

static bool disturb(const Touched *a, const Touched *b)
{
    return meet(a->write, a->nwrite, b->write, b->nwrite) ||
           meet(a->write, a->nwrite, b->read, b->nread) ||
           meet(a->read, a->nread, b->write, b->nwrite);
}

/* May the wait for `job` come behind step s?  *left: further jobs that its
 * engine takes. */
static bool may_pass(const Plan *p, const Step *job, const Touched *t,
                     const Step *s, int *left)
{
    Touched other;

    if (s->kind == STEP_wait)
        return s->engine != job->engine;
    if (!step_moves(p, s) && s->layer != job->layer)
        return false;
    if (s->engine == job->engine && !(*left)--)
        return false;
    other = touched_by(p, s);
    return !disturb(t, &other);
}

static void sink(Plan *p, int wait)
{
    Step s = p->step[wait];
    const Step *job = &p->step[wait];
    int left = p->soc->engine[s.engine].queue - 1, to = wait + 1;
    Touched t;

    while (job->kind != STEP_start || job->token != s.token)
        job--;
    t = touched_by(p, job);
    while (to < p->nstep && may_pass(p, job, &t, &p->step[to], &left))
        to++;
    memmove(&p->step[wait], &p->step[wait + 1],
            (size_t)(to - wait - 1) * sizeof s);
    p->step[to - 1] = s;
}

static void find_last(Plan *p)
{
    int i;

    for (i = 0; i < p->nlayer; i++)
        p->layer[i].tiles = 0;
    for (i = 0; i < p->nstep; i++) {
        Layer *l = &p->layer[p->step[i].layer];

        if (!step_starts_kernel(p, &p->step[i]))
            continue;
        if (!l->tiles++)
            l->first = i;
        l->last = i;
    }
}

void sink_waits(Plan *p)
{
    int i, n = 0;

    for (i = p->nstep - 1; i >= 0; i--)
        if (p->step[i].kind == STEP_wait &&
            p->soc->engine[p->step[i].engine].kind == ENGINE_accel) {
            sink(p, i);
            n++;
        }
    if (n)
        find_last(p);
}
