/* Constants that are in L1 already are not loaded again.
 *
 * Layers may have a constant in common: one vector of multipliers, or the
 * weights of steps of a recurrent network; and tiles have pieces of one.  Where
 * what an earlier load has brought can be kept until the later one's readers
 * are done, where it is or anywhere else in L1, they read it there.  Of small
 * constants the first load brings what all want. */
#include "plan/schedule/schedule.h"

enum { SMALL = 4096 };     /* bytes of a constant that is loaded whole */

typedef struct Keeper {
    Tiler *t;
    Plan *p;
    int *loads;            /* by buffer: how many moves end there */
    int *known;            /* by constant: the last load that is in a buffer
                              of its own; -1: none */
    int *before;           /* by step of such a load: the one before */
    Ref *instead;          /* by buffer: where its content is now; -1: there */
    bool *dropped;         /* by token */
} Keeper;

/* --- buffers that live longer than they were placed for --- */

static bool meets(const Buf *a, int64_t addr, int64_t size)
{
    return a->addr < addr + size && addr < a->addr + a->size;
}

/* A buffer beside buffer b that lives in steps [from, to) where b would be at
 * the address; NULL: there is none. */
static const Buf *in_the_way(const Plan *p, const Buf *b, int64_t addr,
                             int from, int to)
{
    int i;

    for (i = 0; i < p->nbuf; i++) {
        const Buf *a = &p->buf[i];

        if (a != b && a->kind != BUF_const && a->mem == b->mem &&
            a->from < to && from < a->to && meets(a, addr, b->size))
            return a;
    }
    return NULL;
}

bool live_longer(Plan *p, Buf *b, int from, int to)
{
    int64_t align = MAX(8, b->align), addr = b->addr;
    const Buf *a = in_the_way(p, b, addr, from, to);

    if (a)
        addr = 0;
    while (a && (a = in_the_way(p, b, addr, from, to)))
        addr = (a->addr + a->size + align - 1) / align * align;
    if (addr + b->size > p->room[b->mem])
        return false;
    b->addr = addr;
    b->from = from;
    b->to = to;
    p->used[b->mem] = MAX(p->used[b->mem], addr + b->size);
    return true;
}

/* --- what is there already --- */

/* Bytes without gaps. */
static bool is_run(const Move *m)
{
    return m->rows == 1 || m->from_stride == m->row;
}

static bool is_load(const Keeper *k, const Step *s)
{
    return s->kind == STEP_start && s->engine == k->t->q->dma->row &&
           k->p->buf[s->move.to.buf].mem == k->t->q->l1 &&
           k->p->buf[s->move.from.buf].kind == BUF_const && is_run(&s->move);
}

static bool reads(const Step *s, int buf)
{
    int i;

    for (i = 0; i < s->nin; i++)
        if (s->in[i].buf == buf)
            return true;
    return false;
}

/* The step that waits for what step i starts. */
static int wait_of(const Plan *p, int i)
{
    int token = p->step[i].token;

    for (i++; i < p->nstep; i++)
        if (p->step[i].kind == STEP_wait && p->step[i].token == token)
            break;
    return i;
}

/* The step behind the last that reads what the load of step i has brought: a
 * kernel's wait. */
static int end_of_use(const Keeper *k, int i)
{
    const Plan *p = k->p;
    int buf = p->step[i].move.to.buf, end = i + 1;

    for (i++; i < p->buf[buf].to; i++) {
        const Step *s = &p->step[i];

        if (s->kind != STEP_start)
            continue;
        if (step_moves(p, s) && s->move.to.buf == buf)
            break;
        if (!step_moves(p, s) && reads(s, buf))
            end = MAX(end, wait_of(p, i) + 1);
    }
    return end;
}

/* Move b brings bytes of a constant that a brings too, from *at of those on. */
static bool is_there(const Move *a, const Move *b, int64_t *at)
{
    *at = b->from.off - a->from.off;
    return a->from.buf == b->from.buf && *at >= 0 &&
           *at + b->row * b->rows <= a->row * a->rows;
}

/* The load that is step i is not wanted if what it brings is there by then. */
static bool drop_load(Keeper *k, int i)
{
    Step *s = &k->p->step[i];
    int64_t at;
    int j;

    for (j = k->known[s->move.from.buf]; j >= 0; j = k->before[j]) {
        const Move *m = &k->p->step[j].move;
        Buf *b = &k->p->buf[m->to.buf];

        if (!is_there(m, &s->move, &at) ||
            wait_of(k->p, j) > wait_of(k->p, i))
            continue;
        if (!live_longer(k->p, b, b->from, MAX(b->to, end_of_use(k, i))))
            return false;
        k->instead[s->move.to.buf] =
            (Ref){m->to.buf, m->to.off + at - s->move.to.off};
        return k->dropped[s->token] = true;
    }
    return false;
}

