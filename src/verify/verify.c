/* Proves a plan by running its program on symbols (run.c).
 *
 * Every byte of every value has a number (value.c), and memory is the numbers
 * of the bytes it holds (space.c).  A transfer moves numbers; all that it moves
 * must be known.  A kernel must find in its operands' places the very bytes
 * that the part of its node which it computes reads (part.c), by what it is
 * told; then its result's places hold that part of the result.  At the end the
 * outputs' places must hold the outputs.  So whatever order, tiles, slots and
 * places a plan has: what arrives is what the network means.
 *
 * What runs is proved, not what was planned: records in the order in which the
 * cores execute them, loops turned, addresses as the records have them, each
 * kernel with the dims of its page.  Between the start of a kernel or transfer
 * and the point where it is surely over, nothing may write what it reads or
 * writes, nor read what it writes: so engines may finish in any order.  Jobs of
 * one accelerator run one after the other: what one writes the next may read.
 * Engines do what they can: one between two neighbouring memories, near side dense;
 * kernels in memory that has addresses.
 *
 * Each byte of a value that has a home is computed once.  Of one that has none,
 * an intermediate of a chain that exists in tiles alone, what nobody reads need
 * not be computed, and the rest may be computed again where that is cheaper
 * than keeping it.  A place may be written any number of times, by whatever: if
 * that came too early, a later reader finds it out.
 *
 * Beside that: every place lies in its buffer, every buffer in its memory,
 * aligned, and no two that live together overlap. */
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

bool wrong(Check *c, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    if (c->bad)
        return false;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->bad = arena_str(c->mem, text);
    return false;
}

/* ---- buffers ---- */

int space_of(const Plan *p, int buf)
{
    const Buf *b = &p->buf[buf];

    return b->mem + (b->kind == BUF_const ? SPACES / 2 : 0);
}

int64_t addr_of(const Plan *p, Ref r)
{
    return p->buf[r.buf].addr + r.off;
}

/* By cores, or by an engine. */
static bool is_reached(const Plan *p, int mem)
{
    int i;

    for (i = 0; i < p->soc->nengine && p->soc->engine[i].far != mem; i++)
        ;
    return p->soc->mems[mem].mapped || i < p->soc->nengine;
}

static bool check_life(Check *c, const Buf *b)
{
    const Plan *p = c->p;

    if (b->from > b->to || b->from < -1 || b->to > p->nstep)
        return wrong(c, "buffer %s lives from %d to %d", b->name, b->from,
                     b->to);
    if (b->kind != BUF_const && b->kind != BUF_temp &&
        !is_reached(p, b->mem))
        return wrong(c, "%s is where the user's code cannot reach it",
                     b->name);
    return true;
}

static bool check_buf(Check *c, const Buf *b)
{
    const Plan *p = c->p;
    const Mem *m;
    bool konst = b->kind == BUF_const;

    if (b->mem < 0 || b->mem >= p->soc->nmem)
        return wrong(c, "buffer %s is in no memory", b->name);
    m = &p->soc->mems[b->mem];
    if (!(m->holds & (konst ? HOLDS_weights : HOLDS_buffers)))
        return wrong(c, "%s may not be in memory %s", b->name, m->name);
    if (b->size < 0 || b->addr < 0 || b->addr > INT64_MAX / 2 - b->size ||
        b->addr + b->size > (konst ? p->consts : p->used)[b->mem])
        return wrong(c, "buffer %s leaves its part of memory %s", b->name,
                     m->name);
    if (b->align < m->align || b->addr % b->align)
        return wrong(c, "buffer %s at %lld is not aligned to %d", b->name,
                     (long long)b->addr, MAX(b->align, m->align));
    return check_life(c, b);
}

static bool apart(const Plan *p, const Buf *a, const Buf *b)
{
    return a->addr + a->size <= b->addr || b->addr + b->size <= a->addr ||
           a->to <= b->from || b->to <= a->from || !a->size || !b->size ||
           space_of(p, (int)(a - p->buf)) != space_of(p, (int)(b - p->buf));
}

