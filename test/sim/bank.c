/* The arbiters of the L1 by themselves: eight cores ask for banks in patterns
 * of inner loops, all from the same cycle on, 256 times each.  The cycles that
 * this takes are those of the RTL (XBAR_TCDM of cluster_interconnect; the
 * rr_arb_tree behind hci) with 16 banks that always grant. */
#include "sim/chip.h"

#include <stdlib.h>
#include <string.h>

enum { CORES = 8, BANKS = 16, TIMES = 256 };

/* A loop body: its loads, cycles from one to the next, banks; the next body
 * is `step` banks further. */
typedef struct Body {
    int n, gap[6], bank[6][CORES], step;
} Body;

static int bad, count;

static void check(const char *chip, const char *what, int a, int b, long is,
                  long wanted)
{
    count++;
    if (is == wanted)
        return;
    bad++;
    printf("%s, %s, %d, %d: %ld, wanted %ld\n", chip, what, a, b, is, wanted);
}

static int bank_of(const Body *b, int i, int core)
{
    return (b->bank[i % b->n][core] + i / b->n * b->step) & (BANKS - 1);
}

static void reset(Clock *k, const Body *b, int cores, int skew)
{
    int i;

    memset(k->core[0].near->bank, 0, BANKS * sizeof(Bank));
    for (i = 0; i < cores; i++) {
        k->core[i].t = (uint64_t)(i * skew);
        k->core[i].asks = true;
        k->core[i].bank = bank_of(b, 0, i);
    }
}

static uint64_t first_cycle(const Clock *k)
{
    uint64_t t = NEVER;
    int i;

    for (i = 0; i < CORES; i++)
        t = MIN(t, k->core[i].t);
    return t;
}

/* The cycle after the last access. */
static long run(Clock *k, const Body *b, int skew)
{
    int done[CORES] = {0}, i;
    uint64_t t, last = 0;

    reset(k, b, CORES, skew);
    while ((t = first_cycle(k)) != NEVER) {
        banks_serve(k, t);
        for (i = 0; i < CORES; i++) {
            Core *c = &k->core[i];

            if (!c->granted)
                continue;
            c->granted = false;
            c->t = t + (uint64_t)b->gap[done[i]++ % b->n];
            c->bank = bank_of(b, done[i], i);
            c->asks = done[i] < TIMES;
            if (!c->asks)
                c->t = NEVER;
            last = t;
        }
    }
    return (long)last + 1;
}

/* One load a body, k cycles apart. */
static Body walk(int stride, int gap, int apart)
{
    Body b = {.n = 1, .gap = {gap}, .step = stride};
    int i;

    for (i = 0; i < CORES; i++)
        b.bank[0][i] = i * apart;
    return b;
}

static void walks(const char *chip, Clock *k)
{
    static const int over[9][3] = {
        [1] = {7, 7, 7}, [2] = {7, 7, 7}, [4] = {259, 7, 7},
        [8] = {769, 515, 261},
    };
    int stride, gap;

    for (gap = 1; gap <= 3; gap++) {
        int alone = (TIMES - 1) * gap + 1;
        Body b = walk(1, gap, 1);

        check(chip, "bases a bank apart, k", gap, 0, run(k, &b, 0), alone);
        b = walk(1, gap, 0);
        check(chip, "a cycle apart, k", gap, 0, run(k, &b, 1), alone + 7);
        b = walk(0, gap, 0);
        check(chip, "one bank, k", gap, 0, run(k, &b, 0), TIMES * CORES);
        for (stride = 1; stride <= 8; stride *= 2) {
            b = walk(stride, gap, 0);
            check(chip, "stride, k", stride, gap, run(k, &b, 0),
                  alone + over[stride][gap - 1]);
        }
    }
}

/* Two loads and an operation: a row of its own; of the other a shared one,
 * `base` banks on, or its own again. */
static long two_loads(Clock *k, int row, int base, bool shared)
{
    Body b = {.n = 2, .gap = {1, 2}, .step = 1};
    int i;

    for (i = 0; i < CORES; i++) {
        b.bank[0][i] = i * row;
        b.bank[1][i] = base + (shared ? 0 : i * row);
    }
    return run(k, &b, 0);
}

/* Four rows of a, two of b, eight operations; own: of which a core has rows
 * of its own. */
static long four_by_two(Clock *k, int row, int base, char own)
{
    Body b = {.n = 6, .gap = {1, 1, 1, 1, 1, 9}, .step = 1};
    int i, j;

    for (i = 0; i < CORES; i++)
        for (j = 0; j < 6; j++)
            b.bank[j][i] = j < 4 ? (own == 'a' ? 4 * i + j : j) * row
                                 : base + (own == 'b' ? 2 * i + j - 4
                                                      : j - 4) * row;
    return run(k, &b, 0);
}

typedef struct Loop2 {
    const char *what;
    int rows[4], base;
    char own; /* 0: two loads, b shared; 's': not shared */
    long flag, tree;
} Loop2;

