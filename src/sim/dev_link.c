/* A link to the other chips of the simulation: messages from memory to
 * memory, one after the other, with a bandwidth and a latency.
 *
 *     +0x00 ID         number of this chip       +0x04 CHIPS   how many
 *     +0x08 TO         chip                      +0x0c FROM    own address
 *     +0x10 AT         address there             +0x14 BYTES   a store sends
 *     +0x18 BUSY       messages under way        +0x1c ARRIVED not yet taken
 *     +0x20 WAIT       a load takes one and says from whom; it sleeps until
 *                      there is one
 *     +0x100 + 4 * i   the same, of chip i alone
 *
 * The bytes leave when the message is sent and are there when it arrives.  One
 * message at a time has the way out of its chip and, a latency later, the way
 * in of the other: both are taken until its last byte is there, so that a
 * receiver is never overrun.  A message that nobody takes is a fault once there
 * are more of them than a queue holds: none is lost in silence.
 * Keys: `mb_per_s=`, `latency_ns=`. */
#include "sim/chip.h"

#include <string.h>

enum { ID = 0x00, CHIPS = 0x04, TO = 0x08, FROM = 0x0c, AT = 0x10,
       BYTES = 0x14, BUSY = 0x18, ARRIVED = 0x1c, WAIT = 0x20,
       WAIT_OF = 0x100 };
enum { QUEUE = 1024, WAITERS = 32, ANYONE = -1 };

typedef struct Message {
    int from;
    Device *sender;
    uint32_t at, n;
    uint64_t sent;
    uint8_t data[];
} Message;

typedef struct Link {
    uint32_t to, from, at;
    uint64_t free, free_in; /* when the way out is, the way in */
    int busy;
    int arrived;
    int source[QUEUE]; /* of messages not yet taken */
    int nwait;
    Core *wait[WAITERS];
    int wait_of[WAITERS]; /* for whose message; ANYONE */
} Link;

static void send(Device *d, Access *a, uint32_t n)
{
    Link *v = d->state;
    Sim *s = d->chip->sim;
    double ticks = (double)s->khz * 1e3; /* a second */
    uint64_t begin = MAX(a->time, v->free), end;
    uint64_t late = (uint64_t)(item_num(d->item, "latency_ns", 0) * ticks /
                               1e9);
    Link *other;
    Message *m;
    uint8_t *p;
    Device *peer;

    if (v->to >= (uint32_t)s->nchip || v->to == (uint32_t)d->chip->id) {
        sim_fault(d->chip, a->core, "link: no way from chip %d to chip %u of "
                  "%d", d->chip->id, v->to, s->nchip);
        return;
    }
    p = ram_span(d->chip, v->from, n, false, "link");
    peer = chip_device(&s->chip[v->to], "link");
    if (!p || !n || !peer) {
        sim_fault(d->chip, a->core, "link: nothing to send, or no link at the "
                  "other end");
        return;
    }
    other = peer->state;
    begin = MAX(begin + late, other->free_in) - late;
    m = arena_get(s->mem, 1, sizeof *m + n);
    m->from = d->chip->id;
    m->sender = d;
    m->at = v->at;
    m->n = n;
    m->sent = begin;
    memcpy(m->data, p, n);
    v->free = begin + (uint64_t)(n * ticks /
                                 (item_num(d->item, "mb_per_s", 1e3) * 1e6));
    end = other->free_in = v->free + late;
    v->busy++;
    d->chip->counts.link_bytes += n;
    chip_at(peer->chip, MAX(end, s->until), peer, (uintptr_t)m);
}

/* The oldest message of a chip, or of any; -1: there is none. */
static int find(const Link *v, int of)
{
    int i;

    for (i = 0; i < v->arrived; i++)
        if (of == ANYONE || v->source[i] == of)
            return i;
    return -1;
}

/* Hands message i to a core. */
static uint32_t take(Link *v, int i)
{
    int from = v->source[i];

    for (i++; i < v->arrived; i++)
        v->source[i - 1] = v->source[i];
    v->arrived--;
    return (uint32_t)from;
}

/* The first core that waits for what has just come. */
static void wake(Link *v, uint64_t time)
{
    int i, k;

    for (i = 0; i < v->nwait; i++) {
        k = find(v, v->wait_of[i]);
        if (k >= 0)
            break;
    }
    if (i == v->nwait)
        return;
    core_wake(v->wait[i], to_cycle(v->wait[i]->clock, time), take(v, k));
    for (i++; i < v->nwait; i++) {
        v->wait[i - 1] = v->wait[i];
        v->wait_of[i - 1] = v->wait_of[i];
    }
    v->nwait--;
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    Link *v = d->state;
    Message *m = (Message *)(uintptr_t)what;
    uint8_t *p = ram_span(d->chip, m->at, m->n, true, "link, arriving");

    ((Link *)m->sender->state)->busy--;
    if (!p)
        return;
    memcpy(p, m->data, m->n);
    timeline_slice(d->chip, "link in", "message", m->sent, time);
    if (v->arrived == QUEUE) {
        sim_fault(d->chip, NULL, "link: %d messages at chip %d that nobody "
                  "took", QUEUE, d->chip->id);
        return;
    }
    v->source[v->arrived++] = m->from;
    if (!v->nwait)
        return;
    wake(v, time);
    d->chip->yield = true;
}

static uint32_t wait(Device *d, Access *a, int of)
{
    Link *v = d->state;
    int i = find(v, of);

    if (i >= 0)
        return take(v, i);
    if (!a->core || v->nwait == WAITERS)
        return ~0u;
    v->wait_of[v->nwait] = of;
    v->wait[v->nwait++] = a->core;
    return core_sleep(a, W_other);
}

static uint32_t load(Device *d, Access *a)
{
    Link *v = d->state;

    switch (a->off) {
    case ID: return (uint32_t)d->chip->id;
    case CHIPS: return (uint32_t)d->chip->sim->nchip;
    case TO: return v->to;
    case FROM: return v->from;
    case AT: return v->at;
    case BUSY: return (uint32_t)v->busy;
    case ARRIVED: return (uint32_t)v->arrived;
    case WAIT: return wait(d, a, ANYONE);
    }
    return a->off < WAIT_OF ? 0 : wait(d, a, (int)(a->off - WAIT_OF) / 4);
}

static void store(Device *d, Access *a)
{
    Link *v = d->state;

    switch (a->off) {
    case TO: v->to = a->value; break;
    case FROM: v->from = a->value; break;
    case AT: v->at = a->value; break;
    case BYTES: send(d, a, a->value); break;
    }
}

static const Model model = {
    .name = "link", .size = sizeof(Link), .load = load, .store = store,
    .event = event,
};
MODEL(model)
