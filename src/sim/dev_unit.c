/* The event unit of a cluster, as each core sees it: events are bits in the
 * core's buffer; a load from a wait register sleeps until one of the mask is
 * there.  Barriers, mutexes, software events and the dispatch queue are made
 * of that.  The fabric controller's unit is the same without barriers.
 * `wake=` of the line: cycles from an event to the woken core's next
 * instruction. */
#include "sim/chip.h"

enum {
    MASK = 0x00, MASK_AND = 0x04, MASK_OR = 0x08, IRQ = 0x0c, IRQ_AND = 0x10,
    IRQ_OR = 0x14, STATUS = 0x18, BUFFER = 0x1c, BUFFER_MASKED = 0x20,
    BUFFER_IRQ = 0x24, BUFFER_CLEAR = 0x28, WAIT = 0x38, WAIT_CLEAR = 0x3c,
    DISPATCH = 0x80, TEAM = 0x84, MUTEX = 0xc0, SW = 0x100, SW_WAIT = 0x140,
    SW_WAIT_CLEAR = 0x180, BARRIER = 0x200, END = 0x400,
};
enum { /* of a barrier */
    TRIGGER_MASK = 0x00, B_STATUS = 0x04, SUMMARY = 0x08, TARGET_MASK = 0x0c,
    TRIGGER = 0x10, SELF = 0x14, B_WAIT = 0x18, B_WAIT_CLEAR = 0x1c,
};
enum { EV_DMA = 8, EV_ACCEL = 12, EV_BARRIER = 16, EV_MUTEX, EV_DISPATCH };
enum { CORES = 32, BARRIERS = 16, MUTEXES = 8, QUEUE = 8 };

typedef struct Unit Unit;

typedef struct View { /* of one core */
    Unit *unit;
    Core *core;
    uint32_t mask, irq, buffer;
    bool asleep, clear;
    bool locks;         /* asleep for a mutex */
    uint32_t message;   /* and what it will read there */
    int queued;
    uint32_t queue[QUEUE];
} View;

typedef struct Barrier {
    uint32_t trigger, target, arrived;
} Barrier;

typedef struct Mutex {
    bool locked;
    uint32_t value;
    int nwait;
    int wait[CORES];
} Mutex;

struct Unit {
    uint64_t wake;
    View view[CORES];
    Barrier barrier[BARRIERS];
    Mutex mutex[MUTEXES];
    uint32_t team;
};

static void init(Device *d)
{
    Unit *u = d->state;
    int i;

    u->wake = (uint64_t)item_int(d->item, "wake", 1);
    u->team = ~0u;
    for (i = 0; i < d->clock->ncore; i++) {
        u->view[i].unit = u;
        u->view[i].core = &d->clock->core[i];
        d->clock->core[i].unit = &u->view[i];
    }
}

/* What an awake core reads. */
static uint32_t take(View *v)
{
    uint32_t got = v->locks ? v->message : v->buffer & v->mask;

    if (v->locks)
        v->buffer &= ~(1u << EV_MUTEX);
    else if (v->clear)
        v->buffer &= ~v->mask;
    v->asleep = v->locks = false;
    return got;
}

static void look(View *v, uint64_t time)
{
    uint32_t wanted = v->locks ? v->mask & 1u << EV_MUTEX : v->mask;
    Core *c = v->core;

    c->irq = v->buffer & v->irq;
    if (v->asleep && v->buffer & wanted)
        core_wake(c, to_cycle(c->clock, time) + v->unit->wake, take(v));
    else if (c->irq & c->mie && c->wait == W_other && !v->asleep)
        core_wake(c, to_cycle(c->clock, time) + v->unit->wake, 0);
    c->chip->yield = true;
}

static void raise(View *v, uint32_t events, uint64_t time)
{
    v->buffer |= events;
    look(v, time);
}

void unit_event(Clock *k, int core, int event, uint64_t time)
{
    int i;

    for (i = 0; i < k->ncore; i++)
        if ((core < 0 || i == core) && k->core[i].unit)
            raise(k->core[i].unit, 1u << (event & 31), time);
}

void unit_ack(Core *c, uint32_t irq)
{
    View *v = c->unit;

    if (!v)
        return;
    v->buffer &= ~(1u << irq);
    c->irq = v->buffer & v->irq;
}

static enum Wait why(const View *v)
{
    if (v->mask >> EV_ACCEL & 1)
        return W_accel;
    if (v->mask >> EV_BARRIER & 1)
        return W_barrier;
    return v->mask >> EV_DMA & 1 ? W_dma : W_other;
}

/* Events of the mask now, or sleep. */
static uint32_t wait(View *v, Access *a, bool clear)
{
    v->clear = clear;
    if (v->buffer & v->mask)
        return take(v);
    v->asleep = true;
    return core_sleep(a, why(v));
}

static void arrive(Unit *u, Barrier *b, uint32_t who, uint64_t time)
{
    int i;

    b->arrived |= who;
    if ((b->arrived & b->trigger) != b->trigger || !b->trigger)
        return;
    b->arrived = 0;
    for (i = 0; i < CORES; i++)
        if (b->target >> i & 1 && u->view[i].core)
            raise(&u->view[i], 1u << EV_BARRIER, time);
}

/* The last to come waits as long as it takes to wake the others. */
static uint32_t arrive_and_wait(View *v, Barrier *b, Access *a, bool clear)
{
    arrive(v->unit, b, 1u << v->core->id, a->time);
    if (v->buffer & v->mask) {
        a->extra = (int)v->unit->wake - 1;
        a->why = W_barrier;
    }
    return wait(v, a, clear);
}

