/* Waits for accelerators, as late as may be: behind whatever else comes, as long
 * as none of it touches what the accelerator works on, the next job fits its
 * queue, and jobs are waited for in the order of their starts.  Jobs of one
 * engine run one after the other, so one may read what the one before it writes.
 * So cores, transfers and accelerators work side by side.  Beside them waits for
 * stores come later too, by as much as these take.
 *
 * SINK_far: kernels of other layers are passed too, as many as take the time of
 * what the engine may have in its queue; what a job touches lives until its
 * wait, if there is room for all that lives then.  SINK_small: the same, if no
 * more than small buffers live longer for it.
 * SINK_near: within the layer, and no buffer lives longer for it: all
 * that a job touches is wanted again behind its wait. */
#include "plan/cost/cost.h"
#include "plan/schedule/schedule.h"

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

static int nth_touched(const Touched *t, int i)
{
    return (i < t->nread ? t->read[i] : t->write[i - t->nread]).at.buf;
}

enum { SMALL = 8192 };

/* Is all that it touches wanted behind start k, but for buffers of less than so
 * many bytes?  last: by buffer. */
static bool lives_on(const Plan *p, const Touched *t, const int *last, int k,
                     int64_t small)
{
    int i, buf;

    for (i = 0; i < t->nread + t->nwrite; i++) {
        buf = nth_touched(t, i);
        if (p->buf[buf].kind == BUF_temp && last[buf] <= k &&
            p->buf[buf].size >= small)
            return false;
    }
    return true;
}

/* What a wait passes. */
typedef struct Sinker {
    const Plan *p;
    const Step *job;
    Touched touched;  /* by the job */
    bool far;
    int left;         /* further jobs that its engine takes */
    int64_t time;     /* of kernels of the cores */
} Sinker;

/* When buffers are touched, by numbers of starts. */
typedef struct Lives {
    int *first, *last;  /* by buffer */
    int64_t *bytes;     /* by start: of what is alive then of the memory that is
                           nearest */
    int64_t room;
} Lives;

/* Bytes alive more at start k, if what is touched is alive then too.  (What is
 * touched twice counts twice.) */
static int64_t more_alive(const Plan *p, const Touched *t, const Lives *v,
                          int k)
{
    int64_t more = 0;
    int i, buf;

    for (i = 0; i < t->nread + t->nwrite; i++) {
        buf = nth_touched(t, i);
        if (v->last[buf] < k && p->soc->mems[p->buf[buf].mem].level == 1)
            more += p->buf[buf].size;
    }
    return more;
}

/* May what is touched be alive at start k too?  at_once: what is begun there is
 * waited for at once. */
static bool may_live(const Plan *p, const Touched *t, const Lives *v, int k,
                     bool at_once, Sink how)
{
    int64_t more;

    if (how != SINK_far)
        return lives_on(p, t, v->last, k - at_once,
                        how == SINK_small ? SMALL : 0);
    more = more_alive(p, t, v, k);
    return !more || v->bytes[k] + more <= v->room;
}

/* May the wait come behind step s? */
static bool may_pass(Sinker *k, const Step *s)
{
    bool store = step_moves(k->p, k->job);
    Touched other;

    if (s->kind == STEP_wait)
        return store || s->engine != k->job->engine;
    if (!k->far && !step_moves(k->p, s) && s->layer != k->job->layer)
        return false;
    if (s->engine == k->job->engine) {
        if (k->left-- <= 0)
            return false;
        if (!store)
            return true;
    }
    if (s->engine == ENG_cores) {
        if (k->time < 0)
            return false;
        k->time -= s->cycles;
    }
    other = touched_by(k->p, s);
    return !disturb(&k->touched, &other);
}

/* Of the jobs that the engine has in its queue when this one is begun; of a
 * store alone. */
