/* verify TARGET SEED COUNT: does verify reject every plan that means another
 * thing?
 *
 * Plans of random graphs are changed at random places.  What a plan means is
 * found by running it on bytes: inputs and constants are random, an operator
 * that moves elements moves them, any other makes bytes by hashing its own and
 * all its operands.  The memory begins as junk, scratch is scribbled on, a
 * result that lies where it may not spoils its operand first.  Everything is
 * run three times: steps done when they start; done when they are waited for;
 * and operands read at the start, results written at the wait.  A changed plan
 * whose outputs differ in one of these, or that leaves its memory, must be
 * rejected; the plan as made must be accepted. */
#include "test/lib/random.h"
#include "test/lib/plain.h"

#include <stdlib.h>
#include <string.h>

enum { AT_START, AT_WAIT, ACROSS, NWHEN };

typedef struct Machine {
    Arena *mem;
    const Plan *p;
    const Plan *good;       /* as made: which memory there is */
    unsigned char **value;  /* by Val.id: what it should be */
    unsigned char *ram[16], *rom[16];
    unsigned char **seen;   /* ram as operands are read from it */
    unsigned char *(*was)[16];  /* by step: ram when it was started */
    const char *fault;
} Machine;

/* ---- values as they should be ---- */

static uint64_t stir(uint64_t h, const unsigned char *p, int64_t n)
{
    while (n-- > 0)
        h = (h ^ *p++) * 0x100000001b3u;
    return h ^ h >> 29;
}

static void spread(uint64_t h, unsigned char *p, int64_t n)
{
    Rng r = {h};

    while (n-- > 0)
        *p++ = (unsigned char)(rng(&r) >> 32);
}

static bool moves_only(const Node *n)
{
    return n->op == OP_transpose || n->op == OP_slice ||
           n->op == OP_expand || n->op == OP_concat;
}

/* y[yo + i.ys] = x[xo + i.xs], or junk if x is NULL; false where it leaves its
 * nx or ny bytes. */
static bool move(const struct copy_dims *k, const unsigned char *x, int64_t nx,
                 unsigned char *y, int64_t ny, int64_t size)
{
    int32_t i[8] = {0};
    int a;

    for (a = 0; a < 8; a++)
        if (k->n[a] < 1)
            return true;
    for (;;) {
        int64_t from = k->xo, to = k->yo;

        for (a = 0; a < 8; a++) {
            from += (int64_t)i[a] * k->xs[a];
            to += (int64_t)i[a] * k->ys[a];
        }
        from *= size;
        to *= size;
        if (from < 0 || from + size > nx || to < 0 || to + size > ny)
            return false;
        if (x)
            memmove(y + to, x + from, (size_t)size);
        else
            memset(y + to, 0xa5, (size_t)size);
        for (a = 7; a >= 0 && ++i[a] == k->n[a]; a--)
            i[a] = 0;
        if (a < 0)
            return true;
    }
}

static void compute(Machine *m, const Node *n)
{
    uint64_t h = (uint64_t)n->id + 1;
    Dims d;
    int i;

    for (i = 0; i < n->nres; i++)
        m->value[n->res[i]->id] = NEWN(m->mem, unsigned char,
                                       val_bytes(n->res[i]));
    if (n->op == OP_reshape) {
        m->value[n->res[0]->id] = m->value[n->arg[0]->id];
        return;
    }
    for (i = 0; moves_only(n) && i < (n->op == OP_concat ? n->narg : 1); i++) {
        memset(&d, 0, sizeof d);
        if (n->op == OP_concat)
            dims_fill_concat(n, i, &d);
        else
            dims_fill(n, &d);
        if (!move(&d.copy, m->value[n->arg[i]->id], val_bytes(n->arg[i]),
                  m->value[n->res[0]->id], val_bytes(n->res[0]),
                  type_info[n->res[0]->type].bytes))
            abort();
    }
    if (moves_only(n))
        return;
    memset(&d, 0, sizeof d);
    dims_fill(n, &d);
    h = stir(h, (unsigned char *)&d, dims_of(n->op)->size);
    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            h = stir(h, m->value[n->arg[i]->id], val_bytes(n->arg[i]));
    for (i = 0; i < n->nres; i++)
        spread(h + (uint64_t)i, m->value[n->res[i]->id],
               val_bytes(n->res[i]));
}

