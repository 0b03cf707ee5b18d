/* The DMA alone: commands written to its port cycle by cycle, and when each is
 * over, against figures of the RTL (mchan v1.2.4 run by itself with a memory
 * that answers after 1 or 21 cycles).  And what it does with sizes that no
 * program should ask for. */
#include "sim/chip.h"
#include "sim/mchan.h"

#include <string.h>

enum { L1 = 0x10001000, L2 = 0x1c020000, STATUS = 4 };

typedef struct Bench {
    Chip *chip;
    Device *dma;
    Clock *clock;
    uint64_t now; /* cycle of the next access */
} Bench;

static int bad, count;

static void check(const char *what, long is, long wanted)
{
    count++;
    if (is == wanted)
        return;
    bad++;
    printf("%s: %ld, wanted %ld\n", what, is, wanted);
}

static Bench bench(Arena *a, const char *name)
{
    SimProgram p = {soc_read(a, name), NULL, NULL};
    SimOptions o = {.strict = true};
    Sim *s = sim_new(a, &p, 1, &o);
    Bench b = {.chip = &s->chip[0]};

    b.dma = chip_device(b.chip, "mchan");
    b.clock = chip_clock(b.chip, "cluster");
    return b;
}

static void until(Bench *b, uint64_t cycle)
{
    while (chip_step(b->chip, to_ticks(b->clock, cycle + 1)))
        ;
}

/* One access by a core in the next cycle; again until it is taken. */
static uint32_t access(Bench *b, int core, uint32_t off, uint32_t v, bool store)
{
    for (;;) {
        Access a = {.off = off, .size = 4, .value = v,
                    .core = &b->clock->core[core]};
        uint32_t got = 0;

        until(b, b->now);
        a.time = to_ticks(b->clock, b->now);
        if (store)
            b->dma->model->store(b->dma, &a);
        else
            got = b->dma->model->load(b->dma, &a);
        b->now += a.again ? (uint64_t)a.again : 1;
        if (!a.again)
            return got;
    }
}

static void write_command(Bench *b, int core, const uint32_t *w, int n)
{
    int i;

    for (i = 0; i < n; i++)
        access(b, core, 0, w[i], true);
}

static uint32_t running(Bench *b)
{
    Access a = {.off = STATUS, .size = 4,
                .core = chip_clock(b->chip, "fc")->core,
                .time = to_ticks(b->clock, b->now)};

    return b->dma->model->load(b->dma, &a) & 0xffff;
}

/* The cycle in which ids of the mask are no longer under way. */
static uint64_t over(Bench *b, uint32_t mask)
{
    while (running(b) & mask)
        until(b, ++b->now);
    return b->now;
}

/* Cycles from the last word of a command to its event. */
static long takes(Bench *b, bool in, uint32_t n, uint32_t row, uint32_t stride)
{
    uint32_t id = access(b, 0, 0, 0, false);
    uint32_t w[5] = {n | (in ? TO_L1 : 0) | INCREMENT | EVENT, L1, L2, row,
                     stride};
    uint64_t from;

    w[0] |= row ? TWO_D : 0;
    write_command(b, 0, w, row ? 5 : 3);
    from = b->now - 1;
    over(b, 1u << id);
    b->now += 20;
    access(b, 0, STATUS, 1u << id, true);
    b->now += 20;
    return (long)(b->now - 41 - from);
}

typedef struct Figure {
    uint32_t n, row, stride;
    long in, out; /* cycles; 0: no figure */
} Figure;

static void figures(Bench *b, const Figure *f, size_t n)
{
    char text[64];
    size_t i;

    for (i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%u bytes, rows of %u, %u apart", f[i].n,
                 f[i].row, f[i].stride);
        if (f[i].in)
            check(text, takes(b, true, f[i].n, f[i].row, f[i].stride), f[i].in);
        if (f[i].out)
            check(text, takes(b, false, f[i].n, f[i].row, f[i].stride),
                  f[i].out);
    }
}

static const Figure near[] = {
    {8, 0, 0, 16, 16}, {64, 0, 0, 24, 24}, {256, 0, 0, 48, 48},
    {1024, 0, 0, 150, 153}, {4096, 0, 0, 558, 573},
    {32768, 0, 0, 4366, 4493}, {64, 1, 256, 141, 204}, {256, 4, 256, 141, 204},
    {512, 8, 256, 141, 204}, {1024, 64, 256, 173, 188},
    {1024, 32, 256, 205, 236}, {1024, 16, 100, 272, 278},
};

static const Figure far[] = {{512, 8, 256, 217, 0}};

/* When ids can be read that one core asks for, each followed by a command of
 * 512 bytes: the port answers nothing until the command is taken. */
