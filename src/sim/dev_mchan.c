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
#include "sim/chip.h"
#include "sim/mchan.h"

#include <string.h>

enum { COMMAND = 0, STATUS = 4 };
enum { IDS = 16, CORES = 33, WORDS = 7, LONGEST = 1 << 17, DESCRIPTORS = 4 };
enum { RING = 16, PAIRS = 8, QUEUED = 2, FETCHED = 3, UNDER_WAY = 8 };
enum { /* cycles */
    TAKEN = 4,   /* from a command's last word until its first row is taken */
    ADDRESS = 3, /* from the issue of a burst to its read address */
    ENTER = 1,   /* from its first data to the aligner */
    FETCH = 2,   /* outwards: from the issue to the read of the L1 */
    FETCH_ENTER = 5, /* and to the aligner; */
    FURTHER = 4, /* a row's further burst, from the end of the last but one */
    OVER = 3,    /* from a command's last word to its event */
};
enum { CHECK, EMIT }; /* events that are not the end of a Job */

typedef struct Job {
    Command c;
    int id, core;
    uint64_t written;   /* cycle of its last word */
    uint64_t taken;     /* cycle in which its first row is; NEVER: not known */
    uint64_t issue;     /* cycles from there until its last burst is issued */
    uint64_t last;      /* number of its last burst in its direction */
    uint64_t cycles;    /* of the aligner, for the bursts that are left */
    uint64_t end;       /* inwards: pairs until its last; 0: not known yet */
    uint64_t from;      /* cycle of its first burst */
    struct Job *before, *next;
} Job;

/* A direction. */
typedef struct Way {
    bool in;
    uint64_t reply;
    Job *first, *newest; /* under way, in order */

    Job *job;            /* whose burst is or will be in the aligner */
    bool begun, busy;    /* its cut is; a burst is there from `start` on */
    Bursts cut;
    uint64_t start, issue, address;
    int lead, pairs, tail, all; /* its cycles: before words pass, with, after */
    uint32_t at, lo, hi; /* inwards: next word; where its bytes begin and end */
    uint64_t n, over[RING]; /* bursts until now, cycles after their ends */

    Job *read;           /* outwards: whose words are read, from when on, */
    bool reading;
    Bursts read_cut;
    uint64_t read_from;
    uint32_t read_at;    /* and of a burst: the next word, pairs left */
    int fetch;

    uint64_t put, got[2];       /* pairs given to the ports; done by each */
    uint64_t passed, seen[2];   /* outwards: pairs in the aligner; done by
                                   both ports a cycle ago, two ago */
    uint64_t last_cycle;
    int bank[PAIRS][2];
} Way;

typedef struct Id {
    bool used;       /* given to a core */
    int left, core;  /* commands under way; who wrote the last */
    uint32_t bits;   /* of the last */
} Id;

typedef struct Port { /* of a core */
    uint32_t word[WORDS]; /* of the command being written */
    int nword, id;        /* id given to the core, + 1 */
    Job *job;             /* the command that keeps it busy */
    Core *waits;          /* for an id */
} Port;

typedef struct Mchan {
    Ports ports;
    Way way[2]; /* out, in; their ports are in that order, too */
    Id id[IDS];
    Port port[CORES];
    uint32_t pending;    /* ids whose events are to be sent, one a cycle */
    uint64_t next_emit, check; /* cycles of the next such events */
    int event, irq;
    Job *idle;
} Mchan;

static uint64_t done_by_both(const Way *w)
{
    return MIN(w->got[0], w->got[1]);
}

/* ---- when things begin ---- */

/* The cycle in which a command's first row is taken, if it is known: after
 * those of the command before, of which 9 bursts inwards and 2 outwards may
 * wait or be under way. */
static uint64_t taken(const Way *w, Job *j)
{
    uint64_t held = w->in ? 9 : 2, after = w->in ? 7 : 0;
    const Job *b = j->before;
    bool rows = j->c.bits & (TWO_D | TWO_D_L1);

    if (j->taken != NEVER || (b && b->last >= held + w->n))
        return j->taken;
    if (b && b->taken == NEVER)
        return NEVER;
    j->taken = j->written + TAKEN - rows;
    if (b)
        j->taken = MAX(j->taken, b->taken + b->issue);
    if (b && b->last >= held)
        j->taken = MAX(j->taken, w->over[(b->last - held) % RING] + after);
    return j->taken;
}

