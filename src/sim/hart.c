/* A core's state, as others ask for it or change it: where it is, what it waits
 * for, and what wakes it. */
#include "sim/chip.h"

uint32_t core_pc(const Core *c)
{
    if (!c->page)
        return c->boot;
    return c->page->base + 2 * (uint32_t)(c->op - c->page->op);
}

uint64_t *core_waits(Core *c, enum Wait why)
{
    switch (why) {
    case W_barrier: return &c->count.barrier;
    case W_dma: return &c->count.dma;
    case W_accel: return &c->count.accel;
    default: return &c->count.sleep;
    }
}

static const char *const wait_name[] = {
    [W_barrier] = "barrier", [W_dma] = "wait for DMA",
    [W_accel] = "wait for accelerator", [W_other] = "asleep",
};

void core_wake(Core *c, uint64_t cycle, uint32_t value)
{
    if (c->wait == AWAKE || c->wait == W_off)
        return;
    c->t = MAX(cycle, c->slept);
    *core_waits(c, c->wait) += c->t - c->slept;
    timeline_slice(c->chip, c->count.name, wait_name[c->wait],
                   to_ticks(c->clock, c->slept), to_ticks(c->clock, c->t));
    c->wait = AWAKE;
    c->x[c->wait_rd] = value;
}

static uint64_t stalls(const SimCore *n)
{
    return n->load + n->memory + n->bank + n->icache + n->barrier + n->dma +
           n->accel + n->sleep;
}

void core_polls(Access *a, enum Wait why, bool busy)
{
    enum { LOOP_MAX = 64 }; /* longer ones do something else too */
    Core *c = a->core;
    uint64_t now, other;

    if (!c)
        return;
    now = a->time / c->clock->period;
    other = stalls(&c->count);
    if (c->polled && now - c->polled < LOOP_MAX &&
        now - c->polled > other - c->polled_other)
        *core_waits(c, why) += now - c->polled - (other - c->polled_other);
    c->polled = busy ? now : 0;
    c->polled_other = stalls(&c->count);
}
