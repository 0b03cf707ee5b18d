/* What transfers cost: MCHAN and the I/O DMA, alone and together, with every
 * byte checked.  A line is a name, a direction (1: towards the cores), bytes,
 * rows, cycles, the least of some turns; test/plan/predict.c compares what it knows
 * by name. */
#include "ext.h"
#include "pulp.h"
#include "rt.h"

#ifndef ROOM
#define ROOM 32768 /* of L1 */
#endif
enum { FAR = ROOM < 65536 ? 131072 : 2 * ROOM, TURNS = 5 };

static uint8_t near[ROOM] __attribute__((section(".bss.buf.L1"), aligned(4)));
static uint8_t far[FAR] __attribute__((section(".bss.buf.L2"), aligned(4)));
static uint32_t wrong;

static uint32_t at(const void *p)
{
    return (uint32_t)(uintptr_t)p;
}

static void put(const char *name, int in, uint32_t n, uint32_t rows,
                uint32_t cycles)
{
    rt_print(name);
    rt_print_hex(in ? " 1 " : " 0 ", n);
    rt_print_hex(" ", rows);
    rt_print_hex(" ", cycles);
    rt_print("\n");
}

static uint8_t pattern(uint32_t i, uint32_t seed)
{
    return (uint8_t)(i * 13 + (i >> 8) * 7 + seed);
}

static void fill(uint8_t *p, uint32_t n, uint32_t seed)
{
    uint32_t i;

    for (i = 0; i < n; i++)
        p[i] = pattern(i, seed);
}

/* p[i] is what fill() gave element from + i / row * stride + i % row. */
static void check(const uint8_t *p, uint32_t n, uint32_t row, uint32_t stride,
                  uint32_t seed)
{
    uint32_t i;

    for (i = 0; i < n; i++)
        wrong += p[i] != pattern(i / row * stride + i % row, seed);
}

/* ---- one transfer alone ---- */

static uint32_t start, finish; /* cycles of the calls, the last time */
static uint32_t skew, apart; /* rows in the far memory begin so many bytes late,
                                and so many apart */

static uint32_t mchan(uint32_t n, uint32_t row, int in)
{
    uint32_t t0 = pulp_cycles(), t1, t2, t3, id;

    id = row == n ? pulp_dma(at(near), at(far), n, in)
                  : pulp_dma_2d(at(near), at(far) + skew, n, row, apart,
                                in);
    t1 = pulp_cycles();
    pulp_dma_wait(id);
    t2 = pulp_cycles();
    id = pulp_dma(at(near) + ROOM - 4, at(far), 4, 1);
    while (pulp_cycles() - t2 < 200)
        ;
    t3 = pulp_cycles();
    pulp_dma_wait(id);
    finish = pulp_cycles() - t3 - 1;
    start = t1 - t0 - 1;
    return t2 - t0 - 1;
}

static uint32_t ext(uint32_t n, uint32_t row, int in)
{
    uint32_t t0 = pulp_cycles(), t1, t2, id;

    id = row == n ? pulp_ext_start(at(far), 4096, n, in)
                  : pulp_ext_start_2d(at(far), 4096, n, row, 2 * row, in);
    t1 = pulp_cycles();
    pulp_ext_wait(id);
    t2 = pulp_cycles();
    pulp_ext_wait(id);
    finish = pulp_cycles() - t2 - 1;
    start = t1 - t0 - 1;
    return t2 - t0 - 1;
}

typedef uint32_t move(uint32_t n, uint32_t row, int in);

static void measure(const char *name, move *f, uint32_t n, uint32_t row,
                    int in)
{
    uint32_t cycles = ~0u, c;
    int i;

    for (i = 0; i < TURNS; i++) {
        c = f(n, row, in);
        cycles = c < cycles ? c : cycles;
    }
    put(name, in, n, n / row, cycles);
}

static void dma(uint32_t n, uint32_t row)
{
    uint8_t *from = far + skew;

    fill(from, n / row * apart, n);
    measure("mchan", mchan, n, row, 1);
    check(near, n, row, apart, n);
    fill(near, n, n + 1);
    measure("mchan", mchan, n, row, 0);
    check(from, row, row, row, n + 1);
    check(near, n, n, n, n + 1);
}

static void one_dma(uint32_t n, uint32_t row)
{
    apart = row == n ? row : 2 * row;
    dma(n, row);
}

/* Rows that begin at all distances from 8 and 256 bytes alike.  (Those of 16
 * bytes take 1 cycle less each outwards than predicted, of 5 half a one.) */