static uint32_t load_barrier(View *v, Access *a)
{
    Barrier *b = &v->unit->barrier[(a->off - BARRIER) / 32];

    switch (a->off & 31) {
    case TRIGGER_MASK: return b->trigger;
    case B_STATUS: return b->arrived;
    case TARGET_MASK: return b->target;
    case SELF: arrive(v->unit, b, 1u << v->core->id, a->time); break;
    case B_WAIT: return arrive_and_wait(v, b, a, false);
    case B_WAIT_CLEAR: return arrive_and_wait(v, b, a, true);
    }
    return 0;
}

static void store_barrier(View *v, Access *a)
{
    Barrier *b = &v->unit->barrier[(a->off - BARRIER) / 32];

    switch (a->off & 31) {
    case TRIGGER_MASK: b->trigger = a->value; break;
    case TARGET_MASK: b->target = a->value; break;
    case TRIGGER: arrive(v->unit, b, a->value, a->time); break;
    }
}

static uint32_t lock(View *v, Access *a)
{
    Mutex *m = &v->unit->mutex[(a->off - MUTEX) / 4 % MUTEXES];

    if (!m->locked) {
        m->locked = true;
        return m->value;
    }
    if (m->nwait < CORES)
        m->wait[m->nwait++] = v->core->id;
    v->asleep = v->locks = true;
    return core_sleep(a, W_other);
}

/* The next in the queue has the mutex: an event, if it is not masked. */
static void unlock(View *v, Access *a)
{
    Mutex *m = &v->unit->mutex[(a->off - MUTEX) / 4 % MUTEXES];
    View *next;
    int i;

    m->value = a->value;
    m->locked = m->nwait > 0;
    if (!m->nwait)
        return;
    next = &v->unit->view[m->wait[0]];
    for (i = 1; i < m->nwait; i++)
        m->wait[i - 1] = m->wait[i];
    m->nwait--;
    next->message = m->value;
    raise(next, 1u << EV_MUTEX, a->time);
}

static uint32_t pop(View *v)
{
    uint32_t value = v->queue[0];
    int i;

    for (i = 1; i < v->queued; i++)
        v->queue[i - 1] = v->queue[i];
    v->queued--;
    return value;
}

/* Work for a team: everyone finds the value in a queue of its own. */
static void dispatch(Unit *u, uint32_t value, uint64_t time)
{
    int i;

    for (i = 0; i < CORES; i++) {
        View *v = &u->view[i];

        if (!v->core || !(u->team >> i & 1) || v->queued == QUEUE)
            continue;
        v->queue[v->queued++] = value;
        v->buffer |= 1u << EV_DISPATCH;
        if (v->core->wait == W_other && !v->asleep) {
            core_wake(v->core, to_cycle(v->core->clock, time) + u->wake,
                      pop(v));
            v->core->chip->yield = true;
        }
    }
}

static uint32_t load(Device *d, Access *a)
{
    View *v;

    if (!a->core || !a->core->unit)
        return 0;
    v = a->core->unit;
    (void)d;
    switch (a->off) {
    case MASK: case MASK_AND: case MASK_OR: return v->mask;
    case IRQ: case IRQ_AND: case IRQ_OR: return v->irq;
    case STATUS: return v->core->wait == AWAKE;
    case BUFFER: return v->buffer;
    case BUFFER_MASKED: return v->buffer & v->mask;
    case BUFFER_IRQ: return v->buffer & v->irq;
    case WAIT: return wait(v, a, false);
    case WAIT_CLEAR: return wait(v, a, true);
    case DISPATCH: return v->queued ? pop(v) : core_sleep(a, W_other);
    case TEAM: return v->unit->team;
    }
    if (a->off >= BARRIER && a->off < END)
        return load_barrier(v, a);
    if (a->off >= MUTEX && a->off < SW)
        return lock(v, a);
    if (a->off >= SW_WAIT && a->off < BARRIER) {
        raise(v, 1u << (a->off / 4 & 7), a->time);
        return wait(v, a, a->off >= SW_WAIT_CLEAR);
    }
    return 0;
}

static void set_mask(View *v, Access *a)
{
    switch (a->off) {
    case MASK: v->mask = a->value; break;
    case MASK_AND: v->mask &= ~a->value; break;
    case MASK_OR: v->mask |= a->value; break;
    case IRQ: v->irq = a->value; break;
    case IRQ_AND: v->irq &= ~a->value; break;
    case IRQ_OR: v->irq |= a->value; break;
    case BUFFER_CLEAR: v->buffer &= ~a->value; break;
    }
    look(v, a->time);
}

static void software_event(Unit *u, int event, uint32_t cores, uint64_t time)
{
    int i;

    for (i = 0; i < CORES; i++)
        if (u->view[i].core && (!cores || cores >> i & 1))
            raise(&u->view[i], 1u << event, time);
}

static void store(Device *d, Access *a)
{
    Unit *u = d->state;
    View *v = a->core ? a->core->unit : NULL;

    if (!v || v->unit != u)
        return;
    if (a->off <= BUFFER_CLEAR)
        set_mask(v, a);
    else if (a->off == DISPATCH)
        dispatch(u, a->value, a->time);
    else if (a->off == TEAM)
        u->team = a->value;
    else if (a->off >= MUTEX && a->off < SW)
        unlock(v, a);
    else if (a->off >= SW && a->off < SW_WAIT)
        software_event(u, (int)(a->off - SW) / 4 & 7, a->value, a->time);
    else if (a->off >= BARRIER && a->off < END)
        store_barrier(v, a);
}

static const Model model = {
    .name = "event_unit", .size = sizeof(Unit), .init = init, .load = load,
    .store = store,
};
MODEL(model)
