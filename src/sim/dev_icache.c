/* Control of the instruction caches of one clock's cores: off at reset, on by
 * a non-zero mask; a store to a flush register empties them. */
#include "sim/chip.h"

enum { ENABLE = 0, FLUSH = 4, FLUSH_LINE = 8 };

static void set(Device *d, bool on, bool flush)
{
    int i, j;

    for (i = 0; i < d->clock->ncore; i++) {
        Core *c = &d->clock->core[i];

        if (c->l0 && flush)
            cache_flush(c->l0);
        if (c->l0)
            c->l0->on = on;
        for (j = 0; flush && j < c->nl1; j++)
            cache_flush(&c->l1[j]);
    }
    if (flush)
        code_flush(d->chip);
}

static void store(Device *d, Access *a)
{
    bool *on = d->state;

    if (a->off == ENABLE)
        *on = a->value != 0;
    set(d, *on, a->off == FLUSH || a->off == FLUSH_LINE || !*on);
}

static uint32_t load(Device *d, Access *a)
{
    (void)a;
    return *(bool *)d->state ? ~0u : 0;
}

static const Model model = {
    .name = "icache", .size = sizeof(bool), .load = load, .store = store,
};
MODEL(model)
