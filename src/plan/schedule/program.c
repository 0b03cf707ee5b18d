/* The steps of a plan as the program that runs.
 *
 * First the flat list: every step a record, a kernel one with its wait.  Tokens
 * become slots; what is waited for together shares one, and is waited for once.
 * What is to be moved while a kernel layers is begun after it.  Then loops
 * (roll.c), and, for a team of cores, pages (page.c).  Whoever wants to know
 * what happens when, in which order and at which address, reads the program:
 * nothing schedules it again. */
#include "plan/cost/cost.h"
#include "plan/schedule/schedule.h"

#include <string.h>

/* Slots of an engine that records can name. */
enum { MOST_SLOTS = 16, MOST_DEFERRED = 24, ALL_SLOTS = 32 };

typedef struct Slot {
    int count;             /* transfers under way; 0: free */
    int group, age;
    int64_t done;          /* of its last transfer, by the tempo */
} Slot;

enum { LATER = 64, LARGE = 4 /* times what core 0 takes to begin it */ };

typedef struct Maker {
    const Plan *p;
    Program *q;
    const Step *later[LATER]; /* transfers that have not begun yet */
    int nlater;
    int *group;            /* by token: what is waited for together */
    Slot slot[MOST_ENGINES][MOST_SLOTS];
    int most[MOST_ENGINES]; /* how much an engine may have under way */
    int begun;             /* transfers so far */
    bool working;          /* cores may be, when core 0 has gone on */
    Tempo tempo;
    bool timed;            /* nothing is moved that it does not know of */
    int *last;             /* by layer: the record after which it is done */
    bool *over;            /* by layer: its last kernel has been waited for */
    int nover;             /* so many layers from the first on are said to be */
} Maker;

static const Engine *engine_of(const Maker *m, const Step *s)
{
    return &m->p->soc->engine[s->engine];
}

/* ---- the flat list ---- */

Rec *rec_new(Program *q, RecKind kind)
{
    REGROW(q->mem, q->code, (size_t)q->ncode);
    q->code[q->ncode] = (Rec){.kind = kind, .pos = -1};
    return &q->code[q->ncode++];
}

bool plan_uses(const Plan *p, int mem)
{
    int i;

    for (i = 0; i < p->nbuf && p->soc->mems[mem].mapped; i++)
        if (p->buf[i].kind != BUF_const && p->buf[i].mem == mem)
            return true;
    return false;
}

/* Constants come first, and buffers behind. */
int64_t plan_external(const Plan *p, Ref r)
{
    const Buf *b = r.buf < 0 ? NULL : &p->buf[r.buf];

    if (!b || p->soc->mems[b->mem].mapped)
        return -1;
    return b->addr + r.off + (b->kind == BUF_const ? 0
                              : (p->consts[b->mem] + 15) / 16 * 16);
}

bool plan_external_inout(const Plan *p)
{
    int i;

    for (i = 0; i < p->g->nin; i++)
        if (plan_external(p, p->place[p->g->in[i]->id]) >= 0)
            return true;
    for (i = 0; i < p->g->nout; i++)
        if (plan_external(p, p->place[p->g->out[i]->id]) >= 0)
            return true;
    return false;
}

/* Constants that cores can address are arrays with addresses of their own. */
static Place place_of(const Maker *m, Ref r)
{
    const Plan *p = m->p;
    const Buf *b;

    if (r.buf < 0)
        return (Place){.kind = PLACE_none};
    b = &p->buf[r.buf];
    if (!p->soc->mems[b->mem].mapped)
        return (Place){PLACE_external, b->mem, -1, plan_external(p, r)};
    if (b->kind == BUF_const)
        return (Place){PLACE_const, -1, r.buf, r.off};
    return (Place){PLACE_memory, b->mem, -1, b->addr + r.off};
}

/* The pages count as a memory; a record has numbers for three. */
static bool can_have_values(const Plan *p)
{
    int i, n = 0;

    for (i = 0; i < p->soc->nmem; i++)
        n += plan_uses(p, i);
    return n < 3;
}

/* Where a kernel finds it: what is small comes with the records. */
static Place oper_place(const Maker *m, Ref r)
{
    const Buf *b = r.buf < 0 ? NULL : &m->p->buf[r.buf];

    if (b && b->kind == BUF_const && b->val && val_is_inlined(b->val) &&
        m->q->values)
        return (Place){PLACE_page, -1, r.buf, 0};
    return place_of(m, r);
}

