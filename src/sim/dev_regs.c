/* Registers without behaviour: they read as written, and first as the list
 * `words=` of their line says (clock generators, pads, power control). */
#include "sim/chip.h"

#include <stdlib.h>

static void init(Device *d)
{
    const char *s = item_word(d->item, "words", "");
    uint32_t *w = arena_get(d->chip->sim->mem, d->size / 4 + 1, 4);
    uint32_t i;
    char *next;

    *(uint32_t **)d->state = w;
    for (i = 0; *s && i < d->size / 4; i++) {
        w[i] = (uint32_t)strtoul(s, &next, 0);
        s = *next ? next + 1 : next;
    }
}

static uint32_t *word(Device *d, const Access *a)
{
    return *(uint32_t **)d->state + a->off / 4;
}

static uint32_t load(Device *d, Access *a)
{
    return *word(d, a) >> a->off % 4 * 8;
}

static void store(Device *d, Access *a)
{
    uint32_t shift = a->off % 4 * 8;
    uint32_t mask = (a->size == 4 ? ~0u : (1u << a->size * 8) - 1) << shift;

    *word(d, a) = (*word(d, a) & ~mask) | (a->value << shift & mask);
}

static const Model model = {
    .name = "regs", .size = sizeof(uint32_t *), .init = init, .load = load,
    .store = store,
};
MODEL(model)