static int by_birth(const void *a, const void *b)
{
    const Buf *x = *(const Buf *const *)a, *y = *(const Buf *const *)b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x > y) - (x < y);
}

/* One that says so may be overlapped: what is read is checked by bytes. */
static bool follows(const Plan *p, const Buf *a, const Buf *b)
{
    return a->over == b - p->buf + 1;
}

/* Each buffer beside those that were born before and are not yet dead. */
static bool check_overlaps(Check *c)
{
    const Plan *p = c->p;
    const Buf **all = NEWN(c->mem, const Buf *, p->nbuf + 1);
    const Buf **live = NEWN(c->mem, const Buf *, p->nbuf + 1);
    int i, j, k, n = 0;

    for (i = 0; i < p->nbuf; i++)
        all[i] = &p->buf[i];
    qsort(all, (size_t)p->nbuf, sizeof *all, by_birth);
    for (i = 0; i < p->nbuf; i++) {
        for (j = k = 0; j < n; j++) {
            if (!apart(p, all[i], live[j]) &&
                !follows(p, all[i], live[j]) && !follows(p, live[j], all[i]))
                return wrong(c, "buffers %s and %s overlap in memory and "
                             "time", all[i]->name, live[j]->name);
            if (live[j]->to > all[i]->from)
                live[k++] = live[j];
        }
        n = k;
        live[n++] = all[i];
    }
    return true;
}

static bool check_bufs(Check *c)
{
    const Plan *p = c->p;
    int i;

    for (i = 0; i < p->soc->nmem; i++)
        if (p->used[i] > p->room[i])
            return wrong(c, "memory %s: %lld bytes used of %lld",
                         p->soc->mems[i].name, (long long)p->used[i],
                         (long long)p->room[i]);
    for (i = 0; i < p->nbuf; i++)
        if (!check_buf(c, &p->buf[i]))
            return false;
    return check_overlaps(c);
}

static void make_spaces(Check *c)
{
    const Plan *p = c->p;
    int i;

    for (i = 0; i < p->nbuf; i++) {
        Space *s = &c->space[space_of(p, i)];

        if (p->buf[i].kind == BUF_const || s->byte)
            continue;
        s->size = p->used[p->buf[i].mem];
        s->byte = NEWN(c->mem, uint32_t, s->size + 1);
    }
}

/* ---- steps ---- */

/* The wait of every start: the first behind it of the same token. */
static bool find_waits(Check *c)
{
    const Plan *p = c->p;
    int *next = NEWN(c->mem, int, p->nstep + 1), i;

    c->wait = NEWN(c->mem, int, p->nstep + 1);
    for (i = 0; i < p->nstep; i++)
        if (p->step[i].token < 0 || p->step[i].token > p->nstep)
            return wrong(c, "step %d has token %d", i, p->step[i].token);
    for (i = p->nstep - 1; i >= 0; i--)
        if (p->step[i].kind == STEP_wait)
            next[p->step[i].token] = i;
        else if (!(c->wait[i] = next[p->step[i].token]))
            return wrong(c, "node %s is never waited for",
                         p->step[i].node->name);
    return true;
}

bool check_place(Check *c, const Exec *x, const char *what, Ref r, int64_t n)
{
    const Plan *p = c->p;
    const char *name = x->s.node->name;
    const Buf *b;

    if (r.buf < 0 || r.buf >= p->nbuf)
        return wrong(c, "node %s: %s has no buffer", name, what);
    b = &p->buf[r.buf];
    if (n < 0 || r.off < 0 || n > b->size || r.off > b->size - n)
        return wrong(c, "node %s: %s leaves its buffer", name, what);
    if (b->kind != BUF_const && (b->from > x->pos || b->to <= c->wait[x->pos]))
        return wrong(c, "node %s uses buffer %s outside its life", name,
                     b->name);
    return true;
}

static bool meets_any(Region r, const Region *v, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (regions_meet(r, v[i]))
            return true;
    return false;
}

/* The links as an engine of one slot. */
static int links_of(const Check *c)
{
    return c->p->soc->nengine;
}