static void make_values(Machine *m, uint64_t seed)
{
    const Graph *g = m->p->g;
    const Val *v;
    const Node *n;

    m->value = NEWN(m->mem, unsigned char *, graph_nval(g) + 1);
    for (v = g->vals; v; v = v->next)
        if (!v->def) {
            m->value[v->id] = NEWN(m->mem, unsigned char, val_bytes(v));
            spread(seed ^ ((uint64_t)v->id << 40), m->value[v->id],
                   val_bytes(v));
        }
    for (n = g->first; n; n = n->next)
        compute(m, n);
}

/* ---- a plan run on bytes ---- */

static bool fault(Machine *m, const char *why)
{
    if (!m->fault)
        m->fault = why;
    return false;
}

/* The bytes of a place; NULL, and a fault, if it leaves its memory, or would
 * write a constant. */
static unsigned char *bytes_at(Machine *m, Ref r, int64_t n, bool write)
{
    const char *why = place_fault(m->p, m->good, r, n, write);
    const Buf *b;

    if (why)
        return fault(m, why), NULL;
    b = &m->p->buf[r.buf];
    return (b->kind == BUF_const ? m->rom : write ? m->ram : m->seen)[b->mem] +
           b->addr + r.off;
}

static bool aligned(Machine *m, Ref r, Type t)
{
    int64_t at = m->p->buf[r.buf].addr + r.off;

    return at % type_info[t].bytes == 0 || fault(m, "not aligned");
}

static void start_memory(Machine *m, uint64_t junk)
{
    const Plan *p = m->p;
    const Val *v;
    int i;

    m->seen = m->ram;
    m->was = arena_get(m->mem, (size_t)p->nstep + 1, sizeof *m->was);
    for (i = 0; i < p->soc->nmem; i++) {
        m->ram[i] = NEWN(m->mem, unsigned char, m->good->used[i] + 1);
        m->rom[i] = NEWN(m->mem, unsigned char, m->good->consts[i] + 1);
        spread(junk + (uint64_t)i, m->ram[i], m->good->used[i]);
    }
    for (v = p->g->vals; v; v = v->next) {
        unsigned char *to;

        if (v->def || p->place[v->id].buf < 0)
            continue;
        /* constants are laid down by the generator, not by a step */
        to = v->data ? NULL : bytes_at(m, p->place[v->id], val_bytes(v),
                                       true);
        if (v->data && p->place[v->id].buf < p->nbuf) {
            const Buf *b = &p->buf[p->place[v->id].buf];
            int64_t at = b->addr + p->place[v->id].off;

            if (b->mem < 0 || b->mem >= p->soc->nmem || at < 0 ||
                at + val_bytes(v) > m->good->consts[b->mem])
                fault(m, "constant outside its memory");
            else
                to = m->rom[b->mem] + at;
        }
        if (to)
            memcpy(to, m->value[v->id], (size_t)val_bytes(v));
    }
}

/* Whether the head of the step's kernel lets the result lie on operand i. */
static bool allowed(const Step *s, int i)
{
    char words[256], *w;

    if (s->node->op == OP_concat)
        return false;
    snprintf(words, sizeof words, "%s", s->kern->inplace ? s->kern->inplace
                                                         : "");
    for (w = strtok(words, " "); w; w = strtok(NULL, " "))
        if (!strcmp(w, s->sig->arg[i].operand))
            return true;
    return false;
}

/* What a result that lies on an operand without leave would do to it. */
static bool spoils(const unsigned char *x, int64_t nx, const unsigned char *y,
                   int64_t ny, const Step *s, int i)
{
    if (x + nx <= y || y + ny <= x)
        return false;
    return !(s->in_type[i] < NTYPE && allowed(s, i) &&
             (nx >= ny ? x == y : x + nx == y + ny) &&
             (s->node->op == OP_conv ||
              nx / type_info[s->in_type[i]].bytes ==
              ny / type_info[s->out_type[0]].bytes));
}

