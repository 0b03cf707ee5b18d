/* The ways to the other chips of a simulation.
 *
 *     +0x00 ID           this chip               +0x04 CHIPS   how many there are
 *     +0x18 SENDING      messages whose bytes are not all gone
 *     +0x1c ARRIVED      not yet taken
 *     +0x20 WAIT         a load takes one and says from whom; it sleeps until
 *                        there is one
 *     +0x24 ROOM         an address here; and then
 *     +0x28 OPEN         a store of a tag: messages of this tag may come there
 *     +0x2c LIMIT        cycles of the core that a load of WAIT takes at most,
 *                        or gives LATE; 0: it may sleep for ever
 *     +0x100 + 4 * i     WAIT for chip i alone
 *     +0x200 + 0x20 * w  window w, that cores do not share one: +0 TO, +4 FROM
 *                        (own address), +8 AT (address there), +0xc TAG; a store
 *                        to +0x10 BYTES sends
 *     +0x08 to +0x14     TO, FROM, AT, BYTES of window 0, whose TAG they leave
 *
 * A message without a tag (0) goes to address AT; one that has a tag to AT bytes
 * behind the receiver's ROOM, and does not leave before the receiver has opened
 * it for this tag and its sender knows: who is not ready is never overrun.
 *
 * Bytes are read when the last one leaves, and are there when it arrives.  One
 * message at a time has the way out of its chip, in order, and, a latency later,
 * the way in of the other: both are taken until its last byte is there.  With
 * `,half` behind the topology a chip's ways out and in are one wire; with
 * `,shared` those of all chips are.  Who asks for a way first has it first,
 * to the tick: ways are given at the end of each quantum, when all have asked
 * that might (settle).  Where two chips are not joined (soc_joined), those
 * between hand a message on, when all of it is there and before what they send
 * themselves; their cores have nothing to do with it.  Each has a number and a
 * checksum: WAIT gives BROKEN or MISSED with the sender of one that is damaged, or not the one that
 * should have come.  A message that nobody takes is a fault once there are more
 * of them than a queue holds.
 *
 * Keys: `mb_per_s=`, `latency_ns=`; for tests `fault=` lose, twice, break, late
 * or dead, `fault_chip=`, the sender, and `fault_at=`, which of its messages. */
#include "sim/chip.h"

#include <string.h>

enum { ID = 0x00, CHIPS = 0x04, TO = 0x08, FROM = 0x0c, AT = 0x10,
       BYTES = 0x14, SENDING = 0x18, ARRIVED = 0x1c, WAIT = 0x20, ROOM = 0x24,
       OPEN = 0x28, LIMIT = 0x2c, WAIT_OF = 0x100, WINDOW = 0x200,
       WINDOW_SIZE = 0x20, WINDOWS = 16 };
enum { W_TO = 0x00, W_FROM = 0x04, W_AT = 0x08, W_TAG = 0x0c, W_BYTES = 0x10 };
enum { QUEUE = 1024, WAITERS = 32, ANYONE = -1 };
#define BROKEN (1u << 8)
#define MISSED (1u << 9)
#define LATE UINT32_MAX

typedef struct Message {
    struct Message *next;   /* that leaves behind it */
    int from;
    Device *sender, *taker;
    Device *hop;            /* where it arrives next: the taker, or who hands it
                               on */
    uint32_t src, at, tag, n;
    uint32_t number;        /* of this sender's to this taker */
    bool broken, lost;
    uint64_t asked, sent, there; /* ticks: when it was, left, arrives */
    uint8_t data[];
} Message;

/* What a core has said of the message that it sends. */
typedef struct Window {
    uint32_t to, from, at, tag;
} Window;

typedef struct Waiter {
    Core *core;
    int of;           /* for whose message; ANYONE */
    uint64_t turn;    /* which sleep of the link's this is */
} Waiter;

typedef struct Span {
    uint64_t from, to; /* ticks */
} Span;

typedef struct Queue {
    Message *first, *last;
} Queue;

typedef struct Link {
    Window window[WINDOWS];
    Queue own, passing;         /* that have not begun to leave; of others, to
                                   be handed on */
    uint64_t free;              /* when the way out is */
    int nbooked;
    Span *booked;               /* when the way in is not, or the wire, in order */
    int sending, sent;
    uint32_t room, open;
    uint64_t opened;            /* ticks; senders know it a latency later */
    uint32_t limit;
    uint32_t to_number[SIM_CHIPS], from_number[SIM_CHIPS];
    int arrived;
    uint32_t source[QUEUE];     /* of messages not yet taken, with flags */
    int nwait;
    Waiter wait[WAITERS];
    uint64_t turns;
    bool dead;
} Link;

