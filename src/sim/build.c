/* A chip from its description: clocks, memories, cores, devices.
 *
 * The keys are listed in doc/soc.md.  Whatever a line leaves out is 0, and a
 * description that makes no sense is the user's fault: err() says where. */
#include "sim/chip.h"

#include <math.h>
#include <string.h>

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

_Noreturn static void bad(const Item *it, const char *what, const char *is)
{
    err(ERR_MODEL, "%s:%d: %s %s: %s %s", it->file, it->line, it->kind,
        it->name, what, is);
}

/* ---- clocks ---- */

Clock *chip_clock(const Chip *c, const char *name)
{
    Clock *k;

    for (k = c->clocks; k; k = k->next)
        if (!strcmp(k->name, name))
            return k;
    return NULL;
}

Clock *chip_compute(const Chip *c)
{
    const Item *chip = soc_next(c->soc, "chip", NULL);
    const Item *it = soc_item(c->soc, "core", item_word(chip, "compute", ""));

    if (!it)
        it = soc_next(c->soc, "core", NULL);
    return chip_clock(c, item_word(it, "clock", c->clocks->name));
}

/* Clocks in the order of their lines; `ratio` stands in for an unknown rate. */
static void add_clocks(Chip *c)
{
    const Item *it;
    Clock **last = &c->clocks;

    for (it = NULL; (it = soc_next(c->soc, "clock", it));) {
        Clock *k = NEW(c->sim->mem, Clock);

        k->name = it->name;
        k->mhz = item_num(it, "mhz", 0);
        k->khz = (uint64_t)llround(
            1000 * (k->mhz > 0 ? k->mhz : item_num(it, "ratio", 1)));
        if (k->khz < 1 || k->khz > 100000000)
            bad(it, "wanted a rate, found mhz", item_word(it, "mhz", "null"));
        *last = k;
        last = &k->next;
    }
    if (!c->clocks)
        err(ERR_MODEL, "%s: the simulator needs a clock line", c->soc->file);
}

/* ---- memories ---- */

static uint64_t *byte_counter(Chip *c, int level)
{
    switch (level) {
    case 1: return &c->counts.l1_bytes;
    case 2: return &c->counts.l2_bytes;
    }
    return &c->counts.ext_bytes;
}

static void add_ram(Chip *c, const Item *it)
{
    Arena *a = c->sim->mem;
    Ram *r = NEW(a, Ram), **last;
    int64_t size = item_int(it, "size", 0), base = item_int(it, "base", 0);
    int64_t nbank = item_int(it, "banks", 1);

    if (size < 16 || size > 1 << 30 || base < 0 || base + size > 1LL << 32)
        bad(it, "size or base cannot be simulated:", item_word(it, "size", ""));
    if (nbank < 1 || nbank > 1024 || nbank & (nbank - 1))
        bad(it, "wanted a power of two, banks =", item_word(it, "banks", ""));
    r->name = it->name;
    r->base = (uint32_t)base;
    r->size = (uint32_t)size;
    r->level = (int)item_int(it, "level", 2);
    r->latency[1] = (int)item_int(it, "latency", 1);
    r->latency[0] = (int)item_int(it, "latency_fc", r->latency[1]);
    r->nbank = (int)nbank;
    r->data = NEWN(a, uint8_t, size);
    r->code = NEWN(a, uint8_t, size / 64 + 1);
    r->bank = NEWN(a, Bank, nbank);
    r->asks = NEWN(a, uint64_t, nbank);
    r->won = NEWN(a, int8_t, nbank);
    r->calm = NEVER;
    r->bytes = byte_counter(c, r->level);
    for (last = &c->rams; *last; last = &(*last)->next)
        ;
    *last = r;
}

static Ram *ram_named(Chip *c, const char *name)
{
    Ram *r;

    for (r = c->rams; r && strcmp(r->name, name); r = r->next)
        ;
    return r;
}

/* ---- cores ---- */

/* n instruction caches as the keys of `level` say; NULL where it has none. */
static Cache *read_caches(Chip *c, const Item *it, const char *level, int n)
{
    const char *key[] = {arena_fmt(c->sim->mem, "%s_sets", level),
                         arena_fmt(c->sim->mem, "%s_ways", level),
                         arena_fmt(c->sim->mem, "%s_latency", level)};
    int sets = (int)item_int(it, key[0], 0);
    int ways = (int)item_int(it, key[1], 1);

    if (sets & (sets - 1) || ways & (ways - 1) || n & (n - 1))
        bad(it, "instruction cache:", "sets, ways, banks are powers of two");
    if (!sets)
        return NULL;
    return cache_new(c->sim->mem, n, sets, ways,
                     (int)item_int(it, key[2], 0));
}

static void add_caches(Chip *c, Core *core, const Item *it, Cache *banks)
{
    core->fetch_latency = (int)item_int(it, "fetch", 0);
    core->nl1 = banks ? (int)item_int(it, "l1_banks", 0) : 0;
    core->l1 = banks;
    core->l0 = read_caches(c, it, "l0", 1);
}

static void name_core(Chip *c, Core *core, const Item *it, int i, int count)
{
    char *s = core->count.name;
    size_t n = sizeof core->count.name, k = 0;

    if (c->sim->nchip > 1)
        k = (size_t)snprintf(s, n, "%d.", c->id);
    if (count > 1)
        snprintf(s + k, n - k, "%s.%d", it->name, i);
    else
        snprintf(s + k, n - k, "%s", it->name);
}