/* Elements that are only moved, of an operand that the result may lie on. */
static bool run_copy(Machine *m, const Step *s, const unsigned char *in,
                     unsigned char *out)
{
    int64_t size = type_info[s->out_type[0]].bytes, n = s->in_bytes[0];

    if (in == out && n == s->out_bytes[0] && allowed(s, 0))
        in = memcpy(NEWN(m->mem, unsigned char, n), in, (size_t)n);
    return (move(&s->dims.copy, NULL, n, out, s->out_bytes[0], size) &&
            move(&s->dims.copy, in, n, out, s->out_bytes[0], size)) ||
           fault(m, "copies outside");
}

/* Results that depend on all that the kernel is told and reads. */
static void run_kernel(const Step *s, unsigned char *const *in,
                       unsigned char *const *out)
{
    uint64_t h = (uint64_t)s->node->id + 1;
    int i, k;

    for (i = 0; i < s->nin; i++)
        for (k = 0; in[i] && k < s->nout; k++)
            if (spoils(in[i], s->in_bytes[i], out[k], s->out_bytes[k], s, i))
                memset(out[k], 0xa5, (size_t)s->out_bytes[k]);
    h = stir(h, (const unsigned char *)&s->dims, dims_of(s->node->op)->size);
    for (i = 0; i < s->nin; i++)
        if (in[i])
            h = stir(h, in[i], s->in_bytes[i]);
    for (i = 0; i < s->nout; i++)
        spread(h + (uint64_t)i, out[i], s->out_bytes[i]);
}

static bool run_step(Machine *m, const Step *s)
{
    const Node *n = s->node;
    unsigned char *in[NARG], *out[NRES], *tmp = NULL;
    int i;

    if (s->nin != (n->op == OP_concat ? 1 : n->narg) || s->nout != n->nres)
        return fault(m, "operands");
    for (i = 0; i < s->nin; i++) {
        in[i] = NULL;
        if (s->in[i].buf >= 0 &&
            (!(in[i] = bytes_at(m, s->in[i], s->in_bytes[i], false)) ||
             !aligned(m, s->in[i], s->in_type[i])))
            return false;
    }
    for (i = 0; i < s->nout; i++)
        if (!(out[i] = bytes_at(m, s->out[i], s->out_bytes[i], true)) ||
            !aligned(m, s->out[i], s->out_type[i]))
            return false;
    if (s->tmp.buf >= 0 &&
        !(tmp = bytes_at(m, s->tmp, s->tmp_bytes, true)))
        return false;
    if (tmp)
        memset(tmp, 0x5a, (size_t)s->tmp_bytes);
    if (s->stage_bytes && in[1]) { /* the kernel reads a copy */
        unsigned char *copy = bytes_at(m, s->stage, s->stage_bytes, true);

        if (!copy)
            return false;
        memcpy(copy, in[1], (size_t)s->in_bytes[1]);
        in[1] = copy;
    }
    if (moves_only(n))
        return run_copy(m, s, in[0], out[0]);
    run_kernel(s, in, out);
    if (tmp)
        memset(tmp, 0x6b, (size_t)s->tmp_bytes);
    return true;
}

static void remember(Machine *m, int step)
{
    int i;

    for (i = 0; i < m->p->soc->nmem; i++) {
        int64_t n = m->good->used[i];

        m->was[step][i] = NEWN(m->mem, unsigned char, n + 1);
        memcpy(m->was[step][i], m->ram[i], (size_t)n);
    }
}

/* Runs the steps that a wait for this token ends. */
static void end_steps(Machine *m, int wait, int when)
{
    const Step *s = m->p->step;
    int i;

    for (i = 0; i < wait; i++) {
        if (s[i].kind != STEP_start || s[i].token != s[wait].token)
            continue;
        m->seen = when == ACROSS ? m->was[i] : m->ram;
        run_step(m, &s[i]);
        m->seen = m->ram;
    }
}

