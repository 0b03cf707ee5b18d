/* moves SEED COUNT CHANGES: does verify reject every tiled plan that means
 * another thing?
 *
 * Random networks (tiles.h) get plans: of the planner in little memory, and
 * naive ones (naive.h), whose tiles, slots, fused layers and order are drawn.
 * What a plan means is found by running it on bytes: transfers copy, kernels
 * are the plain ones, told what the plan's are told, on just the bytes that
 * the plan gives them.  Everything is run three times: steps done when they
 * start; done when they are waited for; and read at the start, written at the
 * wait.  Jobs of one accelerator are done in their order.  A plan as made must
 * be accepted and compute what the evaluator does, which tests ir/tile.c too.
 * Then it is changed at a random place; if its outputs are then others in one of
 * these runs, or an engine is asked for what it cannot do, it must be
 * rejected. */
#include "test/lib/tiles.h"
#include "test/lib/naive.h"
#include "pass/pass.h"
#include "test/lib/plain.h"

#include <setjmp.h>
#include <stdlib.h>

enum { AT_START, AT_WAIT, ACROSS, NWHEN };
enum { MEMO = 1 << 13 };

/* What a step does to memory: bytes, and which of them. */
typedef struct Effect {
    unsigned char *to, *byte, *mask; /* mask NULL: all, in rows */
    int64_t n, row, rows, stride;
} Effect;

typedef struct Known { /* what a kernel made of certain bytes */
    uint64_t key;
    unsigned char *byte, *mask;
    bool beyond;
} Known;

typedef struct Machine {
    Arena *mem;
    const Plan *p, *good;
    unsigned char *ram[16], *rom[16];
    Effect *late;   /* by step: done at its wait, */
    bool *over;     /* or before, with the next job of its accelerator */
    Known *memo;
    const char *fault;
} Machine;

static bool fault(Machine *m, const char *why)
{
    if (!m->fault)
        m->fault = why;
    return false;
}

/* ---- places ---- */

static int level_of(const Machine *m, Ref r)
{
    return m->p->soc->mems[m->p->buf[r.buf].mem].level;
}

static unsigned char *bytes_at(Machine *m, Ref r, int64_t n, bool write)
{
    const char *why = place_fault(m->p, m->good, r, n, write);
    const Buf *b;

    if (why)
        return fault(m, why), NULL;
    b = &m->p->buf[r.buf];
    return (b->kind == BUF_const ? m->rom : m->ram)[b->mem] + b->addr + r.off;
}

static bool reachable(Machine *m, Ref r, int size)
{
    const Buf *b = &m->p->buf[r.buf];

    if (!m->p->soc->mems[b->mem].mapped)
        return fault(m, "no core reaches it");
    return (b->addr + r.off) % size == 0 || fault(m, "not aligned");
}

/* ---- kernels ---- */