/* Cycle in which a burst may enter the aligner. */
static uint64_t enters(Way *w, const Burst *b, bool begins)
{
    w->issue = begins ? w->job->taken + 1 : w->issue + (b->first ? 2 : 1);
    if (!w->in)
        return MAX(w->issue + FETCH_ENTER, b->first || w->n < 2 ? 0 :
                   w->over[(w->n - 2) % RING] + FURTHER);
    w->address = MAX(w->address + 1, w->issue + ADDRESS);
    if (w->n >= UNDER_WAY)
        w->address = MAX(w->address, w->over[(w->n - UNDER_WAY) % RING] - 1);
    return w->address + w->reply + ENTER;
}

static int burst_cycles(bool in, const Burst *b)
{
    if (in)
        return align_cycles(b->ext, b->l1, b->n);
    return align_cycles(b->l1, b->ext, b->n) + (beats(b->l1, b->n) != 2);
}

/* The next burst goes into the aligner, in cycle t or later. */
static void load_burst(Way *w, uint64_t t)
{
    bool begins = !w->begun;
    Burst b;

    if (w->busy || !w->job || taken(w, w->job) == NEVER)
        return;
    if (begins)
        bursts_begin(&w->cut, &w->job->c);
    bursts_next(&w->cut, &b);
    w->start = MAX(t, enters(w, &b, begins));
    if (begins)
        w->job->from = w->start;
    w->begun = w->busy = true;
    w->all = burst_cycles(w->in, &b);
    w->pairs = beats(b.l1, b.n);
    w->lead = w->in ? w->all - w->pairs : 0;
    w->tail = w->in ? 0 : w->all - w->pairs;
    w->at = b.l1 & ~7u;
    w->lo = b.l1;
    w->hi = b.l1 + b.n;
}

/* ---- a cycle of a direction ---- */

static void finish(Mchan *m, Job *j, uint64_t cycle)
{
    Device *d = m->ports.device;

    chip_at(d->chip, to_ticks(d->clock, cycle), d, (uintptr_t)j);
}

static void put_pair(Mchan *m, Way *w, uint32_t at, bool low, bool high)
{
    const Ram *l1 = m->ports.device->chip->l1;
    uint32_t mask = (uint32_t)l1->nbank - 1, word = (at - l1->base) / 4;
    int *bank = w->bank[w->put++ % PAIRS];

    bank[0] = low ? (int)(word & mask) : -1;
    bank[1] = high ? (int)((word + 1) & mask) : -1;
}

static void burst_over(Mchan *m, Way *w, uint64_t t)
{
    Job *j = w->job;

    w->over[w->n % RING] = t + 1;
    w->busy = false;
    j->cycles -= (uint64_t)w->all;
    if (w->n++ == j->last) {
        w->job = j->next;
        w->begun = false;
        j->end = w->put;
        if (!w->in)
            finish(m, j, t + OVER + w->reply);
    }
    load_burst(w, t + 1);
}

/* ok: inwards the ports have room for a pair, outwards they have one. */
static void align(Mchan *m, Way *w, uint64_t t, bool ok)
{
    if (!w->busy || t < w->start)
        return;
    if (w->lead) {
        w->lead--;
    } else if (w->pairs) {
        if (!ok)
            return;
        w->pairs--;
        w->passed++;
        if (w->in)
            put_pair(m, w, w->at, w->at + 4 > w->lo, w->at + 4 < w->hi);
        w->at += 8;
    } else {
        w->tail--;
    }
    if (!w->lead && !w->pairs && !w->tail)
        burst_over(m, w, t);
}

/* Outwards: the L1 is read ahead of the aligner. */
static void find_fetch(Way *w)
{
    Burst b;

    while (!w->fetch && w->read) {
        if (!w->reading) {
            if (taken(w, w->read) == NEVER)
                return;
            bursts_begin(&w->read_cut, &w->read->c);
            w->read_from = w->read->taken + 1 + FETCH;
            w->reading = true;
        }
        if (bursts_next(&w->read_cut, &b)) {
            w->fetch = beats(b.l1, b.n);
            w->read_at = b.l1 & ~7u;
        } else {
            w->read = w->read->next;
            w->reading = false;
        }
    }
}

