/* Cluster control: where the cores of a cluster boot, and which of them run.
 * `start=` of the line: cycles from the store to a core's first. */
#include "sim/chip.h"

enum { FETCH_ENABLE = 0x08, BOOT = 0x40 };

typedef struct Cluster {
    uint32_t enabled;
} Cluster;

static uint32_t load(Device *d, Access *a)
{
    Cluster *v = d->state;
    uint32_t i = (a->off - BOOT) / 4;

    if (a->off == FETCH_ENABLE)
        return v->enabled;
    return i < (uint32_t)d->clock->ncore ? d->clock->core[i].boot : 0;
}

static void enable(Device *d, uint32_t mask, uint64_t time)
{
    uint64_t cycle = to_cycle(d->clock, time) +
                     (uint64_t)item_int(d->item, "start", 1);
    Cluster *v = d->state;
    int i;

    for (i = 0; i < d->clock->ncore; i++)
        if (mask >> i & 1 && !(v->enabled >> i & 1))
            core_start(&d->clock->core[i], d->clock->core[i].boot, cycle);
    v->enabled |= mask;
    d->chip->yield = true;
}

static void store(Device *d, Access *a)
{
    uint32_t i = (a->off - BOOT) / 4;

    if (a->off == FETCH_ENABLE)
        enable(d, a->value, a->time);
    else if (i < (uint32_t)d->clock->ncore)
        d->clock->core[i].boot = a->value;
}

static const Model model = {
    .name = "cluster", .size = sizeof(Cluster), .load = load, .store = store,
};
MODEL(model)