static void note_load(Keeper *k, int i)
{
    int *known = &k->known[k->p->step[i].move.from.buf];

    k->before[i] = *known;
    *known = i;
}

/* How many bytes all loads from step i on bring of its constant, from where it
 * begins on; 0: no other does. */
static int64_t bytes_wanted(const Keeper *k, int i)
{
    const Move *m = &k->p->step[i].move;
    int64_t end = m->from.off;
    int others = 0;

    for (; i < k->p->nstep; i++) {
        const Step *s = &k->p->step[i];

        if (!is_load(k, s) || s->move.from.buf != m->from.buf ||
            s->move.from.off < m->from.off)
            continue;
        others += &s->move != m;
        end = MAX(end, s->move.from.off + s->move.row * s->move.rows);
    }
    return others ? end - m->from.off : 0;
}

/* What the load that is step i brings is for itself, and is all that is wanted
 * of its constant. */
static void widen_load(Keeper *k, int i)
{
    Plan *p = k->p;
    Step *s = &p->step[i];
    Move *m = &s->move;
    int64_t n = p->buf[m->from.buf].size <= SMALL ? bytes_wanted(k, i) : 0;
    Buf b = p->buf[m->to.buf];

    if (!n)
        return;
    b.size = n;
    b.addr = 0;
    if (!live_longer(p, &b, i, end_of_use(k, i)))
        return;
    k->instead[m->to.buf] = (Ref){p->nbuf, -m->to.off};
    m->to = (Ref){plan_add_buf(p, b), 0};
    p->buf[m->to.buf] = b; /* with its life */
    m->row = m->from_stride = m->to_stride = n;
    m->rows = 1;
    note_load(k, i);
}

static void look_at_load(Keeper *k, int i)
{
    int buf = k->p->step[i].move.to.buf;

    k->instead[buf].buf = -1;
    if (drop_load(k, i))
        return;
    if (k->loads[buf] > 1)
        widen_load(k, i);
    else
        note_load(k, i);
}

static void look_at_call(const Keeper *k, Step *s)
{
    int i;

    for (i = 0; i < s->nin; i++) {
        const Ref *r = s->in[i].buf < 0 ? NULL : &k->instead[s->in[i].buf];

        if (r && r->buf >= 0)
            s->in[i] = (Ref){r->buf, r->off + s->in[i].off};
    }
}

/* The steps that are left, and their tokens. */
static void drop_steps(Keeper *k)
{
    Plan *p = k->p;
    int *now = NEWN(p->mem, int, p->nstep + 1), i, n = 0, tokens = 0;
    int *token = NEWN(p->mem, int, p->nstep + 1);

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        now[i] = n;
        if (s->engine == k->t->q->dma->row && k->dropped[s->token])
            continue;
        if (s->kind == STEP_start)
            token[s->token] = tokens++;
        if (n < i)
            p->step[n] = *s;
        p->step[n].token = token[s->token];
        n++;
    }
    p->nstep = n;
    for (i = 0; i < p->nlayer; i++) {
        p->layer[i].first = now[p->layer[i].first];
        p->layer[i].last = now[p->layer[i].last];
    }
    for (i = 0; i < p->nbuf; i++) {
        p->buf[i].from = INT32_MAX;
        p->buf[i].to = -1;
    }
    plan_lives(p);
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].kind == BUF_temp && p->buf[i].from == p->buf[i].to)
            p->buf[i].size = 0; /* nothing is loaded there now */
}

void keep_loaded(Tiler *t)
{
    Plan *p = t->p;
    Keeper k = {.t = t, .p = p};
    int i;

    k.loads = NEWN(p->mem, int, p->nbuf + 1);
    k.instead = NEWN(p->mem, Ref, p->nbuf + p->nstep + 1);
    k.known = NEWN(p->mem, int, p->nbuf + 1);
    k.before = NEWN(p->mem, int, p->nstep + 1);
    k.dropped = NEWN(p->mem, bool, p->nstep + 1);
    for (i = 0; i < p->nbuf; i++)
        k.known[i] = -1;
    for (i = 0; i < p->nbuf + p->nstep; i++)
        k.instead[i].buf = -1;
    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start && step_moves(p, &p->step[i]))
            k.loads[p->step[i].move.to.buf]++;
    for (i = 0; i < p->nstep; i++)
        if (is_load(&k, &p->step[i]))
            look_at_load(&k, i);
        else if (p->step[i].kind == STEP_start && !step_moves(p, &p->step[i]))
            look_at_call(&k, &p->step[i]);
    drop_steps(&k);
}
