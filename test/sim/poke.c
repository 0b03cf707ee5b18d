/* Drivers gone wrong: jobs for the DMA, N-Eureka, HyperBus, the links, and
 * settings of timers and event unit, right at first, then with a register or
 * two of odd value.  No core runs; whatever is written, the simulator must
 * come back, and some of the jobs must come to their end.  Run under
 * AddressSanitizer and UBSan. */
#include "sim/chip.h"

#include <stdlib.h>
#include <string.h>

enum { L1 = 0x10000000, L2 = 0x1c010000, STEP = 20000 };

static uint64_t seed;
static Chip *chip;
static Core *core;

static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 11) << 16;
}

static uint32_t odd(void)
{
    static const uint32_t ends[] = {
        0, 1, 2, 3, 0x7fff, 0x8000, 0xffff, 0x10000, 0x1ffff, 0x7fffffff,
        0x80000000, 0xffffffff, 0xfffffffc, L1, L1 + 0xffff, L1 + 0x10000,
        L2, 0x1c18ffff, 0x1a104000, 0x10400000,
    };

    return rnd() % 4 ? ends[rnd() % LEN(ends)] : rnd();
}

/* Mostly the value that a driver would write. */
static uint32_t or_odd(uint32_t value, uint32_t one_in)
{
    return rnd() % one_in ? value : odd();
}

static void put(uint32_t at, uint32_t value)
{
    uint64_t t = to_cycle(core->clock, chip->now);

    store_far(core, at, 4, value, &t);
}

/* A load may put the core to sleep, as core.c would see. */
static uint32_t get(uint32_t at)
{
    uint64_t t = to_cycle(core->clock, chip->now);
    uint32_t v;

    if (core->wait != AWAKE)
        return 0;
    core->wait_rd = 5;
    v = load_far(core, at, 4, &t);
    if (core->wait != AWAKE) {
        core->slept = t;
        core->t = NEVER;
    }
    return v;
}

static void dma(const Device *d)
{
    uint32_t two = rnd() % 2, way = rnd() % 2, n = 1 + rnd() % 8192;

    if (rnd() % 8)
        get(d->base);
    put(d->base, or_odd(n | way << 17 | 1 << 18 | two << 19 |
                        (rnd() & 7) << 20, 12));
    put(d->base, or_odd(L1 + rnd() % 0x8000, 12));
    put(d->base, or_odd(L2 + rnd() % 0x10000, 12));
    if (two) {
        put(d->base, or_odd(1 + rnd() % 256, 8));
        put(d->base, or_odd(rnd() % 1024, 8));
    }
    put(d->base + 4, odd());
    get(d->base + 4);
}

/* Of N-Eureka; or of NE16, which has other tiles, and fewer bits of conf. */
static void neureka(const Device *d)
{
    bool small = strstr(d->model->name, "16");
    uint32_t mode = rnd() % 3, tile = small ? 16 : mode == 2 ? 32 : 28;
    uint32_t out = mode != 1 ? 32 : tile, side = small ? 3 : 6, pair = (rnd() % 2 + 1) << 16;
    uint32_t conf = (1 + rnd() % 7) | (rnd() & 1) << 4 | mode << 5 |
                    (rnd() & (small ? 0x3c : 0x3f)) << 9 | (rnd() & 31) << 16 |
                    (rnd() & 1) << 22 | (rnd() & (small ? 7 : 15)) << 23;
    uint32_t reg[24] = {
        conf >> 9 & 1 ? 0 : L1 + 0x8000, L1, L1 + 0x4000, L1 + 0x100,
        L1 + 0x200, L1 + 0x300, 64, 64 * 14, 0, 32, 128, 128 * 12, 32, 32, 0,
        (1 + rnd() % out) << 16 | (1 + rnd() % tile),
        (1 + rnd() % side) << 16 | (1 + rnd() % side),
        (1 + rnd() % (side + 2)) << 16 | (1 + rnd() % (side + 2)), pair | (1 + rnd() % 2),
        pair | 1, (rnd() & 0x3333) << 16 | (rnd() & 0xff), odd(), 0, conf,
    };
    int i;

    get(d->base + 4);
    for (i = 0; i < 24; i++)
        put(d->base + 0x20 + 4 * (uint32_t)i, or_odd(reg[i], 60));
    put(d->base, odd());
    get(d->base + 0x0c);
    if (!(rnd() % 16))
        put(d->base + 0x14, 0);
}

static void hyper(const Device *d)
{
    uint32_t at = d->base + (uint32_t)item_int(d->item, "rx_tx", 0);
    uint32_t in = rnd() % 2, n = 1 + rnd() % 4096;

    if (get(at + 0x24) && rnd() % 8)
        return;
    put(at + (in ? 0x00 : 0x0c), or_odd(L2 + rnd() % 0x10000, 12));
    put(at + (in ? 0x04 : 0x10), or_odd(n, 12));
    put(at + 0x18, or_odd(in ? 5 : 1, 12));
    put(at + 0x1c, or_odd(rnd() % 0x100000, 12));
    put(at + (in ? 0x08 : 0x14), or_odd(0x14, 12));
}