/* What an event is about, in the two lowest bits of its number. */
enum { GONE, THERE, TIME_UP };

static double per_second(const Device *d)
{
    return (double)d->chip->sim->khz * 1e3;
}

static uint64_t latency(const Device *d)
{
    return (uint64_t)(item_num(d->item, "latency_ns", 0) * per_second(d) / 1e9);
}

static bool has_fault(const Device *d, const char *kind, int sent)
{
    const char *s = item_word(d->item, "fault", NULL);

    return s && !strcmp(s, kind) &&
           item_int(d->item, "fault_chip", 0) == d->chip->id &&
           (sent == item_int(d->item, "fault_at", 1) || !strcmp(kind, "dead"));
}

/* Leaves out what is over.  Chips of one quantum book in any order, none of them
 * before it. */
static void forget(const Sim *s, Link *v)
{
    int i = 0;

    while (i < v->nbooked && v->booked[i].to + s->quantum <= s->until)
        i++;
    v->nbooked -= i;
    if (i)
        memmove(v->booked, v->booked + i,
                (size_t)v->nbooked * sizeof *v->booked);
}

/* The first n ticks from `begin` on in which a wire is free. */
static uint64_t find_free(const Link *v, uint64_t begin, uint64_t n)
{
    int i;

    for (i = 0; i < v->nbooked && v->booked[i].from < begin + n; i++)
        if (v->booked[i].to > begin)
            begin = v->booked[i].to;
    return begin;
}

static void book(Sim *s, Link *v, uint64_t begin, uint64_t n)
{
    int i = 0;

    forget(s, v);
    while (i < v->nbooked && v->booked[i].from < begin)
        i++;
    GROW(s->mem, v->booked, (size_t)v->nbooked);
    memmove(v->booked + i + 1, v->booked + i,
            (size_t)(v->nbooked++ - i) * sizeof *v->booked);
    v->booked[i] = (Span){begin, begin + n};
}

/* When a message of n ticks leaves, from `begin` on: the way in of its receiver
 * is free a latency later, half duplex also the sender's, which is the way out;
 * or that of chip 0, which stands for the wire that all share. */
static uint64_t book_way(Device *d, Device *to, uint64_t begin, uint64_t n)
{
    Sim *s = d->chip->sim;
    Wires kind = soc_wires(d->chip->soc);
    uint64_t late = kind == WIRES_shared ? 0 : latency(d), is;
    Link *in = (kind == WIRES_shared ? s->link[0] : to)->state;

    do {
        is = begin;
        if (kind == WIRES_half)
            begin = find_free(d->state, begin, n);
        begin = find_free(in, begin + late, n) - late;
    } while (begin != is);
    if (kind == WIRES_half)
        book(s, d->state, begin, n);
    book(s, in, begin + late, n);
    return begin;
}

static void put(Queue *q, Message *m)
{
    m->next = NULL;
    if (q->first)
        q->last->next = m;
    else
        q->first = m;
    q->last = m;
}

/* What goes from one link to another goes to this first. */
static Device *next_hop(const Device *from, const Device *to)
{
    Sim *s = from->chip->sim;
    int i = s->next[from->chip->id * s->nchip + to->chip->id];

    return s->link[i];
}

static int hops(const Device *from, const Device *to)
{
    int n;

    for (n = 0; from != to; n++)
        from = next_hop(from, to);
    return n;
}

/* When a link's own message may leave: its receiver has opened the room, and
 * the sender knows. */
static uint64_t own_time(const Device *d)
{
    const Link *v = d->state;
    const Message *m = v->own.first;
    const Link *to = m ? m->taker->state : NULL;
    uint64_t begin = m ? MAX(m->asked, v->free) : NEVER;

    if (!m || !m->tag)
        return begin;
    return to->open != m->tag ? NEVER
           : MAX(begin, to->opened +
                            (uint64_t)hops(d, m->taker) * latency(d));
}

/* When what a link is to hand on may leave. */
static uint64_t passing_time(const Device *d)
{
    const Link *v = d->state;
    const Message *m = v->passing.first;

    return m ? MAX(m->asked, v->free) : NEVER;
}

static uint64_t leaving_time(const Device *d)
{
    return MIN(own_time(d), passing_time(d));
}

/* A link's next message leaves, from `begin` on: what is handed on before what it
 * sends itself.  Where chips run apart for longer than a message is under way, it
 * is late by that. */
