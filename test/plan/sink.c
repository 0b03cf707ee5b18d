/* sink SEED COUNT: random steps of cores, an accelerator and a DMA engine, whose
 * waits come late: what lives in the L1 afterwards is not more than it has room
 * for, jobs begin in the same order, and no start comes before what it reads was
 * waited for. */
#include "plan/schedule/schedule.h"
#include "test/lib/rng.h"

#include <stdlib.h>

enum { STEPS = 60 };

typedef struct Maker {
    Plan *p;
    Rng r;
    int l1, l2, accel, dma; /* memories, engines */
    int value[STEPS], nvalue; /* buffers in the L1 with something in them */
    int konst, store;        /* in the L2 */
    int token;
} Maker;

static int new_buf(Maker *m, BufKind kind, int mem, int64_t size)
{
    return plan_add_buf(m->p, (Buf){.kind = kind, .name = "b", .mem = mem,
                                    .size = size});
}

static int new_value(Maker *m)
{
    return new_buf(m, BUF_temp, m->l1, 1024 * between(&m->r, 1, 20));
}

static void put(Maker *m, Step s)
{
    s.layer = m->p->nlayer - 1;
    plan_add_step(m->p, s);
}

static void put_wait(Maker *m, Step s)
{
    put(m, (Step){.kind = STEP_wait, .engine = s.engine, .token = s.token});
}

static Step move(Maker *m, int from, int to, int64_t bytes)
{
    return (Step){.kind = STEP_start, .engine = m->dma, .token = m->token++,
                  .move = {{from, 0}, {to, 0}, bytes, 1, bytes, bytes}};
}

/* One of the last few. */
static int some_value(Maker *m)
{
    return m->value[m->nvalue - 1 - pick(&m->r, MIN(m->nvalue, 5))];
}

static void put_kernel(Maker *m, bool job)
{
    Step s = {.kind = STEP_start, .engine = job ? m->accel : ENG_cores,
              .token = m->token++, .cycles = between(&m->r, 500, 9000),
              .nin = 1, .nout = 1, .ncore = 8, .tmp = {-1, 0}};
    int to = new_value(m);

    s.in[0] = (Ref){some_value(m), 0};
    s.in_bytes[0] = m->p->buf[s.in[0].buf].size;
    s.out[0] = (Ref){to, 0};
    s.out_bytes[0] = m->p->buf[to].size;
    if (!job && pick(&m->r, 2)) {
        s.tmp.buf = new_value(m);
        s.tmp_bytes = m->p->buf[s.tmp.buf].size;
    }
    put(m, s);
    put_wait(m, s);
    m->value[m->nvalue++] = to;
}

static void put_load(Maker *m)
{
    int to = new_value(m);
    Step s = move(m, m->konst, to, m->p->buf[to].size);

    put(m, s);
    put_wait(m, s);
    m->value[m->nvalue++] = to;
}

/* Another layer's kernels may come before the wait. */
static void put_store(Maker *m)
{
    int from = some_value(m), n = pick(&m->r, 3);
    Step s = move(m, from, m->store, m->p->buf[from].size);

    put(m, s);
    while (n--)
        put_kernel(m, pick(&m->r, 2));
    put_wait(m, s);
}

static void make(Maker *m)
{
    int i;

    m->konst = new_buf(m, BUF_const, m->l2, 1 << 20);
    m->store = new_buf(m, BUF_temp, m->l2, 1 << 20);
    for (i = 0; i < STEPS / 4; i++) {
        plan_add_layer(m->p, (Layer){.after = 0});
        if (!m->nvalue || !pick(&m->r, 6))
            put_load(m);
        else if (!pick(&m->r, 5))
            put_store(m);
        else
            put_kernel(m, pick(&m->r, 2));
    }
}

