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

enum { GUARD = 8 }; /* bytes behind each core's scratch memory */

struct job {
    const Case *k;
    const struct io *io;
    uint8_t *tmp;
    int cores;
};

static uint8_t *scratch_of(const struct job *j, int core)
{
    const int32_t bytes = j->k->scratch[j->cores - 1];

    return j->tmp + core * (((bytes + 7) & ~7) + GUARD);
}

static void work(const void *arg, int core)
{
    const struct job *j = arg;
    struct io io = *j->io;

    if (core >= j->cores)
        return;
    io.core = core;
    io.ncore = j->cores;
    io.tmp = scratch_of(j, core);
    fast(dims[core], &io);
}

static uint32_t fork_cycles(const struct job *j)
{
    uint32_t cycles = pulp_cycles();

    pulp_fork(work, j);
    return pulp_cycles() - cycles;
}

/* The bytes behind the scratch memory of core `core`. */
static uint8_t *guard_of(const struct job *j, int core)
{
    return scratch_of(j, core) + j->k->scratch[j->cores - 1];
}

/* Cycles, but for those that it takes to start nothing. */
static uint32_t measure(const Case *k, const struct io *io, int cores)
{
    struct job nothing = {k, io, 0, 0};
    uint32_t none, cycles;
    struct job j = {k, io, arena + ((used + 15) & ~15), cores};

    if (scratch_of(&j, cores) > arena + BYTES)
        rt_print("too large\n");
    for (int i = 0; i < cores; i++) {
        memcpy(dims[i], k->dims, sizeof dims[i]);
        memset(guard_of(&j, i), 0x5a, GUARD);
    }
    none = fork_cycles(&nothing);
    cycles = fork_cycles(&j) - none;
    for (int i = 0; i < cores * GUARD; i++)
        if (guard_of(&j, i / GUARD)[i % GUARD] != 0x5a)
            return stray(), cycles;
    return cycles;
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
