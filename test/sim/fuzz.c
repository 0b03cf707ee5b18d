/* Random instructions on all cores of random chips, their registers full of
 * addresses of memories and devices: whatever happens, the simulator must
 * come back.  Run under AddressSanitizer and UBSan. */
#include "sim/chip.h"

#include <stdlib.h>
#include <string.h>

enum { CODE = 0x1c010000, WORDS = 2048, CYCLES = 3000 };

static const struct { uint32_t match, mask; } rows[] = {
#define INSN(name, text, match, mask, cycles, meaning) {match, mask},
#include "sim/insn.def"
};

static uint64_t seed;

static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 11) << 16;
}

/* Jumps stay short, so that they stay among the words. */
static uint32_t random_word(void)
{
    size_t i = rnd() % LEN(rows);
    uint32_t w = (rnd() & ~rows[i].mask) | rows[i].match;

    if (!(rnd() % 16))
        return rnd();
    if ((w & 127) == 0x6f)
        w = (w & 0xfff) | (rnd() & 0x7f) << 21;
    if ((w & 127) == 0x63)
        w &= 0x07fff17f;
    return w;
}

static uint32_t random_address(Chip *c)
{
    uint32_t n = rnd() % 40;
    Device *d = c->devices;
    Ram *r = c->rams;

    if (n < 1)
        return rnd();
    if (n < 22) {
        for (n = rnd() % 5; n && r->next; n--)
            r = r->next;
        return r->base + rnd() % r->size;
    }
    for (n = rnd() % 20; n && d->next; n--)
        d = d->next;
    return d->base + (rnd() % d->size & ~3u);
}

static void fill(Chip *c)
{
    uint8_t *p = ram_span(c, CODE, 4 * WORDS, true, "fuzz");
    Ram *l1 = c->l1;
    uint32_t i;

    for (i = 0; i < WORDS; i++) {
        uint32_t w = rnd() % 12 ? random_word() : random_address(c);

        memcpy(p + 4 * i, &w, 4);
    }
    for (i = 0; i < 4096; i++)
        l1->data[i] = (uint8_t)rnd();
}

static void start_cores(Chip *c)
{
    Clock *k;
    int i, r;

    for (k = c->clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++) {
            core_start(&k->core[i], CODE + (rnd() % WORDS & ~1u) * 2, 0);
            for (r = 1; r < 32; r++)
                k->core[i].x[r] = rnd() % 3 ? random_address(c) : rnd() % 64;
            if (k->core[i].l0)
                k->core[i].l0->on = rnd() & 1;
            if (rnd() % 8)
                csr_write(&k->core[i], 0x305, CODE + rnd() % WORDS * 4, 0, 0);
        }
}

static uint32_t random_value(Chip *c)
{
    switch (rnd() % 4) {
    case 0: return rnd();
    case 1: return rnd() % 64;
    case 2: return (rnd() % 3 + 1) << 16 | (rnd() % 3 + 1);
    }
    return random_address(c);
}

/* Loads and stores that no core asked for. */
static void poke(Chip *c, Core *core)
{
    uint64_t t = c->now / core->clock->period;
    uint32_t at = random_address(c) & ~3u;

    if (!(rnd() % 3)) /* neighbours in a row, as drivers write them */
        at = (c->devices->base & ~0xfffu) | (rnd() & 0xffc);
    if (rnd() & 1) {
        store_far(core, at, 4, random_value(c), &t);
    } else if (core->wait == AWAKE) {
        core->wait_rd = 5;
        load_far(core, at, 4, &t);
        if (core->wait != AWAKE) {
            core->slept = t;
            core->t = NEVER;
        }
    }
}

/* After a fault or a while: everybody somewhere else. */
static void restart(Chip *c)
{
    Clock *k;
    int i;

    for (k = c->clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++) {
            Core *core = &k->core[i];

            core_wake(core, c->now / k->period, 0);
            if (core->t != NEVER)
                core_jump(core, CODE + (rnd() % WORDS & ~1u) * 2);
            core->x[1 + rnd() % 31] = random_address(c);
            core->x[1 + rnd() % 31] = random_address(c);
        }
}

static void one(const char *name, bool strict, int *ended)
{
    Arena *a = arena_new();
    SimProgram p[2] = {{soc_read(a, name), NULL, NULL}};
    SimOptions o = {.strict = strict};
    Sim *s;
    int again, i;

    p[1] = p[0];
    s = sim_new(a, p, 2, &o);
    fill(&s->chip[0]);
    start_cores(&s->chip[0]);
    s->until = CYCLES * s->chip[0].clocks->period;
    for (again = 0; again < 100; again++) {
        while (!s->stop && chip_step(&s->chip[0], s->until))
            ;
        *ended += s->stop;
        if (getenv("FUZZ_SAY"))
            puts(s->stop ? s->res->fault : "no fault");
        s->stop = s->done = false;
        s->res->fault[0] = 0;
        s->until += CYCLES;
        restart(&s->chip[0]);
        for (i = 0; i < 100; i++)
            poke(&s->chip[0], &s->chip[0].clocks->next->core[rnd() % 8]);
        s->stop = s->done = false;
    }
    arena_end(a);
}

int main(int argc, char **argv)
{
    static const char *const chips[] = {"pulp-open", "siracusa", "gap9"};
    int i, n = argc > 2 ? atoi(argv[2]) : 300, ended = 0;

    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    printf("seed %llu\n", (unsigned long long)seed);
    for (i = 0; i < n; i++)
        one(chips[i % LEN(chips)], i & 1, &ended);
    printf("%d random programs, %d guest faults, the simulator none\n", n,
           ended);
    return 0;
}