/* What an accelerator is given outlives the page. */
static Rec *put_kernel(Maker *m, RecKind kind, const Step *s)
{
    Rec *c = rec_new(m->q, kind);
    int i;

    c->step = s;
    c->engine = s->engine;
    c->pos = (int)(s - m->p->step);
    c->inst = m->q->inst.of[s - m->p->step];
    c->nin = MAX(s->nin, s->sig ? s->sig->narg : 0);
    c->nin = MIN(c->nin, NARG);
    for (i = 0; i < c->nin; i++)
        c->place[c->nplace++] =
            i >= s->nin ? (Place){.kind = PLACE_none}
            : kind == REC_start ? place_of(m, s->in[i])
                                : oper_place(m, s->in[i]);
    for (i = 0; i < s->nout; i++)
        c->place[c->nplace++] = place_of(m, s->out[i]);
    if (s->tmp.buf >= 0)
        c->place[c->nplace++] = place_of(m, s->tmp);
    return c;
}

/* The slot of a group, or of group -1 a free one; -1: there is none. */
static int find_slot(const Maker *m, int engine, int group)
{
    int i;

    for (i = 0; i < m->most[engine]; i++) {
        const Slot *s = &m->slot[engine][i];

        if (group < 0 ? !s->count : s->count && s->group == group)
            return i;
    }
    return -1;
}

static void put_wait(Maker *m, int engine, int slot, int pos)
{
    Rec *c = rec_new(m->q, REC_wait);

    c->pos = pos;
    c->engine = engine;
    c->slot = slot;
    m->slot[engine][slot].count = 0;
    tempo_wait(&m->tempo, m->slot[engine][slot].done);
}

static int under_way(const Maker *m, int engine)
{
    int i, n = 0;

    for (i = 0; i < m->most[engine]; i++)
        n += m->slot[engine][i].count;
    return n;
}

/* When more are under way than can be, the group that began first is waited
 * for early, which is never wrong. */
static void make_room(Maker *m, int engine, int pos)
{
    int i, oldest = -1;

    if (under_way(m, engine) < m->most[engine])
        return;
    for (i = 0; i < m->most[engine]; i++) {
        const Slot *s = &m->slot[engine][i];

        if (s->count && (oldest < 0 || s->age < m->slot[engine][oldest].age))
            oldest = i;
    }
    put_wait(m, engine, oldest, pos);
}

static int take_slot(Maker *m, const Step *s)
{
    int group = m->group[s->token], i;
    Slot *slot = m->slot[s->engine];

    make_room(m, s->engine, (int)(s - m->p->step));
    i = find_slot(m, s->engine, group);
    if (i < 0) {
        i = find_slot(m, s->engine, -1);
        slot[i].group = group;
        slot[i].age = m->begun++;
        slot[i].done = 0;
    }
    slot[i].count++;
    return i;
}

static int level(const Maker *m, Ref r)
{
    const Plan *p = m->p;

    return p->soc->mems[p->buf[r.buf].mem].level;
}

/* Something of a layer is still to be done by the last record. */
static void note_layer(Maker *m, const Step *s)
{
    if (s->layer >= 0 && s->layer < m->p->nlayer)
        m->last[s->layer] = m->q->ncode;
}

/* Layers are said to be over one after the other. */
static void end_layer(Maker *m, int layer)
{
    const Plan *p = m->p;

    m->over[layer] = true;
    for (; m->nover < p->nlayer && (m->over[m->nover] ||
                                    !p->layer[m->nover].tiles); m->nover++)
        if (p->layer[m->nover].tiles)
            rec_new(m->q, REC_layer)->layer = m->nover;
}

/* What comes now may ask for the last kernel's results, or for its place. */
static void put_barrier(Maker *m)
{
    if (m->working)
        rec_new(m->q, REC_barrier);
    m->working = false;
}

/* A part of transfer `all`: bytes [at, at + row) of `rows` rows from row `from`
 * on. */
static void put_part(Maker *m, const Rec *all, int64_t from, int64_t rows,
                     int64_t at, int64_t row)
{
    int slot = take_slot(m, all->step);
    Rec *c;

    put_barrier(m);
    c = rec_new(m->q, REC_move);
    *c = *all;
    c->slot = slot;
    c->row = row;
    c->rows = rows;
    c->place[0].off += from * all->row + at;
    c->place[1].off += from * all->stride + at;
    if (m->timed)
        m->slot[c->engine][slot].done = tempo_move(&m->tempo, c->in, row, rows);
    note_layer(m, all->step);
}

/* In as many transfers as the engine's largest asks for. */
static void put_parts(Maker *m, const Rec *all)
{
    int64_t most = engine_of(m, all->step)->largest, from, at, n;

    if (all->row <= most) {
        for (from = 0; from < all->rows; from += n) {
            n = MIN(most / all->row, all->rows - from);
            put_part(m, all, from, n, 0, all->row);
        }
        return;
    }
    for (from = 0; from < all->rows; from++)
        for (at = 0; at < all->row; at += n) {
            n = MIN(most, all->row - at);
            put_part(m, all, from, 1, at, n);
        }
}