static uint64_t stir(uint64_t h, const void *from, int64_t n)
{
    const unsigned char *p = from;

    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;

        memcpy(&w, p, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    while (n-- > 0)
        h = (h ^ *p++) * 0x100000001b3u;
    return h ^ h >> 31;
}

static char letter(const Val *v)
{
    return !v ? 'n' : v->type == T_f32 ? 'f' : 'i';
}

typedef struct Plain {
    const Kern *kern;
    const EvalRow *row;
} Plain;

static bool row_takes(const EvalRow *r, const KernSig *s, const Node *n)
{
    int i;

    for (i = 0; i < s->narg; i++)
        if (i < n->narg && n->arg[i] && r->types[i] != letter(n->arg[i]))
            return false;
    return r->types[s->narg] == letter(n->res[0]);
}

/* The plain kernel of a node, in wide types. */
static Plain plain_of(const Node *n)
{
    static Kern **list;
    static int count;
    Plain c = {NULL, NULL};
    int i;

    if (!list)
        list = kern_load(arena_new(), NULL, &count);
    for (i = 0; i < count; i++) {
        const KernSig *s = kern_takes(list[i], n);

        if (!s || !str_starts(list[i]->path, "kern/ref/"))
            continue;
        c.kern = list[i];
        for (c.row = eval_rows; c.row->kern; c.row++)
            if (!strcmp(c.row->kern, c.kern->name) && row_takes(c.row, s, n))
                return c;
    }
    die("no plain kernel for %s", op_info[n->op].name);
}

/* Elements of junk before and behind each operand: as far as a kernel may
 * stray that is told what another node's is, or whose loops are one turn longer,
 * or step one further. */
static int64_t guard;

static int64_t operands_count(const Node *n)
{
    int64_t sum = val_count(n->res[0]);
    int i;

    for (i = 0; i < n->narg; i++)
        sum += n->arg[i] ? val_count(n->arg[i]) : 0;
    return sum;
}

static void set_guard(const Node *n)
{
    while (n->prev)
        n = n->prev;
    for (guard = 0; n; n = n->next)
        guard = MAX(guard, operands_count(n));
    guard += 8192;
}

/* Elements, 64 bits wide, with junk before and behind. */
static void *widened(Type t, const unsigned char *from, int64_t n)
{
    Val v = {.type = t, .data = (void *)(uintptr_t)from};
    int64_t *w = malloc((size_t)(n + 2 * guard) * 8), i;

    if (!w)
        die("no memory");
    for (i = 0; i < guard; i++)
        w[i] = w[guard + n + i] = 0x123457 * i;
    if (t == T_f32) {
        memcpy((float *)w + 2 * guard, from, (size_t)n * 4);
        return w;
    }
    for (i = 0; i < n; i++)
        w[guard + i] = val_int(&v, i);
    return w;
}

static void *inside(void *w)
{
    return w ? (int64_t *)w + guard : NULL;
}

enum { FRESH = 0x7e };

/* What the kernel wrote, as native bytes. */
static void take_result(const Step *s, const unsigned char *w, Known *k)
{
    int eb = type_info[s->out_type[0]].bytes;
    int wb = s->out_type[0] == T_f32 ? 4 : 8, b;
    int64_t n = s->out_bytes[0] / eb, i, lo = -guard, hi = n + guard;
    Val v = {.type = s->out_type[0], .data = k->byte};

    for (i = lo; i < hi; i++) {
        const unsigned char *e = w + i * wb;

        for (b = 0; b < wb && e[b] == FRESH; b++)
            ;
        if (b == wb)
            continue;
        if (i < 0 || i >= n) {
            k->beyond = true;
            continue;
        }
        memset(k->mask + i * eb, 1, (size_t)eb);
        if (wb == 4)
            memcpy(k->byte + i * eb, e, 4);
        else
            val_set(&v, i, *(const int64_t *)(const void *)e);
    }
}

static void call(const Step *s, const Node *view, const Plain *c,
                 unsigned char *const *in, Known *k)
{
    struct io io = {.ncore = 1};
    int64_t n = s->out_bytes[0] / type_info[s->out_type[0]].bytes;
    void *block[NARG] = {NULL};
    unsigned char *out;
    size_t wide;
    int i;

    set_guard(s->node);
    wide = (size_t)(n + 2 * guard) * 8;
    out = malloc(wide);

    if (!out)
        die("no memory");
    memset(out, FRESH, wide);
    for (i = 0; i < s->nin; i++)
        if (in[i])
            block[i] = widened(view->arg[i]->type, in[i],
                               s->in_bytes[i] /
                               type_info[view->arg[i]->type].bytes);
    for (i = 0; i < s->nin; i++)
        io.in[i] = inside(block[i]);
    io.out[0] = inside(out);
    io.tmp = calloc((size_t)n + 2 * guard, 8);
    c->row->run(&s->dims, &io);
    take_result(s, inside(out), k);
    for (i = 0; i < s->nin; i++)
        free(block[i]);
    free(io.tmp);
    free(out);
}

/* A table's kernel goes wherever indices say. */
static bool indices_ok(const Step *s, const Node *view,
                       unsigned char *const *in)
{
    const struct gather_dims *d = &s->dims.gather;
    Val v;
    int64_t i, n;

    if (op_info[view->op].family != FAM_gather)
        return true;
    v = (Val){.type = view->arg[1]->type, .data = in[1]};
    n = s->in_bytes[1] / type_info[v.type].bytes;
    for (i = 0; i < n && i < d->n; i++)
        if (val_int(&v, i) < -d->len || val_int(&v, i) >= d->len)
            return false;
    return d->n <= n;
}

/* Not what no kernel could do: divide by 0, shift by more than there is. */
static bool told_sense(const Step *s)
{
    const DimsInfo *d = dims_of(s->node->op);
    const int32_t *v = (const int32_t *)(const void *)&s->dims;
    int i;

    if (op_info[s->node->op].family == FAM_reduce && !s->dims.reduce.count)
        return false;
    for (i = 0; i < d->nfield; i++)
        if (!strcmp(d->field[i].name, "shift"))
            return v[d->field[i].offset / 4] >= 0 &&
                   v[d->field[i].offset / 4] < 63;
    return true;
}

/* Does a result lie on an operand whose kernel does not allow that? */
static bool spoils(const Step *s, unsigned char *const *in,
                   const unsigned char *out, const Known *k)
{
    char words[256], *w;
    int64_t j;
    int i;

    for (i = 0; i < s->nin; i++) {
        if (!in[i] || in[i] + s->in_bytes[i] <= out ||
            out + s->out_bytes[0] <= in[i])
            continue;
        snprintf(words, sizeof words, "%s", s->kern->inplace
                 ? s->kern->inplace : "");
        for (w = strtok(words, " "); w; w = strtok(NULL, " "))
            if (!strcmp(w, s->sig->arg[i].operand))
                break;
        for (j = 0; j < s->out_bytes[0] && !w; j++)
            if (k->mask[j] && out + j >= in[i] &&
                out + j < in[i] + s->in_bytes[i])
                return true;
    }
    return false;
}

static Known *recall(Machine *m, const Step *s, const Node *view,
                     unsigned char *const *in)
{
    uint64_t key = stir((uint64_t)s->node->id * 99 + (uint64_t)s->part,
                        &s->dims, dims_of(s->node->op)->size);
    Known *k;
    Plain c;
    int i;

    for (i = 0; i < s->nin; i++)
        if (in[i])
            key = stir(key + (uint64_t)(i + s->in_bytes[i]), in[i],
                       s->in_bytes[i]);
    key = stir(key, &s->out_bytes[0], 8);
    k = &m->memo[key % MEMO];
    if (k->key == key)
        return k;
    free(k->byte);
    free(k->mask);
    *k = (Known){.key = key,
                 .byte = calloc((size_t)s->out_bytes[0] + 8, 1),
                 .mask = calloc((size_t)s->out_bytes[0] + 8, 1)};
    c = plain_of(view);
    call(s, view, &c, in, k);
    return k;
}

static bool gather_operands(Machine *m, const Step *s, const Node *view,
                            unsigned char **in)
{
    int i;

    for (i = 0; i < s->nin; i++) {
        const Val *v = view->arg[i];

        in[i] = NULL;
        if (!v)
            continue;
        if (!(in[i] = bytes_at(m, s->in[i], s->in_bytes[i], false)) ||
            !reachable(m, s->in[i], type_info[v->type].bytes))
            return false;
    }
    return true;
}

/* The scratch is all junk before and after. */
static bool use_scratch(Machine *m, const Step *s, const Node *view)
{
    unsigned char *tmp;
    Node seen = *s->tile;

    seen.narg = view->narg;
    seen.arg = s->node->op == OP_concat ? view->arg : s->tile->arg;
    if (s->kern->scratch &&
        s->tmp_bytes / s->ncore < kern_expr(s->kern, s->kern->scratch, &seen,
                                            &s->dims))
        return fault(m, "too little scratch");
    if (s->tmp.buf < 0)
        return true;
    tmp = bytes_at(m, s->tmp, s->tmp_bytes, true);
    if (tmp)
        memset(tmp, 0x5a, (size_t)s->tmp_bytes);
    return tmp != NULL && reachable(m, s->tmp, 8);
}

/* Accelerators work where they reach; a single number is read by who begins
 * their job. */
static bool job_reaches(Machine *m, const Step *s)
{
    const unsigned reach = m->p->soc->engine[s->engine].reach;
    const Buf *b = m->p->buf;
    int i;

    for (i = 0; i < s->nin && s->engine != ENG_cores; i++)
        if (s->in[i].buf >= 0 && !(reach >> b[s->in[i].buf].mem & 1) &&
            (s->in_bytes[i] > 4 || b[s->in[i].buf].kind != BUF_const))
            return false;
    return s->engine == ENG_cores || reach >> b[s->out[0].buf].mem & 1;
}

static bool run_kernel(Machine *m, const Step *s, Effect *e)
{
    unsigned char *in[NARG], *out;
    Node view = *s->node;
    Known *k;

    if (s->node->op == OP_concat) {
        view.narg = 1;
        view.arg += s->part;
    }
    if (!gather_operands(m, s, &view, in) || !use_scratch(m, s, &view) ||
        !(out = bytes_at(m, s->out[0], s->out_bytes[0], true)) ||
        !reachable(m, s->out[0], type_info[s->out_type[0]].bytes))
        return false;
    if (!told_sense(s) || !indices_ok(s, &view, in) || !job_reaches(m, s))
        return fault(m, "no such kernel");
    k = recall(m, s, &view, in);
    if (k->beyond || spoils(s, in, out, k))
        return fault(m, "writes where it may not");
    *e = (Effect){.to = out, .n = s->out_bytes[0]};
    e->byte = NEWN(m->mem, unsigned char, e->n + 1);
    e->mask = NEWN(m->mem, unsigned char, e->n + 1);
    memcpy(e->byte, k->byte, (size_t)e->n);
    memcpy(e->mask, k->mask, (size_t)e->n);
    return true;
}

/* ---- transfers ---- */

static bool run_move(Machine *m, const Step *s, Effect *e)
{
    const Move *v = &s->move;
    int64_t a = v->from_stride, b = v->to_stride, i;
    unsigned char *from, *to;
    int near;

    if (v->rows == 1)
        a = b = v->row;
    if (v->rows < 1 || v->row < 1 || a < 0 || b < 0)
        return fault(m, "a transfer of nothing");
    if (!(from = bytes_at(m, v->from, (v->rows - 1) * a + v->row, false)) ||
        !(to = bytes_at(m, v->to, (v->rows - 1) * b + v->row, true)))
        return false;
    near = MIN(level_of(m, v->from), level_of(m, v->to));
    if (level_of(m, v->from) + level_of(m, v->to) != 2 * near + 1 ||
        near != (s->engine == ENG_hops + 1 ? 2 : 1))
        return fault(m, "no such engine");
    if (v->rows > 1 && (level_of(m, v->from) == near ? a : b) != v->row)
        return fault(m, "gaps on the near side");
    if (v->rows > 1 && b < v->row)
        return fault(m, "rows upon rows");
    *e = (Effect){to, NEWN(m->mem, unsigned char, v->row * v->rows + 1), NULL,
                  0, v->row, v->rows, b};
    for (i = 0; i < v->rows; i++)
        memcpy(e->byte + i * v->row, from + i * a, (size_t)v->row);
    return true;
}

/* ---- a plan run ---- */

static void apply(const Effect *e)
{
    int64_t i;

    for (i = 0; i < e->n; i++)
        if (e->mask[i])
            e->to[i] = e->byte[i];
    for (i = 0; i < e->rows; i++)
        memcpy(e->to + i * e->stride, e->byte + i * e->row, (size_t)e->row);
}

static void begin(Machine *m, const Step *s, Effect *e)
{
    *e = (Effect){0};
    if (step_moves(m->p, s))
        run_move(m, s, e);
    else
        run_kernel(m, s, e);
}

static void end_step(Machine *m, int i, int when)
{
    if (when == AT_START || m->over[i])
        return;
    if (when == AT_WAIT)
        begin(m, &m->p->step[i], &m->late[i]);
    apply(&m->late[i]);
    m->over[i] = true;
}

/* Jobs of one accelerator run one after the other: those before step i are over
 * when it begins. */
static void end_jobs(Machine *m, int i, int when, const bool *open)
{
    const Step *s = m->p->step;
    int k;

    if (m->p->soc->engine[s[i].engine].kind != ENGINE_accel)
        return;
    for (k = 0; k < i; k++)
        if (open[k] && s[k].engine == s[i].engine)
            end_step(m, k, when);
}

/* The steps that a wait for this token ends. */
static void end_steps(Machine *m, int wait, int when, bool *open)
{
    const Step *s = m->p->step;
    bool some = false;
    int i;

    for (i = 0; i < wait && !m->fault; i++) {
        if (!open[i] || s[i].token != s[wait].token)
            continue;
        some = true;
        end_jobs(m, i, when, open);
        end_step(m, i, when);
        open[i] = false;
    }
    if (!some)
        fault(m, "a wait for nothing");
}

static void run_plan(Machine *m, int when)
{
    const Plan *p = m->p;
    bool *open = NEWN(m->mem, bool, p->nstep + 1);
    int i;

    m->late = NEWN(m->mem, Effect, p->nstep + 1);
    m->over = NEWN(m->mem, bool, p->nstep + 1);
    for (i = 0; i < p->nstep && !m->fault; i++) {
        if (p->step[i].kind == STEP_wait) {
            end_steps(m, i, when, open);
            continue;
        }
        if (when == ACROSS)
            end_jobs(m, i, when, open);
        open[i] = true;
        if (when != AT_WAIT)
            begin(m, &p->step[i], &m->late[i]);
        if (when == AT_START)
            apply(&m->late[i]);
    }
}

static void fill_memory(Machine *m, void *const *in)
{
    const Plan *p = m->p;
    Rng r = {77};
    const Val *v;
    int64_t k;
    int i;

    for (i = 0; i < p->soc->nmem; i++) {
        m->ram[i] = NEWN(m->mem, unsigned char, m->good->used[i] + 1);
        m->rom[i] = NEWN(m->mem, unsigned char, m->good->consts[i] + 1);
        for (k = 0; k < m->good->used[i]; k++)
            m->ram[i][k] = (unsigned char)rng(&r);
    }
    for (v = p->g->vals; v; v = v->next) {
        Ref at = p->place[v->id];

        if (v->def || at.buf < 0 || at.buf >= p->nbuf)
            continue;
        if (v->data) { /* laid down by the generator, not by a step */
            const Buf *b = &p->buf[at.buf];
            int64_t a = b->addr + at.off;

            if (b->kind == BUF_const && b->mem >= 0 &&
                b->mem < p->soc->nmem && a >= 0 &&
                a + val_bytes(v) <= m->good->consts[b->mem])
                memcpy(m->rom[b->mem] + a, v->data, (size_t)val_bytes(v));
            else
                fault(m, "a constant outside its memory");
        }
    }
    for (i = 0; i < p->g->nin; i++) {
        unsigned char *to = bytes_at(m, p->place[p->g->in[i]->id],
                                     val_bytes(p->g->in[i]), true);

        if (to)
            memcpy(to, in[i], (size_t)val_bytes(p->g->in[i]));
    }
}

static bool outputs_right(Machine *m, void *const *want)
{
    const Graph *g = m->p->g;
    int i;

    for (i = 0; i < g->nout && !m->fault; i++) {
        const Val *v = g->out[i];
        unsigned char *p = bytes_at(m, m->p->place[v->id], val_bytes(v),
                                    false);

        if (!p || memcmp(p, want[i], (size_t)val_bytes(v)))
            return fault(m, "other outputs");
    }
    return !m->fault;
}

/* NULL if the plan computes the network's outputs, else what is wrong. */
static const char *meaning(const Plan *good, const Plan *p, Known *memo,
                           void *const *in, void *const *want)
{
    const char *why = NULL;
    int when;

    for (when = 0; when < NWHEN && !why; when++) {
        Machine m = {.mem = arena_new(), .p = p, .good = good, .memo = memo};

        fill_memory(&m, in);
        run_plan(&m, when);
        outputs_right(&m, want);
        why = m.fault;
        arena_end(m.mem);
    }
    return why;
}

/* ---- changes ---- */

#include "test/lib/change.h"
#include "test/lib/records.h"

enum { KERNELS = 1, MOVES = 2 };

/* A start of a kernel or a transfer; NULL: there is none. */
static Step *some_step(Rng *r, Plan *p, int what)
{
    int i, from = pick(r, p->nstep);

    for (i = 0; i < p->nstep; i++) {
        Step *s = &p->step[(from + i) % p->nstep];

        if (s->kind == STEP_start &&
            what & (step_moves(p, s) ? MOVES : KERNELS))
            return s;
    }
    return NULL;
}

static Ref *some_ref(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS | MOVES);
    int i;

    if (step_moves(p, s))
        return pick(r, 2) ? &s->move.from : &s->move.to;
    i = pick(r, s->nin + 1 + (s->tmp.buf >= 0));
    return i < s->nin ? &s->in[i] : i == s->nin ? &s->out[0] : &s->tmp;
}