static void fetch(Mchan *m, Way *w, uint64_t t, bool room)
{
    find_fetch(w);
    if (!w->fetch || t < w->read_from || !room)
        return;
    put_pair(m, w, w->read_at, true, true);
    w->read_at += 8;
    w->fetch--;
}

static void out_cycle(Mchan *m, Way *w, uint64_t t, bool room)
{
    w->seen[1] = t == w->last_cycle + 1 ? w->seen[0] : done_by_both(w);
    w->seen[0] = done_by_both(w);
    align(m, w, t, w->passed < w->seen[1]);
    fetch(m, w, t, room);
}

/* Words without a byte to write are not written. */
static void skip_words(Way *w)
{
    int p;

    for (p = 0; p < 2; p++)
        while (w->got[p] < w->put && w->bank[w->got[p] % PAIRS][p] < 0)
            w->got[p]++;
}

static void end_jobs(Mchan *m, Way *w, uint64_t t)
{
    Job *j;

    for (j = w->first; j && j->end; j = j->next)
        if (j->end != NEVER && done_by_both(w) >= j->end) {
            finish(m, j, t + OVER);
            j->end = NEVER;
        }
}

static void way_cycle(Mchan *m, Way *w, uint64_t t, unsigned granted)
{
    bool room = w->put - done_by_both(w) < QUEUED;
    uint64_t got[2] = {w->got[0] + (granted & 1), w->got[1] + (granted >> 1)};

    if (w->in) {
        memcpy(w->got, got, sizeof got);
        align(m, w, t, room);
        skip_words(w);
        end_jobs(m, w, t);
    } else {
        out_cycle(m, w, t, room);
        w->got[0] += granted & 1;
        w->got[1] += granted >> 1;
    }
    w->last_cycle = t;
}

/* The bank that a port asks for next, or -1. */
static int wanted(const Way *w, int port)
{
    uint64_t i = w->got[port];

    if (i == w->put || (!w->in && i - w->passed >= FETCHED))
        return -1;
    return w->bank[i % PAIRS][port];
}

/* The cycle from t on in which a direction has to do something. */
static uint64_t due(const Way *w, uint64_t t)
{
    uint64_t next = NEVER;

    if (w->put > done_by_both(w))
        return t;
    if (w->busy)
        next = MAX(t, w->start);
    if (w->fetch || (w->read && w->read->taken != NEVER))
        next = MIN(next, MAX(t, w->fetch ? w->read_from
                                         : w->read->taken + 1 + FETCH));
    return next;
}

static void ask_next(Mchan *m, uint64_t t)
{
    int i;

    m->ports.t = MIN(due(&m->way[0], t), due(&m->way[1], t));
    for (i = 0; i < DMA_PORTS; i++)
        m->ports.bank[i] = wanted(&m->way[i / 2], i % 2);
}

static void step(Ports *p, unsigned granted)
{
    Mchan *m = p->device->state;
    uint64_t t = p->t;

    way_cycle(m, &m->way[0], t, granted & 3);
    way_cycle(m, &m->way[1], t, granted >> 2);
    ask_next(m, t + 1);
}

/* ---- the end of a command ---- */

/* No command of a direction has its last word before this cycle. */
static uint64_t earliest_end(const Mchan *m, const Way *w)
{
    const Job *j = w->first;
    uint64_t t;

    while (j && j->end)
        j = j->next;
    if (w->in && w->first && w->first->end && w->first->end != NEVER)
        return m->ports.t + 1;
    if (!j || j != w->job || !w->busy)
        return NEVER;
    t = MAX(m->ports.t, w->start) + j->cycles;
    return t - (uint64_t)(w->all - w->lead - w->pairs - w->tail) + w->in;
}

static void plan_check(Device *d, uint64_t now)
{
    Mchan *m = d->state;
    uint64_t t = MIN(earliest_end(m, &m->way[0]), earliest_end(m, &m->way[1]));

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
        taken(w, j->next);
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
        j->cycles += (uint64_t)burst_cycles(w->in, &b);
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
    load_burst(w, now);
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
    ask_next(m, MIN(m->ports.t, now + 1));
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
    t = taken(&m->way[(p->job->c.bits & TO_L1) != 0], p->job);
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
    m->ports = (Ports){.t = NEVER, .device = d, .step = step};
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
