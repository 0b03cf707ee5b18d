/* The cluster's DMA (MCHAN): transfers between L1 and the rest, programmed by
 * a core through a port of its own, as the RTL does them (mchan v1.2.4).
 *
 * Commands of a direction run one after the other, in bursts (mchan.h).  The
 * aligner takes two cycles for each burst beside those of its words, and one
 * more outwards; two ports of the L1 serve each direction, one for the low
 * word of 8 bytes and one for the high.  They ask for banks as cores do
 * (bank.c), so a direction moves cycle by cycle, but only when somebody looks:
 * a core that asks for a bank too, or an event at the first cycle in which
 * a command can be over.  Its bytes change when it is over.
 *
 *   reply=   cycles from a read address to its first data, and from the last
 *            data written to the response */
#include "sim/mchan_way.h"

#include <string.h>

enum { COMMAND = 0, STATUS = 4 };
enum { LONGEST = 1 << 17, DESCRIPTORS = 4 };
enum { CHECK, EMIT }; /* events that are not the end of a Job */

/* ---- the end of a command ---- */

static void plan_check(Device *d, uint64_t now)
{
    Mchan *m = d->state;
    uint64_t t = MIN(way_earliest_end(m, &m->way[0]),
                     way_earliest_end(m, &m->way[1]));

    if (t >= m->check)
        return;
    m->check = MAX(t, now + 1);
    chip_at(d->chip, to_ticks(d->clock, m->check), d, CHECK);
}

static bool move_row(Device *d, const Burst *b, bool in, bool along)
{
    uint8_t *p = ram_span(d->chip, b->l1, b->n, in, "DMA, L1 side"), *q;
    uint32_t i, n = along ? b->n : MIN(b->n, 8);

    q = ram_span(d->chip, b->ext, n, !in, "DMA, far side");
    if (!p || !q)
        return false;
    if (along)
        memmove(in ? p : q, in ? q : p, b->n);
    for (i = 0; !along && i < b->n; i++) /* one word, over and over */
        *(in ? &p[i] : &q[i % 8]) = *(in ? &q[i % 8] : &p[i]);
    return true;
}

/* The bytes of a command; false (and a fault) where memory ends. */
static bool move(Device *d, const Job *j)
{
    Burst b;
    Bursts cut;

    bursts_begin(&cut, &j->c);
    while (bursts_next(&cut, &b))
        if (!move_row(d, &b, j->c.bits & TO_L1, j->c.bits & INCREMENT))
            return false;
    d->chip->counts.dma_bytes += j->c.n;
    return true;
}

/* One id a cycle, the highest first. */
static void emit(Device *d, uint64_t time)
{
    Mchan *m = d->state;
    int id = 31 - __builtin_clz(m->pending);
    Id *v = &m->id[id];
    int who = v->bits & BROADCAST ? -1 : v->core;

    m->pending &= ~(1u << id);
    if (v->bits & EVENT)
        unit_event(d->clock, who, m->event, time);
    if (v->bits & INTERRUPT)
        unit_event(d->clock, who, m->irq, time);
    m->next_emit = to_cycle(d->clock, time) + 1;
    if (m->pending)
        chip_at(d->chip, to_ticks(d->clock, m->next_emit), d, EMIT);
}

static void forget(Mchan *m, Way *w, Job *j)
{
    Job **at = &w->first;

    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    if (j->next) {
        way_taken(w, j->next);
        j->next->before = NULL;
    }
    if (w->newest == j)
        w->newest = NULL;
    if (m->port[j->core].job == j)
        m->port[j->core].job = NULL;
    j->next = m->idle;
    m->idle = j;
}