static void change_buf(Rng *r, Plan *p)
{
    Buf *b = &p->buf[pick(r, p->nbuf)];

    switch (pick(r, 5)) {
    case 0: b->addr = near(r, b->addr); break;
    case 1: b->addr = p->buf[pick(r, p->nbuf)].addr; break;
    case 2: b->mem = pick(r, p->soc->nmem); break;
    case 3: b->size = near(r, b->size); break;
    case 4: b->kind = (BufKind)pick(r, 4); break;
    }
}

/* A buffer dies early, or is born late, and another takes its place. */
static void change_life(Rng *r, Plan *p)
{
    Buf *b = &p->buf[pick(r, p->nbuf)], *c = &p->buf[pick(r, p->nbuf)];

    if (pick(r, 2))
        b->from += 1 + pick(r, 8);
    else
        b->to -= 1 + pick(r, 8);
    if (b->mem == c->mem && b->kind == c->kind)
        c->addr = b->addr;
}

static void slot_by_one(Rng *r, Plan *p)
{
    some_ref(r, p)->off += pick(r, 2) ? 1 : -1;
}

/* Ping for pong: the buffer of another step of the same layer. */
static void swap_slots(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS), *t;
    int i, from = pick(r, p->nstep);

    for (i = 0; s && i < p->nstep; i++) {
        t = &p->step[(from + i) % p->nstep];
        if (step_starts_kernel(p, t) &&
            t->layer == s->layer && t != s) {
            Ref *a = s->nin ? &s->in[pick(r, s->nin)] : &s->out[0];
            Ref *b = t->in + (a - s->in), was = *a;

            *a = *b;
            *b = was;
            return;
        }
    }
}