static int64_t queued_time(const Plan *p, const Step *job)
{
    const Engine *e = &p->soc->engine[job->engine];
    int n = e->queue;
    int64_t sum = 0;
    const Step *s;

    if (step_moves(p, job))
        return move_cycles(e, false, job->move.row, job->move.rows);
    for (s = job; n > 0 && s >= p->step; s--)
        if (s->kind == STEP_start && s->engine == job->engine) {
            sum += s->cycles;
            n--;
        }
    return sum;
}

/* What is waited for. */
static const Step *start_of(const Plan *p, int wait)
{
    const Step *s = &p->step[wait];

    while (s->kind != STEP_start || s->token != p->step[wait].token)
        s--;
    return s;
}

/* k: starts before it. */
static void sink(Plan *p, int wait, int k, Lives *v, Sink how)
{
    Step s = p->step[wait];
    Sinker x = {.p = p, .job = start_of(p, wait), .far = how != SINK_near,
                .left = p->soc->engine[s.engine].queue - 1};
    int to = wait + 1;

    x.touched = touched_by(p, x.job);
    x.time = queued_time(p, x.job);
    for (; to < p->nstep; to++) {
        bool start = p->step[to].kind == STEP_start;

        if (!may_pass(&x, &p->step[to]) ||
            (start && !may_live(p, &x.touched, v, k,
                                p->step[to].engine == ENG_cores, how)))
            break;
        if (start) {
            v->bytes[k] += more_alive(p, &x.touched, v, k);
            k++;
        }
    }
    memmove(&p->step[wait], &p->step[wait + 1],
            (size_t)(to - wait - 1) * sizeof s);
    p->step[to - 1] = s;
}

/* What a kernel touches but for its scratch, which is alive beside it alone. */
static Touched held_by(const Plan *p, const Step *s)
{
    Touched t = touched_by(p, s);

    t.nwrite -= s->tmp.buf >= 0;
    return t;
}

static int64_t scratch_bytes(const Plan *p, const Step *s)
{
    const Buf *b = s->tmp.buf >= 0 ? &p->buf[s->tmp.buf] : NULL;

    return b && p->soc->mems[b->mem].level == 1 ? b->size : 0;
}

/* Where step i, of cores, start k, may come with its wait: behind the next job's
 * start, if it does not touch what that touches, and what it touches may live so
 * long; i: nowhere. */
static int behind_job(const Plan *p, int i, int k, const Lives *v, Sink how)
{
    Touched t = touched_by(p, &p->step[i]), held = held_by(p, &p->step[i]);
    Touched other;
    int64_t bytes;
    int at;

    for (at = i + 2; at < p->nstep; at++) {
        const Step *s = &p->step[at];

        if (s->kind == STEP_wait) {
            if (!step_moves(p, s))
                return i;
            continue;
        }
        if (s->engine == ENG_cores || !may_live(p, &held, v, ++k, false, how))
            return i;
        other = touched_by(p, s);
        if (disturb(&t, &other))
            return i;
        if (!step_moves(p, s)) {
            bytes = v->bytes[k] + more_alive(p, &held, v, k) +
                    scratch_bytes(p, &p->step[i]);
            return bytes <= v->room ? at + 1 : i;
        }
    }
    return i;
}

/* Start k comes to another place. */
static void renumber(const Touched *t, Lives *v, int k, int to)
{
    int i;

    for (i = 0; i < t->nread + t->nwrite; i++)
        if (v->last[nth_touched(t, i)] == k)
            v->last[nth_touched(t, i)] = to;
}

/* Step i, start k, and its wait come behind the steps before `to`. */
static void put_behind(Plan *p, int i, int to, int k, Lives *v)
{
    Step pair[2] = {p->step[i], p->step[i + 1]};
    Touched held = held_by(p, pair), other;
    int at;

    for (at = i + 2; at < to; at++) {
        bool start = p->step[at].kind == STEP_start;

        other = touched_by(p, start ? &p->step[at] : start_of(p, at));
        if (start) {
            v->bytes[k] = v->bytes[k + 1] + more_alive(p, &held, v, k + 1);
            k++;
        }
        renumber(&other, v, k, k - 1);
        renumber(&held, v, k - 1, k);
        p->step[at - 2] = p->step[at];
    }
    v->bytes[k] = v->bytes[k - 1] + scratch_bytes(p, pair);
    memcpy(&p->step[to - 2], pair, sizeof pair);
}