static void id_reads(Arena *a, bool in, const long *wanted, int n)
{
    Bench b = bench(a, "siracusa");
    uint32_t w[3] = {512 | (in ? TO_L1 : 0) | INCREMENT, L1, L2};
    int i;

    for (i = 0; i < n; i++) {
        access(&b, 0, 0, 0, false);
        check(in ? "id read, inwards" : "id read, outwards",
              (long)b.now - 1, wanted[i]);
        write_command(&b, 0, w, 3);
    }
}

/* Commands of different cores run whole, one after the other: their ends. */
static void queued(Arena *a)
{
    Bench b = bench(a, "siracusa");
    uint32_t w[3] = {1024 | TO_L1 | INCREMENT, L1, L2};
    uint64_t last = 0;
    int i;

    for (i = 0; i < 8; i++) {
        access(&b, i, 0, 0, false);
        write_command(&b, i, w, 3);
    }
    for (i = 0; i < 8; i++) {
        uint64_t end = over(&b, 1u << i);

        if (i)
            check("8 of 1 KB in, apart", (long)(end - last), 136);
        last = end;
    }
}

/* Both directions meet in banks of the L1: as on the RTL with these offsets. */
static void both_ways(Arena *a)
{
    Bench b = bench(a, "siracusa");
    uint32_t in[3] = {4096 | TO_L1 | INCREMENT, L1, L2};
    uint32_t out[3] = {4096 | INCREMENT, L1 + 0x4020, L2 + 0x4000};
    uint64_t from_out, from_in;

    access(&b, 0, 0, 0, false);
    access(&b, 1, 0, 0, false);
    write_command(&b, 0, out, 2);
    write_command(&b, 1, in, 2);
    access(&b, 0, 0, out[2], true);
    from_out = b.now - 1;
    b.now += 10;
    access(&b, 1, 0, in[2], true);
    from_in = b.now - 1;
    check("4 KB in beside 4 KB out", (long)(over(&b, 2) - from_in), 570);
    check("4 KB out beside 4 KB in", (long)(over(&b, 1) - from_out), 581);
}

/* ---- what is moved ---- */

typedef struct Odd {
    const char *what;
    uint32_t bits, n; /* n of the command; 0: 131072 */
    Side ext, l1;     /* at: from the beginning of either memory */
} Odd;

static const Odd odd[] = {
    {"ragged rows", TWO_D, 100, {3, 32, 50}, {7, 0, 0}},
    {"a total below the row", TWO_D, 20, {3, 64, 100}, {7, 0, 0}},
    {"rows of no bytes", TWO_D, 300, {3, 0, 40}, {7, 0, 0}},
    {"no length", 0, 0, {0, 0, 0}, {0, 0, 0}},
    {"rows in the L1", TWO_D_L1, 100, {5, 0, 0}, {9, 24, 40}},
    {"rows on both sides", TWO_D | TWO_D_L1, 130, {5, 10, 33}, {9, 24, 40}},
    {"overlapping rows", TWO_D, 64, {0, 16, 4}, {0, 0, 0}},
};

/* Offset of byte i of a side. */
static uint32_t at(const Side *s, uint32_t i)
{
    return s->row ? s->at + i / s->row * s->stride + i % s->row : s->at + i;
}

static void moves(Arena *a, const Odd *o, bool in)
{
    Bench b = bench(a, "siracusa");
    uint32_t n = o->n ? o->n : 1 << 17, size = 1 << 18, i, k = 3, id;
    uint8_t *l1 = ram_find(b.chip, 0x10000000, 1)->data;
    uint8_t *l2 = ram_find(b.chip, 0x1c010000, 1)->data, *want;
    uint32_t w[7] = {o->n | o->bits | INCREMENT | (in ? TO_L1 : 0),
                     0x10000000 + o->l1.at, 0x1c010000 + o->ext.at};

    for (i = 0; i < 2; i++)
        if (o->bits & (i ? TWO_D_L1 : TWO_D)) {
            w[k++] = (i ? &o->l1 : &o->ext)->row;
            w[k++] = (i ? &o->l1 : &o->ext)->stride;
        }
    for (i = 0; i < size; i++) {
        l1[i] = (uint8_t)(i * 7 + (i >> 8));
        l2[i] = (uint8_t)(i * 13 + (i >> 8) + 1);
    }
    want = arena_get(a, size, 1);
    memcpy(want, in ? l1 : l2, size);
    for (i = 0; i < n; i++)
        if (in)
            want[at(&o->l1, i)] = l2[at(&o->ext, i)];
        else
            want[at(&o->ext, i)] = l1[at(&o->l1, i)];
    id = access(&b, 0, 0, 0, false);
    write_command(&b, 0, w, (int)k);
    over(&b, 1u << id);
    check(o->what, memcmp(want, in ? l1 : l2, size), 0);
}

