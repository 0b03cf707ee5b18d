/* Any kernel on the chip, split over cores, against kern/ref on the same chip:
 * the operators of `cases` on random operands in L1, which begin at any
 * element; in place too, where they may.  With CORES the cycles of one operator
 * are printed instead. */
#include "pulp.h"
#define L1 __attribute__((section(".bss.buf.L1"), aligned(16)))
#define L2 __attribute__((section(".bss.buf.L2"), aligned(16)))
#include "test/sim/cases.h"

/* A copy for each core, as generated code makes it. */
static int32_t dims[8][68] L1;

struct job {
    const Case *k;
    const struct io *io;
    uint8_t *tmp;
    int cores;
};

static void work(const void *arg, int core)
{
    const struct job *j = arg;
    struct io io = *j->io;

    if (core >= j->cores)
        return;
    io.core = core;
    io.ncore = j->cores;
    io.tmp = j->tmp + core * ((j->k->scratch + 7) & ~7);
    fast(dims[core], &io);
}

static uint32_t fork_cycles(const struct job *j)
{
    uint32_t cycles = pulp_cycles();

    pulp_fork(work, j);
    return pulp_cycles() - cycles;
}

/* Cycles, but for those that it takes to start nothing. */
static uint32_t measure(const Case *k, const struct io *io, int cores)
{
    struct job nothing = {k, io, 0, 0};
    uint32_t none;
    struct job j = {k, io, arena + ((used + 15) & ~15), cores};

    if (used + 16 + cores * ((k->scratch + 7) & ~7) > BYTES)
        rt_print("too large\n");
    for (int i = 0; i < cores; i++)
        memcpy(dims[i], k->dims, sizeof dims[i]);
    none = fork_cycles(&nothing);
    return fork_cycles(&j) - none;
}

/* Of one operator, with the instruction cache empty and warm. */
static inline int time_case(const Case *k, int cores)
{
    struct io io = operands(k, 0), right = io;

    right.out[0] = want;
    right.tmp = arena + ((used + 15) & ~15);
    plain(k->dims, &right);
    PULP_REG(PULP_CLUSTER_ICACHE + 4) = 1;
    rt_print_hex("cold ", measure(k, &io, cores));
    measure(k, &io, cores);
    rt_print_hex(" cycles ", measure(k, &io, cores));
    rt_print_hex(" work ", (uint32_t)k->work);
    rt_print_hex(" predicted ", (uint32_t)k->cycles);
    rt_print_hex(" code ", (uint32_t)k->code);
    rt_print("\n");
    return differs(k, io.out[0]);
}

int main(void)
{
    int bad = 0, i;

#ifdef CORES
    i = 1;
    bad = time_case(cases, CORES);
#else
    for (i = 0; i < ncase; i++)
        bad += try_case(cases + i, i % 2 ? 8 : 1 + (int)roll(8));
#endif
    rt_print_hex("runs ", (uint32_t)i);
    rt_print_hex(" bad ", (uint32_t)bad);
    rt_print("\n");
    return bad != 0;
}