static void swap_operands(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS);
    int i, j;
    Ref t;

    if (!s)
        return;
    i = pick(r, s->nin);
    j = pick(r, s->nin);
    t = s->in[i];
    s->in[i] = s->in[j];
    s->in[j] = t;
}

static void swap_steps(Rng *r, Plan *p)
{
    int i = pick(r, p->nstep), next = i + 1 + pick(r, 3);
    int j = pick(r, 3) ? MIN(next, p->nstep - 1) : pick(r, p->nstep);
    Step t = p->step[i];

    p->step[i] = p->step[j];
    p->step[j] = t;
}

static void remove_step(Plan *p, Step *s)
{
    memmove(s, s + 1, (size_t)(p->step + p->nstep - s - 1) * sizeof *s);
    p->nstep--;
}

static void drop_step(Rng *r, Plan *p)
{
    remove_step(p, &p->step[pick(r, p->nstep)]);
}

/* A transfer or a kernel, and its wait. */
static void drop_both(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, pick(r, 3) ? MOVES : KERNELS), *t;

    for (t = s; s && t < p->step + p->nstep; t++)
        if (t->kind == STEP_wait && t->token == s->token) {
            remove_step(p, t);
            remove_step(p, s);
            return;
        }
}

/* A wait comes later, or a start earlier. */
static void shift_step(Rng *r, Plan *p)
{
    int i = pick(r, p->nstep), n = 1 + pick(r, 6);
    int way = p->step[i].kind == STEP_wait ? 1 : -1;
    Step t = p->step[i];

    for (; n && i + way >= 0 && i + way < p->nstep; n--, i += way)
        p->step[i] = p->step[i + way];
    p->step[i] = t;
}