static void anywhere(void)
{
    static const uint32_t row[] = {27, 32, 64, 100, 250, 256, 257, 400, 999};
    uint32_t i;

    skew = 1;
    for (i = 0; i < sizeof row / sizeof *row; i++) {
        apart = row[i] / 256 * 256 + 256 + 159;
        dma(row[i] * 24, row[i]);
    }
    skew = 0;
}

static void one_ext(uint32_t n, uint32_t row)
{
    fill(far, n, n);
    measure("hyper", ext, n, row, 0);
    fill(far, n, n + 1);
    measure("hyper", ext, n, row, 1);
    check(far, n, n, n, n);
}

static void alone(void)
{
    static const uint32_t size[] = {64, 256, 1000, 4096, 16384, 32000};
    uint32_t i;

    for (i = 0; i < sizeof size / sizeof *size; i++)
        one_dma(size[i], size[i]);
    put("mchan_start", 1, 0, 1, start);
    put("mchan_wait", 1, 0, 1, finish);
    one_dma(3100, 100);
    one_dma(15872, 124);
    put("mchan_start_2d", 1, 0, 1, start);
    for (i = 0; i < sizeof size / sizeof *size; i++)
        one_ext(size[i], size[i]);
    one_ext(100000, 100000); /* more than a command of the channel */
    put("hyper_start", 1, 0, 1, start);
    put("hyper_wait", 1, 0, 1, finish);
    one_ext(1024, 64);
    one_ext(16384, 512);
    put("hyper_start_2d", 1, 0, 1, start);
}

/* ---- many at once ---- */

/* All 16 ids of MCHAN; in pieces where a command would be too long. */
static void many_dma(void)
{
    enum { EACH = ROOM / 16 };
    uint32_t id[16], i;

    fill(far, ROOM, 3);
    for (i = 0; i < 16; i++)
        id[i] = pulp_dma(at(near) + i * EACH, at(far) + i * EACH, EACH, 1);
    for (i = 16; i--;)
        pulp_dma_wait(id[i]);
    check(near, ROOM / 16 * 16, ROOM, ROOM, 3);
    one_dma(ROOM - 4, ROOM - 4);
    one_dma((ROOM - 4) / 1000 * 1000, 1000);
}

/* n requests of a KB, back to back: what a queue of them takes for each. */
static void queued(int in)
{
    enum { N = 2 * PULP_EXT_QUEUE, EACH = 1024 };
    uint32_t token = 0, t0, first, i;

    fill(far, N * EACH, 5);
    t0 = pulp_cycles();
    for (i = 0; i < N; i++) {
        token = pulp_ext_start(at(far) + i * EACH, 65536 + (N - i) * EACH,
                               EACH, in);
        if (!i) {
            pulp_ext_wait(token);
            first = pulp_cycles() - t0;
            t0 += first;
        }
    }
    pulp_ext_wait(token);
    put("hyper_queue", in, EACH, N - 1, pulp_cycles() - t0);
    check(far, N * EACH, N * EACH, N * EACH, 5);
}

/* ---- with everything at work ---- */

static volatile uint32_t sums[8];

static void work(const void *arg, int core)
{
    const volatile uint32_t *p = (const volatile uint32_t *)at(near) + core;
    uint32_t i, sum = 0;

    (void)arg;
    for (i = 0; i < 4000; i++)
        sum += p[i & 1023] * i;
    sums[core] = sum;
}

/* All cores at work alone, and with external memory and MCHAN beside. */
static void together(void)
{
    uint32_t t0, t1, token, id, in, out, waited;

    pulp_fork(work, 0);
    t0 = pulp_cycles();
    pulp_fork(work, 0);
    t1 = pulp_cycles();
    put("work", 0, 0, 1, t1 - t0);
    token = ext(16384, 16384, 1);
    put("ext", 1, 16384, 1, token);
    t0 = pulp_cycles();
    token = pulp_ext_start(at(far) + 65536, 4096, 16384, 1);
    in = pulp_dma(at(near) + 8192, at(far), 8192, 1);
    out = pulp_dma(at(near) + 16384, at(far) + 16384, 8192, 0);
    id = pulp_dma(at(near) + 24576, at(far), 8188, 1);
    pulp_fork(work, 0);
    t1 = pulp_cycles();
    pulp_dma_wait(in);
    pulp_dma_wait(out);
    pulp_dma_wait(id);
    put("work_all", 0, 0, 1, t1 - t0);
    pulp_ext_wait(token);
    waited = pulp_cycles();
    put("ext_all", 1, 16384, 1, waited - t0);
}

int main(void)
{
    alone();
    anywhere();
    many_dma();
    queued(0);
    queued(1);
    together();
    rt_print_hex("wrong ", wrong);
    rt_print("\n");
    return wrong != 0;
}