static void run_plan(Machine *m, int when)
{
    const Plan *p = m->p;
    int i;

    for (i = 0; i < p->nstep && !m->fault; i++)
        if (p->step[i].kind == STEP_wait && when != AT_START)
            end_steps(m, i, when);
        else if (p->step[i].kind == STEP_start && when == AT_START)
            run_step(m, &p->step[i]);
        else if (p->step[i].kind == STEP_start && when == ACROSS)
            remember(m, i);
}

static bool outputs_right(Machine *m)
{
    const Graph *g = m->p->g;
    int i;

    for (i = 0; i < g->nout && !m->fault; i++) {
        const Val *v = g->out[i];
        unsigned char *p = bytes_at(m, m->p->place[v->id], val_bytes(v),
                                    true);

        if (!p || memcmp(p, m->value[v->id], (size_t)val_bytes(v)))
            return false;
    }
    return !m->fault;
}

/* Does the plan compute the network's outputs? */
static bool right(const Plan *good, const Plan *p, uint64_t seed)
{
    bool ok = true;
    int when;

    for (when = 0; when < NWHEN && ok; when++) {
        Machine m = {.mem = arena_new(), .p = p, .good = good};

        make_values(&m, seed);
        start_memory(&m, seed + 99);
        run_plan(&m, when);
        ok = outputs_right(&m);
        arena_end(m.mem);
    }
    return ok;
}

/* ---- changes ---- */

#include "test/lib/change.h"

static Step *some_step(Rng *r, Plan *p, StepKind kind)
{
    int i;

    do
        i = pick(r, p->nstep);
    while (p->step[i].kind != kind);
    return &p->step[i];
}

static Ref *some_ref(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, STEP_start);
    int i = pick(r, s->nin + s->nout + (s->tmp.buf >= 0));

    if (s->stage_bytes && !pick(r, 3))
        return &s->stage;
    return i < s->nin ? &s->in[i] : i < s->nin + s->nout
               ? &s->out[i - s->nin] : &s->tmp;
}

static void change_buf(Rng *r, Plan *p)
{
    Buf *b = &p->buf[pick(r, p->nbuf)];

    switch (pick(r, 4)) {
    case 0: b->addr = near(r, b->addr); break;
    case 1: b->addr = p->buf[pick(r, p->nbuf)].addr; break;
    case 2: b->mem = pick(r, p->soc->nmem); break;
    case 3: b->size = near(r, b->size); break;
    }
}

static void change_life(Rng *r, Plan *p)
{
    Buf *b = &p->buf[pick(r, p->nbuf)];

    if (pick(r, 2))
        b->from = (int)near(r, b->from);
    else
        b->to = (int)near(r, b->to);
}

static void change_kind(Rng *r, Plan *p)
{
    p->buf[pick(r, p->nbuf)].kind = (BufKind)pick(r, 4);
}

static void swap_operands(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, STEP_start);
    int i = pick(r, s->nin), j = pick(r, s->nin);
    Ref t = s->in[i];

    s->in[i] = s->in[j];
    s->in[j] = t;
}

static void change_bytes(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, STEP_start);
    int64_t *v = pick(r, 2) ? &s->in_bytes[pick(r, s->nin)]
                            : &s->out_bytes[pick(r, s->nout)];

    *v = near(r, *v);
}

static void swap_steps(Rng *r, Plan *p)
{
    int i = pick(r, p->nstep), j = pick(r, 2) ? pick(r, p->nstep)
                                             : MIN(i + 1, p->nstep - 1);
    Step t = p->step[i];

    p->step[i] = p->step[j];
    p->step[j] = t;
}

static void drop_step(Rng *r, Plan *p)
{
    int i = pick(r, p->nstep);

    memmove(&p->step[i], &p->step[i + 1],
            (size_t)(p->nstep - i - 1) * sizeof *p->step);
    p->nstep--;
}

static void drop_wait(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, STEP_wait);

    memmove(s, s + 1, (size_t)(p->step + p->nstep - s - 1) * sizeof *s);
    p->nstep--;
}

