/* Two counters of cycles, low and high; a compare value can raise an event
 * and start the count again.  `event=` of the line: number of the low one. */
#include "sim/chip.h"

enum { CFG = 0x00, COUNT = 0x08, COMPARE = 0x10, START = 0x18, RESET = 0x20 };
enum { RUN = 1, CLEAR = 2, IRQ = 4, RESTART = 16, ONCE = 32 };

typedef struct Half {
    uint32_t cfg, compare, held; /* held: count while stopped */
    uint64_t zero;               /* cycle in which a running one was 0 */
    uint64_t epoch;              /* events of older settings do not count */
} Half;

typedef struct Timer {
    Half half[2];
} Timer;

static uint32_t count(const Half *h, uint64_t cycle)
{
    return h->cfg & RUN ? (uint32_t)(cycle - h->zero) : h->held;
}

static void plan(Device *d, int i, uint64_t cycle)
{
    Half *h = &((Timer *)d->state)->half[i];
    uint32_t left = h->compare - count(h, cycle);

    h->epoch++;
    if (h->cfg & RUN && h->cfg & (IRQ | RESTART) && h->compare)
        chip_at(d->chip, to_ticks(d->clock, cycle + left), d,
                h->epoch << 1 | (unsigned)i);
}

static void set(Half *h, uint32_t cfg, uint32_t value, uint64_t cycle)
{
    h->cfg = cfg & ~(uint32_t)CLEAR;
    h->held = value;
    h->zero = cycle - value;
}

static uint32_t load(Device *d, Access *a)
{
    Half *h = &((Timer *)d->state)->half[a->off >> 2 & 1];

    switch (a->off & ~4u) {
    case CFG: return h->cfg;
    case COUNT: return count(h, to_cycle(d->clock, a->time));
    case COMPARE: return h->compare;
    }
    return 0;
}

static void store(Device *d, Access *a)
{
    int i = a->off >> 2 & 1;
    Half *h = &((Timer *)d->state)->half[i];
    uint64_t cycle = to_cycle(d->clock, a->time);
    uint32_t now = count(h, cycle);

    switch (a->off & ~4u) {
    case CFG: set(h, a->value, a->value & CLEAR ? 0 : now, cycle); break;
    case COUNT: set(h, h->cfg, a->value, cycle); break;
    case COMPARE: h->compare = a->value; break;
    case START: set(h, h->cfg | RUN, now, cycle); break;
    case RESET: set(h, h->cfg, 0, cycle); break;
    }
    plan(d, i, cycle);
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    int i = (int)(what & 1);
    Half *h = &((Timer *)d->state)->half[i];
    uint64_t cycle = to_cycle(d->clock, time);

    if (what >> 1 != h->epoch)
        return;
    if (h->cfg & IRQ)
        unit_event(d->clock, -1, (int)item_int(d->item, "event", 10) + i,
                   time);
    if (h->cfg & ONCE)
        set(h, h->cfg & ~(uint32_t)RUN, 0, cycle);
    else if (h->cfg & RESTART)
        set(h, h->cfg, 0, cycle);
    if (h->cfg & RESTART && h->cfg & RUN)
        plan(d, i, cycle);
}

static const Model model = {
    .name = "timer", .size = sizeof(Timer), .load = load, .store = store,
    .event = event,
};
MODEL(model)
