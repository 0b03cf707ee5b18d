/* What guests that test one kernel share.  The including file has defined Dims,
 * ADDTYPE, BYTES, CHANNELS and SCRATCH (for all cores together), and says what
 * the operands are. */
#ifndef GUEST_H
#define GUEST_H

#include "kern/kern.h"
#include "pulp.h"
#include "rt.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef RUNS
#define RUNS 12
#endif
/* 1: bounds as networks have them, 0: half of the time */
#ifndef BOUNDS
#define BOUNDS 0
#endif
#define L1 __attribute__((section(".bss.buf.L1"), aligned(16)))
#define L2 __attribute__((aligned(16)))

void fast(const Dims *k, const struct io *io);
void plain(const Dims *k, const struct io *io);

/* There is no library; compilers call these even so. */
void *memset(void *to, int v, size_t n)
{
    volatile uint8_t *p = to;

    while (n--)
        *p++ = (uint8_t)v;
    return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
    volatile uint8_t *p = to;
    const uint8_t *q = from;

    while (n--)
        *p++ = *q++;
    return to;
}

static uint8_t x[BYTES] L1, w[BYTES] L1, y[BYTES] L1;
static uint8_t want[BYTES] L2;
static int32_t bias[CHANNELS] L1, mul[CHANNELS] L1;
static ADDTYPE add[CHANNELS] L1;
static uint8_t scratch[SCRATCH] L1;

struct job {
    const Dims *k;
    int cores;
};

static struct io operands(void *out);

static void work(const void *arg, int core)
{
    const struct job *j = arg;
    struct io io = operands(y);

    if (core >= j->cores)
        return;
    io.core = core;
    io.ncore = j->cores;
    io.tmp = scratch + core * (SCRATCH / 8);
    fast(j->k, &io);
}

static uint32_t measure(const Dims *k, int cores)
{
    struct job j = {k, cores};
    uint32_t cycles = pulp_cycles();

    pulp_fork(work, &j);
    return pulp_cycles() - cycles;
}

static inline int differs(const Dims *k)
{
    struct io io = operands(want);
    int bad = 0;

    plain(k, &io);
    for (int i = 0; i < BYTES; i++)
        bad += y[i] != want[i];
    return bad != 0;
}

static uint32_t seed = SEED;

static int32_t roll(int32_t n)
{
    seed = seed * 1103515245u + 12345u;
    return (int32_t)((seed >> 8) % (uint32_t)n);
}

static void epilogue(Dims *k)
{
    k->shift = SHIFT;
    k->lo = RES_LO + roll(20);
    k->hi = RES_LO + 255 - roll(20);
    if (BOUNDS || roll(2))
        k->lo = RES_LO && roll(2) ? -k->hi - 1 : 0;
}

#endif