/* "dma slot 3", "the kernel" */
static const char *slot_name(const Check *c, int engine, int slot)
{
    if (engine == ENG_cores)
        return "the kernel";
    if (engine == links_of(c))
        return "an exchange";
    return arena_fmt(c->mem, "%s slot %d", c->p->soc->engine[engine].label,
                     slot);
}

bool check_free(Check *c, const Exec *x, const Going *now)
{
    const char *name = x->s.node->name;
    int i, k;

    for (i = 0; i < c->ngoing; i++) {
        const Going *g = &c->going[i];

        if (g->engine == now->engine &&
            c->p->soc->engine[g->engine].kind == ENGINE_accel)
            continue;
        for (k = 0; k < now->nwrite; k++)
            if (meets_any(now->write[k], g->read, g->nread) ||
                meets_any(now->write[k], g->write, g->nwrite))
                return wrong(c, "node %s writes where %s, not waited for, "
                             "works", name, slot_name(c, g->engine, g->slot));
        for (k = 0; k < now->nread; k++)
            if (meets_any(now->read[k], g->write, g->nwrite))
                return wrong(c, "node %s reads what %s, not waited for, "
                             "writes", name, slot_name(c, g->engine, g->slot));
    }
    return true;
}

/* ---- transfers ---- */

/* One side: rows in a buffer. */
static bool check_side(Check *c, const Exec *x, const char *what, Ref r,
                       int64_t stride, Region *to)
{
    const Move *m = &x->s.move;
    int64_t most = c->p->buf[r.buf].size;

    if (m->row < 1 || m->rows < 1 || m->row > most || m->rows > most ||
        stride > most || (m->rows > 1 && stride < m->row))
        return wrong(c, "node %s: a transfer of %lld rows of %lld bytes, %lld "
                     "apart", x->s.node->name, (long long)m->rows,
                     (long long)m->row, (long long)stride);
    if (m->rows == 1)
        stride = m->row;
    if (!check_place(c, x, what, r, (m->rows - 1) * stride + m->row))
        return false;
    *to = (Region){space_of(c->p, r.buf), addr_of(c->p, r), m->row, m->rows,
                   stride};
    return true;
}

/* The engine joins the memories, on whose near side there are no gaps. */
static bool check_engine(Check *c, const Step *s)
{
    const Plan *p = c->p;
    const Move *m = &s->move;
    const Engine *d = &p->soc->engine[s->engine];
    int from = p->buf[m->from.buf].mem, to = p->buf[m->to.buf].mem;
    bool in = from == d->far && to == d->near;
    int64_t near = in ? m->to_stride : m->from_stride;

    if (!in && (from != d->near || to != d->far))
        return wrong(c, "node %s: engine %s does not join memories %s and %s",
                     s->node->name, d->label, p->soc->mems[from].name,
                     p->soc->mems[to].name);
    if (m->rows > 1 && near != m->row)
        return wrong(c, "node %s: a transfer with gaps on the near side",
                     s->node->name);
    return m->rows * m->row <= d->largest ||
           wrong(c, "node %s: a transfer of %lld bytes", s->node->name,
                 (long long)(m->rows * m->row));
}

static bool start_move(Check *c, const Exec *x, Going *now)
{
    const Plan *p = c->p;
    const Step *s = &x->s;
    const Move *m = &s->move;
    Region *from = NEW(c->mem, Region), *to = NEW(c->mem, Region);
    int64_t i;

    if (m->from.buf < 0 || m->from.buf >= p->nbuf || m->to.buf < 0 ||
        m->to.buf >= p->nbuf || p->buf[m->to.buf].kind == BUF_const)
        return wrong(c, "node %s: a transfer without buffers", s->node->name);
    if (!check_side(c, x, "a transfer's source", m->from, m->from_stride,
                    from) ||
        !check_side(c, x, "a transfer's end", m->to, m->to_stride, to) ||
        !check_engine(c, s))
        return false;
    *now = (Going){s->engine, x->slot, from, to, 1, 1};
    if (!check_free(c, x, now))
        return false;
    for (i = 0; i < m->rows; i++)
        if (!space_copy(&c->space[from->space], from->at + i * from->stride,
                        &c->space[to->space], to->at + i * to->stride,
                        m->row))
            return wrong(c, "node %s: a transfer from %s of what nothing put "
                         "there", s->node->name, p->buf[m->from.buf].name);
    return true;
}