static void leave(Device *d, uint64_t begin)
{
    Link *v = d->state;
    Sim *s = d->chip->sim;
    bool own = own_time(d) < passing_time(d);
    Queue *q = own ? &v->own : &v->passing;
    Message *m = q->first;
    uint64_t time;

    q->first = m->next;
    if (own && m->tag)
        m->at += ((Link *)m->taker->state)->room;
    m->hop = next_hop(d, m->taker);
    time = (uint64_t)(m->n * per_second(d) /
                      (item_num(d->item, "mb_per_s", 1e3) * 1e6));
    m->sent = book_way(d, m->hop, begin, time);
    v->free = m->sent + time;
    m->there = MAX(v->free + latency(d), s->until);
    d->chip->counts.link_bytes += m->n;
    chip_at(d->chip, MAX(v->free, s->until), d, (uintptr_t)m | GONE);
    if (!m->lost)
        chip_at(m->hop->chip, m->there, m->hop, (uintptr_t)m | THERE);
}

/* The link that may send next, of those that are alike the first; NULL: none
 * does. */
static Device *first_to_leave(const Sim *s, uint64_t *begin)
{
    Device *found = NULL;
    int i;

    *begin = NEVER;
    for (i = 0; i < s->nchip; i++) {
        uint64_t t = s->link[i] ? leaving_time(s->link[i]) : NEVER;

        if (t < *begin) {
            *begin = t;
            found = s->link[i];
        }
    }
    return found;
}

static bool settle(Sim *s)
{
    uint64_t begin;
    Device *d;

    while ((d = first_to_leave(s, &begin)) && begin < s->until)
        leave(d, begin);
    return d;
}

static void read_bytes(Message *m)
{
    const uint8_t *p = ram_span(m->sender->chip, m->src, m->n, false, "link");

    if (p)
        memcpy(m->data, p, m->n);
}

static Message *message(Device *d, const Window *w, Device *peer, uint32_t n,
                        uint64_t time)
{
    Link *v = d->state;
    Message *m = arena_get(d->chip->sim->mem, 1, sizeof *m + n);

    *m = (Message){.from = d->chip->id, .sender = d, .taker = peer,
                   .src = w->from, .at = w->at, .tag = w->tag, .n = n,
                   .number = v->to_number[w->to]++, .asked = time};
    v->sent++;
    m->lost = has_fault(d, "lose", v->sent);
    m->broken = has_fault(d, "break", v->sent);
    if (has_fault(d, "late", v->sent))
        m->asked += (uint64_t)per_second(d);
    read_bytes(m); /* lest it arrives first, where there is no latency */
    return m;
}

static void send(Device *d, Access *a, const Window *w, uint32_t n)
{
    Sim *s = d->chip->sim;
    Link *v = d->state;
    Device *peer;
    Message *m;

    if (w->to >= (uint32_t)s->nchip || w->to == (uint32_t)d->chip->id) {
        sim_fault(d->chip, a->core, "link: no way from chip %d to chip %u of "
                  "%d", d->chip->id, w->to, s->nchip);
        return;
    }
    peer = s->link[w->to];
    if (!ram_span(d->chip, w->from, n, false, "link") || !n || !peer) {
        sim_fault(d->chip, a->core, "link: nothing to send, or no link at the "
                  "other end");
        return;
    }
    v->dead |= has_fault(d, "dead", v->sent + 1) &&
               v->sent + 1 >= item_int(d->item, "fault_at", 1);
    if (v->dead)
        return;
    m = message(d, w, peer, n, a->time);
    put(&v->own, m);
    v->sending++;
    if (has_fault(d, "twice", v->sent)) {
        Message *two = arena_get(s->mem, 1, sizeof *two + n);

        *two = *m;
        put(&v->own, two);
        v->sending++;
    }
}

/* From now on messages of a tag may come; who waits to send them learns it a
 * latency later. */
static void open_room(Link *v, uint32_t tag, uint64_t time)
{
    v->open = tag;
    v->opened = time;
}

/* The oldest message of a chip, or of any; -1: there is none. */
static int find(const Link *v, int of)
{
    int i;

    for (i = 0; i < v->arrived; i++)
        if (of == ANYONE || (int)(v->source[i] & 0xff) == of)
            return i;
    return -1;
}

/* Hands message i to a core. */
static uint32_t take(Link *v, int i)
{
    uint32_t from = v->source[i];

    for (i++; i < v->arrived; i++)
        v->source[i - 1] = v->source[i];
    v->arrived--;
    return from;
}

static void wake(Link *v, int i, uint64_t time, uint32_t value)
{
    Core *c = v->wait[i].core;

    core_wake(c, to_cycle(c->clock, time), value);
    for (i++; i < v->nwait; i++)
        v->wait[i - 1] = v->wait[i];
    v->nwait--;
    c->chip->yield = true;
}

/* The first core that waits for what has just come. */
static void wake_first(Link *v, uint64_t time)
{
    int i, k;

    for (i = 0; i < v->nwait; i++) {
        k = find(v, v->wait[i].of);
        if (k >= 0) {
            wake(v, i, time, take(v, k));
            return;
        }
    }
}