/* Rows that lie without gaps are one. */
static void put_move(Maker *m, const Step *s)
{
    const Move *v = &s->move;
    bool in = level(m, v->to) < level(m, v->from);
    Rec c = {.kind = REC_move, .step = s, .pos = (int)(s - m->p->step),
             .engine = s->engine, .in = in, .row = v->row,
             .rows = v->rows, .nplace = 2,
             .stride = in ? v->from_stride : v->to_stride};

    if (v->row <= 0 || v->rows <= 0)
        die("a transfer of nothing");
    if (c.stride == c.row) {
        c.row *= c.rows;
        c.rows = 1;
    }
    c.place[0] = place_of(m, in ? v->to : v->from);
    c.place[1] = place_of(m, in ? v->from : v->to);
    put_parts(m, &c);
}

static void begin_later(Maker *m)
{
    int i;

    for (i = 0; i < m->nlater; i++)
        put_move(m, m->later[i]);
    m->nlater = 0;
}

/* How many records a transfer is. */
static int64_t count_parts(const Maker *m, const Step *s)
{
    const Move *v = &s->move;
    int64_t most = engine_of(m, s)->largest;

    if (v->row > most)
        return v->rows * ((v->row + most - 1) / most);
    return (v->rows + most / v->row - 1) / MAX(1, most / v->row);
}

/* The cores had better not wait for core 0 to begin transfers: it does so when
 * they are at work, unless it would be too late, or the layer over by then, or
 * the call and they are too much for a page. */
static bool can_wait(const Maker *m, const Step *kernel)
{
    int64_t parts = 0;
    int i;

    for (i = 0; i < m->nlater; i++) {
        parts += count_parts(m, m->later[i]);
        if (m->later[i]->layer < kernel->layer || parts > MOST_DEFERRED)
            return false;
    }
    return kernel->ncore > 1 && m->nlater > 0;
}

static void put_call(Maker *m, const Step *s)
{
    bool open = can_wait(m, s);

    if (!open)
        begin_later(m);
    put_kernel(m, REC_call, s)->deferred = open;
    m->working = false;
    if (open) {
        begin_later(m);
        rec_new(m->q, REC_share);
    }
    m->working = true;
    tempo_call(&m->tempo, s->cycles);
    note_layer(m, s);
}

/* The accelerator has registers, and they are all; of run-time numbers they do
 * not know. */
static bool is_direct(const Maker *m, const Step *s)
{
    return !m->p->g->nnum && item_int(engine_of(m, s)->item, "base", 0) &&
           kern_direct(s->kern, s->sig, s->tile, &s->dims);
}

/* Transfers begin while the accelerator works. */
static void put_job(Maker *m, const Step *s)
{
    Rec *c;
    int slot;

    put_barrier(m);
    slot = take_slot(m, s);
    c = put_kernel(m, REC_start, s);
    c->slot = slot;
    c->direct = is_direct(m, s);
    m->slot[s->engine][slot].done = tempo_job(&m->tempo, s->engine, s->cycles);
    note_layer(m, s);
    begin_later(m);
}

static void put_start(Maker *m, int i)
{
    const Plan *p = m->p;
    const Step *s = &p->step[i];

    if (step_moves(p, s) && !engine_of(m, s)->batched) {
        put_move(m, s);
    } else if (step_moves(p, s)) {
        if (m->nlater == LATER)
            begin_later(m);
        m->later[m->nlater++] = s;
    } else if (s->engine != ENG_cores) {
        put_job(m, s);
    } else {
        if (i + 1 == p->nstep || s[1].kind != STEP_wait ||
            s[1].token != s->token)
            die("a kernel that is not waited for at once");
        put_call(m, s);
        if (p->layer[s->layer].last == i)
            end_layer(m, s->layer);
    }
}

/* Those of a group: the others need not be begun before what waits for them. */
static void begin_group(Maker *m, int group)
{
    int i, n = m->nlater;

    m->nlater = 0;
    for (i = 0; i < n; i++)
        if (m->group[m->later[i]->token] == group)
            put_move(m, m->later[i]);
        else
            m->later[m->nlater++] = m->later[i];
}

/* Cycles of transfers that have not begun yet. */
static int64_t later_cycles(const Maker *m)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < m->nlater; i++) {
        const Move *v = &m->later[i]->move;

        sum += move_cycles(m->tempo.dma, level(m, v->to) < level(m, v->from),
                           v->row, v->rows);
    }
    return sum;
}

/* Cores stand still at a wait for a slot, and longer than core 0 takes to begin
 * what has not begun yet; or for the last transfer that has, and what has not
 * is large: the engine had better not stand still behind it. */