static void change_move(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, MOVES);
    Move *m;

    if (!s)
        return;
    m = &s->move;
    switch (pick(r, 6)) {
    case 0: m->row = near(r, m->row); break;
    case 1: m->rows = near(r, m->rows); break;
    case 2: m->from_stride = near(r, m->from_stride); break;
    case 3: m->to_stride = near(r, m->to_stride); break;
    case 4: m->rows += pick(r, 2) ? 1 : -1; break;
    case 5:
        m->row += pick(r, 2) ? 1 : -1;
        if (pick(r, 2))
            m->to_stride = m->row;
        break;
    }
}

static void take_move(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, MOVES), *t = some_step(r, p, MOVES);

    if (s)
        s->move = t->move;
}

static void change_engine(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, MOVES);

    if (s)
        s->engine = 2 * ENG_hops + 1 - s->engine;
}

static void change_dims(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS);

    if (s)
        ((uint32_t *)&s->dims)[pick(r, dims_of(s->node->op)->size / 4)] +=
            pick(r, 2) ? 1 : UINT32_MAX;
}

/* What another tile is told. */
static void take_dims(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS), *t = some_step(r, p, KERNELS);

    if (s && s->node == t->node)
        s->dims = t->dims;
}

static void change_piece(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS);
    Piece *q;

    if (!s)
        return;
    q = pick(r, 2) ? &s->out_piece[0] : &s->in_piece[pick(r, s->nin)];
    switch (pick(r, 4)) {
    case 0: q->off = near(r, q->off); break;
    case 1: q->row = near(r, q->row); break;
    case 2: q->rows = near(r, q->rows); break;
    case 3: q->stride = near(r, q->stride); break;
    }
}