/* ---- starts and waits ---- */

/* An engine has so many transfers under way, or in its queue. */
static bool check_queue(Check *c, const Step *s)
{
    int i, n = 1;

    for (i = 0; i < c->ngoing; i++)
        n += c->going[i].engine == s->engine;
    return n <= c->p->soc->engine[s->engine].queue ||
           wrong(c, "node %s: %d transfers at once", s->node->name, n);
}

static bool same_bytes(const Check *c, Ref a, Ref b)
{
    return a.buf >= 0 && b.buf >= 0 &&
           space_of(c->p, a.buf) == space_of(c->p, b.buf) &&
           addr_of(c->p, a) == addr_of(c->p, b);
}

/* The second half of an exchange: what was sent, and where others send to, is
 * where it was. */
static bool check_take(Check *c, const Step *s)
{
    const Step *t = &c->sent;

    if (!exec_slot_busy(c, links_of(c), 0) ||
        attr_int(s->node, A_p0) != attr_int(t->node, A_p0))
        return wrong(c, "node %s takes what is not under way", s->node->name);
    if (!same_bytes(c, s->in[0], t->in[0]) ||
        !same_bytes(c, s->in[1], t->out[0]))
        return wrong(c, "node %s: what is sent has been moved", s->node->name);
    return exec_finish(c, links_of(c), 0);
}

/* One exchange at a time. */
static bool check_exchange(Check *c, const Step *s)
{
    if (step_moves(c->p, s) || op_info[s->node->op].family != FAM_exchange)
        return true;
    if (exchange_ends(s->node->op))
        return check_take(c, s);
    return !exec_slot_busy(c, links_of(c), 0) ||
           wrong(c, "node %s: another exchange is under way", s->node->name);
}

static void push_going(Check *c, Going now)
{
    GROW(c->mem, c->going, (size_t)c->ngoing);
    c->going[c->ngoing++] = now;
}

bool exec_start(Check *c, const Exec *x)
{
    const Step *s = &x->s;
    Going now = {.slot = x->slot, .engine = s->engine};

    if (s->layer < 0 || s->layer >= c->p->nlayer)
        return wrong(c, "node %s: step %d is of no layer", s->node->name,
                     x->pos);
    if (s->engine < 0 || s->engine >= c->p->soc->nengine)
        return wrong(c, "node %s: step %d is of no engine", s->node->name,
                     x->pos);
    if (!check_exchange(c, s) ||
        !(step_moves(c->p, s) ? start_move(c, x, &now)
                              : start_kernel(c, x, &now)) ||
        !check_queue(c, s))
        return false;
    push_going(c, now);
    if (!step_moves(c->p, s) && exchange_begins(s->node->op)) {
        c->sent = *s;
        now.engine = links_of(c);
        push_going(c, now);
    }
    return true;
}

static bool is_in(const Going *g, int engine, int slot)
{
    return g->engine == engine && g->slot == slot;
}

bool exec_slot_busy(const Check *c, int engine, int slot)
{
    int i;

    for (i = 0; i < c->ngoing; i++)
        if (is_in(&c->going[i], engine, slot))
            return true;
    return false;
}

bool exec_finish(Check *c, int engine, int slot)
{
    int i, n = 0;

    if (!exec_slot_busy(c, engine, slot))
        return wrong(c, "a wait for %s, in which nothing is under way",
                     slot_name(c, engine, slot));
    for (i = 0; i < c->ngoing; i++)
        if (!is_in(&c->going[i], engine, slot))
            c->going[n++] = c->going[i];
    c->ngoing = n;
    return true;
}

/* ---- the whole ---- */