static void link_send(const Device *d)
{
    put(d->base + 0x08, or_odd(1, 12));
    put(d->base + 0x0c, or_odd(L2, 12));
    put(d->base + 0x10, or_odd(L2 + 0x4000, 12));
    put(d->base + 0x14, or_odd(1 + rnd() % 256, 12));
}

/* Any register of any size; 4 bytes most of the time. */
static void anything(const Device *d)
{
    uint64_t t = to_cycle(core->clock, chip->now);
    int size = rnd() % 4 ? 4 : 1 << rnd() % 3;
    uint32_t at = d->base + rnd() % MIN(d->size, rnd() % 2 ? 64 : d->size);

    at &= rnd() % 32 ? ~(uint32_t)(size - 1) : ~0u;
    if (rnd() % 3 || core->wait != AWAKE)
        store_far(core, at, size, odd(), &t);
    else
        get(at & ~3u);
}

static const struct { const char *model; void (*drive)(const Device *); }
drivers[] = {
    {"mchan", dma}, {"neureka", neureka}, {"ne16", neureka}, {"hyper", hyper},
    {"link", link_send},
};

static void drive(const Device *d)
{
    size_t i;

    for (i = 0; i < LEN(drivers) && rnd() % 8; i++)
        if (!strcmp(drivers[i].model, d->model->name)) {
            drivers[i].drive(d);
            return;
        }
    anything(d);
}

/* Work on memories that are full of something. */
static void fill(void)
{
    uint32_t i;

    for (i = 0; i < chip->l1->size; i++)
        chip->l1->data[i] = (uint8_t)rnd();
}

static const Device *any_device(void)
{
    const Device *d = chip->devices;
    uint32_t n, skip;

    for (n = 0; d; d = d->next)
        n++;
    for (d = chip->devices, skip = rnd() % n; skip; skip--)
        d = d->next;
    return d;
}

static const Device *driven_device(void)
{
    const Device *d = chip_device(chip, drivers[rnd() % LEN(drivers)].model);

    return d && rnd() % 2 ? d : any_device();
}

/* The core that stores: awake, standing at code that nobody runs. */
static void choose_core(void)
{
    Clock *k = rnd() % 4 ? chip_clock(chip, "cluster") : chip->clocks;

    core = &k->core[rnd() % (uint32_t)k->ncore];
    core_wake(core, 0, 0);
    if (core->wait == W_off)
        core_start(core, L2, 0);
    core->t = NEVER;
}

/* What the devices do until then; cores that they start stand still. */
static void pass(Sim *s)
{
    Clock *k;
    int i;

    for (k = chip->clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++)
            k->core[i].t = NEVER;
    s->until += STEP;
    while (!s->stop && chip_step(chip, s->until))
        for (k = chip->clocks; k; k = k->next)
            for (i = 0; i < k->ncore; i++)
                k->core[i].t = NEVER;
    if (!s->stop && s->link[0])
        s->link[0]->model->settle(s);
    chip->now = MAX(chip->now, s->until - STEP / 2);
}

static void one(const char *name, SimCounts *sum, int *refused)
{
    Arena *a = arena_new();
    SimProgram p[2] = {{soc_read(a, name), NULL, NULL}};
    SimOptions o = {0};
    Sim *s;
    int i;

    p[1] = p[0];
    s = sim_new(a, p, 2, &o);
    chip = &s->chip[0];
    fill();
    for (i = 0; i < 400; i++) {
        choose_core();
        drive(driven_device());
        if (!(rnd() % 4))
            pass(s);
        *refused += s->stop;
        s->stop = s->done = s->res->ok = false;
        s->res->fault[0] = 0;
    }
    sum->dma_bytes += chip->counts.dma_bytes;
    sum->ext_bytes += chip->counts.ext_bytes;
    sum->link_bytes += chip->counts.link_bytes;
    sum->accel_cycles += chip->counts.accel_cycles;
    arena_end(a);
}

int main(int argc, char **argv)
{
    static const char *const chips[] = {"siracusa", "pulp-open", "gap9"};
    int i, n = argc > 2 ? atoi(argv[2]) : 30, refused = 0;
    SimCounts sum = {0};

    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (i = 0; i < n; i++)
        one(chips[i % 3], &sum, &refused);
    printf("%d chips, %d things refused; done: DMA %llu B, HyperBus %llu B, "
           "links %llu B, N-Eureka %llu cycles\n", n, refused,
           (unsigned long long)sum.dma_bytes,
           (unsigned long long)sum.ext_bytes,
           (unsigned long long)sum.link_bytes,
           (unsigned long long)sum.accel_cycles);
    return !(refused && sum.dma_bytes && sum.ext_bytes && sum.link_bytes &&
             sum.accel_cycles);
}
