/* Matrix products of XpulpV2 on the chip, split over cores, against kern/ref
 * on the same chip: random operators from SEED, or with CASE one operator,
 * whose cycles are printed.  Built per kernel: fast and plain are its
 * instances. */
#include "kern/kern.h"
#include "pulp.h"
#include "rt.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef RUNS
#define RUNS 12
#endif
#define L1 __attribute__((section(".bss.buf.L1"), aligned(16)))
#define L2 __attribute__((aligned(16)))
enum { BYTES = 16384, SCRATCH = 9216, CHANNELS = 256 };

typedef struct matmul_dims Dims;
void fast(const Dims *k, const struct io *io);
void plain(const Dims *k, const struct io *io);

/* There is no library; compilers call this one even so. */
void *memset(void *to, int v, size_t n)
{
    volatile uint8_t *p = to;

    while (n--)
        *p++ = (uint8_t)v;
    return to;
}

static uint8_t x[BYTES] L1, w[BYTES] L1, y[BYTES] L1;
static uint8_t want[BYTES] L2;
static int32_t bias[CHANNELS] L1, mul[CHANNELS] L1, add[CHANNELS] L1;
static uint8_t scratch[SCRATCH] L1;

struct job {
    const Dims *k;
    int cores, tmp;
};

static struct io operands(void *out)
{
    struct io io = {{x, w, bias, mul, add}, {out}, 0, 0, 1};

    return io;
}

static void work(const void *arg, int core)
{
    const struct job *j = arg;
    struct io io = operands(y);

    if (core >= j->cores)
        return;
    io.core = core;
    io.ncore = j->cores;
    io.tmp = scratch + core * j->tmp;
    fast(j->k, &io);
}

static uint32_t seed = SEED;

static int32_t roll(int32_t n)
{
    seed = seed * 1103515245u + 12345u;
    return (int32_t)((seed >> 8) % (uint32_t)n);
}

static void fill(void)
{
    for (int i = 0; i < BYTES; i++) {
        x[i] = (uint8_t)roll(256);
        w[i] = (uint8_t)roll(256);
        y[i] = want[i] = 0x5a;
    }
    for (int i = 0; i < CHANNELS; i++) {
        bias[i] = roll(20001) - 10000;
        mul[i] = roll(MUL_MOST) + 1;
        add[i] = roll(2001) - 1000;
    }
}

static void shape(Dims *k, int32_t m, int32_t n, int32_t c)
{
    *k = (Dims){.nb = {1, 1, 1}, .m = m, .n = n, .k = c, .am = c, .ak = 1,
                .bk = 1, .bn = c, .biasn = 1, .muln = 1, .addn = 1};
}

static inline void draw(Dims *k)
{
    shape(k, roll(20) + 1, roll(20) + 1, roll(120) + 4);
    if (roll(3) == 0)
        k->am += roll(8);
}

static int32_t size(const Dims *k)
{
    return k->m * k->n;
}

static inline int32_t macs(const Dims *k)
{
    return k->m * k->n * k->k;
}

static uint32_t measure(const Dims *k, int cores)
{
    struct job j = {k, cores, 0};
    uint32_t cycles = pulp_cycles();

    pulp_fork(work, &j);
    return pulp_cycles() - cycles;
}

static int differs(const Dims *k)
{
    struct io io = operands(want);
    int bad = 0;

    plain(k, &io);
    for (int32_t i = 0; i < size(k) + 8; i++)
        bad += y[i] != want[i];
    return bad != 0;
}

static void epilogue(Dims *k)
{
    k->shift = SHIFT;
    k->lo = RES_LO + roll(20);
    k->hi = RES_LO + 255 - roll(20);
}

int main(void)
{
    Dims k;
    int bad = 0;

#ifdef CASE
    fill();
    shape(&k, CASE);
    epilogue(&k);
    measure(&k, CORES);
    rt_print_hex("cycles ", measure(&k, CORES));
    rt_print_hex(" macs ", (uint32_t)macs(&k));
    rt_print("\n");
    bad = differs(&k);
#else
    for (int i = 0; i < RUNS; i++) {
        fill();
        draw(&k);
        epilogue(&k);
        measure(&k, i % 2 ? 8 : 1 + roll(8));
        bad += differs(&k);
    }
    rt_print_hex("runs ", RUNS);
    rt_print_hex(" bad ", (uint32_t)bad);
    rt_print("\n");
#endif
    return bad != 0;
}
