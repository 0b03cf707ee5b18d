/* Regions of the program, by name: a store of a string's address to +0 opens
 * one for the storing core, to +4 closes the innermost.  They are summed in
 * the result and drawn in the timeline.  No real chip has this device. */
#include "sim/chip.h"

#include <string.h>

enum { OPEN = 0, CLOSE = 4, DEEP = 16, CORES = 64 };

typedef struct Open {
    int region;
    uint64_t from, insns;
} Open;

typedef struct Regions {
    struct Track {
        Core *core;
        int depth;
        Open open[DEEP];
    } track[CORES];
} Regions;

static struct Track *track_of(Regions *v, Core *c)
{
    int i;

    for (i = 0; i < CORES - 1 && v->track[i].core; i++)
        if (v->track[i].core == c)
            break;
    v->track[i].core = c;
    return &v->track[i];
}

static int region_named(Sim *s, const char *name)
{
    SimResult *r = s->res;
    int i;

    for (i = 0; i < r->nregion; i++)
        if (!strcmp(r->region[i].name, name))
            return i;
    GROW(s->mem, r->region, i);
    memset(&r->region[i], 0, sizeof *r->region);
    snprintf(r->region[i].name, sizeof r->region[i].name, "%s", name);
    return r->nregion++;
}

static void read_name(Chip *c, uint32_t addr, char *s, size_t n)
{
    size_t i;

    for (i = 0; i + 1 < n; i++, addr++) {
        Ram *r = ram_find(c, addr, 1);

        if (!r || !r->data[addr - r->base])
            break;
        s[i] = (char)r->data[addr - r->base];
    }
    s[i] = 0;
}

static void open_region(Chip *c, struct Track *t, uint32_t name, uint64_t now)
{
    char s[48];

    if (t->depth == DEEP)
        return;
    read_name(c, name, s, sizeof s);
    t->open[t->depth++] = (Open){region_named(c->sim, s), now,
                                 t->core->insns};
}

static void close_region(Chip *c, struct Track *t, uint64_t now)
{
    const Open *o;
    SimRegion *r;

    if (!t->depth)
        return;
    o = &t->open[--t->depth];
    r = &c->sim->res->region[o->region];
    r->count++;
    r->cycles += now - o->from;
    r->insns += t->core->insns - o->insns;
    timeline_slice(c, t->core->count.name, r->name,
                   to_ticks(t->core->clock, o->from),
                   to_ticks(t->core->clock, now));
}

static void store(Device *d, Access *a)
{
    struct Track *t;
    uint64_t now;

    if (!a->core)
        return;
    t = track_of(d->state, a->core);
    now = a->time / a->core->clock->period;
    if (a->off == OPEN)
        open_region(d->chip, t, a->value, now);
    else if (a->off == CLOSE)
        close_region(d->chip, t, now);
}

static const Model model = {
    .name = "regions", .size = sizeof(Regions), .store = store,
};
MODEL(model)