static void change_bytes(Rng *r, Plan *p)
{
    Step *s = some_step(r, p, KERNELS);
    int64_t *n;

    if (!s)
        return;
    n = pick(r, 3) == 0 ? &s->tmp_bytes : pick(r, 2)
            ? &s->in_bytes[pick(r, s->nin)] : &s->out_bytes[0];
    *n = near(r, *n);
}

static const struct Change {
    const char *name;
    void (*make)(Rng *r, Plan *p);
} changes[] = {
    {"buffer", change_buf}, {"life", change_life}, {"offset", change_off},
    {"by one", slot_by_one}, {"ref", change_ref}, {"other ref", take_ref},
    {"slots", swap_slots}, {"operands", swap_operands},
    {"order", swap_steps}, {"no step", drop_step}, {"neither", drop_both},
    {"shift", shift_step}, {"twice", double_step}, {"token", change_token},
    {"transfer", change_move}, {"other transfer", take_move},
    {"engine", change_engine}, {"dims", change_dims},
    {"other dims", take_dims}, {"piece", change_piece},
    {"bytes", change_bytes}, {"place", change_place},
};

static int nmeant[LEN(changes)], nmade[LEN(changes)], nkept, failed;
static int rmeant[LEN(record_changes)], rmade[LEN(record_changes)], rkept;
static int nplan[2], nmove, nkernel, njob, nfused, nspilled, nends;

typedef struct Case {
    uint64_t seed;
    const char *kind;
    const Plan *p;
    void *const *in, *const *want;
    Known *memo;
} Case;

static void try_change(const Case *k, int nth)
{
    Arena *mem = arena_new();
    Rng r = {k->seed * 1000 + (uint64_t)nth};
    int c = pick(&r, LEN(changes)), twice = !pick(&r, 6);
    Plan p = copy_plan(mem, k->p);
    const char *why, *bad;

    changes[c].make(&r, &p);
    if (twice && p.nstep > 2)
        changes[pick(&r, LEN(changes))].make(&r, &p);
    bad = verify_steps(mem, &p);
    nmade[c]++;
    nkept += !bad;
    why = meaning(k->p, &p, k->memo, k->in, k->want);
    nmeant[c] += why != NULL;
    if (why && !bad) {
        printf("seed %llu, %s plan, change %d (%s%s): %s, but accepted\n",
               (unsigned long long)k->seed, k->kind, nth, changes[c].name,
               twice ? " and more" : "", why);
        failed++;
    }
    arena_end(mem);
}

/* The program is what runs: no change of it that means another thing may be
 * accepted. */
static const char *program_meaning(Arena *mem, const Case *k, const Plan *p)
{
    const char *why;
    Plan runs = records_expand(mem, p, &why);

    return why ? why : meaning(k->p, &runs, k->memo, k->in, k->want);
}

