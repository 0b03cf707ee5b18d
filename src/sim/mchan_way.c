/* Cycles of the cluster's DMA (dev_mchan.c): bursts through the aligner, words
 * through its ports of the L1, and when things begin and end. */
#include "sim/mchan_way.h"

#include <string.h>

enum { QUEUED = 2, FETCHED = 3, UNDER_WAY = 8 };
enum { /* cycles */
    TAKEN = 4,   /* from a command's last word until its first row is taken */
    ADDRESS = 3, /* from the issue of a burst to its read address */
    ENTER = 1,   /* from its first data to the aligner */
    FETCH = 2,   /* outwards: from the issue to the read of the L1 */
    FETCH_ENTER = 5, /* and to the aligner; */
    FURTHER = 4, /* a row's further burst, from the end of the last but one */
    OVER = 3,    /* from a command's last word to its event */
};

static uint64_t done_by_both(const Way *w)
{
    return MIN(w->got[0], w->got[1]);
}

/* ---- when things begin ---- */

/* The cycle in which a command's first row is taken, if it is known: after
 * those of the command before, of which 9 bursts inwards and 2 outwards may
 * wait or be under way. */
uint64_t way_taken(const Way *w, Job *j)
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

int way_burst_cycles(bool in, const Burst *b)
{
    if (in)
        return align_cycles(b->ext, b->l1, b->n);
    return align_cycles(b->l1, b->ext, b->n) + (beats(b->l1, b->n) != 2);
}

/* The next burst goes into the aligner, in cycle t or later. */
void way_load_burst(Way *w, uint64_t t)
{
    bool begins = !w->begun;
    Burst b;

    if (w->busy || !w->job || way_taken(w, w->job) == NEVER)
        return;
    if (begins)
        bursts_begin(&w->cut, &w->job->c);
    bursts_next(&w->cut, &b);
    w->start = MAX(t, enters(w, &b, begins));
    if (begins)
        w->job->from = w->start;
    w->begun = w->busy = true;
    w->all = way_burst_cycles(w->in, &b);
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
    way_load_burst(w, t + 1);
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
            if (way_taken(w, w->read) == NEVER)
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

void way_ask_next(Mchan *m, uint64_t t)
{
    int i;

    m->ports.t = MIN(due(&m->way[0], t), due(&m->way[1], t));
    for (i = 0; i < DMA_PORTS; i++)
        m->ports.bank[i] = wanted(&m->way[i / 2], i % 2);
}

void way_step(Ports *p, unsigned granted)
{
    Mchan *m = p->device->state;
    uint64_t t = p->t;

    way_cycle(m, &m->way[0], t, granted & 3);
    way_cycle(m, &m->way[1], t, granted >> 2);
    way_ask_next(m, t + 1);
}

uint64_t way_earliest_end(const Mchan *m, const Way *w)
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
