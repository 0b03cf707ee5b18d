/* Waits for accelerators, as late as may be: behind whatever else their layer
 * does, as long as none of it touches what the accelerator works on, the next
 * job fits its queue, and jobs are waited for in the order of their starts.  No
 * buffer lives longer for it: all that a job touches is wanted again behind its
 * wait.  So cores, transfers and accelerators work side by side. */
#include "plan/schedule/emit.h"

#include <string.h>

/* Bytes of a buffer from a place on, or rows among them; row n: all. */
typedef struct Extent {
    Ref at;
    int64_t n, row, stride;
} Extent;

enum { EXTENTS = NARG + NRES + 2 };

typedef struct Touched {
    Extent read[EXTENTS], write[EXTENTS];
    int nread, nwrite;
} Touched;

static void add(Extent *v, int *n, Ref at, int64_t bytes)
{
    if (at.buf >= 0)
        v[(*n)++] = (Extent){at, bytes, bytes, bytes};
}

/* The rows of a piece, which lie as in its value. */
static void add_piece(Extent *v, int *n, Ref at, int64_t bytes, Piece p,
                      bool dense)
{
    add(v, n, at, bytes);
    if (at.buf >= 0 && !dense && p.rows > 1 &&
        (p.rows - 1) * p.stride + p.row == bytes) {
        v[*n - 1].row = p.row;
        v[*n - 1].stride = p.stride;
    }
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
        add_piece(t.read, &t.nread, s->in[i], s->in_bytes[i], s->in_piece[i],
                  s->in_packed[i]);
    for (i = 0; i < s->nout; i++)
        add_piece(t.write, &t.nwrite, s->out[i], s->out_bytes[i],
                  s->out_piece[i], s->out_packed[i]);
    add(t.write, &t.nwrite, s->tmp, s->tmp_bytes);
    return t;
}

/* Rows at one distance, side by side? */
static bool beside(const Extent *a, const Extent *b)
{
    int64_t stride = a->stride, x, y;

    if (stride != b->stride || a->row == a->n || b->row == b->n)
        return false;
    x = a->at.off % stride;
    y = b->at.off % stride;
    return x + a->row <= stride && y + b->row <= stride &&
           (x + a->row <= y || y + b->row <= x);
}

static bool meet(const Extent *a, int na, const Extent *b, int nb)
{
    int i, k;

    for (i = 0; i < na; i++)
        for (k = 0; k < nb; k++)
            if (a[i].at.buf == b[k].at.buf &&
                a[i].at.off < b[k].at.off + b[k].n &&
                b[k].at.off < a[i].at.off + a[i].n && !beside(&a[i], &b[k]))
                return true;
    return false;
}

static bool disturb(const Touched *a, const Touched *b)
{
    return meet(a->write, a->nwrite, b->write, b->nwrite) ||
           meet(a->write, a->nwrite, b->read, b->nread) ||
           meet(a->read, a->nread, b->write, b->nwrite);
}

/* Is all that it touches wanted behind start k?  last: by buffer. */
static bool lives_on(const Plan *p, const Touched *t, const int *last, int k)
{
    int i, buf;

    for (i = 0; i < t->nread + t->nwrite; i++) {
        buf = (i < t->nread ? t->read[i] : t->write[i - t->nread]).at.buf;
        if (p->buf[buf].kind == BUF_temp && last[buf] <= k)
            return false;
    }
    return true;
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

/* k: starts before it. */
static void sink(Plan *p, int wait, int k, const int *last)
{
    Step s = p->step[wait];
    const Step *job = &p->step[wait];
    int left = p->soc->engine[s.engine].queue - 1, to = wait + 1;
    Touched t;

    while (job->kind != STEP_start || job->token != s.token)
        job--;
    t = touched_by(p, job);
    for (; to < p->nstep; to++) {
        bool start = p->step[to].kind == STEP_start;

        if ((start && !lives_on(p, &t, last, k)) ||
            !may_pass(p, job, &t, &p->step[to], &left))
            break;
        k += start;
    }
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

static bool is_job_wait(const Plan *p, const Step *s)
{
    return s->kind == STEP_wait &&
           p->soc->engine[s->engine].kind == ENGINE_accel;
}

/* By buffer: the last start that touches it; their number. */
static int last_touched(const Plan *p, int *last)
{
    int i, j, k = 0;

    for (i = 0; i < p->nstep; i++) {
        Touched t;

        if (p->step[i].kind != STEP_start)
            continue;
        t = touched_by(p, &p->step[i]);
        for (j = 0; j < t.nread; j++)
            last[t.read[j].at.buf] = k;
        for (j = 0; j < t.nwrite; j++)
            last[t.write[j].at.buf] = k;
        k++;
    }
    return k;
}

void sink_waits(Plan *p)
{
    Arena *mem;
    int i, k, *last;

    for (i = 0; i < p->nstep && !is_job_wait(p, &p->step[i]); i++)
        ;
    if (i == p->nstep)
        return;
    mem = arena_new();
    last = NEWN(mem, int, p->nbuf + 1);
    k = last_touched(p, last);
    for (i = p->nstep - 1; i >= 0; i--) {
        k -= p->step[i].kind == STEP_start;
        if (is_job_wait(p, &p->step[i]))
            sink(p, i, k, last);
    }
    arena_end(mem);
    find_last(p);
}