static void try_record_change(const Case *k, int nth)
{
    Arena *mem = arena_new();
    Rng r = {k->seed * 1000 + (uint64_t)nth};
    int c = pick(&r, LEN(record_changes)), twice = !pick(&r, 6);
    Plan p = *k->p;
    const char *why, *bad;

    p.program = copy_program(mem, p.program);
    record_changes[c].make(&r, p.program);
    if (twice && p.program->nitem > 1)
        record_changes[pick(&r, LEN(record_changes))].make(&r, p.program);
    place_layers(p.program);
    bad = verify_plan(mem, &p);
    why = program_meaning(mem, k, &p);
    rmade[c]++;
    rkept += !bad;
    rmeant[c] += why != NULL;
    if (why && !bad) {
        printf("seed %llu, %s program, change %d (%s%s): %s, but accepted\n",
               (unsigned long long)k->seed, k->kind, nth,
               record_changes[c].name, twice ? " and more" : "", why);
        failed++;
    }
    arena_end(mem);
}

static bool goes_out(const Plan *p, const Step *s)
{
    return s->engine == ENG_hops + 1 &&
           !p->soc->mems[p->buf[s->move.to.buf].mem].mapped;
}

static void count_plan(const Plan *p)
{
    const Node *n;
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start) {
            ++*(step_moves(p, &p->step[i]) ? &nmove
                : p->step[i].engine ? &njob : &nkernel);
            nspilled += goes_out(p, &p->step[i]);
        }
    for (i = 0; i < p->nbuf; i++)
        nends += (p->buf[i].kind == BUF_input ||
                  p->buf[i].kind == BUF_output) &&
                 !p->soc->mems[p->buf[i].mem].mapped;
    for (n = p->g->first; n; n = n->next)
        nfused += p->place[n->res[0]->id].buf < 0 && n->res[0]->nuse;
}

static void try_plan(Arena *mem, const Plan *p, uint64_t seed, bool naive,
                     void *const *in, void *const *want, int nchange)
{
    Case k = {seed, naive ? "naive" : "planner's", p, in, want,
              calloc(MEMO, sizeof(Known))};
    const char *bad = naive ? verify_steps(mem, p) : verify_plan(mem, p), *why;
    int i;

    why = meaning(p, p, k.memo, in, want);
    if (!why && !bad && !naive)
        why = program_meaning(mem, &k, p);
    if (bad || why) {
        printf("seed %llu, %s plan: verify: %s; run: %s\n",
               (unsigned long long)seed, k.kind, bad ? bad : "sound",
               why ? why : "right");
        failed++;
    }
    nplan[naive]++;
    count_plan(p);
    for (i = 0; i < nchange && !bad && p->nstep > 2; i++)
        try_change(&k, i);
    for (i = 0; i < nchange && !bad && !naive && p->nlayer; i++)
        try_record_change(&k, i);
    for (i = 0; i < MEMO; i++) {
        free(k.memo[i].byte);
        free(k.memo[i].mask);
    }
    free(k.memo);
}

/* ---- networks ---- */

static jmp_buf stopped;

static void stop(const Trouble *t)
{
    longjmp(stopped, t->status);
}

static const Val *shown_by(const Val *v)
{
    while (v->def && v->def->op == OP_reshape)
        v = v->def->arg[0];
    return v;
}

/* Naive plans have no copies of outputs that lie where others do. */
static bool outputs_apart(const Graph *g)
{
    int i, j;

    for (i = 0; i < g->nout; i++) {
        if (!shown_by(g->out[i])->def)
            return false;
        for (j = 0; j < i; j++)
            if (shown_by(g->out[i]) == shown_by(g->out[j]))
                return false;
    }
    return true;
}

/* A chain of convolutions and pools, such as may be fused. */
static Graph *draw_chain(Arena *a, Rng *r, int size)
{
    Draw d = {.g = graph_new(a, "chain"), .r = r};
    int c = between(r, 1, 12), h = between(r, 6, 24), w = between(r, 6, 24);
    Type t = pick(r, 2) ? T_s8 : T_u8;
    int i;

    d.g->exact = true;
    d.val[0] = graph_val(d.g, NULL, t, shape4(1, c, h, w));
    graph_input(d.g, d.val[0]);
    for (i = 0; i < size; i++) {
        d.nval = 1;
        (pick(r, 3) ? draw_conv : draw_pool)(&d);
        d.val[0] = d.val[d.nval - 1];
    }
    if (!d.val[0]->def)
        return NULL;
    graph_output(d.g, d.val[0]);
    graph_sweep(d.g);
    return d.g;
}

static void **draw_arrays(Arena *a, const Graph *g, Rng *r)
{
    void **in = NEWN(a, void *, g->nin);
    int64_t j;
    int i;

    for (i = 0; i < g->nin; i++) {
        in[i] = arena_get(a, (size_t)val_bytes(g->in[i]), 1);
        for (j = 0; j < val_bytes(g->in[i]); j++)
            ((unsigned char *)in[i])[j] = (unsigned char)rng(r);
    }
    return in;
}