static bool check_given(Check *c, const Val *v, Ref r)
{
    const Plan *p = c->p;
    const Buf *b = r.buf < p->nbuf ? &p->buf[r.buf] : NULL;

    if (!b || r.off < 0 || r.off + val_bytes(v) > b->size)
        return wrong(c, "%s leaves its buffer", v->name);
    if (!v->data != (b->kind != BUF_const))
        return wrong(c, "%s: constant in a buffer, or not in one", v->name);
    if (b->from > -1)
        return wrong(c, "%s must be there from the start", v->name);
    return true;
}

/* Inputs and constants are there before the first step. */
static bool put_given(Check *c)
{
    const Plan *p = c->p;
    const Val *v;
    int i;

    for (v = p->g->vals; v; v = v->next) {
        Ref r = p->place[v->id];
        Space *s;

        if (v->def || r.buf < 0)
            continue;
        if (!check_given(c, v, r))
            return false;
        s = &c->space[space_of(p, r.buf)];
        if (!v->data)
            space_put(s, addr_of(p, r), c->name[v->id], 0, val_bytes(v));
        else if (!space_give(c->mem, s, addr_of(p, r), c->name[v->id],
                             val_bytes(v)))
            return wrong(c, "constant %s lies on another", v->name);
    }
    for (i = 0; i < p->g->nin; i++)
        if (p->place[p->g->in[i]->id].buf < 0)
            return wrong(c, "input %s has no place", p->g->in[i]->name);
    return true;
}

static bool same_place(Ref a, Ref b)
{
    return a.buf == b.buf && a.off == b.off;
}

/* What becomes a state is in the state's place, where the next run looks for
 * it. */
static bool check_outputs(Check *c)
{
    const Plan *p = c->p;
    int i;

    if (exec_slot_busy(c, links_of(c), 0))
        return wrong(c, "node %s: nothing takes what others send",
                     c->sent.node->name);
    for (i = 0; i < p->g->nout; i++) {
        const Val *v = p->g->out[i];
        Ref r = p->place[v->id];

        if (r.buf < 0 || r.buf >= p->nbuf || r.off < 0 ||
            r.off + val_bytes(v) > p->buf[r.buf].size)
            return wrong(c, "output %s has no place", v->name);
        if (p->buf[r.buf].to < p->nstep || p->buf[r.buf].kind == BUF_const)
            return wrong(c, "output %s does not live to the end", v->name);
        if (!space_is(&c->space[space_of(p, r.buf)], addr_of(p, r),
                      c->name[v->id], 0, val_bytes(v)))
            return wrong(c, "output %s is not in its place at the end",
                         v->name);
        if (v->state && !same_place(p->place[v->state->id], r))
            return wrong(c, "output %s is not where state %s is",
                         v->name, v->state->name);
    }
    return true;
}

/* Every value that has a home was computed as a whole, but those whose bytes
 * are only moved, which transfers may do. */
static bool check_made(Check *c)
{
    const Node *n;

    for (n = c->p->g->first; n; n = n->next) {
        const Val *y = n->res[0];

        if (keeps_bytes(n) || !val_bytes(y) || c->p->place[y->id].buf < 0)
            continue;
        if (!c->made[y->id] ||
            memchr(c->made[y->id], 0, (size_t)val_bytes(y)))
            return wrong(c, "node %s is not computed as a whole", n->name);
    }
    return true;
}

const char *verify_plan(Arena *mem, const Plan *p)
{
    Arena *own = arena_new();
    Check c = {.mem = own, .p = p, .name = names_all(own, p->g)};
    bool ok;

    if (!c.name)
        wrong(&c, "more bytes than can be followed");
    c.made = NEWN(own, unsigned char *, graph_nval(p->g) + 1);
    ok = !c.bad && check_bufs(&c) && find_waits(&c);
    if (ok)
        make_spaces(&c);
    ok = ok && put_given(&c);
    ok = ok && run_program(&c, p->program) && check_outputs(&c) &&
         check_made(&c) && numbers_check(&c);
    if (!ok && c.bad)
        c.bad = arena_str(mem, c.bad);
    arena_end(own);
    return ok ? NULL : c.bad;
}