static bool is_idle(const Maker *m, int engine, int slot)
{
    int64_t begin = m->nlater * m->tempo.time->start, wait;

    if (!m->nlater || slot < 0 || !m->timed)
        return false;
    wait = m->slot[engine][slot].done - m->tempo.core;
    return wait > m->tempo.time->meet + begin ||
           (wait > 0 && m->slot[engine][slot].done == tempo_loads(&m->tempo) &&
            later_cycles(m) > LARGE * begin);
}

static void put_waits(Maker *m, const Step *s)
{
    const Plan *p = m->p;
    int i;

    if (s->engine == ENG_cores)
        return;
    i = find_slot(m, s->engine, m->group[s->token]);
    if (!engine_of(m, s)->batched || is_idle(m, s->engine, i))
        begin_later(m);
    else
        begin_group(m, m->group[s->token]);
    i = find_slot(m, s->engine, m->group[s->token]);
    if (i >= 0)
        put_wait(m, s->engine, i, (int)(s - m->p->step));
    if (step_moves(p, s))
        return;
    note_layer(m, s);
    if (p->step[p->layer[s->layer].last].token == s->token)
        end_layer(m, s->layer);
}

/* Transfers of a batch that are waited for one after the other are a group,
 * known by the last start before their waits; any other is one of its own. */
static void find_groups(Maker *m)
{
    const Plan *p = m->p;
    int i, start = 0, tokens = 0;

    for (i = 0; i < p->nstep; i++)
        tokens = MAX(tokens, p->step[i].token + 1);
    m->group = NEWN(m->q->mem, int, tokens + 1);
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_start)
            m->group[s->token] = p->nstep + (start = i);
        else if (engine_of(m, s)->batched)
            m->group[s->token] = start;
    }
}

/* A team has one transfer under way beside those of records, of the next page;
 * one more is kept free, so that none is ever waited for before it starts.  An
 * engine that takes one at a time has either (RT_ALONE in rt/program.h). */
static void set_limits(Maker *m)
{
    const Soc *soc = m->p->soc;
    const Engine *e;

    int left = ALL_SLOTS, others = soc->nengine - 1;

    for (e = soc->engine + 1; e < soc->engine + soc->nengine; e++) {
        m->most[e->row] = MIN(MOST_SLOTS, e->batched ? MAX(1, e->queue - 2)
                                                     : e->queue);
        m->most[e->row] = MIN(m->most[e->row], left - --others);
        left -= m->most[e->row];
    }
}

static void flatten(Maker *m)
{
    const Plan *p = m->p;
    int i;

    set_limits(m);
    m->tempo = tempo_begin(p->soc);
    m->timed = tempo_knows(p, m->tempo.dma);
    find_groups(m);
    m->last = NEWN(m->q->mem, int, m->p->nlayer + 1);
    m->over = NEWN(m->q->mem, bool, m->p->nlayer + 1);
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (s->kind == STEP_start)
            put_start(m, i);
        else
            put_waits(m, s);
    }
    begin_later(m);
}

/* A layer's end, for those who go step by step, is after its last record and
 * all earlier layers' ends. */
static void mark_ends(Maker *m)
{
    Program *q = m->q;
    int i, at = 0;

    q->end = NEWN(q->mem, int, m->p->nlayer + 1);
    for (i = 0; i < m->p->nlayer; i++) {
        at = MAX(at, m->last[i]);
        while (at < q->ncode && q->code[at].kind == REC_layer &&
               q->code[at].layer <= i)
            at++;
        q->end[i] = at;
    }
    if (m->p->nlayer)
        q->end[m->p->nlayer - 1] = q->ncode;
}

Program *program_flat(Arena *mem, const Plan *p)
{
    Program *q = NEW(mem, Program);
    Maker m = {.p = p, .q = q};

    q->mem = mem;
    q->p = p;
    q->team = (p->soc->ncore > 1 || p->tiled) && p->nlayer > 0;
    q->values = q->team && can_have_values(p);
    q->inst = plan_instances(mem, p);
    flatten(&m);
    mark_ends(&m);
    return q;
}

Program *program_make(Arena *mem, const Plan *p)
{
    Program *q = program_flat(mem, p);

    program_roll(q);
    if (q->team)
        program_pages(q);
    return q;
}

int64_t program_bytes(const Program *q)
{
    enum { ENTRY = 2 * 4 + sizeof(int16_t), /* of the table of pages */
           ENDS = 1152 }; /* what moves inputs and outputs in pieces */
    int64_t sum = q->team ? ENTRY * (q->npage + 1) : 0;
    int i;

    for (i = 0; i < q->npage; i++)
        sum += q->page[i].bytes;
    return sum + (plan_external_inout(q->p) ? ENDS : 0);
}