static void command_over(Device *d, uint64_t time, Job *j)
{
    Mchan *m = d->state;
    Id *id = &m->id[j->id];
    char name[64];

    if (!move(d, j))
        return;
    snprintf(name, sizeof name, "%u B", j->c.n);
    timeline_slice(d->chip, j->c.bits & TO_L1 ? "dma in" : "dma out", name,
                   to_ticks(d->clock, j->from), time);
    if (!--id->left && id->bits & (EVENT | INTERRUPT)) {
        uint64_t now = to_cycle(d->clock, time);

        if (!m->pending)
            chip_at(d->chip, to_ticks(d->clock, MAX(now, m->next_emit)), d,
                    EMIT);
        m->pending |= 1u << j->id;
    }
    forget(m, &m->way[(j->c.bits & TO_L1) != 0], j);
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    uint64_t now = to_cycle(d->clock, time);
    Mchan *m = d->state;

    banks_settle(d->chip->l1, now);
    if (what > EMIT)
        command_over(d, time, (Job *)(uintptr_t)what);
    else if (what == EMIT)
        emit(d, time);
    else if (now == m->check)
        m->check = NEVER;
    plan_check(d, now);
}

/* ---- what cores write and read ---- */

static Job *new_job(Device *d)
{
    Mchan *m = d->state;
    Job *j = m->idle;

    if (!j)
        return NEW(d->chip->sim->mem, Job);
    m->idle = j->next;
    return j;
}

static Side side(uint32_t at, bool rows, const uint32_t *w, uint32_t n)
{
    if (!rows || !*w)
        return (Side){at, n, 0};
    return (Side){at, MIN(*w, n), w[1]};
}

static Command command(const uint32_t *w)
{
    uint32_t n = w[0] & (LONGEST - 1);
    bool rows = w[0] & TWO_D, l1_rows = w[0] & TWO_D_L1;
    Command c = {.bits = w[0] & ~(uint32_t)(LONGEST - 1), .n = n ? n : LONGEST};

    c.l1 = side(w[1], l1_rows, w + (rows ? 5 : 3), c.n);
    c.ext = side(w[2], rows, w + 3, c.n);
    return c;
}

/* How many bursts and cycles it has. */
static void measure(Way *w, Job *j)
{
    uint64_t n = 0;
    Burst b;
    Bursts cut;

    j->issue = 0;
    j->cycles = 0;
    bursts_begin(&cut, &j->c);
    while (bursts_next(&cut, &b)) {
        n++;
        j->issue += b.first ? 2 : 1;
        j->cycles += (uint64_t)way_burst_cycles(w->in, &b);
    }
    j->last = n - 1 + (j->before ? j->before->last + 1 : w->n);
}

static void enqueue(Way *w, Job *j, uint64_t now)
{
    j->before = w->newest;
    measure(w, j);
    if (w->newest)
        w->newest->next = j;
    else
        w->first = j;
    w->newest = j;
    if (!w->job)
        w->job = j;
    if (!w->in && !w->read)
        w->read = j;
    way_load_burst(w, now);
}

static void begin(Device *d, Access *a, int core)
{
    Mchan *m = d->state;
    Port *p = &m->port[core];
    uint64_t now = to_cycle(d->clock, a->time);
    Job *j;

    if (!p->id) {
        sim_fault(d->chip, a->core, "DMA command 0x%08x: no transfer id was "
                  "asked for", p->word[0]);
        return;
    }
    banks_settle(d->chip->l1, now);
    j = new_job(d);
    *j = (Job){.c = command(p->word), .id = p->id - 1, .core = core,
               .written = now, .taken = NEVER};
    m->id[j->id].used = true;
    m->id[j->id].left++;
    m->id[j->id].core = core;
    m->id[j->id].bits = j->c.bits;
    p->job = j;
    enqueue(&m->way[(j->c.bits & TO_L1) != 0], j, now);
    way_ask_next(m, MIN(m->ports.t, now + 1));
    d->chip->l1->calm = MIN(d->chip->l1->calm, m->ports.t);
    plan_check(d, now);
}

static Port *port_of(const Device *d, const Access *a)
{
    Mchan *m = d->state;
    bool own = a->core && a->core->clock == d->clock;

    return &m->port[own ? a->core->id : CORES - 1];
}

/* After its last word a port answers nothing until the first row of the
 * command is taken. */
static bool port_busy(Device *d, Access *a)
{
    Port *p = port_of(d, a);
    uint64_t now = to_cycle(d->clock, a->time), t;
    Mchan *m = d->state;

    if (!p->job)
        return false;
    banks_settle(d->chip->l1, now);
    t = way_taken(&m->way[(p->job->c.bits & TO_L1) != 0], p->job);
    if (now > t) {
        p->job = NULL;
        return false;
    }
    a->why = W_dma;
    a->again = t == NEVER ? 1 : (int)(t + 1 - now);
    return true;
}