/* Two steps are started before the first is waited for. */
static void wait_later(Rng *r, Plan *p)
{
    int i = pick(r, p->nstep - 1);
    Step t = p->step[i];

    if (t.kind == STEP_wait) {
        p->step[i] = p->step[i + 1];
        p->step[i + 1] = t;
    }
}

static void change_node(Rng *r, Plan *p)
{
    Step *a = some_step(r, p, STEP_start), *b = some_step(r, p, STEP_start);

    a->node = b->node;
    a->part = b->part;
}

static void change_dims(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, STEP_start);
    int n = dims_of(s->node->op)->size / 4;

    ((uint32_t *)&s->dims)[pick(r, n)] += pick(r, 2) ? 1 : UINT32_MAX;
}

static const struct Change {
    const char *name;
    void (*make)(Rng *r, Plan *p);
} changes[] = {
    {"buffer", change_buf}, {"life", change_life}, {"kind", change_kind},
    {"offset", change_off}, {"ref", change_ref}, {"other ref", take_ref},
    {"operands", swap_operands}, {"bytes", change_bytes},
    {"order", swap_steps}, {"no step", drop_step}, {"no wait", drop_wait},
    {"twice", double_step}, {"late wait", wait_later},
    {"token", change_token}, {"node", change_node}, {"dims", change_dims},
    {"place", change_place},
};

static int nmeant[LEN(changes)], nmade[LEN(changes)], failed;

static void try_change(const Plan *good, uint64_t seed, int nth)
{
    Arena *mem = arena_new();
    Rng r = {seed * 1000 + (uint64_t)nth};
    int c = pick(&r, LEN(changes)), twice = !pick(&r, 5);
    Plan p = copy_plan(mem, good);
    bool other;

    changes[c].make(&r, &p);
    if (twice && p.nstep > 2)
        changes[pick(&r, LEN(changes))].make(&r, &p);
    other = !right(good, &p, seed);
    nmade[c]++;
    nmeant[c] += other;
    if (other && !verify_steps(mem, &p)) {
        printf("seed %llu, change %d (%s%s): another meaning, but accepted\n",
               (unsigned long long)seed, nth, changes[c].name,
               twice ? " and more" : "");
        failed++;
    }
    arena_end(mem);
}

static const char *file; /* of a graph; NULL: random ones */

static Graph *some_graph(Arena *mem, uint64_t seed)
{
    size_t n;

    return file ? graph_parse(mem, "net", file_read(mem, file, &n))
                : random_graph(mem, seed, 3 + (int)(seed % 14));
}

static void try_plan(const char *target, uint64_t seed, int nchange)
{
    Arena *mem = arena_new();
    PlanOpts o = {.host_isa = ""};
    const char *bad;
    Plan *p;
    int i;

    for (i = 0; i < 16; i++)
        o.limit[i] = -1;
    p = plan_make(mem, some_graph(mem, seed), soc_read(mem, target), &o);
    bad = verify_plan(mem, p);
    if (bad || !right(p, p, seed)) {
        printf("seed %llu: the plan itself: %s\n", (unsigned long long)seed,
               bad ? bad : "accepted, but computes something else");
        failed++;
    }
    for (i = 0; i < nchange && p->nstep > 2; i++)
        try_change(p, seed, i);
    arena_end(mem);
}

int main(int argc, char **argv)
{
    int i, count, made = 0, meant = 0;
    uint64_t seed;

    if (argc != 4 && argc != 5)
        return 2;
    file = argv[4];
    seed = strtoull(argv[2], NULL, 0);
    count = atoi(argv[3]);
    for (i = 0; i < count; i++)
        try_plan(argv[1], seed + (uint64_t)i, 60);
    for (i = 0; i < (int)LEN(changes); i++) {
        made += nmade[i];
        meant += nmeant[i];
        if (count > 20 && !file && !nmeant[i] && strcmp(changes[i].name, "life")) {
            printf("no change of %s ever meant anything\n", changes[i].name);
            failed++;
        }
    }
    printf("%s: %d plans from seed %s, %d changes, %d change the meaning, "
           "%d wrong\n", argv[1], count, argv[2], made, meant, failed);
    return failed != 0;
}