static const Loop2 loops[] = {
    {"two loads", {16, 32}, 5, 0, 390, 390},
    {"two loads", {17, 33}, 5, 0, 410, 390},
    {"two loads of one bank", {16, 32}, 0, 's', 1286, 425},
    {"two loads of one bank", {17, 33}, 0, 's', 383, 383},
    {"4x2, b own", {16, 32}, 5, 'b', 1796, 678},
    {"4x2, b own", {17, 33}, 5, 'b', 599, 599},
    {"4x2, a own", {16, 32}, 5, 'a', 1796, 678},
    {"4x2, a own", {17, 33}, 5, 'a', 603, 640},
    {"4x2, b own", {8, 24, 72}, 7, 'b', 857, 661},
    {"4x2, b own", {4, 12, 20, 36}, 5, 'b', 599, 599},
    {"4x2, a own, same base", {20}, 0, 'a', 767, 683},
};

static void bodies(const char *chip, Clock *k, bool flag)
{
    size_t i;
    int j;

    for (i = 0; i < LEN(loops); i++)
        for (j = 0; j < 4 && loops[i].rows[j]; j++) {
            const Loop2 *l = &loops[i];
            long is = !l->own || l->own == 's'
                          ? two_loads(k, l->rows[j], l->base, !l->own)
                          : four_by_two(k, l->rows[j], l->base, l->own);

            check(chip, l->what, l->rows[j], l->base, is,
                  flag ? l->flag : l->tree);
        }
}

/* ---- a DMA beside them ---- */

static int at[2]; /* accesses of either port */
static int fixed; /* its bank; -1: it moves on by two with each pair */

static void step(Ports *p, unsigned granted)
{
    int i, both;

    p->t++;
    for (i = 0; i < 2; i++)
        at[i] += granted >> (2 + i) & 1;
    both = MIN(at[0], at[1]);
    for (i = 0; i < 2; i++)
        p->bank[2 + i] = fixed >= 0 ? fixed
                         : at[i] > both ? -1 : (2 * both + i) & (BANKS - 1);
}

/* What a run beside a DMA takes; at[] has its accesses. */
static long beside(Clock *k, const Body *b, int bank)
{
    Ram *l1 = k->core[0].near;
    Ports p = {.bank = {-1, -1, MAX(bank, 0), bank < 0 ? 1 : bank},
               .step = step}, *own = l1->dma;
    long n;

    at[0] = at[1] = 0;
    fixed = bank;
    l1->dma = &p;
    l1->calm = 0;
    n = run(k, b, 0);
    l1->dma = own;
    l1->calm = NEVER;
    return n;
}

static long percent(long cycles)
{
    return (MIN(at[0], at[1]) * 100 + cycles / 2) / cycles;
}

/* Cores on every second bank, so that each pair meets one. */
static void pairs(const char *chip, Clock *k, bool flag)
{
    Body b = walk(1, 1, 2);
    long n = beside(k, &b, -1);

    check(chip, "cores beside pairs, k", 1, 0, n, flag ? 266 : 256);
    check(chip, "pairs in 100 cycles, k", 1, 0, percent(n), flag ? 77 : 50);
    b = walk(1, 2, 2);
    n = beside(k, &b, -1);
    check(chip, "cores beside pairs, k", 2, 0, n, flag ? 535 : 511);
    check(chip, "pairs in 100 cycles, k", 2, 0, percent(n), flag ? 94 : 50);
}

/* Cores and two ports on one bank: a tenth each, or a half for the ports. */
static void one_bank(const char *chip, Clock *k, bool flag)
{
    Body b = walk(0, 1, 0);
    long n = beside(k, &b, 0), cores = TIMES * CORES;

    check(chip, "beside ports on one bank", 0, 0, n,
          flag ? 2 * cores - 1 : cores * 10 / 8 - 2);
    check(chip, "the ports' accesses", 0, 0, at[0] + at[1], n - cores);
    check(chip, "alike", 0, 0, abs(at[0] - at[1]) <= 1, 1);
}

int main(void)
{
    static const char *const chips[] = {"pulp-open", "gap8", "siracusa",
                                        "gap9"};
    Arena *a = arena_new();
    size_t i;

    for (i = 0; i < LEN(chips); i++) {
        SimProgram p = {soc_read(a, chips[i]), NULL, NULL};
        SimOptions o = {.strict = true};
        Sim *s = sim_new(a, &p, 1, &o);
        Clock *k = chip_clock(&s->chip[0], "cluster");
        bool flag = i < 2;

        walks(chips[i], k);
        bodies(chips[i], k, flag);
        pairs(chips[i], k, flag);
        one_bank(chips[i], k, flag);
    }
    printf("%d figures of %zu chips' arbiters, %d wrong\n", count, LEN(chips),
           bad);
    arena_end(a);
    return bad != 0;
}