static uint32_t give_id(Mchan *m, int core)
{
    int i;

    for (i = 0; i < IDS && (m->id[i].used || m->id[i].left); i++)
        ;
    if (i == IDS)
        return ~0u;
    m->id[i] = (Id){.used = true, .core = core};
    m->port[core].id = i + 1;
    return (uint32_t)i;
}

/* Who asks while all are taken gets one when one is freed. */
static uint32_t new_id(Mchan *m, Access *a, int core)
{
    uint32_t id = give_id(m, core);

    if (id != ~0u)
        return id;
    m->port[core].waits = a->core;
    return core_sleep(a, W_dma);
}

static void release(Mchan *m, Access *a)
{
    int i;

    for (i = 0; i < IDS; i++)
        if (a->value >> i & 1)
            m->id[i].used = false;
    for (i = 0; i < CORES; i++) {
        Core *c = m->port[i].waits;
        uint32_t id = c ? give_id(m, i) : ~0u;

        if (id == ~0u)
            continue;
        m->port[i].waits = NULL;
        core_wake(c, to_cycle(c->clock, a->time) + 1, id);
        c->chip->yield = true;
    }
}

static uint32_t status(const Mchan *m)
{
    uint32_t v = 0;
    int i;

    for (i = 0; i < IDS; i++)
        v |= (m->id[i].left ? 1u << i : 0) |
             (m->id[i].used ? 1u << 16 << i : 0);
    return v;
}

static uint32_t load(Device *d, Access *a)
{
    Mchan *m = d->state;

    if (!a->core || port_busy(d, a))
        return 0;
    switch (a->off) {
    case COMMAND: return new_id(m, a, (int)(port_of(d, a) - m->port));
    case STATUS:
        core_polls(a, W_dma, status(m) & 0xffff);
        return status(m);
    }
    return 0;
}

/* Descriptors of rows are shared: whether a command's `bit` wants one more
 * than there are. */
static bool none_left(Mchan *m, uint32_t bit, uint64_t now)
{
    int n = 0, i;

    for (i = 0; i < CORES; i++) {
        const Port *p = &m->port[i];
        const Job *j = p->job;

        n += p->nword && p->word[0] & bit;
        n += j && j->c.bits & bit && now <= j->taken;
    }
    return n >= DESCRIPTORS;
}

static void store(Device *d, Access *a)
{
    Port *p = port_of(d, a);
    Mchan *m = d->state;
    uint64_t now = to_cycle(d->clock, a->time);
    int words;

    if (port_busy(d, a))
        return;
    if (a->off == STATUS)
        release(m, a);
    if (a->off != COMMAND)
        return;
    if (!p->nword && ((a->value & TWO_D && none_left(m, TWO_D, now)) ||
                      (a->value & TWO_D_L1 && none_left(m, TWO_D_L1, now)))) {
        a->why = W_dma;
        a->again = 1;
        return;
    }
    p->word[p->nword++] = a->value;
    words = 3 + (p->word[0] & TWO_D ? 2 : 0) + (p->word[0] & TWO_D_L1 ? 2 : 0);
    if (p->nword == words) {
        p->nword = 0;
        begin(d, a, (int)(p - m->port));
    }
}

static void init(Device *d)
{
    Mchan *m = d->state;
    Ram *l1 = d->chip->l1;
    int i;

    if (!l1)
        err(ERR_MODEL, "%s:%d: dma %s: there is no memory L1", d->item->file,
            d->item->line, d->name);
    m->event = (int)item_int(d->item, "event", 8);
    m->irq = (int)item_int(d->item, "irq", 9);
    m->check = NEVER;
    m->ports = (Ports){.t = NEVER, .device = d, .step = way_step};
    for (i = 0; i < 2; i++) {
        m->way[i].in = i;
        m->way[i].reply = (uint64_t)item_int(d->item, "reply", 1);
    }
    l1->dma = &m->ports;
}

static const Model model = {
    .name = "mchan", .size = sizeof(Mchan), .init = init, .load = load,
    .store = store, .event = event,
};
MODEL(model)