/* more: bytes of L2 beside what is drawn. */
static Plan *planners(Arena *a, Graph *g, Soc *soc, Rng *r, int64_t more)
{
    int l2 = (int)(soc_mem(soc, "L2") - soc->mems);
    PlanOpts o;

    memset(&o, 0, sizeof o);
    memset(o.limit, 0xff, sizeof o.limit);
    o.limit[soc_mem(soc, "L1") - soc->mems] = 4000 + pick(r, 30000);
    if (pick(r, 2)) /* constants behind it, or values too */
        o.limit[l2] = more + (pick(r, 2) ? 1000 + pick(r, 9000)
                                         : 8000 + pick(r, 90000));
    if (!pick(r, 4))
        soc->ncore = between(r, 1, 8);
    o.fuse_always = pick(r, 2);
    if (!strcmp(soc->name, "toy"))
        o.kernels = "test/verify/toy";
    return plan_make(a, g, soc, &o);
}

/* In the least L2, if there is too little; NULL: it does not fit. */
static const Plan *make_plan(Arena *a, Graph *g, Soc *soc, Rng *r, bool naive)
{
    int64_t *missing = &plan_missing[soc_mem(soc, "L2") - soc->mems];
    volatile int64_t more = 0;
    const Rng was = *r;

    *missing = 0;
    if (setjmp(stopped)) {
        if (naive || more || !*missing)
            return NULL;
        more = *missing;
        *r = was;
    }
    if (!naive)
        return planners(a, g, soc, r, more);
    return outputs_apart(g) ? naive_plan(a, g, soc, r) : NULL;
}

/* Small networks: what is changed is run many times. */
static void try_network(uint64_t seed, bool naive, int nchange)
{
    Arena *a = arena_new();
    Rng r = {seed * 2 + 1};
    int size = between(&r, 1, 7);
    Graph *g = naive && pick(&r, 2) ? draw_chain(a, &r, size)
                                    : draw_network(a, &r, size);
    const char *chip = pick(&r, 2) ? "gap8" : "siracusa";
    Soc *soc = soc_read(a, naive || pick(&r, 2)
                               ? chip : "test/verify/toy/toy.soc");
    void **in, **want;
    const Plan *p;
    Eval *e;
    int i;

    if (!g)
        return;
    pass_all(g, NULL, NULL);
    graph_uses(g);
    graph_number(g);
    p = make_plan(a, g, soc, &r, naive);
    if (p) {
        in = draw_arrays(a, g, &r);
        e = graph_eval(a, g, in);
        want = NEWN(a, void *, g->nout);
        for (i = 0; i < g->nout; i++)
            want[i] = e->data[g->out[i]->id];
        try_plan(a, p, seed, naive, in, want, nchange);
    }
    arena_end(a);
}

int main(int argc, char **argv)
{
    int i, made = 0, meant = 0, rall = 0, rother = 0, count;
    uint64_t seed;

    if (argc != 4)
        return 2;
    seed = strtoull(argv[1], NULL, 0);
    count = atoi(argv[2]);
    err_hook = stop;
    setenv("TILEWRIGHT_TILE", "1", 1);
    for (i = 0; i < count; i++)
        try_network(seed + (uint64_t)i, i & 1, atoi(argv[3]));
    for (i = 0; i < (int)LEN(changes); i++) {
        made += nmade[i];
        meant += nmeant[i];
        if (getenv("VERBOSE"))
            printf("%-16s %5d made, %5d mean another thing\n",
                   changes[i].name, nmade[i], nmeant[i]);
        if (made > 3000 && !nmeant[i]) {
            printf("no change of %s ever meant anything\n", changes[i].name);
            failed++;
        }
    }
    for (i = 0; i < (int)LEN(record_changes); i++) {
        rall += rmade[i];
        rother += rmeant[i];
        if (getenv("VERBOSE"))
            printf("%-16s %5d made, %5d mean another thing\n",
                   record_changes[i].name, rmade[i], rmeant[i]);
        if (rall > 3000 && !rmeant[i]) {
            printf("no change of %s ever meant anything\n",
                   record_changes[i].name);
            failed++;
        }
    }
    printf("%d changes of programs, %d change the meaning, %d rejected\n",
           rall, rother, rall - rkept);
    printf("%d plans of the planner and %d naive ones from seed %s, %d tiles, "
           "%d jobs of an accelerator, %d transfers, %d of them to L3, %d inputs and outputs there, %d "
           "values fused; %d changes, %d change the meaning, %d rejected; %d "
           "wrong\n", nplan[0], nplan[1], argv[1], nkernel, njob, nmove, nspilled,
           nends, nfused, made, meant, made - nkept, failed);
    return failed || !nplan[0] || !nplan[1] || !nspilled || !nends || !njob;
}