static int64_t most_alive(Plan *p, int mem)
{
    int64_t most = 0, sum;
    int i, k;

    for (i = 0; i < p->nbuf; i++)
        p->buf[i].from = INT32_MAX, p->buf[i].to = -1;
    plan_lives(p);
    for (k = 0; k < p->nstep; k++) {
        for (i = sum = 0; i < p->nbuf; i++)
            if (p->buf[i].mem == mem && p->buf[i].from <= k &&
                k < p->buf[i].to)
                sum += p->buf[i].size;
        most = MAX(most, sum);
    }
    return most;
}

static int find(const Plan *p, StepKind kind, int token)
{
    int i;

    for (i = 0; p->step[i].kind != kind || p->step[i].token != token; i++)
        ;
    return i;
}

/* Is what starts at k waited for late, or first of the same engine? */
static bool is_done(const Plan *p, int k, int before)
{
    return find(p, STEP_wait, p->step[k].token) < before ||
           (k < before && p->step[k].engine == p->step[before].engine);
}

static bool reads_too_early(const Plan *p)
{
    int i, k;

    for (i = 0; i < p->nstep; i++)
        for (k = 0; k < p->nstep; k++)
            if (step_starts_kernel(p, &p->step[i]) &&
                step_starts_kernel(p, &p->step[k]) &&
                p->step[k].out[0].buf == p->step[i].in[0].buf &&
                !is_done(p, k, i))
                return true;
    return false;
}

static bool is_job(const Plan *p, int i)
{
    return p->soc->engine[p->step[i].engine].kind == ENGINE_accel;
}

/* Kernels of cores before the wait for a job, and those behind a job that they
 * were before. */
static void count(const Plan *p, int *beside, int *behind)
{
    int i, k, open = 0, last = -1;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (is_job(p, i))
            open += s->kind == STEP_start ? 1 : -1;
        *beside += s->kind == STEP_start && s->engine == ENG_cores && open;
    }
    for (k = 0; k < p->nstep; k++)
        if (step_starts_kernel(p, &p->step[k])) {
            *behind += p->step[k].token < last && !is_job(p, k);
            last = MAX(last, p->step[k].token);
        }
}

static const char *check(Maker *m, int *beside, int *behind)
{
    Plan *p = m->p;
    int64_t before, after;
    int i, last = -1;

    make(m);
    before = most_alive(p, m->l1);
    p->room[m->l1] = before + 1024 * pick(&m->r, 20);
    sink_waits(p, SINK_far);
    after = most_alive(p, m->l1);
    count(p, beside, behind);
    if (after > p->room[m->l1])
        return "more lives than there is room for";
    if (reads_too_early(p))
        return "something is read too early";
    for (i = 0; i < p->nstep; i++)
        if (is_job(p, i) && p->step[i].kind == STEP_start) {
            if (p->step[i].token < last)
                return "jobs in another order";
            last = p->step[i].token;
        }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int n = argc > 2 ? atoi(argv[2]) : 100, i, e, beside = 0, behind = 0;

    for (i = 0; i < n; i++) {
        Arena *a = arena_new();
        Soc *soc = soc_read(a, "gap9");
        Plan p = {.mem = a, .g = graph_new(a, "g"), .soc = soc};
        Maker m = {.p = &p, .r = {seed + (uint64_t)i}};
        const char *wrong;

        p.place = NEWN(a, Ref, 1);
        m.dma = soc_hop(soc, 0)->row;
        m.l1 = soc_hop(soc, 0)->near;
        m.l2 = soc_hop(soc, 0)->far;
        for (e = 0; e < soc->nengine; e++)
            if (soc->engine[e].kind == ENGINE_accel)
                m.accel = e;
        wrong = check(&m, &beside, &behind);
        if (wrong) {
            printf("seed %llu: %s\n", (unsigned long long)m.r.s, wrong);
            printf("FAIL sink %llu 1\n", (unsigned long long)seed + i);
            return 1;
        }
        arena_end(a);
    }
    printf("%d lists of steps: %d kernels beside jobs, %d behind jobs that were "
           "behind them\n", n, beside, behind);
    return n > 10 && (beside < n || behind < n / 10);
}