static void arrive(Device *d, const Message *m, uint64_t time)
{
    Link *v = d->state;
    uint8_t *p = ram_span(d->chip, m->at, m->n, true, "link, arriving");
    uint32_t flags = m->broken ? BROKEN : 0;

    if (!p)
        return;
    memcpy(p, m->data, m->n);
    p[0] ^= (uint8_t)m->broken;
    if (v->arrived == QUEUE) {
        sim_fault(d->chip, NULL, "link: %d messages at chip %d that nobody "
                  "took", QUEUE, d->chip->id);
        return;
    }
    if (m->number != v->from_number[m->from]++)
        flags |= MISSED;
    v->source[v->arrived++] = (uint32_t)m->from | flags;
    wake_first(v, time);
}

/* A message has come, for this chip or for one that it is handed on to. */
static void come(Device *d, Message *m, uint64_t time)
{
    Link *v = d->state;
    char name[48];

    snprintf(name, sizeof name, "%u B of chip %d", m->n, m->from);
    timeline_slice(d->chip, "link in", name, m->sent, time);
    if (m->taker == d) {
        arrive(d, m, time);
        return;
    }
    if (v->dead)
        return;
    m->asked = time;
    put(&v->passing, m);
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    Link *v = d->state;
    Message *m = (Message *)(uintptr_t)(what & ~(uint64_t)3);
    int i;

    switch (what & 3) {
    case GONE:
        if (m->sender == d) {
            v->sending--;
            read_bytes(m);
        }
        break;
    case THERE:
        come(d, m, time);
        break;
    case TIME_UP:
        for (i = 0; i < v->nwait; i++)
            if (v->wait[i].turn == what >> 2) {
                wake(v, i, time, LATE);
                break;
            }
    }
}

static uint32_t wait(Device *d, Access *a, int of)
{
    Link *v = d->state;
    int i = find(v, of);

    if (i >= 0)
        return take(v, i);
    if (!a->core || v->nwait == WAITERS)
        return LATE;
    v->wait[v->nwait++] = (Waiter){a->core, of, ++v->turns};
    if (v->limit)
        chip_at(d->chip, a->time + v->limit * a->core->clock->period, d,
                v->turns << 2 | TIME_UP);
    return core_sleep(a, W_other);
}

static uint32_t load_window(const Window *w, uint32_t off)
{
    return off == W_TO ? w->to : off == W_FROM ? w->from
           : off == W_AT ? w->at : off == W_TAG ? w->tag : 0;
}

static uint32_t load(Device *d, Access *a)
{
    Link *v = d->state;

    switch (a->off) {
    case ID: return (uint32_t)d->chip->id;
    case CHIPS: return (uint32_t)d->chip->sim->nchip;
    case TO: case FROM: case AT:
        return load_window(v->window, a->off - TO);
    case SENDING: return (uint32_t)v->sending;
    case ARRIVED: return (uint32_t)v->arrived;
    case WAIT: return wait(d, a, ANYONE);
    case ROOM: return v->room;
    case OPEN: return v->open;
    case LIMIT: return v->limit;
    }
    if (a->off >= WINDOW && a->off < WINDOW + WINDOWS * WINDOW_SIZE)
        return load_window(&v->window[(a->off - WINDOW) / WINDOW_SIZE],
                           a->off % WINDOW_SIZE);
    return a->off < WAIT_OF ? 0 : wait(d, a, (int)(a->off - WAIT_OF) / 4);
}

static void store_window(Device *d, Access *a, Window *w, uint32_t off)
{
    switch (off) {
    case W_TO: w->to = a->value; break;
    case W_FROM: w->from = a->value; break;
    case W_AT: w->at = a->value; break;
    case W_TAG: w->tag = a->value; break;
    case W_BYTES: send(d, a, w, a->value); break;
    }
}

static void store(Device *d, Access *a)
{
    Link *v = d->state;

    switch (a->off) {
    case TO: case FROM: case AT:
        store_window(d, a, v->window, a->off - TO);
        return;
    case BYTES: send(d, a, v->window, a->value); return;
    case ROOM: v->room = a->value; return;
    case OPEN: open_room(v, a->value, a->time); return;
    case LIMIT: v->limit = a->value; return;
    }
    if (a->off >= WINDOW && a->off < WINDOW + WINDOWS * WINDOW_SIZE)
        store_window(d, a, &v->window[(a->off - WINDOW) / WINDOW_SIZE],
                     a->off % WINDOW_SIZE);
}

static const Model model = {
    .name = "link", .size = sizeof(Link), .load = load, .store = store,
    .event = event, .settle = settle,
};
MODEL(model)