static void add_core(Chip *c, Clock *k, const Item *it, int i, Cache *banks)
{
    Core *core = &k->core[k->ncore];

    core->chip = c;
    core->clock = k;
    core->id = k->ncore++;
    core->hart = (uint32_t)item_int(it, "hart", 0) + (uint32_t)i;
    core->side = (int)item_int(it, "side", 1);
    core->boot_cycle = (uint64_t)item_int(it, "boot", 0);
    core->near = ram_named(c, item_word(it, "near", "L1"));
    core->t = NEVER;
    core->start = NEVER;
    core->wait = W_off;
    core->line = ~0u;
    if (!core->near)
        bad(it, "no memory", item_word(it, "near", "L1"));
    add_caches(c, core, it, banks);
    name_core(c, core, it, i, (int)item_int(it, "count", 1));
}

static void add_cores(Chip *c, const Item *it)
{
    Clock *k = chip_clock(c, item_word(it, "clock", c->clocks->name));
    int64_t count = item_int(it, "count", 1), i;
    int64_t nl1 = item_int(it, "l1_banks", 0);
    Cache *banks = NULL;
    Core *all;

    if (!k)
        bad(it, "no clock", item_word(it, "clock", ""));
    if (count < 1 || count + k->ncore > 32 || nl1 < 0 || nl1 > 64)
        bad(it, "wanted 1 to 32 cores, found",
            item_word(it, "count", "too many"));
    if (nl1 && k->ncore && k->core[0].nl1 == nl1)
        banks = k->core[0].l1; /* all cores of a clock share them */
    else if (nl1)
        banks = read_caches(c, it, "l1", (int)nl1);
    all = NEWN(c->sim->mem, Core, k->ncore + count);
    if (k->ncore)
        memcpy(all, k->core, (size_t)k->ncore * sizeof *all);
    k->core = all;
    for (i = 0; i < count; i++)
        add_core(c, k, it, (int)i, banks);
}

/* ---- the interconnect ---- */

static int log2_up(int n)
{
    int k = 0;

    while (1 << k < n)
        k++;
    return k;
}

/* The arbiter of a memory's banks, once its cores are known. */
static void add_arbiter(Chip *c, Ram *r)
{
    const Item *it = soc_item(c->soc, "memory", r->name);
    const char *kind = item_word(it, "arbiter", "tree");
    int cores = 0;
    Clock *k;
    int i;

    for (k = c->clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++)
            if (k->core[i].near == r)
                cores = MAX(cores, i + 1);
    r->by_flag = !strcmp(kind, "flag");
    if (!r->by_flag && strcmp(kind, "tree"))
        bad(it, "arbiter is tree or flag, not", kind);
    r->ports = item_within(it, "ports", cores + OTHER_PORTS,
                           cores + OTHER_PORTS, 64);
    r->levels = log2_up(r->by_flag ? r->ports - OTHER_PORTS : r->ports);
}

/* ---- devices ---- */

static bool is_device(const Item *it)
{
    return !strcmp(it->kind, "device") || !strcmp(it->kind, "dma") ||
           !strcmp(it->kind, "accel") || !strcmp(it->kind, "link");
}

static void add_device(Chip *c, const Item *it)
{
    Device *d = NEW(c->sim->mem, Device), **last;
    const char *model = item_word(it, "model", NULL);

    if (!model)
        return; /* known to the planner only */
    d->model = model_find(model);
    if (!d->model)
        bad(it, "no such device model:", model);
    d->name = it->name;
    d->item = it;
    d->chip = c;
    d->base = (uint32_t)item_int(it, "base", 0);
    d->size = (uint32_t)item_int(it, "size", 4);
    d->latency[1] = (int)item_int(it, "latency", 1);
    d->latency[0] = (int)item_int(it, "latency_fc", d->latency[1]);
    d->clock = chip_clock(c, item_word(it, "clock", c->clocks->name));
    if (!d->clock)
        bad(it, "no clock", item_word(it, "clock", ""));
    d->state = arena_get(c->sim->mem, 1, MAX(d->model->size, 1));
    for (last = &c->devices; *last; last = &(*last)->next)
        ;
    *last = d;
}

Device *chip_device(const Chip *c, const char *model)
{
    Device *d;

    for (d = c->devices; d; d = d->next)
        if (!strcmp(d->model->name, model))
            return d;
    return NULL;
}

void chip_build(Chip *c, const Soc *soc)
{
    const Item *it;
    Device *d;
    Ram *r;

    c->soc = soc;
    add_clocks(c);
    for (it = NULL; (it = soc_next(soc, "memory", it));)
        if (item_int(it, "mapped", 1))
            add_ram(c, it);
    c->l1 = ram_named(c, "L1");
    for (it = NULL; (it = soc_next(soc, "core", it));)
        add_cores(c, it);
    for (r = c->rams; r; r = r->next)
        add_arbiter(c, r);
    for (it = soc->items; it; it = it->next)
        if (is_device(it))
            add_device(c, it);
    for (d = c->devices; d; d = d->next)
        if (d->model->init)
            d->model->init(d);
}

/* Periods of all clocks of all chips in ticks that divide every one. */
void clocks_settle(Sim *s)
{
    uint64_t lcm = 1;
    Clock *k;
    int i;

    for (i = 0; i < s->nchip; i++)
        for (k = s->chip[i].clocks; k; k = k->next) {
            lcm = lcm / gcd(lcm, k->khz) * k->khz;
            if (lcm > 1000000000000)
                err(ERR_MODEL, "%s: clock rates have no common multiple that "
                    "can be counted; round them", s->chip[i].soc->file);
        }
    for (i = 0; i < s->nchip; i++)
        for (k = s->chip[i].clocks; k; k = k->next)
            k->period = lcm / k->khz;
    s->khz = lcm;
}