/* Without the increment bit every word comes from, or goes to, one address. */
static void fixed(Arena *a)
{
    Bench b = bench(a, "siracusa");
    uint32_t w[3] = {64 | TO_L1, L1, L2}, i, same = 0;
    uint8_t *l1 = ram_find(b.chip, L1, 1)->data + (L1 - 0x10000000);
    uint8_t *l2 = ram_find(b.chip, L2, 1)->data + (L2 - 0x1c010000);

    for (i = 0; i < 64; i++)
        l2[i] = (uint8_t)(i + 1);
    access(&b, 0, 0, 0, false);
    write_command(&b, 0, w, 3);
    over(&b, 1);
    for (i = 0; i < 64; i++)
        same += l1[i] == i % 8 + 1;
    check("a fixed address", (long)same, 64);
}

/* ---- ids, descriptors, events ---- */

static void ids(Arena *a)
{
    Bench b = bench(a, "siracusa");
    Core *c = &b.clock->core[3];
    uint32_t i;

    for (i = 0; i < 16; i++)
        check("ids", (long)access(&b, 0, 0, 0, false), (long)i);
    c->wait = AWAKE;
    access(&b, 3, 0, 0, false);
    check("asleep without an id", c->wait, W_dma);
    c->slept = b.now;
    access(&b, 0, STATUS, 1u << 5, true);
    check("awake with one", c->wait, AWAKE);
    check("which", (long)c->x[c->wait_rd], 5);
}

/* Five cores want rows: the fifth's command word waits for a descriptor. */
static void descriptors(Arena *a)
{
    Bench b = bench(a, "siracusa");
    uint32_t w[5] = {256 | TO_L1 | INCREMENT | TWO_D, L1, L2, 64, 100};
    int i;

    for (i = 0; i < 5; i++)
        access(&b, i, 0, 0, false);
    for (i = 0; i < 4; i++)
        access(&b, i, 0, w[0], true);
    {
        Access x = {.size = 4, .value = w[0], .core = &b.clock->core[4],
                    .time = to_ticks(b.clock, b.now)};

        b.dma->model->store(b.dma, &x);
        check("a fifth descriptor", x.again, 1);
        write_command(&b, 0, w + 1, 4);
        b.now += 10;
        until(&b, b.now);
        x.again = 0;
        x.time = to_ticks(b.clock, b.now);
        b.dma->model->store(b.dma, &x);
        check("when one is free", x.again, 0);
    }
}

/* Two commands of one id: one event, when both are done. */
static void one_id(Arena *a)
{
    Bench b = bench(a, "siracusa");
    uint32_t w[3] = {256 | TO_L1 | INCREMENT | EVENT, L1, L2};
    uint64_t from;

    access(&b, 0, 0, 0, false);
    write_command(&b, 0, w, 3);
    from = b.now - 1;
    write_command(&b, 0, w, 3);
    check("two commands of an id", (long)(over(&b, 1) - from), 48 + 34);
}

/* A short command's last word comes before the event of the one ahead. */
static void close_ones(Arena *a)
{
    Bench b = bench(a, "siracusa");
    uint32_t w[3] = {8 | TO_L1 | INCREMENT | EVENT, L1, L2};
    uint64_t from;

    access(&b, 0, 0, 0, false);
    access(&b, 1, 0, 0, false);
    write_command(&b, 0, w, 2);
    write_command(&b, 1, w, 2);
    access(&b, 0, 0, w[2], true);
    from = b.now - 1;
    access(&b, 1, 0, w[2], true);
    check("a short command", (long)(over(&b, 1) - from), 16);
    until(&b, from + 1000);
    check("another right behind", (long)(running(&b)), 0);
}

int main(void)
{
    Arena *a = arena_new();
    Bench b = bench(a, "siracusa"), g = bench(a, "gap8");
    static const long in[] = {0, 8, 16, 24, 32, 40, 56, 124};
    static const long out[] = {0, 8, 16, 84, 154, 224};
    size_t i;

    figures(&b, near, LEN(near));
    figures(&g, far, LEN(far));
    id_reads(a, true, in, LEN(in));
    id_reads(a, false, out, LEN(out));
    queued(a);
    both_ways(a);
    for (i = 0; i < LEN(odd); i++) {
        moves(a, &odd[i], true);
        moves(a, &odd[i], false);
    }
    fixed(a);
    ids(a);
    descriptors(a);
    one_id(a);
    close_ones(a);
    printf("%d checks of the DMA, %d wrong\n", count, bad);
    arena_end(a);
    return bad != 0;
}
