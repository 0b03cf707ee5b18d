/* A link to the other chips of the simulation: messages from memory to
 * memory, one after the other, with a bandwidth and a latency.
 *
 *     +0x00 ID         number of this chip       +0x04 CHIPS   how many
 *     +0x08 TO         chip                      +0x0c FROM    own address
 *     +0x10 AT         address there             +0x14 BYTES   a store sends
 *     +0x18 BUSY       messages under way        +0x1c ARRIVED not yet taken
 *     +0x20 WAIT       a load takes one and says from whom; it sleeps until
 *                      there is one
 *
 * The bytes leave when the message is sent and are there when it arrives.
 * Keys: `mb_per_s=`, `latency_ns=`. */
#include "sim/chip.h"

#include <string.h>

enum { ID = 0x00, CHIPS = 0x04, TO = 0x08, FROM = 0x0c, AT = 0x10,
       BYTES = 0x14, BUSY = 0x18, ARRIVED = 0x1c, WAIT = 0x20 };
enum { QUEUE = 1024, WAITERS = 32 };

typedef struct Message {
    int from;
    Device *sender;
    uint32_t at, n;
    uint64_t sent;
    uint8_t data[];
} Message;

typedef struct Link {
    uint32_t to, from, at;
    uint64_t free;    /* when the way out is */
    int busy;
    int arrived;
    int source[QUEUE]; /* of messages not yet taken */
    int nwait;
    Core *wait[WAITERS];
} Link;

static void send(Device *d, Access *a, uint32_t n)
{
    Link *v = d->state;
    Sim *s = d->chip->sim;
    double ticks = (double)s->khz * 1e3; /* a second */
    uint64_t begin = MAX(a->time, v->free), end;
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
    m = arena_get(s->mem, 1, sizeof *m + n);
    m->from = d->chip->id;
    m->sender = d;
    m->at = v->at;
    m->n = n;
    m->sent = begin;
    memcpy(m->data, p, n);
    v->free = begin + (uint64_t)(n * ticks /
                                 (item_num(d->item, "mb_per_s", 1e3) * 1e6));
    end = v->free + (uint64_t)(item_num(d->item, "latency_ns", 0) * ticks /
                               1e9);
    v->busy++;
    d->chip->counts.link_bytes += n;
    chip_at(peer->chip, MAX(end, s->until), peer, (uintptr_t)m);
}

/* Hands the oldest message to a core. */
static uint32_t take(Link *v)
{
    int from = v->source[0], i;

    for (i = 1; i < v->arrived; i++)
        v->source[i - 1] = v->source[i];
    v->arrived--;
    return (uint32_t)from;
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    Link *v = d->state;
    Message *m = (Message *)(uintptr_t)what;
    uint8_t *p = ram_span(d->chip, m->at, m->n, true, "link, arriving");
    int i;

    ((Link *)m->sender->state)->busy--;
    if (!p)
        return;
    memcpy(p, m->data, m->n);
    timeline_slice(d->chip, "link in", "message", m->sent, time);
    if (v->arrived < QUEUE)
        v->source[v->arrived++] = m->from;
    if (!v->nwait)
        return;
    core_wake(v->wait[0], to_cycle(v->wait[0]->clock, time), take(v));
    for (i = 1; i < v->nwait; i++)
        v->wait[i - 1] = v->wait[i];
    v->nwait--;
    d->chip->yield = true;
}

static uint32_t wait(Device *d, Access *a)
{
    Link *v = d->state;

    if (v->arrived)
        return take(v);
    if (!a->core || v->nwait == WAITERS)
        return ~0u;
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
    case WAIT: return wait(d, a);
    }
    return 0;
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