/* An accelerator had better begin before cores do what has nothing to do with
 * it. */
static void sink_kernels(Plan *p, int k, Lives *v, Sink how)
{
    int i, to;

    for (i = p->nstep - 1; i >= 0; i--) {
        if (p->step[i].kind != STEP_start)
            continue;
        k--;
        if (p->step[i].engine != ENG_cores)
            continue;
        to = behind_job(p, i, k, v, how);
        if (to > i)
            put_behind(p, i, to, k, v);
    }
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

/* A wait for a transfer away from the cores. */
static bool is_store_wait(const Plan *p, int i)
{
    const Step *s = &p->step[i];
    const Move *m;

    if (s->kind != STEP_wait || p->soc->engine[s->engine].kind != ENGINE_dma)
        return false;
    m = &start_of(p, i)->move;
    return p->soc->mems[p->buf[m->from.buf].mem].level == 1 &&
           p->soc->mems[p->buf[m->to.buf].mem].level == 2;
}

static bool is_job_wait(const Plan *p, const Step *s)
{
    return s->kind == STEP_wait &&
           p->soc->engine[s->engine].kind == ENGINE_accel;
}

static void touch(const Extent *e, int n, Lives *v, int k)
{
    int i;

    for (i = 0; i < n; i++) {
        v->first[e[i].at.buf] = MIN(v->first[e[i].at.buf], k);
        v->last[e[i].at.buf] = k;
    }
}

/* Until what touches them has been waited for.  Returns the number of starts. */
static int find_lives(const Plan *p, Arena *mem, Lives *v)
{
    int i, j, from, k = 0;

    v->first = NEWN(mem, int, p->nbuf + 1);
    v->last = NEWN(mem, int, p->nbuf + 1);
    v->bytes = NEWN(mem, int64_t, p->nstep + 1);
    for (i = 0; i < p->nbuf; i++)
        v->first[i] = p->nstep;
    for (i = 0; i < p->nstep; i++) {
        bool start = p->step[i].kind == STEP_start;
        Touched t = touched_by(p, start ? &p->step[i] : start_of(p, i));

        k += start;
        touch(t.read, t.nread, v, k - 1);
        touch(t.write, t.nwrite, v, k - 1);
    }
    for (i = 0; i < p->nbuf; i++) {
        const Buf *b = &p->buf[i];

        if (b->kind == BUF_const || p->soc->mems[b->mem].level != 1)
            continue;
        from = b->kind == BUF_temp || b->kind == BUF_output ? v->first[i] : 0;
        for (j = from; j <= (buf_lives_on(b) ? k : v->last[i]); j++)
            v->bytes[j] += b->size;
        v->room = p->room[b->mem];
    }
    return k;
}

bool sink_waits(Plan *p, Sink how)
{
    Arena *mem;
    Lives v = {.room = 0};
    int i, k;

    for (i = 0; i < p->nstep && !is_job_wait(p, &p->step[i]); i++)
        ;
    if (i == p->nstep)
        return false;
    mem = arena_new();
    k = find_lives(p, mem, &v);
    if (how != SINK_near)
        sink_kernels(p, k, &v, how);
    for (i = p->nstep - 1; i >= 0; i--) {
        k -= p->step[i].kind == STEP_start;
        if (is_job_wait(p, &p->step[i]) ||
            (how != SINK_near && is_store_wait(p, i)))
            sink(p, i, k, &v, how);
    }
    arena_end(mem);
    find_last(p);
    return true;
}
